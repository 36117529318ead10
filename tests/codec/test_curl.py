"""Requests as commands of curl: a shell runs them, curl sends them, a server says what came."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import pytest

from pytest_loadtool.codec.curl import curl_command
from pytest_loadtool.model.exchange import HeaderList
from tests.plugin.serving import Server, serving


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


def sent(command: str) -> dict[str, object]:
    """What the server got when a shell ran the command."""
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, check=True, timeout=60)
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("body", ["a=1&b='2'", '{"ü": "$HOME `id` \\" !"}', "@file\n", "-x"])
def test_a_shell_sends_the_same(server: Server, body: str) -> None:
    """Quotes, variables, line ends and a leading @ of the body and the headers are what they are;
    what curl would add is not sent."""
    headers: HeaderList = (
        ("Content-Type", "text/plain"),
        ("X-Odd", 'it\'s "$HOME"'),
        ("X-Empty", ""),
    )
    command = curl_command("PUT" if body == "-x" else "POST", f"{server.url}/echo?a[]=1&b={{2}}",
                           headers, body.encode())  # fmt: skip
    if body == "-x":
        assert "--request PUT" in command
        command = command.replace("--request PUT", "--request POST")
    found = sent(command)
    assert found["body"] == body
    got = dict(found["headers"])  # type: ignore[call-overload]
    assert got.keys() == {"Host", "Content-Type", "X-Odd", "X-Empty", "Content-Length"}
    assert got["X-Odd"] == 'it\'s "$HOME"'
    assert server.requests[-1] == "POST /echo?a[]=1&b={2}"


@pytest.mark.parametrize("body", ["a\0é", "one\r\ntwo", "\x1b[31m"])
def test_a_body_that_is_no_text_comes_from_a_pipe(server: Server, body: str) -> None:
    """With what no argument can have, or no terminal shows as it is."""
    command = curl_command("POST", f"{server.url}/echo", (), body.encode())
    assert "base64" in command
    assert sent(command)["body"] == body


def test_get_and_head(server: Server) -> None:
    """GET is not named, HEAD waits for no body; what was compressed is read."""
    get = curl_command("GET", f"{server.url}/echo", (("Accept-Encoding", "gzip, br"),), b"")
    assert "--request" not in get
    assert "--compressed" in get
    assert dict(sent(get)["headers"])["Accept-Encoding"] == "gzip, br"  # type: ignore[call-overload]
    head = curl_command("HEAD", server.url, (), b"")
    assert "--head" in head.split(" \\\n  ")
