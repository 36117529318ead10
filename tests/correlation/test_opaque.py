"""Changes whose body is binary say that no value in it can be followed; files that are uploaded say
nothing."""

from __future__ import annotations

import json

import pytest

from pytest_loadtool.recording import build_case
from pytest_loadtool.structure.doubts import doubts
from tests.correlation.exchanges import JSON, SERVER, exchange
from tests.correlation.talk import TOKEN, configure

PROTOBUF = "application/x-protobuf"
BYTES = "application/octet-stream"
SMALL = b"\x0a\x02\x00\xff"
NUMBER = 123_456_789
OF_ID, OF_TOKEN = ", with id of 1 GET /", ", with token of 1 GET /"
PICTURE = (
    b'--b\r\nContent-Disposition: form-data; name="f"; filename="a.png"\r\n\r\n\x89PNG\x00\xff\r\n'
    b"--b--\r\n"
)


def _text(value: str) -> bytes:
    return b"\x0a" + bytes((len(value),)) + value.encode() + b"\x12\x01\xff\x00"


@pytest.mark.parametrize(
    ("media", "body", "what"),
    [
        (PROTOBUF, SMALL, "protobuf, 4 bytes"),
        (PROTOBUF, _text(TOKEN), "protobuf, 26 bytes" + OF_TOKEN),
        ("application/grpc-web+proto", SMALL, "grpc-web, 4 bytes"),
        ("application/grpc-web-text", b"AAAAAAQKAv8A", "grpc-web-text, 12 bytes"),
        ("application/msgpack", b"\x81\xce" + NUMBER.to_bytes(4), "msgpack, 6 bytes" + OF_ID),
        (PROTOBUF, b"\x08\x95\x9a\xef\x3a\xff", "protobuf, 6 bytes" + OF_ID),
        ("application/cbor", b"\xa1\x62id\x01", "cbor, 5 bytes"),
        (BYTES, _text(TOKEN), "a binary body, 26 bytes" + OF_TOKEN),
        (BYTES, SMALL, ""),
        (BYTES, b"\x08\x07\x00", ""),
        ("image/png", _text(TOKEN), ""),
        ("application/pdf", _text(TOKEN), ""),
        ("application/zip", _text(TOKEN), ""),
        ("application/json", b'{"id": 7}', ""),
        ("multipart/form-data; boundary=b", PICTURE, ""),
    ],
)  # fmt: skip
def test_what_is_said_of_a_body(media: str, body: bytes, what: str) -> None:
    """In the test case and as a decision of low confidence, if it is a message and no file."""
    given = json.dumps({"id": NUMBER, "token": TOKEN}).encode()
    exchanges = (
        exchange(received=(JSON,), answer=given),
        exchange("POST", f"{SERVER}/things", sent=(("Content-Type", media),), body=body),
    )
    made = configure(build_case(exchanges, name="opaque").case, exchanges)
    assert [one.opaque for one in made.case.transactions()] == ["", what]
    told = [one for one in made.decisions if one.rule == "opaque"]
    assert [one.confidence < 0.5 for one in told] == [True] * bool(what)
    assert [one.what for found in doubts(made.case).values() for _, one in found] == [what] * bool(
        what
    )
    assert configure(made.case, exchanges).case == made.case
