"""Extensions: what installed distributions add, by their entry points.

They are looked for only where a name is not known otherwise, and imported only when they are used.
As with modules, what is installed stays the same as long as the process lasts.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from pytest_loadtool.errors import ReplayError

#: What can be added; each has a group of entry points, such as ``pytest_loadtool.extractors``.
EXTRACTORS, VALIDATORS, SCHEMES, TRANSPORTS, REPORTS = (
    *("extractors", "validators", "authentication", "transports"),
    "reports",
)


def extension_names(kind: str) -> tuple[str, ...]:
    """Return the names that installed distributions add to a kind."""
    from importlib.metadata import entry_points

    return tuple(sorted({one.name for one in entry_points(group=f"pytest_loadtool.{kind}")}))


@cache
def is_extension(kind: str, name: str) -> bool:
    """Return whether an installed distribution adds this name to a kind."""
    return name in extension_names(kind)


@cache
def extension(kind: str, name: str) -> Any:
    """Return what an entry point names: a function that makes one of its kind.

    Raises:
        ReplayError: there is none of that name, or it cannot be imported.
    """
    from importlib.metadata import entry_points

    for one in entry_points(group=f"pytest_loadtool.{kind}", name=name):
        try:
            return one.load()
        except Exception as error:
            raise ReplayError(
                f"{kind}: {name!r} of {_by(one)} cannot be imported: {_told(error)}"
            ) from None
    raise ReplayError(f"{kind}: no installed distribution adds {name!r}")


def made(kind: str, name: str, *arguments: Any) -> Any:
    """Return what an extension makes of ``arguments``.

    Raises:
        ReplayError: as `extension`, or it refuses them.
    """
    make = extension(kind, name)
    try:
        return make(*arguments)
    except Exception as error:
        raise ReplayError(f"{kind}: {name!r} refuses what it was given: {_told(error)}") from None


def _by(entry_point: Any) -> str:
    return f"{entry_point.dist.name} ({entry_point.value})" if entry_point.dist else "?"


def _told(error: Exception) -> str:
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
