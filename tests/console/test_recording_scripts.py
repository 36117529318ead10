"""Recording from a script: real clients, a real server, real files."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from example_suite.server import ShopServer
from pytest_loadtool.casefile import read_case, read_har, read_load
from pytest_loadtool.model.load import CaseShare
from tests.capture.servers import secure_site
from tests.console.running import ROOT, recording, run_script
from tests.plugin.serving import case, serving, transaction

API = f'sh -c \'"{sys.executable}" -m example_suite.record_api --proxy "$LOADTOOL_PROXY" {{url}}\''
ADMIN = f'sh -c \'"{sys.executable}" -m example_suite.record_admin --cdp "$LOADTOOL_CDP" {{url}}\''


@pytest.mark.promise(48)
@pytest.mark.promise(65)
@pytest.mark.promise(2)
def test_curl_is_recorded_configured_played_and_saved(tmp_path: Path, shop: ShopServer) -> None:
    """The whole way for an API client: record, run curl, stop, configure, play, save, read it."""
    done = run_script(
        tmp_path,
        f"""
        # what a CI job would do
        record --browser none
        run curl -sS -o first.html {shop.url}/admin/login/
        run curl -sS -o second.html {shop.url}/
        stop
        tree
        configure
        play --fast
        save
        """,
    )
    assert "csrfmiddlewaretoken" in (tmp_path / "first.html").read_text()
    case = read_case(tmp_path / "shop.case.toml")
    targets = [one.request.target for one in case.transactions()]
    assert targets == ["/admin/login/", "/"]
    assert case.server == shop.url
    exchanges = read_har(tmp_path / "shop.har")
    assert [one.url for one in exchanges] == [f"{shop.url}/admin/login/", f"{shop.url}/"]
    assert sorted(path.name for path in tmp_path.glob("*.har")) == ["shop.har"]
    assert re.search(r"1  200 +\d+ ms  passed", done.stdout)


@pytest.mark.promise(2)
def test_api_session_is_configured_and_plays(tmp_path: Path, shop: ShopServer) -> None:
    """A token and an id that the server makes up anew are found, explained, and replay works."""
    session = recording(API.format(url=shop.url), "configure", "play --fast", "save")
    done = run_script(tmp_path, session)
    assert "used by" in done.stdout
    text = (tmp_path / "shop.case.toml").read_text()
    assert "Bearer ${" in text
    assert not re.search(r"Bearer [^$]", text)


def test_save_before_configure_hints_at_it(tmp_path: Path, shop: ShopServer) -> None:
    """Dynamic values that are left as recorded are pointed out when the test case is saved."""
    done = run_script(tmp_path, recording(API.format(url=shop.url), "save"))
    assert "Dynamic values, if there are any, will be sent as recorded: `configure`" in done.stdout


@pytest.mark.promise(8)
@pytest.mark.promise(20)
@pytest.mark.promise(48)
def test_browser_is_recorded_while_a_program_drives_it(tmp_path: Path, shop: ShopServer) -> None:
    """Playwright logs in and edits in the recorder's own browser; pages get their titles."""
    done = run_script(
        tmp_path,
        f"""
        record {shop.url}/
        run {ADMIN.format(url=shop.url)}
        stop
        tree
        configure
        play --fast
        save
        """,
    )
    case = read_case(tmp_path / "shop.case.toml")
    names = [page.name for page in case.pages]
    assert any("Log in" in name for name in names)
    assert any("Select product to change" in name for name in names)
    methods = {one.request.method for one in case.transactions()}
    assert methods == {"GET", "POST"}
    assert f"▾ P1 {names[0]}" in done.stdout


@pytest.mark.promise(8)
def test_browser_that_is_closed_ends_the_waiting(tmp_path: Path, shop: ShopServer) -> None:
    """With --record-url the browser opens at once; when its user closes it, the console says so."""
    (tmp_path / "close.py").write_text(
        "import os\n"
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as playwright:\n"
        "    browser = playwright.chromium.connect_over_cdp(os.environ['LOADTOOL_CDP'])\n"
        "    browser.contexts[0].pages[0].wait_for_selector('text=Teapot')\n"
        "    browser.new_browser_cdp_session().send('Browser.close')\n"
    )
    done = run_script(
        tmp_path,
        f"run '{sys.executable}' close.py\nwait\nstop\nsave\n",
        "--record-url",
        f"{shop.url}/",
    )
    assert "The browser was closed. `stop` makes the test case." in done.stdout
    targets = [one.request.target for one in read_case(tmp_path / "shop.case.toml").transactions()]
    assert targets[0] == "/"
    assert not [target for target in targets if "json/version" in target]


