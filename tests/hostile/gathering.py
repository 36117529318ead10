"""What the command makes anew from the packages: the files of ``responses/``."""

from __future__ import annotations

from collections.abc import Iterable

from tests.hostile.corpus import RESPONSES, Case, read_responses, write_responses
from tests.hostile.sources import SOURCES

__all__ = ["gather"]

#: Longer ones (bytes) are left out. They are few, and long for the sake of being long.
_LONGEST = 16_000


def gather(names: Iterable[str]) -> list[str]:
    """Fetch the packages, write what is in them; what is other than before, a line each.

    A response that an earlier source has too is left out.
    """
    changes = []
    seen = {case.wire for name in SOURCES if name not in names for case in read_responses(name)}
    for name, source in SOURCES.items():
        if name not in names:
            continue
        before = {case.wire: case for case in read_responses(name)}
        cases: dict[bytes, Case] = {}
        for title, wire in source.responses():
            if len(wire) <= _LONGEST and wire not in seen:
                seen.add(wire)
                cases[wire] = Case(name, title, wire)
        write_responses(name, cases.values())
        terms = (source.unpacked() / source.terms).read_text(encoding="utf-8")
        (RESPONSES / f"{name}.LICENSE").write_text(terms, encoding="utf-8")
        changes += [f"{one}: new" for wire, one in cases.items() if wire not in before]
        changes += [f"{one}: gone" for wire, one in before.items() if wire not in cases]
    return changes
