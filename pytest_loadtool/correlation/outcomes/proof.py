"""A proof: what an answer shows of a change; and what answers showed before it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import (
    TELLING,
    is_chosen,
    is_id_name,
    is_short_number,
    is_title_name,
    looks_random,
)
from pytest_loadtool.correlation.index.traffic import RecordedStep
from pytest_loadtool.correlation.outcomes.changes import Change, Said
from pytest_loadtool.correlation.outcomes.resources import Resource
from pytest_loadtool.correlation.outcomes.seen import Answers, SeenAnswer
from pytest_loadtool.model.validator import Validator

#: The strength of what only the answer to the change says: of the resource, and of how it went.
OWN, REPLY = 2, 3
#: A shorter text stands there by chance.
SHORTEST = 3
_LONGEST_NAME = 40
#: How many resources are looked at that are beside that of a change, and how many changes of one.
_MOST_OTHERS, _MOST_CHANGES = 4, 20
#: A word that the server writes for a state: ``shipped``, ``in progress``.
STATE = re.compile(r"[^\W\d_][^\W\d]*(?:[ _-][^\W\d]+){0,3}")
LONGEST_STATE = 40
#: What fields are called that have a state.
STATES = frozenset({"draft", "phase", "published", "stage", "state", "status", "visibility"})
#: Words of states that pass.
_PASSING = frozenset(
    {
        *("accepted", "analyzing", "building", "creating", "importing", "in", "indexing"),
        *("initializing", "loading", "new", "pending", "preparing", "processing", "progress"),
        *("provisioning", "queued", "ready", "received", "running", "scheduled", "sending"),
        *("starting", "submitted", "uploading", "validating", "waiting", "working"),
    }
)


@dataclass(frozen=True, slots=True)
class Proof:
    """A validator of the response of transaction ``at``, and what is so when it holds.

    ``strength`` orders proofs, 0 being best: of the resource itself by its id; by its name; what
    only the answer to the change says of it; what that says of how it went, which proves nothing.
    """

    at: int
    strength: int
    says: str
    validator: Validator | None = None
    """None: the status says it, which has a validator of its own."""
    text: str = ""
    """What was sent and tells it by itself."""
    field: str = ""
    """The name of the one field that it is about."""
    beside: bool = False
    """Whether it says what comes with the change, or is left as it was: that proves nothing by
    itself."""
    spares: bool = False
    """Whether more was done where it is not so."""
    doubtful: bool = False
    """Whether it goes by a text that somebody else may have sent, too."""
    again: bool = False
    """Whether it says so once more after another change of the resource, which may be to blame."""
    gone: str = ""
    """What is not there any more, if it says that."""


@dataclass(frozen=True, slots=True)
class SessionChanges:
    """The changes of a session, by what they are about. Resources are by what they are known as."""

    changed: Mapping[str, Sequence[int]]
    """The transactions that change a resource, in their order."""
    own: Sequence[tuple[int, Resource]]
    """What the session has made or named by an id of its own, with the first change of each, in
    their order."""
    by_resource: Mapping[str, Sequence[Change]]
    """The changes of a resource, in their order."""
    every: Sequence[int]
    """The transactions that change anything, in their order."""
    texts: Mapping[str, tuple[int, Said]]
    """The texts that changes send, each with the first that does."""
    paths: Mapping[str, Sequence[int]]
    """The transactions that change what is at a path, in their order."""
    first: int = 0
    """The first transaction that changes anything, besides logging in."""

    @classmethod
    def of(cls, changes: Sequence[Change], changed: Mapping[str, Sequence[int]]) -> SessionChanges:
        """Return these changes by what they are about."""
        by_resource: dict[str, list[Change]] = {}
        first: dict[str, tuple[int, Resource]] = {}
        for change in changes:
            for resource in change.resources:
                by_resource.setdefault(resource.known_as, []).append(change)
                if resource.is_own:
                    first.setdefault(resource.known_as, (change.step.index, resource))
        every = [change.step.index for change in changes]
        texts: dict[str, tuple[int, Said]] = {}
        for change in changes:
            for said in change.said if not change.logs_in else ():
                if said.is_text and len(said.value) >= SHORTEST:
                    texts.setdefault(said.value, (change.step.index, said))
        paths: dict[str, list[int]] = {}
        for change in changes:
            paths.setdefault(change.path, []).append(change.step.index)
        start = next((one.step.index for one in changes if not one.logs_in), 0)
        return cls(changed, tuple(first.values()), by_resource, every, texts, paths, start)


class Before:
    """The answers before a change, and what they showed."""

    def __init__(self, change: Change, answers: Answers, history: SessionChanges) -> None:
        self.answers = tuple(answers.before(change.step.index))
        self._at_first = tuple(one.step for one in answers.before(history.first))
        self._by_meant = {one.meant: one for one in reversed(self.answers)}
        self._change = change.step.index
        self._changed, self._every = history.changed, history.every
        self._at_path = history.paths.get(change.path, ())
        mine = {one.known_as for one in change.resources}
        end = bisect_left(history.own, change.step.index, key=lambda one: one[0])
        before = (one for _, one in islice(reversed(history.own[:end]), _MOST_OTHERS))
        self.others = tuple(one for one in before if one.known_as not in mine)
        """What else the session has made last before, and names."""
        self.shown: dict[Resource, tuple[SeenAnswer, dict[str, Any]] | None] = {}
        """The last answer to each resource that was looked for in these, and what it had of it."""
        self.addresses: dict[tuple[Resource, int], list[tuple[str, str]]] = {}
        """The addresses with the id of a resource on a page, as templates and as recorded."""
        self._known: dict[str, bool] = {}
        self._by_resource, self._texts = history.by_resource, history.texts
        self.sent = dict(pair for one in mine for pair in self.sent_of(one))
        """What earlier changes of the same resource have sent, by field and value."""
        self.taken = frozenset(value for one in mine for value in self._taken_by(one))
        """The values that they have sent as an answer had given them out."""

    def made(self, resource: Resource) -> bool:
        """Return whether a change of the session has made the resource."""
        known_as = resource.known_as
        changes = self._by_resource.get(known_as, ())
        return any(one.given and one.known_as == known_as for c in changes for one in c.resources)

    def was_there(self, resource: Resource) -> bool:
        """Return whether the session has asked for the resource before it has changed anything."""
        return any(_is_asked_by_id(one.address, resource.id) for one in self._at_first)

    def sent_of(self, known_as: str) -> Iterator[tuple[tuple[str, str], Said]]:
        """Yield the texts and fields that were sent of any resource before the change."""
        for one in self._by_resource.get(known_as, ())[:_MOST_CHANGES]:
            if one.step.index < self._change:
                yield from (((said.field, said.value), said) for said in one.said)

    def _taken_by(self, known_as: str) -> Iterator[str]:
        """Yield the values that earlier changes of a resource have taken from answers."""
        for one in self._by_resource.get(known_as, ())[:_MOST_CHANGES]:
            yield from one.taken if one.step.index < self._change else ()

    def named(self, text: Any) -> Said | None:
        """Return what an earlier change has sent of the session's own, if it is that text."""
        found = self._texts.get(text) if isinstance(text, str) else None
        return found[1] if found is not None and found[0] < self._change else None

    def own_texts(self) -> Iterator[Said]:
        """Yield the texts that earlier changes have sent, the last first."""
        for at, said in reversed(tuple(self._texts.values())):
            if at < self._change:
                yield said

    def last(self, resource: Resource, later: SeenAnswer) -> bool:
        """Return whether nothing changes the resource after the change and before an answer."""
        return self._alone(resource, self._change, later.step.index)

    def last_of_all(self, later: SeenAnswer) -> bool:
        """Return whether nothing changes anything after the change and before an answer."""
        at = bisect_right(self._every, self._change)
        return at == len(self._every) or self._every[at] > later.step.index

    def last_there(self, later: SeenAnswer) -> bool:
        """Return whether nothing changes what is at the same path after the change and before an
        answer."""
        return not any(self._change < at < later.step.index for at in self._at_path)

    def only(self, earlier: SeenAnswer, later: SeenAnswer) -> bool:
        """Return whether nothing else has changed anything between two answers."""
        start = bisect_right(self._every, earlier.step.index)
        end = bisect_right(self._every, later.step.index)
        return end - start == 1 and self._every[start] == self._change

    def alone(self, resource: Resource, earlier: SeenAnswer, later: SeenAnswer) -> bool:
        """Return whether nothing else has changed the resource between two answers."""
        return self._alone(resource, earlier.step.index, later.step.index)

    def has(self, resource: Resource, earlier: SeenAnswer) -> bool:
        """Return whether the resource was there when an answer came: a change had named it, or an
        answer."""
        known = self._changed.get(resource.known_as, ())
        return any(at <= earlier.step.index for at in known) or any(
            resource.id in one.text for one in self.answers if one.step.index <= earlier.step.index
        )

    def _alone(self, resource: Resource, start: int, end: int) -> bool:
        return all(
            at == self._change or not start < at <= end  # the answer may be to a change
            for at in self._changed.get(resource.known_as, ())
        )

    def same(self, answer: SeenAnswer) -> SeenAnswer | None:
        """Return the last one to the same address, in GraphQL about the same things."""
        return self._by_meant.get(answer.meant)

    def just_before(self, answer: SeenAnswer) -> SeenAnswer | None:
        """Return the last one to the same request, if the change alone comes between the two."""
        same = self.same(answer)
        alone = same is not None and self.only(same, answer) and same.asks_the_same(answer)
        return same if alone else None

    def alike(self, answer: SeenAnswer) -> Iterator[SeenAnswer]:
        """Return those to the same path; if there are none, all."""
        return iter(self.of_kind(answer) or self.answers)

    def of_kind(self, answer: SeenAnswer) -> Sequence[SeenAnswer]:
        """Return those to the same path."""
        return [one for one in self.answers if one.kind == answer.kind]

    def known(self, text: str) -> bool:
        """Return whether any answer said that text, in quotes or to a reader: then it tells nothing
        by itself. What is only part of an address is not said."""
        if text not in self._known:
            self._known[text] = any(one.says(text) for one in self.answers)
        return self._known[text]


