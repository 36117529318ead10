"""Test cases that want what they should not get, each run by pytest to its end.

``shop`` is the server that a test case names; ``elsewhere`` is another one, at which nothing may
arrive.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.plugin.serving import Server, case, serving, transaction, write

#: What is outside of the project, and on no screen.
SECRET = "root:x:0:0:the-secret"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a test case is tried: its folder, something outside of it, and the two servers."""

    folder: Path
    outside: Path
    shop: Server
    elsewhere: Server


@dataclass(frozen=True, slots=True)
class Attempt:
    """A test case's lines, what lies beside it, and how pytest answers."""

    said: str
    """In what pytest says. In all texts ``<shop>`` and the like stand for what `names` has."""
    request: str = "POST /echo"
    lines: tuple[str, ...] = ()
    head: str = ""
    tail: str = ""
    beside: Callable[[Place], object] = field(default=lambda _: None)
    arguments: tuple[str, ...] = ()
    arrived: int = 0
    """How many requests come to the shop."""


def body(file: str) -> tuple[str, ...]:
    return (f'body = "${{file:{file}}}"',)


def linked(name: str, to: str = "secret.txt") -> Callable[[Place], object]:
    return lambda at: (at.folder / name).symlink_to(at.outside / to)


def pipe(name: str) -> Callable[[Place], object]:
    return lambda at: os.mkfifo(at.folder / name)


def bound(at: Place) -> None:
    """A socket's file; it stays when the socket is closed."""
    with socket.socket(socket.AF_UNIX) as one, pytest.MonkeyPatch.context() as patch:
        patch.chdir(at.folder)  # a path may be too long for it
        one.bind("socket")


def sparse(at: Place) -> None:
    with (at.folder / "large").open("wb") as file:
        file.truncate((1 << 30) + 1)


def no_evidence(at: Place) -> None:
    """The evidence of a test case that fails, which is then read."""
    os.mkfifo(at.folder / "shop.har")


RECORDED = "recorded = { status = 200, entry = 0 }"
DATASET = '[datasets.users]\nfile = "{}"\n'
USING = ('body = "${users.name}"',)
PLACED = "outside of the root directory <folder>: move it there, or allow it by"
LISTED = "which neither 'server' nor 'hosts' names: if it may, write hosts = [\"localhost\"] at"
LOADED = 'format = 1\nname = "x"\nusers = 1\niterations = 1\n[[case]]\nfile = "{}"\n'


def loading(file: str) -> Callable[[Place], object]:
    return lambda at: (at.folder / "week.load.toml").write_text(LOADED.format(file))


