"""Partial responses of ASP.NET AJAX and JSF, and a ViewState in several fields."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.extraction.extract import compile_source
from pytest_loadtool.extraction.partial import is_partial, partial_fields
from pytest_loadtool.model.extractor import FormField
from tests.correlation.exchanges import exchange, html


def delta(*nodes: tuple[str, str, str]) -> str:
    """A response as ASP.NET's script manager writes it: lengths are those of JavaScript."""
    return "".join(
        f"{len(content.encode('utf-16-le')) // 2}|{kind}|{name}|{content}|"
        for kind, name, content in nodes
    )


def found(text: str, field: FormField, match: int = 1) -> str | None:
    """What the extractor takes from a response with that body."""
    answer = exchange(received=(("Content-Type", "text/plain"),), answer=text.encode())
    return compile_source(field, match)(RecordedResponse(answer))


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_NODES = st.lists(
    st.tuples(
        st.sampled_from(["updatePanel", "hiddenField", "pageTitle"]),
        st.sampled_from(["ctl00_Panel", "__VIEWSTATE", "key"]),
        _TEXT | st.just("3|hiddenField|__VIEWSTATE|no!|") | st.just("\U0001f600|"),
    ),
    max_size=6,
)


@given(_NODES)
def test_an_update_panel_is_read_by_length(nodes: list[tuple[str, str, str]]) -> None:
    """Contents may hold bars, whole fields and characters that JavaScript counts as two."""
    text = delta(("#", "", "4"), *nodes)
    assert is_partial(text)
    fields = [(name, content) for kind, name, content in nodes if kind == "hiddenField"]
    assert list(partial_fields(text)) == fields


def test_fields_of_an_update_panel() -> None:
    """An extractor of a form field takes it from the page, and from a partial response in any
    order; controls inside the panels count after the fields."""
    panel = '<input type="hidden" name="key" value="inner"><i>5|hiddenField|key|wrong|</i>'
    text = delta(
        ("#", "", "4"),
        ("updatePanel", "ctl00_Panel", panel),
        ("hiddenField", "__VIEWSTATE", "/wEP+a=="),
        ("hiddenField", "key", "outer"),
    )
    assert found(text, FormField("__VIEWSTATE")) == "/wEP+a=="
    assert found(text, FormField("key")) == "outer"
    assert found(text, FormField("key"), 2) == "inner"
    assert found(text, FormField("key"), 3) is None
    assert found('<input name="__VIEWSTATE" value="x">', FormField("__VIEWSTATE")) == "x"


@pytest.mark.parametrize("state", ["javax.faces.ViewState", "j_id1:javax.faces.ViewState:0"])
def test_fields_of_faces(state: str) -> None:
    """The view state of a JSF partial response, whatever the id around its name."""
    text = (
        "<?xml version='1.0' encoding='UTF-8'?>\n<partial-response id=\"j_id1\"><changes>"
        '<update id="form:table"><![CDATA[<input name="form:q" value="7" />]]></update>'
        f'<update id="{state}"><![CDATA[-4211:8837]]></update></changes></partial-response>'
    )
    assert list(partial_fields(text)) == [("javax.faces.ViewState", "-4211:8837")]
    assert found(text, FormField("javax.faces.ViewState")) == "-4211:8837"
    assert found(text, FormField("form:q")) == "7"


@pytest.mark.parametrize("text", ["<!doctype html><p>1|a|b|", "12 items", "", "1|2", '{"a": 1}'])
def test_other_responses_are_not_partial(text: str) -> None:
    """Pages, JSON and plain text are read as before."""
    assert not is_partial(text)


@pytest.mark.parametrize("pieces", [["abcdef"], ["abc", "def"], ["ab", "cd", "ef"], list("abcdef")])
def test_a_state_in_another_number_of_fields(pieces: list[str]) -> None:
    """Recorded in three fields, it is whole in three again, however many the page has."""
    names = ["__VIEWSTATE", *(f"__VIEWSTATE{number}" for number in range(1, len(pieces)))]
    page = html(
        "".join(f'<input name="{n}" value="{v}">' for n, v in zip(names, pieces, strict=True))
    )
    fields = [FormField(f"__VIEWSTATE{number}", split=3) for number in ("", 1, 2)]
    values = [compile_source(field)(RecordedResponse(page)) for field in fields]
    assert "".join(value or "" for value in values) == "abcdef"
    assert None not in values
    assert compile_source(fields[2])(RecordedResponse(html("<p>no form"))) is None
    with pytest.raises(ValueError, match="'__VIEWSTATE3' is not one of 3 fields"):
        compile_source(FormField("__VIEWSTATE3", split=3))
