"""Keeping a library's log off the user's terminal."""

from __future__ import annotations

import logging
from collections import deque

from mitmproxy.log import MitmLogHandler


class QuietLog(logging.Handler):
    """Holds the last warnings of one logger and its children, and lets nothing through."""

    def __init__(self, name: str, keep: int = 100) -> None:
        super().__init__(logging.WARNING)
        self._logger = logging.getLogger(name)
        self._propagate = True
        self.messages: deque[str] = deque(maxlen=keep)

    def install(self) -> None:
        """From now on, records end here."""
        self._propagate = self._logger.propagate
        self._logger.propagate = False
        self._logger.addHandler(self)

    def uninstall(self) -> None:
        """Leave the logger as it was found."""
        self._logger.removeHandler(self)
        self._logger.propagate = self._propagate

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message, with its traceback if it has one."""
        self.messages.append(self.format(record))

    @staticmethod
    def remove_root_handlers() -> None:
        """Take mitmproxy's handlers off the root logger, where they would see everybody's log."""
        root = logging.getLogger()
        for handler in [one for one in root.handlers if isinstance(one, MitmLogHandler)]:
            root.removeHandler(handler)
