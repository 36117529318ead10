"""What an application has in its database, and what a session does to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["Effect", "State"]

#: What `unique` puts behind a text, before the ending of a file's name, or what is like one.
_UNIQUE = "-[A-Za-z0-9]{6,8}(?![A-Za-z0-9])"


@dataclass(frozen=True, slots=True)
class State:
    """All that sessions can change, without ids, times and secrets."""

    rows: Counter[str] = field(default_factory=Counter)
    """Things of which each session leaves more, or takes away: rows, files, lines of a journal."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Things that are there once, and are the same after a second session: settings."""

    shared: Mapping[str, str] = field(default_factory=dict)
    """Values that sessions at the same time change under each other: compared after one alone."""

    def named(self, texts: Iterable[str]) -> State:
        """The same with texts that are unique to each user called as in the recording."""
        stems = "|".join(map(_spelled, texts))
        pattern = re.compile(stems, re.IGNORECASE)

        def name(row: str) -> str:
            return pattern.sub(lambda found: re.sub(_UNIQUE, "", found[0]), row) if stems else row

        rows: Counter[str] = Counter()
        for row, count in self.rows.items():
            rows[name(row)] += count
        return State(rows, {key: name(value) for key, value in self.values.items()}, self.shared)


def _spelled(text: str) -> str:
    """The text, perhaps with what is unique somewhere in it; in an address, a space is another
    character."""
    characters = ("[ _-]" if one == " " else re.escape(one) for one in text.partition(".")[0])
    return "".join(f"{one}(?:{_UNIQUE})?" for one in characters)


@dataclass(frozen=True, slots=True)
class Effect:
    """What one session does."""

    rows: Mapping[str, int]
    """How many more of each row there are."""
    values: Mapping[str, str]
    shared: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def between(cls, before: State, after: State) -> Effect:
        """That of the session which led from one state to the other."""
        rows = {
            row: after.rows[row] - before.rows[row]
            for row in before.rows | after.rows
            if after.rows[row] != before.rows[row]
        }
        return cls(
            rows, _changed(before.values, after.values), _changed(before.shared, after.shared)
        )

    def missed(self, before: State, after: State, sessions: int) -> Iterator[str]:
        """In what the state differs from the one which so many sessions would have left."""
        done = Effect.between(before, after).rows
        for row in sorted(self.rows.keys() | done.keys()):
            wanted = sessions * self.rows.get(row, 0)
            if done.get(row, 0) != wanted:
                yield f"{done.get(row, 0):+} instead of {wanted:+}: {row}"
        yield from _differences(after.values, {**before.values, **self.values})
        if sessions == 1:
            yield from _differences(after.shared, {**before.shared, **self.shared})


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    return dict(after.items() - before.items())


def _differences(there: Mapping[str, str], wanted: Mapping[str, str]) -> Iterator[str]:
    for key in sorted(there.keys() | wanted.keys()):
        if there.get(key) != wanted.get(key):
            yield f"{key} is {there.get(key)!r} instead of {wanted.get(key)!r}"
