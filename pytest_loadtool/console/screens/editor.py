"""The Test Case Editor: what is looked at in it."""

from __future__ import annotations

import html
import re
import shlex
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Literal

from pytest_loadtool.console.screens.actor_rows import ActorRow, actor_rows
from pytest_loadtool.console.screens.detail import (
    COMPARED,
    SIDES,
    TABS,
    body_of,
    kept_in,
    lines_of,
)
from pytest_loadtool.console.screens.editor_keys import ACTOR_KEYS, FIELD_KEYS, KEYS, PICK_KEYS
from pytest_loadtool.console.screens.field_rows import (
    SCOPES,
    field_rows,
    filtered,
)
from pytest_loadtool.console.screens.keys import ScreenKey
from pytest_loadtool.console.screens.pager import TOP, Pager
from pytest_loadtool.console.screens.picking import Pick
from pytest_loadtool.console.screens.tree import CaseTree, tree_of
from pytest_loadtool.console.views.line import ViewLine
from pytest_loadtool.editing.suggestions import PickedPlace
from pytest_loadtool.masking.text import BY_NAME
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.kept_replay import KeptTransaction
from pytest_loadtool.model.same import Same
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.fields import ShownField
from pytest_loadtool.workflow.replays import OpenReplay

#: Columns from which on two bodies stand beside each other.
WIDE = 120
#: Columns from which on variables stand beside the bodies, and how many they get.
_FOR_THREE, _VARIABLES = 150, 39
#: Lines above what a tab shows: the transaction, and the tabs.
HEAD = 2
#: Names of tabs where there is little room.
SHORT_TABS = {"Variables": "Vars"}


@dataclass(frozen=True, slots=True)
class Editor:
    """The state of the Test Case Editor: what is looked at, and how."""

    tree: CaseTree
    tab: int = 0
    side: str = "response"
    focus: Literal["tree", "detail"] = "tree"
    pager: Pager = TOP
    raw: bool = False
    secrets: bool = False
    replay: OpenReplay | None = None
    """The kept replay that is looked at beside the recording."""
    scope: str = SCOPES[0]
    """Whose fields are shown."""
    query: str = ""
    """What is in the fields that are shown."""
    at: int = 0
    """The field or actor that the cursor is on."""
    breakpoints: frozenset[Hashable] = frozenset()
    """The transactions that a replay is held before."""
    pick: Pick | None = None
    """What is picked out of the content, for an extractor or a validator."""

    @property
    def in_fields(self) -> bool:
        """Return whether the cursor is on a field."""
        return self.focus == "detail" and TABS[self.tab] == "Fields"

    @property
    def in_actors(self) -> bool:
        """Return whether the cursor is on an actor."""
        return self.focus == "detail" and TABS[self.tab] == "Actors"

    @property
    def actors(self) -> tuple[ActorRow, ...]:
        """The actors that are shown."""
        one = self.tree.transaction
        return actor_rows(one) if one is not None else ()

    @property
    def actor(self) -> ActorRow | None:
        """The actor at the cursor."""
        shown = self.actors if self.in_actors else ()
        return shown[min(self.at, len(shown) - 1)] if shown else None

    @property
    def fields(self) -> tuple[ShownField, ...]:
        """The fields that are shown."""
        if self.tree.row is None:
            return ()
        rows = field_rows(Same(self.tree.document), self.tree.number, self.scope)
        return filtered(rows, self.query)

    @property
    def alone(self) -> bool:
        """Return whether the right side has all of the screen: fields of several transactions."""
        return self.in_fields and self.scope != SCOPES[0]

    @property
    def field(self) -> ShownField | None:
        """The field at the cursor."""
        shown = self.fields if self.in_fields else ()
        return shown[min(self.at, len(shown) - 1)] if shown else None

    @property
    def picked(self) -> str:
        """The text that is picked out of the content."""
        return html.unescape(self.pick.text(self.body)) if self.pick is not None else ""

    @property
    def place(self) -> PickedPlace | None:
        """Which of the places in the content that have the picked text it was picked at."""
        if self.pick is None:
            return None
        lines, pick = tuple(map(str, self.body)), self.pick
        written, at = pick.text(lines), sum(len(one) + 1 for one in lines[: pick.line]) + pick.start
        found = re.finditer(re.escape(written), "\n".join(lines))
        starts = [one.start() for one in found]
        return PickedPlace(written, starts.index(at) if at in starts else -1, len(starts))

    @property
    def exchange(self) -> Exchange | None:
        """Return what was recorded of the transaction at the cursor."""
        one = self.tree.transaction
        return self.tree.document.evidence_of(one) if one is not None else None

    @property
    def keys(self) -> tuple[ScreenKey, ...]:
        """The keys that mean something now."""
        own: tuple[ScreenKey, ...] = ()
        if self.pick is not None:
            own = PICK_KEYS
        elif self.in_fields:
            own = FIELD_KEYS
        elif self.in_actors:
            own = ACTOR_KEYS
        taken = {name for key in own for name in key.keys}
        return (*own, *(key for key in KEYS if taken.isdisjoint(key.keys)))

    @property
    def body(self) -> tuple[ViewLine, ...]:
        """The lines of the content that values are picked out of."""
        return body_of(
            Same(self.tree.document),
            self.tree.number,
            self.side,
            raw=self.raw,
            secrets=self.secrets,
            replay=self.replay_key,
        )

    @property
    def kept(self) -> KeptTransaction | None:
        """Return what the replay has kept of the transaction at the cursor."""
        return kept_in(Same(self.tree.document.case), self.replay_key).get(self.tree.number - 1)

    @property
    def replay_key(self) -> Same[OpenReplay] | None:
        """The replay as a part of keys."""
        return Same(self.replay) if self.replay is not None else None

    @property
    def places(self) -> dict[str, object]:
        """Return what stands for the places in the command lines of keys."""
        row = self.tree.row
        known: dict[str, object] = {
            "number": self.tree.number,
            "selected": self.tree.selected,
            "pages": self.tree.pages,
            "page": row.page + 1 if row else 0,
        }
        if (one := self.field) is not None:
            value = one.field.value  # of a secret, nobody sees it in a line
            value = "" if "${" in value or BY_NAME.field(one.field) != value else value
            known |= {
                "number": one.number,
                "field": shlex.quote(one.field.name),
                "value": shlex.quote(value),
            }
        if self.actor is not None:
            known["removal"] = self.actor.removal(self.tree.number)
        if self.pick is not None:
            known["text"] = shlex.quote(self.picked)
        return known

    @property
    def on_page(self) -> bool:
        """Return whether the cursor is on a page."""
        return self.tree.row is not None and not self.tree.row.number

    def of(self, document: Document | None) -> Editor:
        """Return the editor of another state of the test case."""
        if document is None:
            nothing = tree_of(Document(TestCase("", ())))
            return replace(self, tree=nothing) if self.tree.row is not None else self
        if document is self.tree.document:
            return self
        return replace(self, tree=self.tree.of(document))


