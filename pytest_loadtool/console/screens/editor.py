"""The Test Case Editor: the tree on the left, the transaction at its cursor on the right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from pytest_loadtool.codec.printable import on_one_line
from pytest_loadtool.console.screens import tree as trees
from pytest_loadtool.console.screens.cells import (
    beside,
    columns_of,
    filled,
    fitted,
    joined,
    shortened,
)
from pytest_loadtool.console.screens.detail import SIDES, TABS, lines_of
from pytest_loadtool.console.screens.keys import ScreenKey
from pytest_loadtool.console.screens.pager import TOP, Pager
from pytest_loadtool.console.screens.same import Same
from pytest_loadtool.console.screens.tree import CaseTree, tree_of
from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.console.views.text import size, status_kind
from pytest_loadtool.masking.text import BY_NAME
from pytest_loadtool.workflow.document import Document

#: Columns from which on two bodies stand beside each other.
_WIDE = 120
#: Lines above what a tab shows: the transaction, and the tabs.
_HEAD = 2

KEYS = (
    ScreenKey(("enter",), "look into the transaction; again: back", "open", move="open"),
    ScreenKey(("space",), "mark for a command on several", "mark", move="mark"),
    ScreenKey(("/",), "tree: show only what has a text; else: find one", "find", move="search"),
    ScreenKey(("d", "delete"), "delete", "del", line="delete {selected}"),
    ScreenKey(("r",), "rename", "rename", line="rename {number} ", on_page="rename P{page} ",
              ask=True),
    ScreenKey(("t",), "think time of the page", "think", line="think P{page} ", ask=True),
    ScreenKey(("f5",), "play, with think times", "play", line="play"),
    ScreenKey(("f6",), "play without think times", "fast", line="play --fast"),
    ScreenKey(("u",), "undo the last change", "undo", line="undo"),
    ScreenKey(("c-r",), "redo what was undone", "redo", line="redo"),
    ScreenKey((":",), "any command line", "cmd", move="command"),
    ScreenKey(("s",), "save", "save", line="save"),
    ScreenKey(("c",), "configure for replay", "configure", line="configure"),
    ScreenKey(("e",), "edit a field", line="set-field {number} ", ask=True),
    ScreenKey(("!",), "mark as dangerous", line="mark-dangerous {number}"),
    ScreenKey(("S",), "strip static resources", line="strip"),
    ScreenKey(("E",), "explain the dynamic values", line="explain"),
    ScreenKey(("y",), "the request as a curl command", line="curl {number}"),
    ScreenKey(("o",), "open the response in the browser", line="open {number}"),
    ScreenKey(("f12",), "the session log", "log", line="log"),
    ScreenKey(("up", "k"), "one row up", move="up"),
    ScreenKey(("down", "j"), "one row down", move="down"),
    ScreenKey(("pageup", "c-b"), "a screen up", move="page up"),
    ScreenKey(("pagedown", "c-f"), "a screen down", move="page down"),
    ScreenKey(("home", "g"), "to the beginning", move="home"),
    ScreenKey(("end", "G"), "to the end", move="end"),
    ScreenKey(("{",), "tree: the page before", move="page before"),
    ScreenKey(("}",), "tree: the page behind", move="page behind"),
    ScreenKey(("z", "left", "right"), "fold or unfold the page", move="fold"),
    ScreenKey(("Z",), "fold or unfold all pages", move="fold all"),
    ScreenKey(("tab",), "the next tab", move="next tab"),
    ScreenKey(("s-tab",), "the tab before", move="tab before"),
    *(ScreenKey((str(n),), f"tab {name}", move=f"tab {n}") for n, name in enumerate(TABS, 1)),
    ScreenKey(("[",), "Content: the request", move="request"),
    ScreenKey(("]",), "Content: the response", move="response"),
    ScreenKey(("J", "s-down"), "scroll the right side down", move="scroll down"),
    ScreenKey(("K", "s-up"), "scroll the right side up", move="scroll up"),
    ScreenKey(("n",), "the next place that was found", move="next found"),
    ScreenKey(("N",), "the place before that was found", move="found before"),
    ScreenKey(("p",), "Content: laid out, or raw", move="raw"),
    ScreenKey(("*",), "show passwords and tokens, or cut them", move="secrets"),
    ScreenKey(("O",), "what the last command said", move="output"),
    ScreenKey(("escape",), "back: out of the right side, a filter, the marks", move="back"),
)  # fmt: skip
"""In the order in which the hint line has room for them."""


@dataclass(frozen=True, slots=True)
class Editor:
    """What is looked at in the Test Case Editor."""

    tree: CaseTree
    tab: int = 0
    side: str = "response"
    focus: Literal["tree", "detail"] = "tree"
    pager: Pager = TOP
    raw: bool = False
    secrets: bool = False

    @property
    def places(self) -> dict[str, object]:
        """What stands for the places in the command lines of keys."""
        row = self.tree.row
        return {
            "number": self.tree.number,
            "selected": self.tree.selected,
            "page": row.page + 1 if row else 0,
        }

    @property
    def on_page(self) -> bool:
        """Whether the cursor is on a page."""
        return self.tree.row is not None and not self.tree.row.number

    def of(self, document: Document | None) -> Editor:
        """Return the editor of another state of the test case."""
        if document is None or document is self.tree.document:
            return self
        return replace(self, tree=self.tree.of(document))


def editor_of(document: Document) -> Editor:
    """Return the editor of a test case, at its beginning."""
    return Editor(tree_of(document))


def tree_columns(columns: int) -> int:
    """Return how many columns the tree gets."""
    return columns * 45 // 100 if columns < _WIDE else min(56, columns * 3 // 10)


def sides(editor: Editor, columns: int) -> tuple[str, ...]:
    """Return the sides that are seen: both, if the content has the room."""
    if TABS[editor.tab] != "Content":
        return ("",)
    one = editor.tree.transaction
    both = columns >= _WIDE and one is not None and one.request.body is not None
    return SIDES if both else (editor.side,)


def detail_lines(editor: Editor, columns: int, side: str = "") -> tuple[ViewLine, ...]:
    """Return all lines of the tab, or of one side of it, at the width that they get."""
    if editor.tree.row is None:
        return ()
    seen = sides(editor, columns)
    room = (columns - tree_columns(columns) - 1 - (len(seen) - 1)) // len(seen) - 2
    document = Same(editor.tree.document)
    tab, chosen = TABS[editor.tab], side or editor.side
    flags = {"raw": editor.raw, "secrets": editor.secrets}
    return lines_of(document, editor.tree.number, tab, chosen, room, **flags)


def drawn(editor: Editor, columns: int, rows: int) -> list[ViewLine]:
    """Return the editor as a block of so many columns and rows."""
    left = tree_columns(columns)
    focused = editor.focus == "tree"
    tree = filled(
        (_tree_head(editor), *trees.drawn(editor.tree, left, rows - 1, focused=focused)),
        left,
        rows,
    )
    right = columns - left - 1
    detail = filled((*_detail_head(editor, right), *_detail(editor, columns, rows)), right, rows)
    return list(beside(tree, detail, left))


def _tree_head(editor: Editor) -> ViewLine:
    tree = editor.tree
    marked = f"  {len(tree.marked)} marked" if tree.marked else ""
    if tree.query:
        shown = sum(1 for row in tree.rows if row.number)
        return ViewLine((" Filter: ", "dim"), (tree.query, "found"), (f"  {shown}{marked}", "dim"))
    return ViewLine((" Test case", "dim"), (marked, "found"))


def _detail_head(editor: Editor, columns: int) -> tuple[ViewLine, ...]:
    tree = editor.tree
    one = tree.transaction
    if one is None:
        return ()
    exchange = tree.document.evidence_of(one)
    status = str(one.recorded.status or "---") if one.recorded else ""
    kind = f" {one.recorded.kind.value}" if one.recorded else ""
    weight = f" {size(exchange.response_size)}" if exchange else ""
    behind = ViewLine((status, status_kind(status)), (f"{kind}{weight} ", ""))
    head = f" {tree.number} {one.request.method} "
    room = columns - columns_of(head) - columns_of(behind) - 1
    target = shortened(on_one_line(BY_NAME.text(one.request.target)), room)
    gap = " " * (room - columns_of(target) + 1)
    return (
        joined((ViewLine((head, "name"), (target, "heading"), (gap, "")), behind)),
        _tabs(editor, columns),
    )


def _tabs(editor: Editor, columns: int) -> ViewLine:
    long = sum(columns_of(name) + 4 for name in TABS) < columns
    spans: list[tuple[str, Kind]] = [(" ", "")]
    for index, name in enumerate(TABS):
        kind: Kind = "cursor" if index == editor.tab else "dim"
        spans += [(f"{index + 1} {name}" if long else name, kind), ("  " if long else " ", "")]
    return ViewLine(*spans)


def _detail(editor: Editor, columns: int, rows: int) -> list[ViewLine]:
    seen = sides(editor, columns)
    right = columns - tree_columns(columns) - 1
    if len(seen) == 1:
        return _side(editor, columns, right, rows - _HEAD, seen[0])
    half = (right - 1) // 2
    first, second = (
        filled(_side(editor, columns, half, rows - _HEAD, side), half, rows - _HEAD)
        for side in seen
    )
    return list(beside(first, second, half))


def _side(editor: Editor, columns: int, width: int, rows: int, side: str) -> list[ViewLine]:
    lines = detail_lines(editor, columns, side)
    head = []
    if side:
        other = f"   {'[' if side == 'response' else ']'} the other"
        other = "" if len(sides(editor, columns)) > 1 else other
        kind: Kind = "heading" if editor.focus == "detail" else "dim"
        head = [ViewLine((f" {side}", kind), (other, "dim"))]
    below = len(lines) - editor.pager.top - (rows - len(head))
    shown = [
        joined((ViewLine((" ", "")), line))
        for line in editor.pager.seen(lines, rows - len(head) - (1 if below > 0 else 0))
    ]
    more = [ViewLine((f" … {below + 1} more lines", "dim"))] if below > 0 else []
    return [fitted(line, width) for line in (*head, *shown, *more)]


def _scrolled(editor: Editor, by: int, columns: int, rows: int) -> Editor:
    seen = sides(editor, columns)
    count = max(len(detail_lines(editor, columns, side)) for side in seen)
    return replace(editor, pager=editor.pager.moved(by, count, rows - _HEAD - bool(seen[0])))


def _moved(editor: Editor, by: int, columns: int, rows: int) -> Editor:
    """Move the cursor of the tree, or scroll the right side: what the person is at."""
    if editor.focus == "detail":
        return _scrolled(editor, by, columns, rows)
    return _with_tree(editor, editor.tree.moved(by, rows - 1))


def _with_tree(editor: Editor, tree: CaseTree) -> Editor:
    """The editor with another tree; a transaction that was not seen before is seen from its top."""
    same = tree.number == editor.tree.number
    return replace(editor, tree=tree, pager=editor.pager if same else replace(editor.pager, top=0))


def _back(editor: Editor, columns: int, rows: int) -> Editor:
    del columns, rows
    if editor.focus == "detail":
        return replace(editor, focus="tree")
    if editor.pager.query:
        return replace(editor, pager=replace(editor.pager, query=""))
    if editor.tree.query:
        return replace(editor, tree=editor.tree.filtered(""))
    return replace(editor, tree=replace(editor.tree, marked=frozenset()))


def _tab(editor: Editor, index: int) -> Editor:
    return replace(editor, tab=index % len(TABS), pager=replace(editor.pager, top=0))


def _to_found(editor: Editor, step: int, columns: int) -> Editor:
    found = editor.pager.found(detail_lines(editor, columns), editor.pager.query, step)
    return replace(editor, pager=found or editor.pager)


def _opened(editor: Editor, columns: int, rows: int) -> Editor:
    del columns, rows
    return replace(editor, focus="tree" if editor.focus == "detail" else "detail")


_FAR = 1 << 40

MOVES: Mapping[str, Callable[[Editor, int, int], Editor]] = MappingProxyType(
    {
        "up": lambda e, c, r: _moved(e, -1, c, r),
        "down": lambda e, c, r: _moved(e, 1, c, r),
        "page up": lambda e, c, r: _moved(e, 3 - r, c, r),
        "page down": lambda e, c, r: _moved(e, r - 3, c, r),
        "home": lambda e, c, r: _moved(e, -_FAR, c, r),
        "end": lambda e, c, r: _moved(e, _FAR, c, r),
        "page before": lambda e, _, r: _with_tree(e, e.tree.next_page(-1, r - 1)),
        "page behind": lambda e, _, r: _with_tree(e, e.tree.next_page(1, r - 1)),
        "fold": lambda e, _, __: _with_tree(e, e.tree.toggled_fold()),
        "fold all": lambda e, _, __: _with_tree(e, e.tree.toggled_fold(every=True)),
        "mark": lambda e, _, r: _with_tree(e, e.tree.toggled_mark().moved(1, r - 1)),
        "open": _opened,
        "back": _back,
        "next tab": lambda e, _, __: _tab(e, e.tab + 1),
        "tab before": lambda e, _, __: _tab(e, e.tab - 1),
        **{
            f"tab {number}": lambda e, _, __, index=number - 1: _tab(e, index)  # type: ignore[misc]
            for number in range(1, len(TABS) + 1)
        },
        "request": lambda e, _, __: replace(e, side="request", pager=TOP),
        "response": lambda e, _, __: replace(e, side="response", pager=TOP),
        "scroll down": lambda e, c, r: _scrolled(e, (r - _HEAD) // 2, c, r),
        "scroll up": lambda e, c, r: _scrolled(e, -(r - _HEAD) // 2, c, r),
        "next found": lambda e, c, _: _to_found(e, 1, c),
        "found before": lambda e, c, _: _to_found(e, -1, c),
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
        found = editor.tree.filtered(text)
        return _with_tree(editor, found) if found.rows else None
    pager = editor.pager.found(detail_lines(editor, columns), text)
    return replace(editor, pager=pager) if pager is not None else None


def clicked(editor: Editor, column: int, row: int, columns: int, rows: int) -> Editor:
    """Return the editor after a click: on a row of the tree, a tab, or the right side."""
    left = tree_columns(columns)
    if column < left:
        at = trees.first_row(editor.tree, rows - 1) + row - 1
        if row < 1 or at >= len(editor.tree.rows):
            return editor
        return replace(_with_tree(editor, editor.tree.at(at, rows - 1)), focus="tree")
    if row == 1:
        text, at = str(_tabs(editor, columns - left - 1)), column - left - 1
        starts = [text.find(name) for name in TABS]
        chosen = max((i for i, start in enumerate(starts) if start - 2 <= at), default=0)
        return _tab(editor, chosen)
    return replace(editor, focus="detail")
