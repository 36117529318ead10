"""The Test Case Editor drawn: the tree on the left, the transaction at its cursor on the right."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_loadtool.codec.printable import on_one_line
from pytest_loadtool.console.screens import tree_drawing as trees
from pytest_loadtool.console.screens.cells import (
    beside,
    columns_of,
    filled,
    fitted,
    joined,
    of_kind,
    shortened,
)
from pytest_loadtool.console.screens.detail import (
    TABS,
    actors_of,
    kept_in,
)
from pytest_loadtool.console.screens.editor import (
    HEAD,
    SHORT_TABS,
    Editor,
    detail_lines,
    sides,
    tree_columns,
    variable_columns,
    variable_lines,
)
from pytest_loadtool.console.screens.field_rows import fields_seen
from pytest_loadtool.console.screens.picking import Pick
from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.console.views.text import size, status_kind
from pytest_loadtool.masking.text import BY_NAME
from pytest_loadtool.model.same import Same
from pytest_loadtool.workflow.telling import counted


def drawn(editor: Editor, columns: int, rows: int) -> list[ViewLine]:
    """Return the editor as a block of so many columns and rows."""
    if editor.alone:
        head = tabs_line(editor, columns)
        return filled((head, *_fields_block(editor, columns, rows - 1)), columns, rows)
    left = tree_columns(columns)
    focused = editor.focus == "tree"
    outcomes = kept_in(Same(editor.tree.document.case), editor.replay_key)
    tree = filled(
        (
            _tree_head(editor),
            *trees.drawn(
                editor.tree,
                left,
                rows - 1,
                focused=focused,
                outcomes=outcomes,
                breakpoints=editor.breakpoints,
            ),
        ),
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
    kept = editor.kept
    now = str(kept.exchange.status or "---") if kept and kept.exchange else status
    other = f">{now}" if now != status else ""
    behind = ViewLine(
        (status, status_kind(status)), (other, status_kind(now)), (f"{kind}{weight} ", "")
    )
    head = f" {tree.number} {one.request.method} "
    room = columns - columns_of(head) - columns_of(behind) - 1
    target = shortened(on_one_line(BY_NAME.text(one.request.target)), room)
    gap = " " * (room - columns_of(target) + 1)
    return (
        joined((ViewLine((head, "name"), (target, "heading"), (gap, "")), behind)),
        tabs_line(editor, columns),
    )


def tabs_line(editor: Editor, columns: int) -> ViewLine:
    """Return the names of the tabs, the one that is seen marked."""
    names, gap = tab_names(editor, columns)
    spans: list[tuple[str, Kind]] = [(" ", "")]
    for index, name in enumerate(names):
        spans += [(name, "cursor" if index == editor.tab else "dim"), (gap, "")]
    return ViewLine(*spans)


def tab_names(editor: Editor, columns: int) -> tuple[tuple[str, ...], str]:
    """Return what the tabs are called in so many columns, and what stands between them: where there
    is no room for all names, the others are the digits that choose them."""
    short = tuple(SHORT_TABS.get(name, name) for name in TABS)
    numbered = tuple(f"{number} {name}" for number, name in enumerate(TABS, 1))
    digits = (name if at == editor.tab else str(at + 1) for at, name in enumerate(short))
    for names, gap in ((numbered, "  "), (short, " ")):
        if sum(columns_of(name) + len(gap) for name in names) < columns:
            return names, gap
    return tuple(digits), " "


#: Lines, those of things with their indexes.
_Indexed = Sequence[tuple[int | None, ViewLine]]


def thing_at(editor: Editor, row: int, columns: int, rows: int) -> int | None:
    """Return the index of the field or actor that stands in a row of the right side, if one
    does."""
    if editor.tree.row is None or TABS[editor.tab] not in ("Fields", "Actors"):
        return None
    fields = TABS[editor.tab] == "Fields"
    width = columns if editor.alone else columns - tree_columns(columns) - 1
    above = (1 if editor.alone else HEAD) + fields
    lines = _field_lines(editor, width) if fields else _actor_lines(editor, width)
    count = len(editor.fields if fields else editor.actors)
    seen = _around_cursor(editor, lines, count, rows - above)
    return seen[row - above][0] if 0 <= row - above < len(seen) else None


def _field_lines(editor: Editor, width: int) -> _Indexed:
    document, number = Same(editor.tree.document), editor.tree.number
    query, secrets = editor.query, editor.secrets
    return fields_seen(document, number, editor.scope, query, width - 2, secrets=secrets)


def _actor_lines(editor: Editor, width: int) -> _Indexed:
    document, number = Same(editor.tree.document), editor.tree.number
    secrets, replay = editor.secrets, editor.replay_key
    return actors_of(document, number, width - 2, secrets=secrets, replay=replay)


def _fields_block(editor: Editor, width: int, rows: int) -> list[ViewLine]:
    """Return the Fields View: the cursor on one of them, and which are shown."""
    lines = _field_lines(editor, width)
    query = f"  filter: {editor.query}" if editor.query else "  / filters"
    head = ViewLine((f" fields of the {editor.scope}", "heading"), (query, "dim"))
    if not lines:
        none = "No field has that." if editor.query else f"The {editor.scope} sends no fields."
        return [head, ViewLine((f" {none}", "dim"))]
    return [head, *_cursor_block(editor, lines, len(editor.fields), width, rows - 1)]


def _actors_block(editor: Editor, width: int, rows: int) -> list[ViewLine]:
    """Return the Actors View: the cursor on one of them."""
    return _cursor_block(editor, _actor_lines(editor, width), len(editor.actors), width, rows)


def _around_cursor(editor: Editor, lines: _Indexed, count: int, rows: int) -> _Indexed:
    """Return so many of the lines of ``count`` things, with that of the cursor."""
    at = min(editor.at, count - 1)
    here = next((i for i, (index, _) in enumerate(lines) if index == at), 0)
    top = max(0, min(here - rows // 2, len(lines) - rows))
    return lines[top : top + rows]


def _cursor_block(
    editor: Editor, lines: _Indexed, count: int, width: int, rows: int
) -> list[ViewLine]:
    """Return lines of ``count`` things, by their indexes; the cursor is on one of them."""
    at = min(editor.at, count - 1)
    block = []
    for index, line in _around_cursor(editor, lines, count, rows):
        text = joined((ViewLine((" ", "")), line))
        on = editor.focus == "detail" and index == at
        block.append(of_kind(fitted(text, width), "cursor") if on else fitted(text, width))
    return block


def _pick_block(editor: Editor, pick: Pick, width: int, rows: int) -> list[ViewLine]:
    """Return the content with what is picked, unwrapped."""
    lines = editor.body
    top = max(0, min(pick.line - rows // 2, len(lines) - rows + 1))
    block = [ViewLine((f" {editor.side}", "heading"), ("  pick: x extractor  a validator", "dim"))]
    for at in range(top, min(top + rows - 1, len(lines))):
        line = pick.shown(lines[at], width - 2) if at == pick.line else lines[at]
        block.append(joined((ViewLine((" ", "")), line)))
    return [fitted(line, width) for line in block]


def _detail(editor: Editor, columns: int, rows: int) -> list[ViewLine]:
    """Return the right side; where there is room, with the variables beside it."""
    third = variable_columns(editor, columns)
    if not third or editor.tree.row is None:
        return _tab_block(editor, columns, columns - tree_columns(columns) - 1, rows)
    width = columns - tree_columns(columns) - 1 - third
    left = filled(_tab_block(editor, columns, width, rows), width, rows - HEAD)
    lines = (joined((ViewLine((" ", "")), line)) for line in variable_lines(editor))
    return list(beside(left, filled(lines, third - 1, rows - HEAD), width))


def _tab_block(editor: Editor, columns: int, width: int, rows: int) -> list[ViewLine]:
    if editor.pick is not None:
        return _pick_block(editor, editor.pick, width, rows - HEAD)
    if TABS[editor.tab] == "Fields" and editor.tree.row is not None:
        return _fields_block(editor, width, rows - HEAD)
    if TABS[editor.tab] == "Actors" and editor.tree.row is not None:
        return _actors_block(editor, width, rows - HEAD)
    seen = sides(editor, columns)
    if len(seen) == 1:
        return _side_block(editor, columns, width, rows - HEAD, seen[0])
    half = (width - 1) // 2
    first, second = (
        filled(_side_block(editor, columns, half, rows - HEAD, side), half, rows - HEAD)
        for side in seen
    )
    return list(beside(first, second, half))


def _side_block(editor: Editor, columns: int, width: int, rows: int, side: str) -> list[ViewLine]:
    lines = detail_lines(editor, columns, side)
    head = []
    if side:
        kind: Kind = "heading" if editor.focus == "detail" else "dim"
        head = [joined((ViewLine((f" {side}", kind)), *_side_hint(editor, columns, side)))]
    below = len(lines) - editor.pager.top - (rows - len(head))
    shown = [
        joined((ViewLine((" ", "")), line))
        for line in editor.pager.seen(lines, rows - len(head) - (1 if below > 0 else 0))
    ]
    more = [ViewLine((f" … {counted(below + 1, 'more line')}", "dim"))] if below > 0 else []
    return [fitted(line, width) for line in (*head, *shown, *more)]


def _side_hint(editor: Editor, columns: int, side: str) -> list[ViewLine]:
    """Return the status of that side, and which keys lead to the others."""
    kept = editor.kept
    status = str(kept.exchange.status or "---") if kept and kept.exchange else ""
    took = f" {kept.exchange.took * 1000:.0f} ms" if kept and kept.exchange else ""
    shown = ViewLine((f" {status}", status_kind(status)), (took, "dim"))
    more = "" if len(sides(editor, columns)) > 1 else "   [ ] other sides"
    return [*([shown] if side == "replayed" else []), ViewLine((more, "dim"))]
