"""Large HAR files of ours: read like any other, but for their bodies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.casefile import HarWriter, read_har
from pytest_loadtool.casefile.har import reader as har_reader
from pytest_loadtool.casefile.har.lines import exchanges_of_lines
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.exchange import Exchange
from tests.casefile.test_har import EXCHANGE
from tests.casefile.test_har_writer import IMAGE, PAGE

TRICKY = 'x"content": {"size": 1, "mimeType": "", "text": "no' * 200

BEHIND = '"}, "redirectURL": ""}}, "response": {"status": 1, "x": "\\"}, ' * 200

EXCHANGES = (
    EXCHANGE,
    PAGE,
    IMAGE,
    replace(PAGE, response_body=b""),
    replace(PAGE, response_body=b'\\\n"Gr\xc3\xb6\xc3\x9fe",' * 1000),
    replace(PAGE, response_body=bytes(range(256)) * 1000),
    replace(EXCHANGE, request_body=TRICKY.encode(), response_body=TRICKY.encode()),
    replace(EXCHANGE, request_body=TRICKY.encode() * 99, response_body=b"x" * 9999),
    replace(EXCHANGE, request_body=BEHIND.encode() * 30, response_body=BEHIND.encode()),
    replace(EXCHANGE, request_body=bytes(range(256)) * 2000, response_body=b""),
    replace(PAGE, response_headers=(("Content-Type", TRICKY),), response_body=b"x" * 9999),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with these exchanges."""
    path = tmp_path / "x.har"
    with HarWriter(path) as writer:
        for exchange in EXCHANGES:
            writer.append(exchange)
        writer.trouble("a tab crashed")
    return path


def in_memory(exchanges: tuple[Exchange, ...]) -> list[bool]:
    """Whether the body of each is."""
    return [isinstance(one.held_body, bytes) for one in exchanges]


def test_line_by_line_the_same_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is as it was written, and bodies of some size are not in memory."""
    assert all(in_memory(read_har(path)))
    monkeypatch.setattr(har_reader, "_IN_MEMORY", 1000)
    read = read_har(path)
    assert in_memory(read) == [len(one.response_body) <= 4096 for one in EXCHANGES]
    assert read == EXCHANGES
    assert [one.response_size for one in read] == [len(one.response_body) for one in EXCHANGES]
    requests = [isinstance(one.held_request, bytes) for one in read]
    assert requests == [len(one.request_body) <= 256 * 1024 for one in EXCHANGES]
    assert [one.request_size for one in read] == [len(one.request_body) for one in EXCHANGES]


def test_a_torn_file_is_read_up_to_that(path: Path) -> None:
    """At whatever byte of its last entry it ends."""
    whole = path.read_bytes()
    last = whole.rindex(b'{"startedDateTime"')
    for end in (last, last + 1, last + 500, whole.rindex(b"\n]") - 1):
        path.write_bytes(whole[:end])
        assert tuple(exchanges_of_lines(path)) == EXCHANGES[:-1]


def test_a_broken_entry_is_named(path: Path) -> None:
    """By its line, or by the key that is wrong: then the others stay."""
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:2], lines[2][:-9], *lines[3:]]))
    with pytest.raises(FileError, match=r"x\.har:3: this entry is not valid JSON"):
        list(exchanges_of_lines(path))
    wrong = lines[2].replace(b'"method": "GET"', b'"method": 7')
    path.write_bytes(b"\n".join([*lines[:2], wrong, *lines[3:]]))
    exchanges = list(exchanges_of_lines(path))
    assert exchanges[1].lost == ("log.entries[1].request.method: unexpected value 7",)
    assert [*exchanges[:1], *exchanges[2:]] == [*EXCHANGES[:1], *EXCHANGES[2:]]
