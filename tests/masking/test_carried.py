"""What a message carries that is secret."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field

import pytest

from pytest_loadtool.masking.carried import carried_by, recorded_in
from pytest_loadtool.masking.text import Mask
from tests.console.traffic import exchange


@dataclass
class Message:
    """A request as sent, and the headers of its response."""

    request: bytes
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)


def sent(*headers: str, target: str = "/", body: str = "") -> set[str]:
    head = "\r\n".join([f"POST {target} HTTP/1.1", *headers])
    return set(carried_by(Message(f"{head}\r\n\r\n{body}".encode())))


BASIC = base64.b64encode(b"ann:horse7 battery").decode()


@pytest.mark.parametrize(
    ("found", "secrets"),
    [
        (sent("Authorization: Bearer abcdefgh"), {"abcdefgh"}),
        (sent(f"Authorization: Basic {BASIC}"), {BASIC, "horse7 battery"}),
        (sent("Authorization: Basic ~"), set()),
        (sent("Cookie: sid=abcdefgh; theme=dark; x=%61bcdefgh"), {"abcdefgh", "%61bcdefgh"}),
        (sent("X-API-Key: abcdefgh", "Accept: */*"), {"abcdefgh"}),
        (sent("Referer: http://x/?api_key=abcdefgh"), {"abcdefgh"}),
        (sent(target="/?api_key=a%20bcdefg&q=tea"), {"a%20bcdefg", "a bcdefg"}),
        (sent(body='{"password": "abcdefgh", "user": "ann"}'), {"abcdefgh"}),
        (sent(body="password=short"), set()),
        (sent(body="password=Password"), set()),
    ],
)
def test_secrets_of_a_request(found: set[str], secrets: set[str]) -> None:
    """By headers, cookies and the names of fields; none that other texts have by chance."""
    assert found == secrets


def test_cookies_that_are_set() -> None:
    """They come back with the next request."""
    message = Message(b"GET / HTTP/1.1\r\n\r\n", [(b"Set-Cookie", b"sid=abcdefgh; Path=/path")])
    assert set(carried_by(message)) == {"abcdefgh"}


def test_recorded_exchange() -> None:
    """Likewise."""
    one = exchange(
        "POST", "http://x/?api_key=ijklmnop", 0, ("Cookie", "sid=abcdefgh"), body="pwd=qrstuvwx"
    )
    assert set(recorded_in(one)) == {"abcdefgh", "ijklmnop", "qrstuvwx"}


def test_echo_is_hidden() -> None:
    """Under another name, in each spelling."""
    mask = Mask(sent(body="password=a%26bcd%22efgh"))
    for echo in ('a&bcd"efgh', "a&amp;bcd&quot;efgh", 'a&bcd\\"efgh', "a\\u0026bcd\\u0022efgh",
                 base64.b64encode(b'a&bcd"efgh').decode()):  # fmt: skip
        assert "efgh" not in mask.text(f"<p>{echo}</p>")
        assert echo not in mask.known(echo)