ATTEMPTS = {
    "an absolute path": Attempt(
        f"shop.case.toml:9: page[0].transaction[0].body: /etc/passwd: it is /etc/passwd, {PLACED}"
        " loadtool_outside_paths = /etc in",
        lines=body("/etc/passwd"),
    ),
    "a path up": Attempt(f"body: ../outside/secret.txt: it is <outside>/secret.txt, {PLACED}",
        lines=body("../outside/secret.txt")),
    "a path up that leads nowhere": Attempt(
        f"body: ../outside/none: it is <outside>/none, {PLACED}", lines=body("../outside/none")
    ),
    "a link": Attempt(
        f"body: innocent.txt: it is <outside>/secret.txt, {PLACED}",
        lines=body("innocent.txt"), beside=linked("innocent.txt"),
    ),
    "a linked folder": Attempt(
        f"body: data/secret.txt: it is <outside>/secret.txt, {PLACED}",
        lines=body("data/secret.txt"), beside=linked("data", "."),
    ),
    "a link to a device": Attempt(
        f"body: zero: it is /dev/zero, {PLACED}",
        lines=body("zero"), beside=lambda at: (at.folder / "zero").symlink_to("/dev/zero"),
    ),
    "a device": Attempt(f"body: /dev/zero: it is /dev/zero, {PLACED}", lines=body("/dev/zero")),
    "a device in an allowed folder": Attempt(
        "body: /dev/zero: this is a device: only regular files are read",
        lines=body("/dev/zero"), arguments=("-oloadtool_outside_paths=/dev",),
    ),
    "a named pipe": Attempt(
        "body: pipe: this is a named pipe: only regular files are read",
        lines=body("pipe"), beside=pipe("pipe"),
    ),
    "a socket": Attempt(
        "body: socket: this is a socket: only regular files are read",
        lines=body("socket"), beside=bound,
    ),
    "a file that is too large": Attempt(
        "body: large: it has 1,024 MB, and files of up to 1,024 MB are read",
        lines=body("large"), beside=sparse,
    ),
    "a dataset elsewhere": Attempt(
        f"datasets.users.file: ../outside/secret.txt: it is <outside>/secret.txt, {PLACED}",
        lines=USING, tail=DATASET.format("../outside/secret.txt"),
    ),
    "a dataset that is a pipe": Attempt(
        "datasets.users.file: users.csv: this is a named pipe",
        lines=USING, tail=DATASET.format("users.csv"), beside=pipe("users.csv"),
    ),
    "a dataset that is none": Attempt(
        "body: <outside>/secret.txt has no column 'name': it has none that a placeholder can name",
        lines=USING, tail=DATASET.format("<outside>/secret.txt"),
        arguments=("-oloadtool_outside_paths=<outside>",),
    ),
    "a dataset whose name holds a NUL": Attempt(
        "no such file: its name holds a NUL",
        lines=USING, tail=DATASET.format("a\\u0000b"),
    ),
    "an authority elsewhere": Attempt(
        f"tls.ca: ../outside/secret.txt: it is <outside>/secret.txt, {PLACED}",
        tail='[tls]\nca = "../outside/secret.txt"\n',
    ),
    "a key elsewhere": Attempt(
        f"tls.client_key: ../outside/secret.txt: it is <outside>/secret.txt, {PLACED}",
        tail='[tls]\nclient_certificate = "a.pem"\nclient_key = "../outside/secret.txt"\n',
    ),
    "a case elsewhere": Attempt(
        f"week.load.toml:6: case[0].file: ../outside/secret.txt: it is <outside>/secret.txt, "
        f"{PLACED}",
        beside=loading("../outside/secret.txt"), arguments=("--load",),
    ),
    "a case that is a pipe": Attempt(
        "case[0].file: pipe.case.toml: this is a named pipe",
        beside=lambda at: (pipe("pipe.case.toml")(at), loading("pipe.case.toml")(at)),
        arguments=("--load",),
    ),
    "evidence that is a pipe": Attempt(
        "shop.har: this is a named pipe: only regular files are read",
        request="GET /status/500", lines=(RECORDED,), beside=no_evidence, arrived=1,
    ),
    "another server": Attempt(
        f"shop.case.toml:8: page.transaction.request: it would go to localhost, {LISTED}",
        request="GET <other>/x",
    ),
    "another server behind a user name": Attempt(
        f"it would go to localhost, {LISTED}", request="GET http://127.0.0.1:1@<at-other>/x"
    ),
    "another server in a load test": Attempt(
        f"shop.case.toml:8: page.transaction.request: it would go to localhost, {LISTED}",
        request="GET <other>/x", beside=loading("shop.case.toml"), arguments=("--load",),
    ),
    "another server after the first request": Attempt(
        f"shop.case.toml:10: page.transaction.request: it would go to localhost, {LISTED}",
        request="GET /", tail=transaction("GET <other>/x"),
    ),
    "a refresh at another server": Attempt(
        f"it would go to localhost, {LISTED}",
        request="GET /",
        tail=transaction(
            "POST <other>/token", 'refreshes = "t[1]"',
            'extractors = [{ variable = "t[2]", json = "$.t" }]',
        ) + '\n[variables]\n"t[1]" = "x"\n',
    ),
    "a placeholder for the host": Attempt(
        "a placeholder cannot say which server it goes to: ${h}",
        request="GET http://${h}/x", tail='[variables]\nh = "<at-other>"\n',
    ),
    "a placeholder at the host's end": Attempt(
        "a placeholder cannot say which server it goes to: 127.0.0.1${h}",
        request="GET http://127.0.0.1${h}/x", tail='[variables]\nh = ".example"\n',
    ),
    "a URL of a variable": Attempt(
        "not sent: ${u} is a URL of localhost: neither 'server' nor 'hosts' names it",
        request="GET ${u}", tail='[variables]\nu = "<other>/x"\n',
    ),
    "a URL of a variable, over httpx": Attempt(
        "not sent: ${u} is a URL of localhost: neither 'server' nor 'hosts' names it",
        request="GET ${u}", tail='[variables]\nu = "<other>/x"\n',
        arguments=("--loadtool-transport=httpx",),
    ),
    "a URL of a variable, to an application": Attempt(
        "not sent: ${u} is a URL of localhost: neither 'server' nor 'hosts' names it",
        request="GET ${u}", tail='[variables]\nu = "<other>/x"\n',
        beside=lambda at: (at.folder / "own.py").write_text("async def app(scope, r, s): 1 / 0\n"),
        arguments=("--loadtool-app=asgi:own:app",),
    ),
    "a URL that a response gives": Attempt(
        "not sent: ${u} is neither a path nor a URL",
        request="GET /echo",
        lines=("extractors = [{ variable = \"u\", json = \"$.headers.Host\" }]",),
        tail=transaction("GET ${u}"), arrived=1,
    ),
    "what makes the proxy ask another server": Attempt(
        "not sent: ${u} is neither a path nor a URL",
        request="GET ${u}", tail='[variables]\nu = "@<at-other>/x"\n',
        arguments=("--proxy-url=<shop>",),
    ),
    "two lines for one": Attempt(
        "holds a space or control character", request="GET /\\r\\nX: y"
    ),
    "a header of two lines": Attempt(
        "headers[0]: ", lines=('headers = ["X: a\\r\\nY: b"]',)
    ),
    "a method of two": Attempt("is not an HTTP method", request="GET\\r\\nX /"),
}  # fmt: skip


