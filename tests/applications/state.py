"""What an application has in its database, and what a session does to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["Effect", "State"]

#: What `unique` puts behind a text, before the ending of a file's name.
_UNIQUE = "-[A-Za-z0-9]{6,8}(?![A-Za-z0-9])"


@dataclass(frozen=True, slots=True)
class State:
    """All that sessions can change, without ids, times and secrets."""

    rows: Counter[str] = field(default_factory=Counter)
    """Things of which each session leaves more, or takes away: rows, files, lines of a journal."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Things that are there once, and are the same after a second session: settings."""

    def named(self, texts: Iterable[str]) -> State:
        """The same with texts that are unique to each user called as in the recording."""
        stems = "|".join(re.escape(text.partition(".")[0]) for text in texts)
        spelled = stems.replace(r"\ ", "[ _-]")  # in an address, a space is another character
        pattern = re.compile(f"({spelled}){_UNIQUE}", re.IGNORECASE)

        def name(row: str) -> str:
            return pattern.sub(r"\1", row) if stems else row

        rows: Counter[str] = Counter()
        for row, count in self.rows.items():
            rows[name(row)] += count
        return State(rows, {key: name(value) for key, value in self.values.items()})


@dataclass(frozen=True, slots=True)
class Effect:
    """What one session does."""

    rows: Mapping[str, int]
    """How many more of each row there are."""
    values: Mapping[str, str]

    @classmethod
    def between(cls, before: State, after: State) -> Effect:
        """That of the session which led from one state to the other."""
        rows = {
            row: after.rows[row] - before.rows[row]
            for row in before.rows | after.rows
            if after.rows[row] != before.rows[row]
        }
        changed = after.values.items() - before.values.items()
        return cls(rows, dict(changed))

    def missed(self, before: State, after: State, sessions: int) -> Iterator[str]:
        """In what the state differs from the one which so many sessions would have left."""
        done = Effect.between(before, after).rows
        for row in sorted(self.rows.keys() | done.keys()):
            wanted = sessions * self.rows.get(row, 0)
            if done.get(row, 0) != wanted:
                yield f"{done.get(row, 0):+} instead of {wanted:+}: {row}"
        wanted_values = {**before.values, **self.values}
        for key in sorted(wanted_values.keys() | after.values.keys()):
            if after.values.get(key) != wanted_values.get(key):
                yield f"{key} is {after.values.get(key)!r} instead of {wanted_values.get(key)!r}"
