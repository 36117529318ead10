"""Pages that React sends as data: what its own server (React 19, Next.js 15) has written."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.codec.flight import markup_of
from pytest_loadtool.codec.media import decoded

_WRITTEN = Path(__file__).parent / "flight" / "elements.txt"


@pytest.fixture(scope="module")
def markup() -> str:
    """The page of elements.txt, read as a response is."""
    return decoded(_WRITTEN.read_bytes(), "text/x-component")


def test_rows_of_a_list(markup: str) -> None:
    """With their keys, classes and links; components of the client have their properties."""
    assert (
        '<li key="7" class="done"><a href="/notes/7">Tea</a><NoteRow note="{&quot;id&quot;: 7, '
        in markup
    )
    assert (
        markup.count("&quot;at&quot;: &quot;1970-01-01T00:00:00.000Z&quot;") == 2
    )  # the second refers to it
    assert '" count="3" big="10" on></NoteRow>' in markup
    assert "&quot;price&quot;: &quot;$5&quot;" in markup


def test_what_comes_later(markup: str) -> None:
    """Where it belongs, and what is shown meanwhile is not there."""
    assert '<p class="slow">waited &lt;for&gt; it</p>' in markup
    assert "<span><b>late</b></span>a1</main>" in markup
    assert "loading" not in markup


def test_long_text(markup: str) -> None:
    """It counts by bytes, and may have what looks like a row."""
    assert 'é\n1:{"a":2}</pre><input value="4" disabled>' in markup


@pytest.mark.parametrize(
    "text",
    [
        "",
        "just a text",
        "1:2:3",
        '0:{"b":"x","f":[["children","notes",null]]}\n',
        '5:T-5,abc\n0:["$","p",null,{}]\n',
        "5:Tffffffff,abc",
        "0:[",
        '1:["$","p",null,{}]\n',
    ],
)
def test_other_texts(text: str) -> None:
    """What is no such page, or has no elements, is as it was."""
    assert markup_of(text) == text


def test_within_itself() -> None:
    """It ends, however often something is referred to."""
    assert markup_of('0:["$","p",null,{"children":"$0"}]\n') == "<p></p>"
    doubled = [
        f'{n:x}:["$","p",null,{{"children":["${n + 1:x}","${n + 1:x}"]}}]' for n in range(40)
    ]
    text = "\n".join((*doubled, '28:["$","b",null,{}]\n'))
    assert markup_of(text) == text
