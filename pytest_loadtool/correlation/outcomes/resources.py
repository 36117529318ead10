"""Resources: what changes are about, by the ids that they send and that answers give out, and what
the session calls each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise

from pytest_loadtool.codec.names import is_given_out, is_secret, is_typed_secret, plain
from pytest_loadtool.correlation.classify import (
    collection_names,
    is_id_name,
    is_path_id,
    looks_random,
    singular,
)
from pytest_loadtool.correlation.index.traffic import RecordedStep, is_change
from pytest_loadtool.correlation.kinds import (
    ARGUMENTS,
    WRAPPERS,
    begins_with_a_verb,
    calls_for,
    collection,
    id_stem,
)
from pytest_loadtool.correlation.outcomes.sent import (
    REFERENCE,
    Sent,
    is_extracted,
    operation_of,
)
from pytest_loadtool.correlation.requests.positions import CALL, IN_NAME, WRITES
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.sources.variables import kind_of_resource
from pytest_loadtool.correlation.strategies.link_ids import LINK_RULE
from pytest_loadtool.model.case import Transaction, Variable
from pytest_loadtool.model.extractor import Extractor, InItem, JsonPath, Link
from pytest_loadtool.model.place import Place

#: The name of the list that a path leads into at its end.
_IN_LIST = re.compile(r"([A-Za-z_]\w*)\[[^\]]*\](?:\.\w+)?\Z")
#: What the names of calls have, and those of fields have not.
_OF_CALL = re.compile(r"\w[./]\w|^/")
#: What a resource is called of which nothing says what it is.
NAMELESS = "thing"
#: From how many characters on a word tells what something is.
_TELLING = 3


@dataclass(frozen=True, slots=True)
class Resource:
    """The id of what a change is about: recorded, as a template, and what such a resource is
    called.

    ``given`` says that the change has made it: its answer gave the id out, or an answer after that,
    where what was sent stands, that of transaction ``since``.
    """

    id: str
    template: str
    noun: str
    given: bool = False
    since: int = -1
    elsewhere: frozenset[str] = field(default=frozenset(), compare=False)
    """What the other changes of the session are about: behind their path it is another number."""
    others: frozenset[str] = frozenset()
    """Behind what in an address the session sends the id of something else that has this number."""

    is_link: bool = False
    """Whether it is no such thing, but what links to one, and has an id of its own."""

    @property
    def is_own(self) -> bool:
        """Return whether each run has another one: a response gives the id out."""
        return "${" in self.template

    @property
    def known_as(self) -> str:
        """Return what tells it from other resources: equal ids may be those of two kinds."""
        return self.template if self.is_own else f"{self.noun} {self.id}"


@dataclass(frozen=True, slots=True)
class Nouns:
    """What a session calls the things that its requests are about."""

    variables: Mapping[str, Variable]
    called: Mapping[str, str]
    """By the template of an id: what it is the id of."""
    ids: frozenset[str]
    """The templates of what answers show to be the ids of things."""
    shown: frozenset[str]
    """What of these something that was read is called, or has something that is."""
    changed: frozenset[str]
    """What all changes are about."""
    behind: Mapping[str, Mapping[str, Set[str]]]
    """By a value in an address: what stands there for it, by what is before it."""
    same: Mapping[str, tuple[str, str]]
    """By the template of a number that the page or row of a thing gives out for what is done to it:
    that of the thing, and what it is called."""

    @classmethod
    def of(
        cls,
        steps: Sequence[RecordedStep],
        transactions: Sequence[Transaction],
        sent: Sequence[Sequence[Sent]],
        variables: Mapping[str, Variable],
    ) -> Nouns:
        """Return the names by all that each transaction has ``sent``."""
        makers = {
            f"${{{one.variable}}}": singular(collection(step.called))
            for step, transaction in zip(steps, transactions, strict=True)
            for one in (transaction.extractors if is_change(step) else ())
            if not _is_of_a_part(one, step)
        }
        called: dict[str, str] = {}
        behind: dict[str, dict[str, set[str]]] = {}
        for slot, template in chain.from_iterable(sent):
            if slot.place is Place.PATH and "${" in template:
                before = behind.setdefault(slot.value, {})
                before.setdefault(slot.before, set()).add(template)
            if _names_a_resource(slot):
                noun = _noun(slot, steps[slot.transaction])
                inner = _within(slot) if noun == NAMELESS else ""
                called.setdefault(template, (inner and makers.get(template)) or inner or noun)
        ids = frozenset(f"${{{one}}}" for one in _ids_of_items(transactions))
        nouns = {
            _noun(slot, steps[slot.transaction])
            for slot, template in chain.from_iterable(sent)
            if template in ids
        }
        shown = frozenset(noun for noun in nouns if _is_shown(noun, steps))
        changed = frozenset(chain.from_iterable(map(_kinds, filter(is_change, steps))))
        in_rows = _same_row(transactions, called, variables)
        same = dict(chain(in_rows, _same(transactions, sent, called, variables)))
        return cls(variables, called, ids, shown, changed, behind, same)

    def resources(
        self, step: RecordedStep, sent: Iterable[Sent], given: Iterable[tuple[Extractor, int]]
    ) -> tuple[Resource, ...]:
        """Return what a change is about that has ``sent`` this, and what it has made: of that,
        answers have ``given`` out the ids."""
        about = tuple(self._about(step, sent))
        named = {one.id for one in about}
        made = (
            one
            for one in self._made(step, given)
            if one.noun != NAMELESS or one.id not in named  # nobody makes what is there
        )
        found = dict.fromkeys(map(self._apart, chain(about, made)))
        known = {(one.id, one.noun): one for one in reversed(found)}
        return tuple(reversed(known.values()))

    def _about(self, step: RecordedStep, sent: Iterable[Sent]) -> Iterator[Resource]:
        """Yield what a change is about: the ids in its path and in fields called so, and in
        whatever field those of things. Such a one is only called as the change calls it, if that is
        what is shown: not ``toggle`` of ``/toggle/2``."""
        own, sent = _kinds(step), tuple(sent)
        types = dict(_types_beside([slot for slot, _ in sent]))
        for slot, template in sent:
            name = REFERENCE.fullmatch(template)
            given_out = name is not None and is_extracted(self.variables.get(name[1]))
            known = given_out or (is_path_id(slot.value) and not slot.in_word)
            secret = is_secret(slot.name) or is_given_out(slot.name)
            of_item = template in self.ids and is_path_id(slot.value)
            alone = looks_random(slot.value) or slot.name in ARGUMENTS or of_item
            nameless = given_out and alone and not secret
            if not known or not (_names_a_resource(slot) or nameless):
                continue
            noun = types.get(slot) or _noun(slot, step)
            if slot.name in ARGUMENTS or not slot.name:
                noun = self.called.get(template, noun)
            template, thing = self.same.get(template, (template, noun))
            noun = thing or noun
            if noun == NAMELESS and _within(slot):
                yield Resource(slot.value, template, self.called.get(template, noun))
                continue
            is_called = template not in self.ids or noun in self.shown or looks_random(slot.value)
            elsewhere = self.called.get(template, NAMELESS)
            kept = noun if is_called else elsewhere if elsewhere in self.shown else NAMELESS
            variable = self.variables.get(name[1]) if name is not None else None
            yield Resource(
                slot.value,
                template,
                kept,
                elsewhere=self._elsewhere(slot, noun, own),
                is_link=variable is not None and variable.rule == LINK_RULE.name,
            )

    def _elsewhere(self, slot: Slot, noun: str, own: frozenset[str]) -> frozenset[str]:
        """Return what else changes are about than a slot that is called so: ``poller_id`` says it,
        and ``poller`` if other changes are about such, and ``id`` and ``chk_17`` leave it to the
        request, which is about its ``own``."""
        named = is_id_name(slot.name) or noun in self.changed
        says = slot.place is not Place.PATH and named and noun != NAMELESS
        return self.changed - collection_names(noun) - (frozenset() if says else own)

    def _made(
        self, step: RecordedStep, given: Iterable[tuple[Extractor, int]]
    ) -> Iterator[Resource]:
        """Yield what answers give out that names a resource further on."""
        made = collection(operation_of(step)) or NAMELESS
        for one, at in given:
            template, variable = f"${{{one.variable}}}", self.variables.get(one.variable)
            recorded = variable.recorded if variable is not None else None
            if recorded and template in self.called:
                noun = self.called[template]
                yield Resource(recorded, template, made if noun == NAMELESS else noun, True, at)

    def _apart(self, resource: Resource) -> Resource:
        """Return the resource with where something of another kind is meant that has its number."""
        others = frozenset(
            before
            for before, templates in self.behind.get(resource.id, {}).items()
            if resource.template not in templates
            and resource.noun not in collection_names(collection(before)) - {NAMELESS}
        )
        return replace(resource, others=others) if others else resource


def _is_of_a_part(one: Extractor, step: RecordedStep) -> bool:
    """Return whether the answer to a change has an id in a list that is called after something
    else: ``{"id": 7, "variants": [1, 2]}``."""
    found = _IN_LIST.search(one.source.path) if isinstance(one.source, JsonPath) else None
    if found is None or plain(found[1]) in WRAPPERS:
        return False
    return collection_names(found[1]).isdisjoint(collection_names(collection(step.called)))


def _kinds(step: RecordedStep) -> frozenset[str]:
    return frozenset(collection_names(collection(operation_of(step) or step.path)))


def _is_shown(noun: str, steps: Iterable[RecordedStep]) -> bool:
    """Return whether something that was read is called so, or has something that is."""
    word = noun.rpartition(" ")[2].encode()
    return len(word) >= _TELLING and any(
        any(noun in collection_names(collection(one)) for one in (step.path, *step.calls))
        or word in step.exchange.response_body.lower()
        for step in steps
        if step.exchange is not None and not is_change(step)
    )


def _ids_of_items(transactions: Iterable[Transaction]) -> Iterator[str]:
    """Yield the variables that are taken from the id of an object, or from a row of a page."""
    for transaction in transactions:
        for one in transaction.extractors:
            source = one.source
            key = source.path.rpartition(".")[2] if isinstance(source, JsonPath) else ""
            if isinstance(source, InItem | Link) or is_id_name(key):
                yield one.variable


def _same(
    transactions: Iterable[Transaction],
    sent: Iterable[Sequence[Sent]],
    called: Mapping[str, str],
    variables: Mapping[str, Variable],
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the placeholders of numbers in links to what is done, each with that of the thing with
    this number whose page has the link, and what that is called: ``/toggleread/17`` of
    ``/book/17``."""
    for transaction, each in zip(transactions, sent, strict=True):
        own = {slot.value: template for slot, template in each if slot.place is Place.PATH}
        for one in transaction.extractors if own else ():
            variable, template = variables.get(one.variable), f"${{{one.variable}}}"
            thing = own.get(variable.recorded or "", "") if variable is not None else ""
            noun = called.get(template, "")
            if thing in called and isinstance(one.source, Link) and begins_with_a_verb(noun):
                yield template, (thing, called[thing])


