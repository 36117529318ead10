"""The domain filters as a user sets them: in the command, or in the options."""

from __future__ import annotations

from pathlib import Path

import pytest

from example_suite.server import ShopServer
from pytest_loadtool.casefile import read_case, read_har
from tests.console.running import run_script

CURL = "run curl -sS -o /dev/null"


@pytest.mark.promise(9)
@pytest.mark.promise(10)
def test_domains_of_the_command(tmp_path: Path, shop: ShopServer) -> None:
    """What is kept out is listed by domain, with why; the traffic file has nothing else of it."""
    other = shop.url.replace("127.0.0.1", "localhost")
    done = run_script(
        tmp_path,
        f"""
        record --browser none --only 127.0.0.1 --block ads.test --block pixel.test --block-trackers
        {CURL} {shop.url}/ {other}/?user=ann http://cdn.pixel.test/1 http://www.google-analytics.com/
        stop
        save
        import shop.har --only localhost
        """,
        status=5,
    )
    assert "4 exchanges recorded." in done.stdout
    assert "  filtered by domain: 3\n" in done.stdout
    netloc = other.removeprefix("http://")
    assert f"outside the domains to record: {netloc}\n" in done.stdout
    assert "blocked domain: cdn.pixel.test, www.google-analytics.com\n" in done.stdout
    case = read_case(tmp_path / "shop.case.toml")
    assert [one.request.target for one in case.transactions()] == ["/"]
    assert b"ann" not in (tmp_path / "shop.har").read_bytes()
    assert len(read_har(tmp_path / "shop.har")) == 4
    # The import keeps out what the recording had kept, and so finds nothing.
    assert "none of the recorded traffic can be replayed" in done.stdout


def test_domains_of_the_options(tmp_path: Path, shop: ShopServer) -> None:
    """On the command line or in the configuration file; a command that names its own is obeyed."""
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nrecord_block = ads.test pixel.test\nrecord_block_trackers = true\n"
    )
    hosts = "http://ads.test/ http://x.hotjar.com/"
    done = run_script(
        tmp_path,
        f"""
        record --browser none
        {CURL} {shop.url}/ {hosts}
        stop
        record --browser none --discard --only ads.test
        {CURL} {shop.url}/ http://ads.test/
        stop
        """,
        "--record-only=127.0.0.1",
        status=5,
    )
    assert "blocked domain: ads.test, x.hotjar.com\n" in done.stdout
    second = done.stdout.partition("--discard")[2]
    assert f"outside the domains to record: {shop.url.removeprefix('http://')}\n" in second
    assert "blocked domain: ads.test\n" in second


def test_what_is_no_domain_is_refused_before_anything_starts(tmp_path: Path) -> None:
    """With the option, the text and what is expected."""
    done = run_script(tmp_path, "record --only https://shop.example/\n", status=4)
    expected = "--only must be a domain such as shop.example, not 'https://shop.example/'"
    assert expected in done.stderr
    done = run_script(tmp_path, "quit\n", "--record-block=a/b", status=4)
    assert "--record-block: expected a domain such as shop.example, got 'a/b'" in done.stderr
