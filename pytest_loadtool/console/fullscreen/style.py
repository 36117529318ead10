"""What the kinds of a line look like, with colours and without."""

from __future__ import annotations

from prompt_toolkit.styles import Style

from pytest_loadtool.console.views.line import Kind

#: In the eight colours that every theme has chosen to be read on its background; gray is gray.
_COLOURS: dict[Kind, str] = {
    "heading": "bold",
    "name": "ansicyan",
    "number": "",
    "good": "ansigreen",
    "bad": "ansired",
    "correlated": "ansiblack bg:#bcbcbc",
    "edited": "ansigreen",
    "cursor": "reverse",
    "title": "reverse",
    "found": "ansiblack bg:ansiyellow",
    "keyword": "ansimagenta",
    "string": "ansigreen",
    "tag": "ansiblue",
    "attribute": "ansicyan",
    "comment": "italic",
    "dim": "",
}
#: Without colours, what has to be told apart is told by these.
_MONOCHROME: dict[Kind, str] = {
    "heading": "bold",
    "bad": "bold",
    "correlated": "underline",
    "edited": "bold",
    "cursor": "reverse",
    "title": "reverse",
    "found": "reverse",
    "tag": "bold",
}


def style(*, coloured: bool) -> Style:
    """Return the style of a screen."""
    kinds = _COLOURS if coloured else _MONOCHROME
    return Style([(kind, look) for kind, look in kinds.items()])
