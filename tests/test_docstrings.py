"""What functions return is said as a sentence: "Return …", "Yield …"."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "pytest_loadtool"
#: Docstrings of these are help texts and tables, which say what is so when the answer is yes.
_TOLD = ("console/commands", "correlation/strategies/evidence.py")
_QUESTIONS = ("What", "Whether", "How", "Which", "Who", "Where", "When", "Why")


def _asked(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        words = (ast.get_docstring(node) or " ").split()
        is_property = any("property" in ast.unparse(one) for one in node.decorator_list)
        returns = node.returns is not None and ast.unparse(node.returns) != "None"
        if words and words[0] in _QUESTIONS and returns and not is_property:
            yield f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}"


def test_docstrings_begin_with_a_verb() -> None:
    """None is a question without its verb."""
    paths = [
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if not path.relative_to(PACKAGE).as_posix().startswith(_TOLD)
    ]
    assert len(paths) > 500
    assert [one for path in paths for one in _asked(path)] == []
