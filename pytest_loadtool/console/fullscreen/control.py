"""The lines of a screen as prompt_toolkit writes them, and where the mouse is in them."""

from __future__ import annotations

from typing import Any, Protocol

from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout import UIContent, UIControl
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType

from pytest_loadtool.console.views.line import ViewLine


class OnScreen(Protocol):
    """The contents of the screen."""

    @property
    def rows(self) -> int:
        """Return how many rows the terminal has."""

    def lines(self, columns: int, rows: int) -> list[ViewLine]:
        """Return all of them."""

    def clicked(self, column: int, row: int) -> None:
        """Do what a click at that place is for."""

    def wheeled(self, column: int, row: int, by: int) -> None:
        """Scroll what is at that place."""


class ScreenControl(UIControl):
    """The lines of the whole screen: prompt_toolkit writes those that have changed."""

    def __init__(self, view: OnScreen) -> None:
        self._view = view

    def create_content(self, width: int, height: int) -> UIContent:
        """Return the screen; the line that is typed takes the place of its last row."""
        rows = self._view.rows
        lines = self._view.lines(width, rows)[:height]
        return UIContent(
            get_line=lambda at: [
                (f"class:{kind}" if kind else "", text) for text, kind in lines[at].spans
            ],
            line_count=len(lines),
            cursor_position=Point(0, 0),
            show_cursor=False,
        )

    def is_focusable(self) -> bool:
        """Return True: it has the keys while nothing is typed."""
        return True

    def mouse_handler(self, mouse_event: MouseEvent) -> Any:
        """Pass clicks and turns of the wheel on."""
        at = mouse_event.position
        match mouse_event.event_type:
            case MouseEventType.MOUSE_UP:
                self._view.clicked(at.x, at.y)
            case MouseEventType.SCROLL_DOWN:
                self._view.wheeled(at.x, at.y, 1)
            case MouseEventType.SCROLL_UP:
                self._view.wheeled(at.x, at.y, -1)
            case _:
                return NotImplemented
        return None
