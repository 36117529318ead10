"""The session log: each command that ran, as a line that runs it again, and how it ended.

It is kept in this user's private state folder and not beside the test case: it names servers and
people, goes on over many test cases of a day, and would end up in a repository there. `log --save`
puts it where it is wanted.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Literal

from pytest_loadtool.codec.names import is_secret
from pytest_loadtool.workflow.known import state_file

#: How a command ended; only what is ``done`` is run again.
Ending = Literal["done", "failed", "interrupted", "not repeated"]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A command that ran: the line that does the same again, what it said last, how it ended."""

    line: str
    said: str = ""
    ending: Ending = "done"

    def lines(self) -> Iterator[str]:
        """Yield the entry in a script: what is not to be run again is a comment."""
        if self.ending == "done":
            yield self.line
        else:
            yield f"# {self.ending}: {self.line}"
        if self.said:
            yield f"#   {self.said}"


@dataclass(slots=True)
class SessionLog:
    """The commands of a session in the order in which they ended.

    ``file`` has them from the moment they end; None keeps them in memory.
    """

    file: Path | None = None
    entries: list[LogEntry] = field(default_factory=list)

    def add(self, entry: LogEntry) -> None:
        """Note a command that has ended; on a disk that takes no more, in memory only."""
        self.entries.append(entry)
        if self.file is not None:
            with suppress(OSError), self.file.open("a", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in entry.lines())

    def renamed(self, old: str, new: str) -> None:
        """Have the script name a file by the name that it has got."""
        self.entries = [
            replace(one, line=one.line.replace(shlex.quote(old), shlex.quote(new)))
            for one in self.entries
        ]

    def masked(self) -> None:
        """Leave out what has sent credentials that the traffic has stand-ins for now."""
        self.entries = [each for one in self.entries for each in _without_replays(one)]

    def script(self) -> str:
        """Return the session as a script for ``--record-script``."""
        return "".join(f"{line}\n" for line in script_lines(self.entries))


#: Options of configuring that count without replays, too.
_CONFIGURING = ("--hosts", "--rules")


def _without_replays(entry: LogEntry) -> Iterator[LogEntry]:
    """Yield a command, or what of it can be done without sending anything."""
    words = entry.line.split()
    configures = words[:1] == ["configure"] and "--replay" in words
    if entry.ending != "done" or not (configures or words[:1] == ["play"]):
        yield entry
        return
    yield replace(entry, ending="not repeated")
    if configures:
        kept = (word for pair in pairwise(words) if pair[0] in _CONFIGURING for word in pair)
        yield LogEntry(" ".join(("configure", *kept)))


def script_lines(entries: Iterable[LogEntry]) -> Iterator[str]:
    """Yield the lines of a script that does what the session did."""
    for entry in entries:
        yield from entry.lines()


def log_file(case_path: Path, began: str) -> Path | None:
    """Return the log of all sessions with a test case, to which one that ``began`` then adds; None
    if this user has no place for it."""
    name = f"{case_path.name.partition('.')[0]}-{sha256(str(case_path).encode()).hexdigest()[:8]}"
    try:
        path = state_file(f"sessions/{name}.session.txt")
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n# {case_path}, {began}\n")
    except (OSError, RuntimeError):
        return None
    return path


#: The user and password of a URL.
_USER_INFO = re.compile(r"(?<=://)[^/\s@'\"]+@")
#: Options whose value is that of the field or column that the line names.
_VALUES = ("--constant", "--pattern", "--value")
#: Those of them that say how values are made, if there is a number in them.
_PATTERNS = ("--pattern", "--fill")
#: Commands whose words are names of columns, and no values of what is named before them.
_NAMES_ALONE = re.compile(r"\s*dataset[- ]new\b")
#: Characters of a secret that is looked for within longer words.
_LONG = 6
_CUT = "…"


def without_secrets(line: str, secrets: Iterable[str] = ()) -> str:
    """Return a command line without these secrets, and without the values of fields and columns
    whose names say that they are some."""
    line = _USER_INFO.sub(f"{_CUT}@", line)
    try:
        words = shlex.split(line)
    except ValueError:
        return line
    known = tuple(secrets)
    named = any(map(_names_a_secret, words))
    valued = not _NAMES_ALONE.match(line)
    cut = [
        _CUT if valued and _follows(before, word, named) else _without(before, word, known, named)
        for before, word in zip(["", *words], words, strict=False)
    ]
    return (
        line if cut == words else " ".join(one if _CUT in one else shlex.quote(one) for one in cut)
    )


def _follows(before: str, word: str, named: bool) -> bool:
    """Return whether a word is the value of what the word before names."""
    value = not word.startswith("--") and not word.isdecimal()
    own = _names_a_secret(before) and value and "=" not in word
    return own or (named and before in _VALUES and not _generates(before, word))


def _generates(option: str, value: str) -> bool:
    """Return whether a value says how others are made, and is none itself."""
    return option in _PATTERNS and "{" in value


def _names_a_secret(word: str) -> bool:
    """Return whether a word is the name of a field or column; an option such as --secrets is
    none."""
    return not word.startswith("-") and "=" not in word and is_secret(word)


def _without(before: str, word: str, secrets: Iterable[str], named: bool) -> str:
    label, equals, value = word.partition("=")
    option = f"--{label.lstrip('-')}"
    own = option in _VALUES and named and not _generates(option, value)
    filled = before == "--fill" and is_secret(label) and not _generates(before, value)
    if equals and value and (own or filled):
        return f"{label}={_CUT}"
    for secret in secrets:
        if word == secret or value == secret or (len(secret) >= _LONG and secret in word):
            word = word.replace(secret, _CUT)
    return word
