"""Event streams as documents."""

from __future__ import annotations

import pytest

from pytest_loadtool.codec.events import events_of, is_event_stream, json_or_events


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_events(end: str) -> None:
    """Fields, several lines of data, comments, and what is no JSON (WHATWG HTML §9.2.6)."""
    lines = (
        *(": hello", "retry: 10", "", "event: made", "id: 4", 'data: {"id":', "data:7}", ""),
        *("data: [DONE]", "", "event: nothing", "", "data"),
    )
    assert events_of(end.join(lines)) == [
        {"event": "made", "id": "4", "data": {"id": 7}},
        {"data": "[DONE]"},
        {"data": ""},
    ]


@pytest.mark.parametrize("text", ["", "<p>data: 1</p>", "database: x", "the id: 5", "{}"])
def test_other_texts(text: str) -> None:
    """They are none, and no JSON either but for the last."""
    assert not is_event_stream(text)
    if text == "{}":
        assert json_or_events(text) == {}
        return
    for read in (events_of, json_or_events):
        with pytest.raises(ValueError, match=r"event stream|Expecting value"):
            read(text)
