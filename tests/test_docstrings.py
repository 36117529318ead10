"""What functions return is said as a sentence, "Return …", "Yield …", and what they raise."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "pytest_loadtool"
#: Docstrings of these are help texts and tables, which say what is so when the answer is yes.
_TOLD = (
    "console/commands",
    "correlation/strategies/evidence.py",
    "correlation/strategies/naming.py",
)
_QUESTIONS = ("What", "Whether", "How", "Which", "Who", "Where", "When", "Why")
#: Those of causes are what is the case when it is one.
_CAUSES = "diagnosis/causes"
#: What is shown in place of a sentence begins so.
_SHOWN = ("`", '"', "[", "{", *"0123456789")


def _asked(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        words = (ast.get_docstring(node) or " ").split()
        is_property = any("property" in ast.unparse(one) for one in node.decorator_list)
        returns = node.returns is not None and ast.unparse(node.returns) != "None"
        if words and words[0] in _QUESTIONS and returns and not is_property:
            yield f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}"


def _unsaid(path: Path) -> Iterator[str]:
    """Yield the functions whose docstring shows a result in place of a sentence, and those that
    answer yes or no and do not say to what."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        text = ast.get_docstring(node) or ""
        if not text or node.returns is None or ast.unparse(node.returns) == "None":
            continue
        if any("property" in ast.unparse(one) for one in node.decorator_list):
            continue
        answers = ast.unparse(node.returns) == "bool" and "eturn" not in text
        if answers or (text.startswith(_SHOWN) and "Return" not in text):
            yield f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}"


def test_docstrings_begin_with_a_verb() -> None:
    """None is a question without its verb, nor shows a result and does not say that it is one."""
    paths = [
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if not path.relative_to(PACKAGE).as_posix().startswith(_TOLD)
    ]
    assert len(paths) > 500
    assert [one for path in paths for one in _asked(path)] == []
    assert [one for path in paths if _CAUSES not in path.as_posix() for one in _unsaid(path)] == []


#: Errors that users are shown, and those of Python that tell of bad input.
_RAISED = ("Error", "Rejected")
#: Where all functions raise the same, which is said once: commands refuse a line with
#: `CommandError` or `UsageError`, what reads the texts of files refuses one with `ValueError`.
_SAID_ONCE = ("console/commands", "casefile/syntax.py")
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_OURS = ("AssertionError", "NotImplementedError", "AttributeError")


def _raised(node: ast.AST) -> Iterator[str]:
    """The exceptions that a function raises itself, by the text."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _Function | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(child, ast.Raise) and child.exc is not None:
            raised = child.exc.func if isinstance(child.exc, ast.Call) else child.exc
            name = ast.unparse(raised).rpartition(".")[2]
            if name.endswith(_RAISED) and name not in _OURS:
                yield name
        yield from _raised(child)


def _public(node: ast.Module | ast.ClassDef) -> Iterator[_Function]:
    for child in node.body:
        if isinstance(child, ast.ClassDef) and not child.name.startswith("_"):
            yield from _public(child)
        elif isinstance(child, _Function) and not child.name.startswith("_"):
            yield child


def test_public_functions_that_raise_say_so() -> None:
    """In their docstring, or that of the property that is set."""
    raising, silent = 0, []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name.startswith(_SAID_ONCE):
            continue
        for function in _public(ast.parse(path.read_text(encoding="utf-8"))):
            if not list(_raised(function)) or any(
                ast.unparse(one).endswith(".setter") for one in function.decorator_list
            ):
                continue
            raising += 1
            if "aise" not in (ast.get_docstring(function) or ""):
                silent.append(f"{name}:{function.lineno} {function.name}")
    assert raising > 150
    assert silent == []


def test_each_test_says_what_it_promises() -> None:
    """In its docstring."""
    tests, silent = 0, []
    for path in sorted(Path(__file__).parent.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, _Function) and node.name.startswith("test_"):
                tests += 1
                if not ast.get_docstring(node):
                    silent.append(f"{path.name}:{node.lineno} {node.name}")
    assert tests > 3000
    assert silent == []
