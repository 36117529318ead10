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
    members: Counter[str] = field(default_factory=Counter)
    """Members of sets, such as what a user watches: of one name, each is there once or is not."""

    def named(self, texts: Iterable[str]) -> State:
        """The same with texts that are unique to each user called as in the recording."""
        stems = "|".join(map(_spelled, texts))
        pattern = re.compile(stems, re.IGNORECASE)

        def name(row: str) -> str:
            return pattern.sub(lambda found: re.sub(_UNIQUE, "", found[0]), row) if stems else row

        def counted(rows: Counter[str]) -> Counter[str]:
            renamed: Counter[str] = Counter()
            for row, count in rows.items():
                renamed[name(row)] += count
            return renamed

        values = {key: name(value) for key, value in self.values.items()}
        return State(counted(self.rows), values, self.shared, counted(self.members))


def _spelled(text: str) -> str:
    """The text, perhaps with what is unique somewhere in it, be it before the ending of a file; in
    an address, a space is another character."""
    stem = re.sub(r"\.[a-z]{3}\Z", "", text)
    characters = ("[ _-]" if one == " " else re.escape(one) for one in stem)
    return "".join(f"{one}(?:{_UNIQUE})?" for one in characters)


@dataclass(frozen=True, slots=True)
class Effect:
    """What one session does."""

    rows: Mapping[str, int]
    """How many more of each row there are."""
    values: Mapping[str, str]
    shared: Mapping[str, str] = field(default_factory=dict)
    members: Mapping[str, int] = field(default_factory=dict)
    """How many come to the sets and go, under names that only this session has."""

    @classmethod
    def between(cls, before: State, after: State) -> Effect:
        """That of the session which led from one state to the other."""
        return cls(
            _counted(before.rows, after.rows),
            _changed(before.values, after.values),
            _changed(before.shared, after.shared),
            _counted(before.members, after.members),
        )

    def missed(
        self, before: State, after: State, sessions: int, *, own_names: bool = False
    ) -> Iterator[str]:
        """In what the state differs from the one which so many sessions would have left.

        With ``own_names`` each of them has put other names in place of the recorded ones. Without,
        what an earlier one has put into a set is there already.
        """
        done = Effect.between(before, after)
        wanted = {row: sessions * count for row, count in self.rows.items()}
        yield from _miscounted(done.rows, wanted)
        joined = {
            row: sessions * count if own_names else _once(before.members[row], count)
            for row, count in self.members.items()
        }
        yield from _miscounted(done.members, joined)
        yield from _differences(after.values, {**before.values, **self.values})
        if sessions == 1:
            yield from _differences(after.shared, {**before.shared, **self.shared})


def _counted(before: Counter[str], after: Counter[str]) -> dict[str, int]:
    """How many more there are of each of which there are more or fewer."""
    counts = {row: after[row] - before[row] for row in before | after}
    return {row: count for row, count in counts.items() if count}


def _once(there: int, count: int) -> int:
    """How many more there are after sessions that add so many to a set, or take them away."""
    return max(count - there, 0) if count > 0 else max(count, -there)


def _miscounted(done: Mapping[str, int], wanted: Mapping[str, int]) -> Iterator[str]:
    for row in sorted(done.keys() | wanted.keys()):
        if done.get(row, 0) != wanted.get(row, 0):
            yield f"{done.get(row, 0):+} instead of {wanted.get(row, 0):+}: {row}"


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    return dict(after.items() - before.items())


def _differences(there: Mapping[str, str], wanted: Mapping[str, str]) -> Iterator[str]:
    for key in sorted(there.keys() | wanted.keys()):
        if there.get(key) != wanted.get(key):
            yield f"{key} is {there.get(key)!r} instead of {wanted.get(key)!r}"
