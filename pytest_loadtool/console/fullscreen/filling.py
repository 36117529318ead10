"""A form that is being filled in: its keys, and what its command would do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import islice

from prompt_toolkit.filters import Condition

from pytest_loadtool.console.screens import form as forms
from pytest_loadtool.console.screens.cells import wrapped
from pytest_loadtool.console.screens.editor import Editor
from pytest_loadtool.console.screens.editor_drawing import drawn as editor_drawn
from pytest_loadtool.console.screens.form import Form
from pytest_loadtool.console.views.line import ViewLine

#: Seconds without a key before it is shown what the command would do.
_PAUSE = 0.2
#: Lines of that which are shown, and rows that the editor needs to be seen above a form.
_SAID_ROWS, _LEAST_ABOVE = 6, 5


class FormFilling:
    """A form, or none. ``start`` runs its command, ``preview`` says what a command line would do,
    ``redraw`` has the screen drawn."""

    def __init__(
        self,
        start: Callable[[str], None],
        preview: Callable[[str], Awaitable[list[str] | None]],
        redraw: Callable[[], None],
    ) -> None:
        self.form: Form | None = None
        self.active = Condition(lambda: self.form is not None)
        self._start, self._previewed, self._redraw = start, preview, redraw
        self._said: list[str] = []
        self._submitted: Form | None = None
        self._previewing: asyncio.Task[None] | None = None

    def open(self, form: Form | None) -> None:
        """Show a form, or none any more."""
        self.form, self._said = form, []
        self._preview_soon()
        self._redraw()

    def press(self, name: str) -> None:
        """Do what a key is for in the form; what is not for anything is typed."""
        assert self.form is not None
        move = next((key.move for key in forms.KEYS if name in key.keys), "")
        if move == "ok" and not self.form.is_chosen:
            self._changed(forms.entered(self.form))
        elif move == "ok":
            self._submitted = form = self.form
            self.open(None)
            self._start(form.command)
        elif move == "cancel":
            self.open(None)
        elif move:
            self._changed(forms.MOVES[move](self.form))
        elif name == "space" or len(name) == 1:
            self.type(" " if name == "space" else name)

    def type(self, text: str) -> None:
        """Type a text, as far as it goes into one line."""
        if self.form is not None and (line := "".join(filter(str.isprintable, text))):
            self._changed(forms.typed(self.form, line))

    def ended(self, *, failed: bool) -> None:
        """A command has ended: one that was refused brings its form back."""
        form, self._submitted = self._submitted, None
        if failed and form is not None:
            self.open(form)

    def _changed(self, form: Form) -> None:
        before, self.form = self.form, form
        if before is None or before.values != form.values:
            self._preview_soon()
        self._redraw()

    def _preview_soon(self) -> None:
        if self._previewing is not None:
            self._previewing.cancel()
        form = self.form
        self._previewing = asyncio.ensure_future(self._preview(form)) if form else None

    async def _preview(self, form: Form) -> None:
        await asyncio.sleep(_PAUSE)
        said = await self._previewed(form.command)
        if self.form is not None and self.form.values == form.values:
            self._said = said or []
            self._redraw()

    def drawn(self, editor: Editor, columns: int, rows: int) -> list[ViewLine]:
        """Return the form below as much of the editor as there is room for."""
        assert self.form is not None
        above = self._above(columns, rows)
        lines = editor_drawn(editor, columns, above) if above else []
        pieces = (piece for line in self._said for piece in wrapped(line, columns - 1))
        said = list(islice(pieces, _SAID_ROWS))
        return [*lines, *forms.drawn(self.form, said, columns, rows - above)]

    def clicked(self, column: int, row: int, columns: int, rows: int) -> None:
        """Do what a click at that place of the body is for."""
        assert self.form is not None
        self._changed(forms.clicked(self.form, column, row - self._above(columns, rows), columns))

    def _above(self, columns: int, rows: int) -> int:
        assert self.form is not None
        left = rows - forms.needed_rows(self.form, _SAID_ROWS, columns)
        return left if left >= _LEAST_ABOVE else 0