def test_program_that_fails_ends_the_script(tmp_path: Path, shop: ShopServer) -> None:
    """A client that could not do its work makes no test case; the message names the line."""
    script = recording(f"curl -sS --fail {shop.url}/nothing-is-here", "save")
    done = run_script(tmp_path, f"\n{script}", status=1)
    assert "script.txt:3: curl ended with exit status 22" in done.stdout
    assert not (tmp_path / "shop.case.toml").exists()
    assert len(read_har(tmp_path / "shop.recording.har")) == 1


@pytest.mark.parametrize("command", ["run no-such-program x", "run ./script.txt"])
def test_program_that_cannot_be_started_is_named(tmp_path: Path, command: str) -> None:
    """Neither a missing program nor one that may not be run ends in a traceback."""
    done = run_script(tmp_path, f"record --browser none\n{command}\n", status=1)
    assert f"script.txt:2: {command.split()[1]} cannot be started: " in done.stdout


def test_program_sees_where_the_proxy_is(tmp_path: Path) -> None:
    """What common clients read is set, and NO_PROXY keeps nothing off the proxy."""
    (tmp_path / "look.py").write_text(
        "import os, pathlib, urllib.request\n"
        "proxy = os.environ['LOADTOOL_PROXY']\n"
        "for name in ('HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'):\n"
        "    assert os.environ[name] == proxy, name\n"
        "assert os.environ['NO_PROXY'] == os.environ['no_proxy'] == ''\n"
        "assert not urllib.request.proxy_bypass('127.0.0.1')\n"
        "for name in ('LOADTOOL_CA', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE',\n"
        "             'NODE_EXTRA_CA_CERTS'):\n"
        "    assert 'CERTIFICATE' in pathlib.Path(os.environ[name]).read_text(), name\n"
        "assert 'LOADTOOL_CDP' not in os.environ\n"
    )
    run_script(tmp_path, f"record --browser none\nrun '{sys.executable}' look.py\nquit\n", status=2)


@pytest.mark.promise(14)
def test_only_the_proxy_listens(tmp_path: Path) -> None:
    """The console has no network interface of its own but the proxy's port."""
    (tmp_path / "ports.py").write_text(
        "import os, pathlib, urllib.parse\n"
        "console = os.getppid()\n"
        "inodes = {os.readlink(one) for one in pathlib.Path(f'/proc/{console}/fd').iterdir()}\n"
        "ports = []\n"
        "for table in ('tcp', 'tcp6'):\n"
        "    for line in pathlib.Path('/proc/net', table).read_text().splitlines()[1:]:\n"
        "        words = line.split()\n"
        "        if words[3] == '0A' and f'socket:[{words[9]}]' in inodes:\n"
        "            ports.append(int(words[1].split(':')[1], 16))\n"
        "assert ports == [urllib.parse.urlsplit(os.environ['LOADTOOL_PROXY']).port], ports\n"
    )
    run_script(
        tmp_path, f"record --browser none\nrun '{sys.executable}' ports.py\nquit\n", status=2
    )


def test_file_ends_the_waiting(tmp_path: Path, shop: ShopServer) -> None:
    """`wait --file` keeps the recording open until another program has made the file."""
    client = f"(curl -sS {shop.url}/ && touch done.flag) > /dev/null 2>&1 &"
    run_script(
        tmp_path,
        f"record --browser none\nrun sh -c '{client}'\nwait --file done.flag\nstop\nsave\n",
    )
    assert len(list(read_case(tmp_path / "shop.case.toml").transactions())) == 1


def test_file_that_does_not_come_in_time_is_a_failure(tmp_path: Path) -> None:
    """A job that waits for something that never comes ends instead of hanging."""
    done = run_script(tmp_path, "record --browser none\nwait 0.3 --file never.flag\n", status=1)
    assert "script.txt:2: never.flag did not appear in 0.3 seconds" in done.stdout


def test_server_with_its_own_certificate_is_recorded_and_played(tmp_path: Path) -> None:
    """A staging server over HTTPS: named with the reason, and replay is told not to check it."""
    with secure_site(tmp_path) as nginx:
        done = run_script(tmp_path, recording(f"curl -sS -o x {nginx.origin}/", "play", "save"))
    assert "the certificate of 127.0.0.1 is not trusted (self-signed certificate)" in done.stdout
    assert "Certificates are not verified: the test case says so." in done.stdout
    case = read_case(tmp_path / "shop.case.toml")
    assert (case.server, case.tls.verify) == (nginx.origin, False)


