"""What is said of a recording and of the test case made from it, as lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_loadtool.auth import scheme_name
from pytest_loadtool.codec.printable import clip
from pytest_loadtool.codec.template import Reference, Template
from pytest_loadtool.masking.text import BY_NAME
from pytest_loadtool.model.authentication import Identity, Proxy
from pytest_loadtool.model.case import Page, TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import Note, paused, with_pauses

if TYPE_CHECKING:
    from pytest_loadtool.workflow.accounts import NeededAccount

#: Subjects that are listed under one kind of note before the rest is only counted.
_MOST = 3
#: Seconds of pauses in a page from which on they are worth a line.
_WORTH = 2.0


def counted(number: int, noun: str) -> str:
    """Return ``1 page``, ``3 pages``, ``2 queries``, ``2 replays``."""
    if number == 1:
        return f"1 {noun}"
    changes = noun.endswith("y") and noun[-2] not in "aeiou"
    plural = noun[:-1] + "ies" if changes else noun + "s"
    return f"{number} {plural}"


def notes(found: Sequence[Note], most: int | None = _MOST) -> Iterator[str]:
    """Yield what the recording leaves out or cannot replay: per kind its count, and examples of
    each reason: ``most`` of them, or all."""
    kinds = Counter(note.kind for note in found)
    for kind, count in kinds.items():
        mine = [note for note in found if note.kind == kind]
        serious = sum(note.serious for note in mine)
        yield f"  {kind}: {count}" + (f" ({serious} serious: record again)" if serious else "")
        for message, subjects in _by_message(mine):
            listed = [
                clip(BY_NAME.text(subject), 60) + (f" ({times})" if times > 1 else "")
                for subject, times in subjects.most_common(most)
            ]
            shown = ", ".join(listed)
            more = f" and {len(subjects) - len(listed)} more" if len(subjects) > len(listed) else ""
            yield f"      {message}: {shown}{more}" if shown else f"      {message}"


def _by_message(found: Iterable[Note]) -> Iterator[tuple[str, Counter[str]]]:
    messages: dict[str, Counter[str]] = {}
    for note in found:
        subjects = messages.setdefault(note.message, Counter())
        if note.subject:
            subjects[note.subject] += 1
    yield from messages.items()


def replayed(case: TestCase) -> Iterator[str]:
    """Yield that replay waits within pages, and how each thing that was done becomes a page."""
    for amount in _amounts(case):
        yield (
            f"  Replay keeps {amount} as think times: `regroup --activity` makes a page of each "
            "thing that was done."
        )


def missing(case: TestCase, exchanges: Sequence[Exchange]) -> Iterator[str]:
    """Yield that replay does not wait as the user did, because the test case is of an earlier
    version."""
    if any(map(paused, case.pages)) or not any(_idle(page) >= _WORTH for page in case.pages):
        return
    for amount in _amounts(with_pauses(case, exchanges)):
        yield f"  Replay leaves out {amount}: `regroup` keeps them, and all that was edited."


def _amounts(case: TestCase) -> Iterator[str]:
    """Yield ``pauses of 12.2 s within the page Shop``, or nothing."""
    pages = [page for page in case.pages if paused(page) >= _WORTH]
    if pages:
        where = f"the page {pages[0].name}" if len(pages) == 1 else counted(len(pages), "page")
        yield f"pauses of {sum(map(paused, pages)):.1f} s within {where}"


def _idle(page: Page) -> float:
    """Return the longest time (in seconds) in which nothing of a page was under way."""
    times = [one.recorded for one in page.transactions if one.recorded is not None]
    longest, latest = 0.0, 0.0
    for one in times:
        longest = max(longest, one.at - latest)
        latest = max(latest, one.at + one.took)
    return longest


def account(case: TestCase, one: NeededAccount) -> str:
    """Return ``NTLM at 127.0.0.1:8080, recorded as EXAMPLE\\alice; now dataset users``."""
    schemes = " and ".join(map(scheme_name, one.schemes)) or "HTTP authentication"
    places = dict.fromkeys(place_of(case, place) for place in one.places)
    text = f"{schemes} at {', '.join(places)}"
    if one.known.name:
        text += f", recorded as {one.known.name}"
    if one.configured:
        text += f"; now {who(case, one.places[0])}"
    return text


def who(case: TestCase, one: Identity | Proxy) -> str:
    """Return who the virtual users are: ``a row of users.csv each``, or name and password's
    origin."""
    parts = [part for text in one.templates for part in Template.parse(text).parts]
    datasets = {part.dataset if isinstance(part, Reference) else None for part in parts}
    if len(datasets) == 1 and (name := datasets.pop()):
        return f"a row of {_file(case, name)} for each virtual user"
    texts = [source(case, one.username), f"password from {source(case, one.password)}"]
    if one.domain:
        texts.append(f"domain {source(case, one.domain)}")
    return ", ".join(texts)


def place_of(case: TestCase, one: Identity) -> str:
    """Return the host that an identity is for, and its realm if that matters."""
    host = one.host or urlsplit(case.server).netloc or "the test case's server"
    return f"{host}, realm {one.realm!r}" if one.realm else host


def source(case: TestCase, text: str) -> str:
    """Return where the value of a template comes from; itself if it holds no placeholder."""
    template = Template.parse(text)
    if template.literal is not None:
        return template.literal
    return ", ".join(_origin(case, one.name) for one in template.references)


def _origin(case: TestCase, name: str) -> str:
    dataset, dot, column = name.partition(".")
    if dot:
        return f"column {column} of {_file(case, dataset)}"
    variable = case.variables.get(name)
    if variable is not None and variable.env is not None:
        return f"the environment variable {variable.env}"
    if variable is not None and variable.keyring is not None:
        return f"the keyring ({variable.keyring}, {variable.username})"
    return f"the variable {name}"


def _file(case: TestCase, dataset: str) -> str:
    return next((use.file for use in case.datasets if use.name == dataset), dataset)
