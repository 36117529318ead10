"""The exceptions of pytest-loadtool. All mean misuse or bad input; their text is for the user.

    LoadToolError
    ├── AuthenticationError  credentials that cannot be sent, a scheme that is not supported
    ├── FileError            a file that the user owns is wrong: where, what, what to do
    ├── RecordingError       recording cannot start or go on
    └── ReplayError          a test case cannot be replayed at all (as opposed to: it fails)

A transaction that fails on replay is not an exception: it is a result.
"""

from __future__ import annotations

__all__ = ["AuthenticationError", "FileError", "LoadToolError", "RecordingError", "ReplayError"]


class LoadToolError(Exception):
    """Base of every error whose text is written for the user."""


class AuthenticationError(LoadToolError):
    """Credentials cannot be sent, or the server wants a scheme that is not supported."""


class FileError(LoadToolError):
    """A file is wrong. Its text is ``path:line: key: message``.

    ``line`` counts from 1 and is 0 when the file as a whole is meant; ``key`` is the dotted key, or
    empty.
    """

    def __init__(self, path: str, line: int, key: str, message: str) -> None:
        self.path, self.line, self.key, self.message = path, line, key, message
        place = f"{path}:{line}" if line else path
        super().__init__(": ".join(part for part in (place, key, message) if part))


class RecordingError(LoadToolError):
    """Recording cannot start or go on: no browser, no free port, no recorder installed."""


class ReplayError(LoadToolError):
    """A test case cannot be replayed at all: a dataset with too few rows, no server to talk to.

    ``at`` is the key of the test case that it is about, from the root, where it is about one.
    """

    def __init__(self, message: str, at: tuple[str | int, ...] = ()) -> None:
        super().__init__(message)
        self.at = at
