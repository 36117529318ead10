"""The regular expressions in a JSON path: ``$.items[?(@.name =~ "^a")]``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def with_comparisons(path: Any, made: Callable[[Any], Any]) -> Any:
    """Return the path as jsonpath-ng has parsed it, with what ``made`` makes of each comparison by
    ``=~``.

    The path is changed in place.
    """
    from jsonpath_ng import JSONPath
    from jsonpath_ng.ext.filter import Expression

    def visit(node: Any) -> Any:
        if isinstance(node, list):
            return [visit(one) for one in node]
        if isinstance(node, JSONPath):
            for name, value in list(vars(node).items()):
                setattr(node, name, visit(value))
            if isinstance(node, Expression) and node.op == "=~":
                return made(node)
        return node

    return visit(path)