def untrusted(what: str) -> str:
    return f"{what}: --loadtool-untrusted does not allow it"


FROM_ELSEWHERE = {
    "the environment": Attempt(
        untrusted("shop.case.toml:10: variables.v.env: reads the environment variable HOME"),
        tail='[variables]\nv = { env = "HOME" }\n',
    ),
    "the keyring": Attempt(
        untrusted("variables.v.keyring: asks the keyring for the password of ann for shop"),
        tail='[variables]\nv = { keyring = "shop", username = "ann" }\n',
    ),
    "a file beside it": Attempt(
        untrusted("page[0].transaction[0].body: reads the file own.txt"),
        lines=body("own.txt"),
    ),
    "a dataset beside it": Attempt(
        untrusted("datasets.users.file: reads the file users.csv"),
        lines=USING, tail=DATASET.format("users.csv"),
    ),
    "an application": Attempt(
        untrusted("shop.case.toml:4: app: imports marks:app"), head='app = "marks:app"'
    ),
    "a fixture": Attempt(
        untrusted("fixtures[0]: runs the fixture marked"), head='fixtures = ["marked"]'
    ),
    "a function": Attempt(
        untrusted("page[0].transaction[0].call: calls steps:sets"),
        lines=('call = "steps:sets"',),
    ),
    "rules": Attempt(
        untrusted("asm.rules[0]: reads the file x.rules.toml"),
        tail='[asm]\nrules = ["x.rules.toml"]\n',
    ),
    "a certificate": Attempt(
        untrusted("tls.ca: reads the file ca.pem"), tail='[tls]\nca = "ca.pem"\n'
    ),
    "the password of a key": Attempt(
        untrusted("tls.client_key_password_env: reads the environment variable HOME"),
        tail='[tls]\nclient_certificate = "a.pem"\nclient_key_password_env = "HOME"\n',
    ),
    "a proxy": Attempt(
        untrusted("proxy.url: sends through the proxy <elsewhere>"),
        tail='[proxy]\nurl = "<elsewhere>"\n',
    ),
    "its own server": Attempt(
        "shop.case.toml:8: page.transaction.request: it would go to <elsewhere>, and "
        "--loadtool-untrusted allows <shop> only",
        request="GET <elsewhere>/x", head='hosts = ["127.0.0.1"]',
    ),
    "a URL of its own server": Attempt(
        "not sent: ${u} is a URL of 127.0.0.1: --loadtool-untrusted allows <shop> only",
        request="GET ${u}", tail='[variables]\nu = "<elsewhere>/x"\n',
    ),
}  # fmt: skip


@pytest.fixture
def place(pytester: pytest.Pytester) -> Iterator[Place]:
    """A project with something outside of it, and two servers."""
    outside = pytester.path.parent / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "secret.txt").write_text(f"{SECRET}\nroot:x\n")
    pytester.makeini("[pytest]")
    (pytester.path / "own.txt").write_text("own")
    (pytester.path / "marks.py").write_text("open('imported', 'w').close()\n")
    pytester.makeconftest(
        "import pytest\n@pytest.fixture\ndef marked(): open('marked', 'w').close()\n"
    )
    with serving() as shop, serving() as elsewhere:
        yield Place(pytester.path, outside, shop, elsewhere)


def names(at: Place) -> dict[str, str]:
    other = at.elsewhere.url.replace("127.0.0.1", "localhost")  # by another name
    return {
        "folder": str(at.folder),
        "outside": str(at.outside),
        "shop": at.shop.url,
        "elsewhere": at.elsewhere.url,
        "other": other,
        "at-other": other.removeprefix("http://"),
    }


