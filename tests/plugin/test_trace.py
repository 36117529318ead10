"""The page of a failed replay: recorded beside replayed, and each value's way."""

from __future__ import annotations

import html
import json
import re
import stat
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from random import Random
from urllib.parse import quote

import pytest

from pytest_loadtool.casefile import HarWriter
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.workflow.keeping import MOST_KEPT, kept_replays, trace_path
from tests.plugin.serving import Server, case, transaction, write
from tests.report.html.browsers import BROWSERS, opened

XSS = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>"


def recorded(
    server: str, path: str, body: str, sent: str = "", kind: str = "text/html"
) -> Exchange:
    return Exchange(
        1_790_000_000.0, 0.01, "POST" if sent else "GET", f"{server}{path}", "HTTP/1.1",
        (("Host", "old.test"), *((("Content-Type", FORM),) if sent else ())), sent.encode(),
        200, "OK", (("Content-Type", kind),), body.encode(),
    )  # fmt: skip


FORM = "application/x-www-form-urlencoded"
FIELD = '<form><input name="token" value="{}"></form>'
STALE, PASSWORD = "0ld-t0ken-9f8e7d", "hunter2-secret"


def prepare(
    pytester: pytest.Pytester, server: Server, more: int = 0, body: Callable[[int], str] = str
) -> Path:
    """A shop whose form gives out a token, and a login that sends the recorded one as a constant,
    with a password; and ``more`` pages after that."""
    server.token = "n3w-t0ken-1a2b3c"
    login = f"token={STALE}&password={PASSWORD}&note={XSS}"
    write(
        pytester,
        "shop",
        case(
            server.url,
            transaction(
                "GET /form",
                'extractors = [{ variable = "token[1]", form = "token" }]',
                "recorded = { status = 200, entry = 0 }",
            ),
            transaction(
                "POST /login",
                f'headers = ["Content-Type: {FORM}"]',
                f'body = "{login}"',
                "recorded = { status = 200, entry = 1 }",
            ),
            *(
                transaction(f"GET /page/{one}", f"recorded = {{ status = 200, entry = {one + 2} }}")
                for one in range(more)
            ),
        )
        + f'[variables]\n"token[1]" = {{ recorded = "{STALE}", set_by = "asm" }}\n',
    )
    with HarWriter(pytester.path / "shop.har") as har:
        har.append(recorded(server.url, "/form", FIELD.format(STALE)))
        har.append(recorded(server.url, "/login", f"<p>Welcome {XSS}</p>", login))
        for one in range(more):
            har.append(recorded(server.url, f"/page/{one}", body(one)))
    return pytester.path / "shop.case.toml"


def page_of(case_path: Path) -> Path:
    return trace_path(kept_replays(case_path)[0])


@pytest.mark.parametrize("browser", BROWSERS)
def test_the_stale_token_is_found(browser: str, pytester: pytest.Pytester, server: Server) -> None:
    """What to fix stands first; the failed transaction is open; the token is marked, and a click
    says who gives it out, what it was, what it is now and where the old one goes to."""
    path = prepare(pytester, server)
    result = pytester.runpytest("--loadtool-trace", "--loadtool-think-time", "none")
    result.assert_outcomes(failed=1)
    file = page_of(path)
    result.stdout.fnmatch_lines(
        [f"trace, to be opened in a browser: {file.relative_to(path.parent)}"]
    )
    with opened(browser, file) as page:
        assert "fix first" in page.run("return document.querySelector('.fix').innerText").lower()
        assert "POST /login" in page.run("return document.querySelector('.fix h2').innerText")
        opened_ = page.run(
            "return [...document.querySelectorAll('.tx[open] .name')].map(x => x.title)"
        )
        assert opened_ == ["POST /login"]
        assert page.run("return document.querySelectorAll('.different').length") > 0
        page.run("document.querySelector('.value.stale').click()")
        told = page.run("return document.querySelector('#value').innerText")
        assert re.search(
            r"token\[1\].*1 GET /form.*0ld-.*n3w-.*2 POST /login.*a constant", told, re.S
        )
        marks = "return [...document.querySelectorAll('.mark.gives')].map(x => x.closest('.tx').id)"
        assert page.run(marks) == ["t1"]
        # A click on who gives it out opens that.
        page.run("document.querySelector('#value .given button').click()")
        assert page.run("return document.querySelector('#t1').open") is True
        assert page.run("return typeof window.hacked") == "undefined"
        page.picture(pytester.path / f"{browser}.png")
    assert (pytester.path / f"{browser}.png").stat().st_size > 10_000


