"""What keys, searches and clicks do to what is looked at in the Test Case Editor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from types import MappingProxyType

from pytest_loadtool.console.screens import tree_drawing as trees
from pytest_loadtool.console.screens.cells import columns_of
from pytest_loadtool.console.screens.detail import (
    SIDES,
    TABS,
)
from pytest_loadtool.console.screens.editor import (
    HEAD,
    Editor,
    detail_lines,
    sides,
    tree_columns,
)
from pytest_loadtool.console.screens.editor_drawing import tab_names, thing_at
from pytest_loadtool.console.screens.field_rows import (
    SCOPES,
)
from pytest_loadtool.console.screens.pager import TOP
from pytest_loadtool.console.screens.picking import Pick, first_with
from pytest_loadtool.console.screens.tree import CaseTree


def _side(editor: Editor, step: int) -> Editor:
    at = SIDES.index(editor.side) + step
    return replace(editor, side=SIDES[max(0, min(at, len(SIDES) - 1))], pager=TOP)


def _scrolled(editor: Editor, by: int, columns: int, rows: int) -> Editor:
    seen = sides(editor, columns)
    count = max(len(detail_lines(editor, columns, side)) for side in seen)
    return replace(editor, pager=editor.pager.moved(by, count, rows - HEAD - bool(seen[0])))


def _moved(editor: Editor, by: int, columns: int, rows: int) -> Editor:
    """Move what the person is at: the cursor of the tree or of the fields, or the right side."""
    if editor.pick is not None:
        return replace(editor, pick=editor.pick.moved_lines(editor.body, by))
    if editor.in_fields or editor.in_actors:
        count = len(editor.fields if editor.in_fields else editor.actors)
        return replace(editor, at=max(0, min(editor.at + by, count - 1)))
    if editor.focus == "detail":
        return _scrolled(editor, by, columns, rows)
    return with_tree(editor, editor.tree.moved(by, rows - 1))


def with_tree(editor: Editor, tree: CaseTree) -> Editor:
    """Return the editor with another tree; a transaction that was not seen before is seen from its
    top."""
    same = tree.number == editor.tree.number
    if same:
        return replace(editor, tree=tree)
    return replace(editor, tree=tree, pager=replace(editor.pager, top=0), at=0, pick=None)


def _back(editor: Editor, columns: int, rows: int) -> Editor:
    del columns, rows
    if editor.focus == "detail":
        return _to_tree(editor)
    if editor.pager.query:
        return replace(editor, pager=replace(editor.pager, query=""))
    if editor.tree.query:
        return replace(editor, tree=editor.tree.filtered(""))
    return replace(editor, tree=replace(editor.tree, marked=frozenset()))


def _tab(editor: Editor, index: int) -> Editor:
    pager = replace(editor.pager, top=0)
    return replace(editor, tab=index % len(TABS), pager=pager, at=0, pick=None)


def _to_found(editor: Editor, step: int, columns: int) -> Editor:
    lines = detail_lines(editor, columns, sides(editor, columns)[-1])
    if editor.pager.query or editor.kept is None:
        found = editor.pager.found(lines, editor.pager.query, step)
        return replace(editor, pager=found or editor.pager)
    starts = [
        at
        for at, line in enumerate(lines)
        if line.startswith("~") and not (at and lines[at - 1].startswith("~"))
    ]
    ahead = [at for at in starts if (at - editor.pager.top) * step > 0]
    chosen = ahead or starts
    if not chosen:
        return editor
    top = chosen[0] if step > 0 else chosen[-1]
    side = "replayed" if editor.side == "request" else editor.side
    return replace(editor, side=side, pager=replace(editor.pager, top=top))


def _opened(editor: Editor, columns: int, rows: int) -> Editor:
    del columns, rows
    return _to_tree(editor) if editor.focus == "detail" else replace(editor, focus="detail")


def _to_tree(editor: Editor) -> Editor:
    """Return the editor at its tree, beside which are the fields of the transaction alone."""
    if editor.scope == SCOPES[0]:
        return replace(editor, focus="tree", query="")
    return replace(editor, focus="tree", query="", scope=SCOPES[0], at=0)


def _picking(editor: Editor, columns: int, rows: int) -> Editor:
    """Begin to pick a value out of the recorded response, where the text is that was found."""
    del columns, rows
    editor = replace(editor, tab=TABS.index("Content"), side="response", focus="detail")
    if editor.tree.row is None:
        return editor
    lines = editor.body
    if all(kind == "dim" for _, kind in lines[0].spans):  # it only says why there is nothing
        return editor
    return replace(editor, pick=first_with(lines, editor.pager.query))


def _picked(editor: Editor, change: Callable[[Pick, Sequence[str]], Pick]) -> Editor:
    return replace(editor, pick=change(editor.pick, editor.body)) if editor.pick else editor


def _scope(editor: Editor) -> Editor:
    after = SCOPES[(SCOPES.index(editor.scope) + 1) % len(SCOPES)]
    shown = editor.fields
    mine = shown[min(editor.at, len(shown) - 1)] if shown else None
    wider = replace(editor, scope=after, at=0)
    at = next((i for i, row in enumerate(wider.fields) if row == mine), 0)
    return replace(wider, at=at)


_FAR = 1 << 40

MOVES: Mapping[str, Callable[[Editor, int, int], Editor]] = MappingProxyType(
    {
        "up": lambda e, c, r: _moved(e, -1, c, r),
        "down": lambda e, c, r: _moved(e, 1, c, r),
        "page up": lambda e, c, r: _moved(e, 3 - r, c, r),
        "page down": lambda e, c, r: _moved(e, r - 3, c, r),
        "home": lambda e, c, r: _moved(e, -_FAR, c, r),
        "end": lambda e, c, r: _moved(e, _FAR, c, r),
        "page before": lambda e, _, r: with_tree(e, e.tree.next_page(-1, r - 1)),
        "page behind": lambda e, _, r: with_tree(e, e.tree.next_page(1, r - 1)),
        "fold": lambda e, _, __: with_tree(e, e.tree.toggled_fold()),
        "fold all": lambda e, _, __: with_tree(e, e.tree.toggled_fold(every=True)),
        "mark": lambda e, _, r: with_tree(e, e.tree.toggled_mark().moved(1, r - 1)),
        "open": _opened,
        "back": _back,
        "next tab": lambda e, _, __: _tab(e, e.tab + 1),
        "tab before": lambda e, _, __: _tab(e, e.tab - 1),
        **{
            f"tab {number}": lambda e, _, __, index=number - 1: _tab(e, index)  # type: ignore[misc]
            for number in range(1, len(TABS) + 1)
        },
        "side before": lambda e, _, __: _side(e, -1),
        "next side": lambda e, _, __: _side(e, 1),
        "scroll down": lambda e, c, r: _scrolled(e, (r - HEAD) // 2, c, r),
        "scroll up": lambda e, c, r: _scrolled(e, -(r - HEAD) // 2, c, r),
        "next found": lambda e, c, _: _to_found(e, 1, c),
        "found before": lambda e, c, _: _to_found(e, -1, c),
        "scope": lambda e, _, __: _scope(e),
        "pick": _picking,
        "no pick": lambda e, _, __: replace(e, pick=None),
        "next word": lambda e, _, __: _picked(e, lambda one, lines: one.moved(lines, 1)),
        "word before": lambda e, _, __: _picked(e, lambda one, lines: one.moved(lines, -1)),
        "longer": lambda e, _, __: _picked(e, lambda one, lines: one.extended(lines)),
        "raw": lambda e, _, __: replace(e, raw=not e.raw, pager=TOP),
        "secrets": lambda e, _, __: replace(e, secrets=not e.secrets),
    }
)
"""What keys do to the editor, which has so many columns and rows."""


def searched(editor: Editor, text: str, columns: int) -> Editor | None:
    """Return the editor with the tree filtered, or at the next place that has the text: where the
    person is; None if nothing has it.

    Raises:
        ValueError: it is no filter expression, and begins like one.
    """
    if editor.focus == "tree":
        tree = editor.tree.filtered(text)
        return with_tree(editor, tree) if tree.rows else None
    if editor.in_fields:
        found = replace(editor, query=text, at=0)
        return found if found.fields else None
    if editor.in_actors:
        shown = (str(row.actor).lower() for row in editor.actors)
        at = next((at for at, one in enumerate(shown) if text.lower() in one), None)
        return None if at is None else replace(editor, at=at)
    pager = editor.pager.found(detail_lines(editor, columns), text)
    return replace(editor, pager=pager) if pager is not None else None


def clicked(editor: Editor, column: int, row: int, columns: int, rows: int) -> Editor:
    """Return the editor after a click: on a row of the tree, a tab, a field or an actor, or the
    right side."""
    if editor.alone:
        return _at_thing(editor, row, columns, rows)
    left = tree_columns(columns)
    if column < left:
        at = trees.first_row(editor.tree, rows - 1) + row - 1
        if row < 1 or at >= len(editor.tree.rows):
            return editor
        return replace(with_tree(editor, editor.tree.at(at, rows - 1)), focus="tree")
    if row == 1:
        names, gap = tab_names(editor, columns - left - 1)
        ends = accumulate(columns_of(name) + len(gap) for name in names)
        passed = sum(1 for end in ends if end < column - left - 1)
        return _tab(editor, min(passed, len(TABS) - 1))
    return _at_thing(replace(editor, focus="detail"), row, columns, rows)


def _at_thing(editor: Editor, row: int, columns: int, rows: int) -> Editor:
    at = thing_at(editor, row, columns, rows)
    return editor if at is None else replace(editor, at=at)
