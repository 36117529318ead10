"""The exceptions of pytest-loadtool. All mean misuse or bad input; their text is for the user.

    LoadToolError
    ├── AuthenticationError  credentials that cannot be sent, a scheme that is not supported
    ├── FileError            a file that the user owns is wrong: where, what, what to do
    ├── RecordingError       recording cannot start or go on
    ├── ReplayError          a test case cannot be replayed at all (as opposed to: it fails)
    │   └── NoRowLeftError   a dataset is used up
    └── SlowPatternError     a regular expression takes too long on what a server has sent

A transaction that fails on replay is not an exception: it is a result.
"""

from __future__ import annotations


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


class NoRowLeftError(ReplayError):
    """A dataset of so many ``rows`` that is not reusable has none left."""

    def __init__(self, dataset: str, rows: int) -> None:
        super().__init__(
            f"dataset {dataset!r} has no row left: it has {rows} and is not reusable; add rows or "
            "set reusable = true"
        )
        self.dataset, self.rows = dataset, rows


class SlowPatternError(LoadToolError):
    """A regular expression took longer than ``limit`` seconds on a text of ``size`` characters.

    On replay that is a failure. The size in its text is rounded, so that equal ones count as one.
    """

    def __init__(self, pattern: str, limit: float, size: int) -> None:
        kilobytes = int(float(f"{size / 1000:.1g}"))
        time = f"{limit:g} s" if limit >= 1 else f"{1000 * limit:g} ms"
        body = f"about {kilobytes} KB" if kilobytes else "less than 1 KB"
        super().__init__(
            f"Regular expression took longer than {time} on a text of {body}: {pattern!r}. "
            "Say what it may not pass, as [^<]* in place of .*, and repeat nothing that repeats "
            "something, as (a+)+ does"
        )
