"""Commands of curl as test cases: sent again, they are what curl sends."""

from __future__ import annotations

import subprocess

import pytest

from pytest_loadtool.casefile import format_case, parse_case
from pytest_loadtool.casefile.foreign.curl import read_curl
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.errors import FileError
from pytest_loadtool.replay import compile_case
from tests.casefile.foreign.replaying import echo_server
from tests.observed import Observed

#: As Chromium copies a request ("Copy as cURL (bash)").
CHROMIUM = r"""curl '{url}/api/items?q=a%20b' \
  -H 'accept: application/json, text/plain, */*' \
  -H 'accept-language: en-US,en;q=0.9' \
  -H 'content-type: application/json' \
  -b 'sid=0a1b; theme=dark' \
  -H 'origin: http://shop.example' \
  -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36' \
  --data-raw $'{"text":"it\'s \u0021","n":[1,2]}' ;
"""
#: As Firefox does ("Copy as cURL (POSIX)").
FIREFOX = r"""curl '{url}/login' \
  --compressed \
  -X POST \
  -H 'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' \
  -H 'Accept: text/html' \
  -H 'Accept-Encoding: gzip, deflate, br, zstd' \
  -H 'Content-Type: application/x-www-form-urlencoded' \
  --data-raw 'user=ann&password=s%24cret'
"""
PEOPLE = r"""# what a person types
curl -sS "{url}/search" -G --data-urlencode "q=tea & mugs" -d page=2 -A me
curl -u ann:secret -XPUT {url}/notes/7 -d '{"a": "${HOME}"}' -H "Content-Type: application/json"
curl --json '{"a": 1}' {url}/json && curl -I {url}/head
curl -F 'title=Leaf' -F "note=a;type=text/plain" {url}/upload
curl -X DELETE {url}/notes/7 -H 'X-Empty;' -e {url}/
"""

#: Headers that each client says of itself.
_OWN = frozenset(
    {"host", "user-agent", "accept", "connection", "content-length", "accept-encoding"}
)


@pytest.mark.parametrize("text", [CHROMIUM, FIREFOX, PEOPLE], ids=["chromium", "firefox", "people"])
def test_what_is_sent_is_what_curl_sends(text: str) -> None:
    """Bash runs the commands, and the test case is replayed, against one server: the same requests
    come twice, in the same order."""
    with echo_server() as echo:
        text = text.replace("{url}", echo.url)
        subprocess.run(["bash", "-c", text], check=True, capture_output=True, timeout=60)
        by_curl = list(echo.requests)
        echo.requests.clear()
        foreign = read_curl(text, "copied.sh")
        (case,) = foreign.cases
        again = parse_case(format_case(case), "copied.case.toml")
        assert again == case
        replay_once(compile_case(again), observer=Observed())
        ours = list(echo.requests)
    assert foreign.left == ()
    assert [_comparable(one) for one in ours] == [_comparable(one) for one in by_curl]


def _comparable(request: dict[str, object]) -> dict[str, object]:
    headers = request["headers"]
    assert isinstance(headers, dict)
    kept = {name: value for name, value in headers.items() if name not in _OWN}
    if str(kept.get("content-type", "")).startswith("multipart/"):
        return {**request, "headers": {}, "data": ""}  # each has a boundary of its own
    return {**request, "headers": kept}


def test_several_commands_are_pages_in_their_order() -> None:
    """Each command is a page; cookies are the user's own, credentials a variable."""
    (case,) = read_curl(f"{CHROMIUM}{FIREFOX}".replace("{url}", "http://a"), "x").cases
    assert [page.name for page in case.pages] == ["POST /api/items", "POST /login"]
    assert next(case.transactions()).request.cookies == ("sid=0a1b", "theme=dark")
    (case,) = read_curl("curl -u ann:pw http://a/x; curl -u bo:pw http://a/y", "x").cases
    assert {name: one.value for name, one in case.variables.items()} == {
        "credentials": "ann:pw",
        "credentials_2": "bo:pw",
    }


def test_characters_that_browsers_write_as_two_halves_are_one() -> None:
    """Chromium copies an emoji as two escapes, which bash itself would send as six bytes."""
    (case,) = read_curl(r"curl http://a/ -d $'\ud83d\ude00'", "x").cases
    assert next(case.transactions()).request.body == "\N{GRINNING FACE}"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("curl -L http://a/", "line 1: --location: what a redirect leads to"),
        ("\ncurl http://a/ \\\n --limit-rate 1k", "line 3: --limit-rate 1k"),
        ("curl --digest -u a:b http://a/", "line 1: --digest --user"),
        ("curl http://a/ -b jar.txt", "line 1: --cookie jar.txt: a file of cookies"),
        ("curl http://a/; wget http://b/", "line 1: wget: not a command of curl"),
        ("curl -x http://p:3128 http://a/", "line 1: --proxy http://p:3128"),
        ("curl -H 'a b: c' http://a/", 'line 1: "a b" is not a header name'),
    ],
)
def test_what_is_left_out_is_told_by_its_line(command: str, told: str) -> None:
    """Nothing of a command is dropped without a word."""
    assert str(read_curl(command, "x").left[0]).startswith(told)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("curl 'http://a", "x:1: the quote ' is not closed"),
        ("curl -H a", "there is no command of curl with a URL in it"),
        ('curl ^"http://a^" ^\n -H ^"a: b^"', "this is for Windows' cmd: copy it as cURL (bash)"),
    ],
)
def test_what_is_no_command_is_an_error(text: str, message: str) -> None:
    """It says where, and what to do."""
    with pytest.raises(FileError) as caught:
        read_curl(text, "x")
    assert message in str(caught.value)