def _same_row(
    transactions: Iterable[Transaction],
    called: Mapping[str, str],
    variables: Mapping[str, Variable],
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the placeholders of numbers of rows, each with that of the same number of the row of
    that text before, unless they are those of two kinds: ``archive=17`` and ``/notes/17/edit``."""
    first: dict[tuple[str, str], str] = {}
    for one in chain.from_iterable(transaction.extractors for transaction in transactions):
        variable, template = variables.get(one.variable), f"${{{one.variable}}}"
        if not isinstance(one.source, InItem) or variable is None or not variable.recorded:
            continue
        thing = first.setdefault((variable.recorded, one.source.text), template)
        nouns = {called[each] for each in (thing, template) if each in called}
        if thing != template and len(nouns) < 2:
            yield template, (thing, next(iter(nouns), ""))


def _names_a_resource(slot: Slot) -> bool:
    if is_typed_secret(slot.name) or slot.users or slot.before == CALL:
        return False
    return slot.place is Place.PATH or is_id_name(slot.name) or slot.before == IN_NAME


def _noun(slot: Slot, step: RecordedStep) -> str:
    """Return ``order`` of the id in ``/orders/17`` and in ``order_id=17``; of a call by GET also in
    ``/orders/destroy/17``."""
    if slot.place is Place.PATH:
        kind = kind_of_resource(slot) or NAMELESS
        is_call = step.method == "GET" and calls_for(kind)
        return (is_call and singular(collection(slot.before))) or kind
    if slot.name in WRITES and slot.before:  # ``{"tags": {"delete": [7]}}``
        return singular(slot.before)
    words = singular(slot.name).split() if slot.name not in ARGUMENTS else []
    if words and is_id_name(words[-1]):
        words = words[:-1] if id_stem(slot.name) else []
    call = slot.before if _OF_CALL.search(slot.before) else ""
    return " ".join(words) or singular(collection(call)) or NAMELESS


def _types_beside(slots: Sequence[Slot]) -> Iterator[tuple[Slot, str]]:
    """Yield the ids of objects beside which their type stands, with what such a resource is called:
    ``{"type": "tags", "id": "1"}``. In one request the one or the other comes first."""
    alike = [one for one in slots if one.part == "body" and one.name in ("id", "type")]
    for first, second in pairwise(alike):
        if first.name == alike[0].name != second.name and first.before == second.before:
            id_, type_ = (first, second) if first.name == "id" else (second, first)
            if any(map(str.isalpha, type_.value)):
                yield id_, singular(type_.value)


def _within(slot: Slot) -> str:
    """Return what the object is called that has an id, if that is another one than what the request
    is about: ``author`` of ``{"title": "Tea", "author": {"id": 1}}``."""
    is_inner = slot.place in (Place.JSON, Place.JSON_STRING) and slot.before not in (CALL, IN_NAME)
    return "" if not is_inner or plain(slot.before) in WRAPPERS else singular(slot.before)