def test_secrets_are_cut(pytester: pytest.Pytester, server: Server) -> None:
    """The page can be handed on, the HAR beside it is for its owner alone; so is the page, at
    first."""
    path = prepare(pytester, server)
    pytester.runpytest("--loadtool-trace=retain-on-failure")
    [kept] = kept_replays(path)
    assert PASSWORD in kept.read_text()
    assert PASSWORD not in trace_path(kept).read_text()
    assert stat.S_IMODE(trace_path(kept).stat().st_mode) == 0o600


ODD = "pa/s+s w&rd=ü€?9Zq"
MULTIPART = (
    '--x\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n'
    '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\nPASSWORD\r\n--x--\r\n'
)


@pytest.mark.parametrize(
    ("lines", "sent"),
    [
        ((f'headers = ["Content-Type: {FORM}"]', f'body = "password={quote(ODD, safe="")}"'), ODD),
        (
            (
                'headers = ["Content-Type: multipart/form-data; boundary=x"]',
                f"body = {json.dumps(MULTIPART.replace('PASSWORD', ODD))}",
            ),
            ODD,
        ),
        (
            (
                'headers = ["Content-Type: application/json"]',
                f"body = {json.dumps(json.dumps({'password': ODD}))}",
            ),
            ODD,
        ),
        (
            (f'headers = ["Authorization: Basic {b64encode(b"ann:" + ODD.encode()).decode()}"]',),
            ODD,
        ),
        (('cookies = ["sid=9f8e7d6c5b4a39281706f5e4"]',), "9f8e7d6c5b4a39281706f5e4"),
        (('headers = ["X-Api-Key: 9f8e7d6c5b4a39281706f5e4"]',), "9f8e7d6c5b4a39281706f5e4"),
    ],
)
def test_secrets_are_cut_however_they_are_written(
    lines: tuple[str, ...], sent: str, pytester: pytest.Pytester, server: Server
) -> None:
    """In a form, in a part of several, in JSON, in base64, in a cookie, in a header; and where the
    server says them again: as they are, encoded for addresses, in base64, in JSON, in HTML."""
    ways = (
        sent,
        quote(sent, safe=""),
        quote(sent),
        json.dumps(sent)[1:-1],
        b64encode(sent.encode()).decode(),
        b64encode(b"ann:" + sent.encode()).decode(),
        html.escape(sent),
    )
    server.pages["/said"] = "\n".join(f"you sent <{one}>" for one in ways)
    write(
        pytester,
        "shop",
        case(server.url, transaction("POST /said", *lines, 'status = "201"')),
    )
    pytester.runpytest("--loadtool-trace").assert_outcomes(failed=1)
    text = page_of(pytester.path / "shop.case.toml").read_text()
    assert "POST /said" in text
    assert "you sent" in text
    shown = text + html.unescape(text) + text.encode().decode("unicode_escape", "replace")
    assert [one for one in dict.fromkeys(ways) if one in shown] == []


def test_which_replays_have_a_page(pytester: pytest.Pytester, server: Server) -> None:
    """Those that failed, all, or none; pages go with the replays that they are of."""
    path = prepare(pytester, server)
    write(pytester, "good", case(server.url, "GET /a"))
    good = pytester.path / "good.case.toml"
    for option, expected in (("off", (0, 0)), ("retain-on-failure", (0, 1)), ("on", (1, 2))):
        pytester.runpytest(f"--loadtool-trace={option}").assert_outcomes(passed=1, failed=1)
        assert tuple(len(kept_replays(one)) for one in (good, path)) == expected
        assert all(trace_path(one).exists() for each in (good, path) for one in kept_replays(each))
    for _ in range(MOST_KEPT):
        pytester.runpytest("shop.case.toml", "--loadtool-trace")
    assert len([*path.with_name("shop.replays").glob("*.html")]) == MOST_KEPT
    result = pytester.runpytest("--loadtool-trace=always")
    result.stderr.fnmatch_lines(["*loadtool_trace: expected off, retain-on-failure or on, got*"])