def gone(
    at: int,
    strength: int,
    what: str,
    validator: Validator | None = None,
    text: str = "",
    *,
    doubtful: bool = False,
) -> Proof:
    """Return the proof that something is not there any more."""
    says = f"{what} is gone"
    return Proof(at, strength, says, validator, text, doubtful=doubtful, gone=what)


def names(step: RecordedStep, resource: Resource) -> bool:
    """Return whether what is asked for has the id in its address, or in what else it sends."""
    if resource.id in step.address and _asks_for(step.address, resource.id):
        return True
    body = step.exchange.request_body if step.exchange is not None else b""
    sent = bool(body) and resource.id.encode() in body and looks_random(resource.id)
    return sent and re.search(_word(resource.id).encode(), body) is not None


def _is_asked_by_id(address: str, id_: str) -> bool:
    """Return whether an id stands in a path, or in a query under a name for ids."""
    path, _, query = address.partition("?")
    pairs = (one.partition("=") for one in query.split("&"))
    return id_ in path.split("/") or any(one == id_ and is_id_name(name) for name, _, one in pairs)


def _asks_for(address: str, id_: str) -> bool:
    """Return whether a path or query has the id; ``?page=1`` is no thing with the number 1."""
    path, _, query = address.partition("?")
    pairs = query.split("&") if is_short_number(id_) else [query]
    asked = (one for one in pairs if not is_chosen(one.partition("=")[0]))
    return any(re.search(_word(id_), one) for one in (path, *asked))


def _word(text: str) -> str:
    return rf"(?<![\w-]){re.escape(text)}(?![\w-])"


def is_lasting(state: Any) -> bool:
    """Return whether it is a word for a state that a resource does not leave by itself."""
    word = isinstance(state, str) and len(state) <= LONGEST_STATE and STATE.fullmatch(state)
    return bool(word) and not is_passing(state)


def is_passing(state: str) -> bool:
    """Return whether a resource leaves that state by itself."""
    return not _PASSING.isdisjoint(plain(state).split())


def is_same(key: str, said: Said, text: str | None) -> bool:
    """Return whether a value is what was said, by its name, or for what it says."""
    if text != said.value:
        return False
    mine, theirs = plain(key).split()[-1:], plain(said.field).split()[-1:]
    if mine and mine == theirs:
        return True
    return said.is_text and (len(text) >= TELLING or is_title_name(key))


def short(text: str) -> str:
    """Return a text as reports name it."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
