"""The Fields View: each field of a transaction, and where its value comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from pytest_loadtool.console.views.line import Kind, Line
from pytest_loadtool.masking.text import BY_NAME, Unmasked
from pytest_loadtool.workflow.telling import shortened

if TYPE_CHECKING:
    from pytest_loadtool.correlation.fields import Field

#: Characters of a name, and of a value, before they are cut.
_NAME, _VALUE = 40, 60


def table(fields: Sequence[Field], *, secrets: bool = False) -> Iterator[Line]:
    """Yield a heading per section, then a line per field.

    Of passwords, tokens and cookies only the beginning is shown, unless ``secrets``.
    """
    mask = Unmasked() if secrets else BY_NAME
    width = max((len(shortened(one.name, _NAME)) for one in fields), default=0)
    wide = max((len(one.datasource) for one in fields), default=0)
    for section, group in groupby(fields, key=lambda one: one.section):
        yield Line((section, "heading"))
        for one in group:
            name, value = shortened(one.name, _NAME), shortened(mask.field(one), _VALUE)
            gray: Kind = "correlated" if one.correlated else ""
            yield Line(
                (f"  {name:<{width}}", gray or "name"),
                (f"  {one.datasource:<{wide}}  ", gray),
                (value, gray),
            )
