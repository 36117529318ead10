"""The nearest known name, for messages about a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["did_you_mean"]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``": did you mean 'x'?"``, or "" when nothing known is near."""
    import difflib  # only errors need it

    spelled = {one.lower(): one for one in known}
    near = difflib.get_close_matches(name.lower(), spelled, n=1, cutoff=0.6)
    return f": did you mean {spelled[near[0]]!r}?" if near else ""
