"""The nearest known name, for messages about a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable

#: From this likeness (0 to 1, as `difflib` counts it) on, a name is near.
_NEAR = 0.6
#: What a common beginning counts on top, between names that are near: people shorten names.
_BEGINNING = 0.2


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``": did you mean 'x'?"``, or "" when nothing known is near."""
    import difflib  # only errors need it

    matcher = difflib.SequenceMatcher(b=name.lower())
    best, nearest = 0.0, ""
    for one in known:
        matcher.set_seq1(one.lower())
        likeness = matcher.ratio()
        if likeness >= _NEAR and one != name:
            likeness += _BEGINNING if one[:2].lower() == name[:2].lower() else 0.0
            best, nearest = max((best, nearest), (likeness, one))
    return f": did you mean {nearest!r}?" if nearest else ""