def beside_replay(editor: Editor, replay: OpenReplay | None) -> Editor:
    """Return the editor with another kept replay beside the recording."""
    kept = kept_in(Same(editor.tree.document.case), Same(replay) if replay is not None else None)
    failed = frozenset(index for index, one in kept.items() if one.outcome == "failed")
    return replace(editor, replay=replay, tree=replace(editor.tree, failed=failed))


def editor_of(document: Document) -> Editor:
    """Return the editor of a test case, at its beginning."""
    return Editor(tree_of(document))


def tree_columns(columns: int) -> int:
    """Return how many columns the tree gets."""
    return columns * 45 // 100 if columns < WIDE else min(56, columns * 3 // 10)


def sides(editor: Editor, columns: int) -> tuple[str, ...]:
    """Return the sides that are seen: both, if the content has the room."""
    if TABS[editor.tab] != "Content":
        return ("",)
    one = editor.tree.transaction
    if columns < WIDE or one is None:
        return (editor.side,)
    if editor.kept is not None and editor.side != "request":
        return COMPARED
    return SIDES[:2] if one.request.body is not None else (editor.side,)


def variable_columns(editor: Editor, columns: int) -> int:
    """Return how many columns the variables of the replay get beside the content."""
    shown = TABS[editor.tab] == "Content" and editor.replay is not None and editor.pick is None
    return _VARIABLES if shown and columns >= _FOR_THREE else 0


def variable_lines(editor: Editor) -> tuple[ViewLine, ...]:
    """Return the variables of the replay, as they stand beside the content."""
    return lines_of(
        Same(editor.tree.document),
        editor.tree.number,
        "Variables",
        "",
        _VARIABLES - 3,
        secrets=editor.secrets,
        replay=editor.replay_key,
    )


def detail_lines(editor: Editor, columns: int, side: str = "") -> tuple[ViewLine, ...]:
    """Return all lines of the tab, or of one side of it, at the width that they get."""
    if editor.tree.row is None:
        return ()
    seen = sides(editor, columns)
    taken = tree_columns(columns) + 1 + variable_columns(editor, columns)
    room = (columns - taken - (len(seen) - 1)) // len(seen) - 2
    document = Same(editor.tree.document)
    tab, chosen = TABS[editor.tab], side or editor.side
    flags = {"raw": editor.raw, "secrets": editor.secrets}
    return lines_of(
        document, editor.tree.number, tab, chosen, room, **flags, replay=editor.replay_key
    )
