"""What is missing in a recording or went wrong: told by `stop`, and again whenever it is asked."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from example_suite.server import ShopServer
from pytest_loadtool.casefile import HarWriter, read_troubles
from tests.console.running import run_script
from tests.recording.samples import SHOP, load, visit
from tests.recording.test_fidelity import EXCHANGES

#: Kills the recorder's browser: that child of the console which leads a session of its own.
_KILL = """
import os, pathlib, signal
console = os.getppid()
for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
    pid, _, rest = stat.read_text().partition(" (")
    fields = rest.rpartition(")")[2].split()
    if int(fields[1]) == console and fields[3] == pid:
        os.kill(int(pid), signal.SIGKILL)
        break
else:
    raise SystemExit("no browser found")
"""


@pytest.mark.promise(125)
@pytest.mark.promise(46)
def test_a_killed_browser_means_to_record_again(tmp_path: Path, shop: ShopServer) -> None:
    """Told when it happens, by `stop`, and, after it was saved, whenever it is asked."""
    (tmp_path / "kill.py").write_text(_KILL)
    (tmp_path / "look.py").write_text(
        "import os\n"
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as playwright:\n"
        "    browser = playwright.chromium.connect_over_cdp(os.environ['LOADTOOL_CDP'])\n"
        "    browser.contexts[0].pages[0].wait_for_selector('text=Teapot')\n"
    )
    python = sys.executable
    done = run_script(
        tmp_path,
        f"record {shop.url}/\nrun '{python}' look.py\nrun '{python}' kill.py\nstop\nsave\n",
    )
    condition = re.compile(r"the browser ended by signal SIGKILL.*: record again")
    assert condition.search(done.stdout.partition("> stop")[2])
    assert read_troubles(tmp_path / "shop.har")
    assert condition.search(run_script(tmp_path, "show errors\n").stdout)


@pytest.mark.promise(125)
@pytest.mark.promise(46)
def test_errors_are_listed_with_status_and_meaning(tmp_path: Path) -> None:
    """The main HTML and the call must be recorded again, the image need not."""
    with HarWriter(tmp_path / "bad.har") as writer:
        writer.append(visit(f"{SHOP}/", 0, "<title>Shop"))
        writer.append(visit(f"{SHOP}/cart", 5, "oops", status=500, content_type="text/plain"))
        writer.append(load(f"{SHOP}/api", 6, "application/json", b"{}", status=502))
        writer.append(load(f"{SHOP}/x.png", 7, "text/html", dest="image", status=404))
        writer.append(load(f"{SHOP}/lost", 8, "", b"", method="POST", status=0))
    done = run_script(tmp_path, "import bad.har\nshow errors\nsave\n")
    assert "recording error: 4 (3 serious: record again)" in done.stdout
    listed = done.stdout.partition("> show errors\n")[2].partition("> save")[0]
    again = "if that was not meant, record again"
    assert listed.splitlines() == [
        f"    2  GET {SHOP}/cart",
        "       status 500, which replay will expect: the main HTML of a page failed; " + again,
        f"    3  GET {SHOP}/api",
        "       status 502, which replay will expect: an API call failed; " + again,
        f"    4  GET {SHOP}/x.png",
        "       status 404, which replay will expect: harmless, a static resource is missing",
        f"    -  POST {SHOP}/lost",
        "       no response: no reason recorded: an API call failed; " + again,
    ]


def test_the_fidelity_report_adds_up(tmp_path: Path) -> None:
    """When the test case is made, and after it was opened again and a transaction deleted."""
    with HarWriter(tmp_path / "all.har") as writer:
        for exchange in EXCHANGES:
            writer.append(exchange)
    done = run_script(tmp_path, "import all.har\nshow fidelity\nsave\n")
    assert "9 exchanges recorded: 3 in the test case, 6 not." in done.stdout
    for kind in ("filtered by domain", "not replayable, kept", "cancelled by the client"):
        assert re.search(rf"^  {kind}.*: 1$", done.stdout, re.MULTILINE), kind
    done = run_script(tmp_path, "delete 2\nshow fidelity\nsave\n")
    assert "9 exchanges recorded: 2 in the test case, 7 not." in done.stdout
    assert f"deleted, stripped or of another host: GET {SHOP}/a.css" in done.stdout
