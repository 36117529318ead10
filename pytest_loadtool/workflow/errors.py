"""Why a step cannot be taken. Below ``LoadToolError``; the text is for the user."""

from __future__ import annotations

from pytest_loadtool.errors import LoadToolError, RecordingError


class PathError(LoadToolError):
    """A path is not the name of a test case, or of a load configuration."""


class CaseError(LoadToolError):
    """The test case does not allow the step as it is."""


class RequestError(LoadToolError):
    """An edited request cannot be sent in the place of the one that it was made of."""


class LoadValueError(LoadToolError):
    """A load configuration has no such key, or it cannot have that value."""


class NothingRecordedError(RecordingError):
    """An error: there is no traffic to make a test case from. ``notes`` are lines on what there
    was."""

    def __init__(self, message: str, notes: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.notes = notes
