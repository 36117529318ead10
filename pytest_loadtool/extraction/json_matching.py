"""jsonpath-ng's comparison ``=~`` with the time limit of patterns.

It stands alone as it is not compiled: what is cannot inherit from what is not.
"""

from __future__ import annotations

from typing import Any

from jsonpath_ng import DatumInContext
from jsonpath_ng.ext.filter import Expression

from pytest_loadtool.extraction.pattern import Pattern


class Matching(Expression):
    """An expression that finds the texts in which its pattern is found, in place of the one in
    ``plain``."""

    def __init__(self, plain: Any) -> None:
        super().__init__(plain.target, plain.op, plain.value)
        self.pattern = Pattern(str(plain.value))

    def find(self, datum: Any) -> list[Any]:
        """Return those of what its target finds."""
        found = self.target.find(DatumInContext.wrap(datum))
        return [
            one
            for one in found
            if isinstance(one.value, str) and self.pattern.search(one.value) is not None
        ]