def test_recording_again_keeps_what_a_person_said(tmp_path: Path, shop: ShopServer) -> None:
    """Recorded anew, a test case keeps its name, marks, fixtures and the person's comments."""
    path = tmp_path / "shop.case.toml"
    path.write_text(
        '# our most important page\nformat = 1\nname = "Front page"\nserver = "http://old"\n'
        'server_fixture = "shop"\nfixtures = ["clean_db"]\nmarks = ["smoke"]\n\n'
        '[[page]]\nname = "Old"\n\n[[page.transaction]]\nrequest = "GET /old"\n'
    )
    run_script(tmp_path, recording(f"curl -sS -o x {shop.url}/", "save --replace"))
    case = read_case(path)
    assert (case.name, case.server_fixture) == ("Front page", "shop")
    assert (case.fixtures, case.marks) == (("clean_db",), ("smoke",))
    assert [one.request.target for one in case.transactions()] == ["/"]
    assert "# our most important page" in path.read_text()


def test_failed_play_is_explained(tmp_path: Path, shop: ShopServer) -> None:
    """What to mend is told as pytest tells it, at the end, where one looks."""
    (tmp_path / "shop.case.toml").write_text(
        f'format = 1\nname = "shop"\nserver = "{shop.url}"\n\n[[page]]\nname = "Home"\n\n'
        '[[page.transaction]]\nrequest = "GET /"\nvalidators = [{ text = "Zebra" }]\n\n'
        '[[page.transaction]]\nrequest = "GET /missing"\n'
    )
    done = run_script(tmp_path, "play\n", status=1)
    told, _, block = done.stdout.partition("FIX FIRST  1 of 2  Home")
    assert "Search text not found: 'Zebra'" in told
    assert "GET /  200" in block
    assert "cause    The page has nothing like it" in block
    assert "script.txt:1: 2 of 2 transactions failed" in done.stdout


@pytest.mark.promise(66)
def test_recording_becomes_a_load_test(tmp_path: Path, shop: ShopServer) -> None:
    """Record, save, Create Load Configuration, Start: what was recorded passes under load."""
    create = "create load configuration users=2 duration=500ms"
    session = recording(API.format(url=shop.url), "configure", "save", create, "start")
    done = run_script(tmp_path, session)
    report = done.stdout.partition("Load test shop, shop.load.toml.")[2]
    assert re.search(r"^shop +PASSED$", report, re.MULTILINE)
    assert re.search(r"error rate +0 % \(0 of [1-9]", report)
    assert read_load(tmp_path / "shop.load.toml").cases == (CaseShare("shop.case.toml"),)


def test_failed_load_test_fails_the_script(tmp_path: Path) -> None:
    """The report is printed, the reason stands with the line, and nothing after it runs."""
    with serving() as server:
        (tmp_path / "shop.case.toml").write_text(case(server.url, "GET /status/500"))
        done = run_script(tmp_path, "create-load users=1 duration=300ms\nstart\ntree\n", status=1)
    assert re.search(r"^shop +FAILED$", done.stdout, re.MULTILINE)
    assert re.search(r"script\.txt:2: load test failed: ", done.stdout + done.stderr)
    assert "> tree" not in done.stdout


APPLICATION = """
def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [environ["PATH_INFO"].encode()]
"""


def test_application_of_the_project_is_played_and_loaded(tmp_path: Path) -> None:
    """`app` names a module in pytest's rootdir, wherever the console was opened."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "our_shop.py").write_text(APPLICATION)
    cases = tmp_path / "cases"
    cases.mkdir()
    text = case(
        "",
        transaction("GET /tea", 'validators = [ { text = "/tea" } ]'),
        head='app = "our_shop:app"',
    )
    (cases / "shop.case.toml").write_text(text)
    done = run_script(cases, "play\ncreate-load users=2 duration=300ms\nstart\n")
    assert "1 transaction passed." in done.stdout
    assert re.search(r"^shop +PASSED$", done.stdout, re.MULTILINE)


@pytest.mark.skipif(
    not (shutil.which("firefox") and shutil.which("certutil")),
    reason="firefox or certutil is not installed",
)
def test_firefox_is_recorded_by_the_script_of_the_documentation(tmp_path: Path) -> None:
    """Its profile trusts the recorder, and what it asks its maker for is in no test case."""
    page = (ROOT / "docs" / "recording.md").read_text()
    script = re.search(r"```bash\n(# firefox\.sh\n.*?)```", page, re.DOTALL)
    assert script is not None
    (tmp_path / "firefox.sh").write_text(script[1])
    with secure_site(tmp_path) as nginx:
        url = f"https://127.0.0.1:{nginx.port}/text"
        run_script(
            tmp_path,
            f"""
            record --browser none
            run bash firefox.sh --headless --screenshot {tmp_path / "seen.png"} {url}
            stop
            save
            """,
        )
    assert (tmp_path / "seen.png").exists()
    case = read_case(tmp_path / "shop.case.toml")
    assert case.server == f"https://127.0.0.1:{nginx.port}"
    assert "/text" in [one.request.target for one in case.transactions()]
    assert not [host for host in case.recorded_hosts if "mozilla" in host]
