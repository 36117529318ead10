"""The nearest known name, for messages about a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable

#: From this likeness (0 to 1, as `difflib` counts it) on, a name is near.
_NEAR = 0.6
#: What a common beginning counts on top, between names that are near: people shorten names.
_BEGINNING = 0.2


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``": did you mean 'x'?"``, or "" when nothing known is near."""
    one = nearest(name, known)
    return f": did you mean {one!r}?" if one else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that is most like ``name``, or "" when none is near."""
    import difflib  # only errors need it

    matcher = difflib.SequenceMatcher(b=name.lower())
    best, found = 0.0, ""
    for one in known:
        matcher.set_seq1(one.lower())
        likeness = matcher.ratio()
        if likeness >= _NEAR and one != name:
            likeness += _BEGINNING if one[:2].lower() == name[:2].lower() else 0.0
            best, found = max((best, found), (likeness, one))
    return found