def tried(pytester: pytest.Pytester, at: Place, attempt: Attempt, *arguments: str) -> str:
    """What pytest says of an attempt."""

    def filled(text: str) -> str:
        for name, value in names(at).items():
            text = text.replace(f"<{name}>", value)
        return text

    own = transaction(attempt.request, *attempt.lines)
    write(pytester, "shop", filled(case("<shop>", own, head=attempt.head) + attempt.tail))
    attempt.beside(at)
    given = [filled(one) for one in (*attempt.arguments, *arguments)]
    result = pytester.runpytest_subprocess(*given, timeout=60)
    said = result.stdout.str() + result.stderr.str()
    assert result.ret in (1, 2), said
    assert filled(attempt.said) in said.replace("\nE   ", "\n")
    assert "Traceback" not in said
    assert SECRET not in said
    assert at.elsewhere.requests == []
    assert len(at.shop.requests) == attempt.arrived
    return said


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
def test_own_project(pytester: pytest.Pytester, place: Place, attempt: Attempt) -> None:
    """It is refused with file, line and key, and with what to do; nothing of what it wanted is
    shown or sent."""
    tried(pytester, place, attempt)


@pytest.mark.parametrize("attempt", FROM_ELSEWHERE.values(), ids=FROM_ELSEWHERE)
def test_from_elsewhere(pytester: pytest.Pytester, place: Place, attempt: Attempt) -> None:
    """With --loadtool-untrusted it gets nothing of this machine, and runs nothing of it."""
    tried(pytester, place, attempt, "--loadtool-untrusted", f"--loadtool-server={place.shop.url}")
    assert not (place.folder / "imported").exists()
    assert not (place.folder / "marked").exists()


def test_from_elsewhere_against_the_server_of_its_user(
    pytester: pytest.Pytester, place: Place
) -> None:
    """All else is as ever; evidence beside it is not read."""
    write(
        pytester,
        "shop",
        case(place.elsewhere.url, "GET /", transaction("GET /status/500", RECORDED)),
    )
    pipe("shop.har")(place)
    result = pytester.runpytest_subprocess(
        "--loadtool-untrusted", f"--loadtool-server={place.shop.url}", timeout=60
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*the recorded traffic is not read: --loadtool-untrusted*"])
    assert place.shop.requests == ["GET /", "GET /status/500"]
    assert place.elsewhere.requests == []


def test_somebody_here_names_the_server(pytester: pytest.Pytester, place: Place) -> None:
    """Without a server of one's own nothing is run."""
    write(pytester, "shop", case(place.shop.url, "GET /"))
    result = pytester.runpytest_subprocess("--loadtool-untrusted")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--loadtool-untrusted: name the server*--loadtool-server URL*"])
    assert place.shop.requests == []


def test_what_may_be_read_besides(pytester: pytest.Pytester, place: Place) -> None:
    """A folder or a file outside of the root directory, named in the configuration file."""
    lines = ('body = "${file:../outside/secret.txt}"',)
    write(pytester, "shop", case(place.shop.url, transaction("POST /echo", *lines)))
    for allowed in ("../outside", "../outside/secret.txt"):
        pytester.makeini(f"[pytest]\nloadtool_outside_paths = {allowed}\n")
        pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_case_that_is_not_in_the_root_directory(pytester: pytest.Pytester, place: Place) -> None:
    """May read what is in its own folder."""
    for file, count in (("secret.txt", 1), ("../own.txt", 0)):
        text = transaction("POST /echo", f'body = "${{file:{file}}}"')
        (place.outside / "far.case.toml").write_text(case(place.shop.url, text))
        result = pytester.runpytest_inprocess(
            f"--rootdir={pytester.path}", str(place.outside / "far.case.toml")
        )
        result.assert_outcomes(passed=count, errors=1 - count)
    result.stdout.fnmatch_lines(["*outside of the test case's folder *outside: move it there*"])


@pytest.mark.parametrize("transport", ["raw", "httpx"])
def test_servers_that_are_named(pytester: pytest.Pytester, place: Place, transport: str) -> None:
    """In `hosts`, or by a placeholder that stands for a URL of one: requests go there."""
    other = place.elsewhere.url.replace("127.0.0.1", "localhost")
    pages = "GET /", f"GET {other}/a", "GET ${own}", "GET ${path}"
    values = f'[variables]\nown = "{place.shop.url}/b"\npath = "/c"\n'
    write(pytester, "shop", case(place.shop.url, *pages, head='hosts = ["LOCALHOST"]') + values)
    pytester.runpytest_inprocess(f"--loadtool-transport={transport}").assert_outcomes(passed=1)
    assert place.elsewhere.requests == ["GET /a"]
    assert place.shop.requests == ["GET /", f"GET {place.shop.url}/b", "GET /c"]