def test_without_the_recording(pytester: pytest.Pytester, server: Server) -> None:
    """What was sent and received is there, and that there is nothing to compare it with."""
    path = prepare(pytester, server)
    path.with_name("shop.har").unlink()
    pytester.runpytest("--loadtool-trace")
    with opened("chromium", page_of(path)) as page:
        text = page.run("return document.querySelector('.tx[open]').innerText")
    assert "nothing to compare with" in text
    assert "403 Forbidden" in text


BROKEN = f"""
import importlib

import pytest

@pytest.fixture(autouse=True)
def broken(monkeypatch):
    def write_trace(*_, **__):
        raise TypeError("no page with {PASSWORD}")

    tracing = importlib.import_module("pytest_loadtool.workflow.tracing")
    monkeypatch.setattr(tracing, "write_trace", write_trace)
"""


def test_a_bug_does_not_hide_the_failure(pytester: pytest.Pytester, server: Server) -> None:
    """The failure stands first, the bug below it, without the secrets that its text may have; of a
    replay that passed, the bug alone."""
    prepare(pytester, server)
    write(pytester, "good", case(server.url, "GET /a"))
    pytester.makeconftest(BROKEN)
    result = pytester.runpytest("shop.case.toml", "--loadtool-trace")
    result.assert_outcomes(failed=1)
    result.stdout.re_match_lines(
        ["FIX FIRST +2 of 2.*", "its page was not written, which is a bug of.*", "TypeError: no.*"]
    )
    assert PASSWORD not in result.stdout.str()
    result = pytester.runpytest("good.case.toml", "--loadtool-trace=on")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*TypeError: no page with*"])


def test_a_replay_that_came_to_nothing(pytester: pytest.Pytester, server: Server) -> None:
    """The page says what ended it, and that nothing was sent."""
    write(pytester, "shop", case("", "GET /", head='app = "no_such_module:app"'))
    path = pytester.path / "shop.case.toml"
    pytester.runpytest("--loadtool-trace").assert_outcomes(failed=1)
    if kept_replays(path):
        assert "no_such_module" in page_of(path).read_text()


def _lines(_: int) -> str:
    return "<p>a line of a page</p>\n" * 2_600


def _signs(seed: int) -> str:
    return "".join(map(chr, Random(seed).choices(range(0x4E00, 0x9FFF), k=4_000)))


@pytest.mark.parametrize("body", [_lines, pytest.param(_signs, marks=pytest.mark.slow)])
def test_many_transactions_with_long_bodies_make_a_small_page(
    body: Callable[[int], str], pytester: pytest.Pytester, server: Server
) -> None:
    """500 transactions of 60 kB, which may be such that nothing makes them shorter: below 2 MB;
    that something is left out is said where it was, the failed one is complete."""
    path = prepare(pytester, server, more=498, body=body)
    if body is not _lines:
        server.pages = {f"/page/{one}": body(one + 1000) for one in range(498)}
    pytester.runpytest("--loadtool-trace", "--loadtool-think-time", "none").assert_outcomes(
        failed=1
    )
    file = page_of(path)
    assert 200_000 < file.stat().st_size < 2_000_000
    with opened("chromium", file) as page:
        assert page.run("return document.querySelectorAll('.tx').length") == 500
        assert "a part is left out" in page.run(
            "return document.querySelector('#transactions > .note').innerText"
        )
        assert "403 Forbidden" in page.run("return document.querySelector('#t2').innerText")
        page.run("document.querySelector('#t400').open = true; return 1")
        page.run("return document.querySelector('#t400').getBoundingClientRect().top")
        assert "left out here" in page.run("return document.querySelector('#t400').innerText")
