"""Evidence: what must hold between a slot and a producer before a rule believes in it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from types import MappingProxyType
from urllib.parse import unquote, urlsplit

from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import (
    AMOUNTS,
    LONG_NUMBER,
    collection_names,
    id_before_ending,
    is_code,
    is_code_name,
    is_id_name,
    is_moment,
    is_path_id,
    is_short_number,
    is_version_name,
    looks_like_time,
    looks_random,
    random_part,
    singular,
)
from pytest_loadtool.correlation.index.meaning import SWITCHES, is_for
from pytest_loadtool.correlation.index.spelling import spelled
from pytest_loadtool.correlation.index.traffic import Traffic, is_change
from pytest_loadtool.correlation.kinds import (
    ABOUT,
    PEOPLE,
    collection,
    id_stem,
    is_done,
    is_in_own_list,
    is_own_id,
    is_result,
    resources_of,
    words_of,
)
from pytest_loadtool.correlation.producer import PARTIAL, Producer
from pytest_loadtool.correlation.requests.positions import HOLE, IN_NAME
from pytest_loadtool.correlation.requests.slots import Slot
from pytest_loadtool.correlation.responses.markup_items import ELEMENT
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.correlation.strategies.changed_items import changed_alone
from pytest_loadtool.correlation.strategies.naming import (
    named_choice,
    named_item,
    named_link,
    picked_option,
)
from pytest_loadtool.correlation.strategies.new_pages import (
    is_only_one,
    linked_resource,
    new_data,
    new_link,
)
from pytest_loadtool.correlation.strategies.states import has_its_ids, outlasts, read_of_it
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import ProducerKind, same_name

Evidence = Callable[[Slot, Producer, Traffic], bool]
#: Likewise, with the transactions that are about something which the session created.
_OfOwn = Callable[[Slot, Producer, Traffic, Set[int]], bool]

#: ``Admin``, ``All_teas``.
_NAME = re.compile(r"[A-Z][a-z]+(?:[_-][A-Za-z]?[a-z]+)*|[A-Z]+")
#: On how many answers before, a word is looked for that is done to something else.
_MOST_PAGES = 40
_NUMBERED = re.compile(r"[A-Za-z]+[-_]?\d+")
#: The last segment of an address on a page, and of how many bytes at most.
_SEGMENT, _LONGEST_SEGMENT = re.compile(rb"[^/\s\"'=]+\Z"), 80
_PART = re.compile(r"\w+")


def _served(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The server sent the value before any request did."""
    first = traffic.responses.served.get(slot.value, producer.transaction)
    return first < traffic.requests.sent[slot.value]


def _new(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """No request used the value in a field of that name before the first response that has it."""
    at = producer.transaction
    first = min(at, traffic.responses.served_as.get((slot.value, producer.name), at))
    return first < traffic.requests.asked[slot.value, traffic.asked_for(slot)]


def _changing(slot: Slot, _: Producer, traffic: Traffic) -> bool:
    """The request may change something."""
    return traffic.steps[slot.transaction].changes_state


def _version(slot: Slot, _: Producer, traffic: Traffic) -> bool:
    """The field is called a version, ``If-Match``, or what else tells one state from the next, and
    no change with it has left it as it was."""
    return is_version_name(slot.name) and not outlasts(slot, traffic)


def _moment(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The value is a moment, with its day and second, and what has it is the very resource that the
    request is about: by the id or the address of both."""
    own = is_moment(slot.value) and not is_id_name(slot.name)
    return own and read_of_it(slot, producer, traffic)


def _long(slot: Slot, _: Producer, __: Traffic) -> bool:
    """The value has at least 8 characters."""
    return len(slot.value) >= 8


def _random(slot: Slot, _: Producer, __: Traffic) -> bool:
    """No person and no program text writes such a value: a token, a UUID, a long number; or it is
    made of several, of which one is."""
    return looks_random(slot.value) or random_part(slot.value) is not None


def _dynamic(slot: Slot, producer: Producer, _: Traffic) -> bool:
    """The value is random, a time, begins or ends so, or numbers something in a field for ids."""
    value = slot.value
    id_number = value.isdigit() and is_id_name(producer.name) and int(value) > 0
    parts = (value, *value.split(":"))  # WordPress locks a post with 1795349873:1
    return id_number or any(looks_random(one) or looks_like_time(one) for one in parts)


def _numbered(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The value is a number, perhaps behind some letters, or random.

    Of less than three digits, what was asked for has to stand before them (``POST /issue``,
    ``issue2``), or a link has to show them to people (``TEA-12``).
    """
    value = slot.value
    if is_path_id(value):
        return True
    asked = traffic.steps[producer.transaction].path.rstrip("/").rpartition("/")[2]
    return _NUMBERED.fullmatch(value) is not None and (
        value.rstrip("0123456789") == asked or any(value in one for one in producer.labels)
    )


def _id_shaped(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The value is numbered, or a word where ids stand, which no answer had before the change that
    was answered with it."""
    if _numbered(slot, producer, traffic):
        return True
    if _created(slot, producer, traffic) and _was_known(slot, producer, traffic):
        return False
    place = _CODE_PLACES.get(producer.kind, _no_place)
    return is_code(slot.value) and place(slot, producer, traffic)


def _was_known(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """Whether an answer before has the word, or a page before links to what is behind it."""
    at, path = producer.transaction, f"{traffic.before(slot)}{slot.value}"
    return traffic.responses.served.get(slot.value, at) < at or any(
        address.startswith(path) and not address[len(path) : len(path) + 1].isalnum()
        for address, found in traffic.responses.links.items()
        if slot.place is Place.PATH and found[0].transaction < at
    )


def _by_name(_: Slot, producer: Producer, __: Traffic) -> bool:
    return is_code_name(producer.name) or is_result(producer)


def _behind_collection(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """Where the resources are that the request was about, and used for more than to go there."""
    asked = collection(traffic.steps[producer.transaction].called)
    about = collection_names(collection(producer.before)) & collection_names(asked)
    changes = traffic.steps[slot.transaction].changes_state
    if slot.place is Place.PATH:
        if is_path_id(producer.before.rstrip("/").rpartition("/")[2]):
            return False  # a list of what the resource has: ``/projects/17/checks/``
        if not about or not (changes or traffic.requests.uses[slot.value] > 1):
            return False
        ends = producer.text.partition("?")[0].rstrip("/").endswith(f"/{slot.value}")
        if changes and ends and slot.before != "/" and not is_done(slot.value):
            return True
    return _in_address(slot, producer, traffic)


def _in_address(slot: Slot, _: Producer, traffic: Traffic) -> bool:
    """At the end of a path, but for what is done to the resource; one of several there; or called
    an id in a query."""
    if slot.place is not Place.PATH:
        return is_id_name(slot.name) or (slot.place is Place.TEXT and slot.root is Place.PATH)
    path, __, query = traffic.steps[slot.transaction].address.partition("?")
    behind = path[len(traffic.before(slot)) :].split("/")[1:]
    asked = (is_id_name(pair.partition("=")[0]) for pair in query.split("&"))
    ends = not any(asked) and all(is_done(one) for one in behind if one)
    return ends and slot.before != "/" and not is_done(slot.value)


def _linked_code(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """Likewise, and no name that the page shows to people: pages are called so; nor what is done to
    something else, too, or a part of something that has an id: ``/ranges/17/products``."""
    return _in_address(slot, producer, traffic) and not (
        _is_part(slot, traffic)
        or (_NAME.fullmatch(slot.value) and _shows(producer, slot.value, traffic))
        or _is_done_to_others(slot, producer, traffic)
    )


def _is_part(slot: Slot, traffic: Traffic) -> bool:
    """Return whether a word stands right behind an id, and nobody has written it."""
    before = traffic.before(slot).rstrip("/").rpartition("/")[2]
    is_word = slot.value.isalpha() and slot.value.islower()
    return is_word and is_path_id(before) and slot.value not in traffic.requests.spelled


def _is_done_to_others(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """Return whether a page before the first that links to the address links to that word behind
    something else: ``show_all`` of ``shop/show_all`` where there was ``users/show_all``."""
    before, address = traffic.before(slot), f"{traffic.before(slot)}{slot.value}"
    linking = traffic.responses.links.get(address, (producer,))
    own = before.rstrip("/").rpartition("/")[2]
    written = re.compile(rf"/{re.escape(slot.value)}[\"'?#]".encode())
    return any(
        other != own and not is_done(other)
        for step in traffic.steps[
            max(0, linking[0].transaction - _MOST_PAGES) : linking[0].transaction
        ]
        if step.exchange is not None
        for other in _segments_before(written, step.exchange.response_body)
    )


def _segments_before(written: re.Pattern[bytes], body: bytes) -> Iterator[str]:
    """Yield the segment before each place where a body has what ends an address. Sought backwards:
    each character of a long script may begin one."""
    for found in written.finditer(body):
        before = _SEGMENT.search(body[max(0, found.start() - _LONGEST_SEGMENT) : found.start()])
        if before is not None:
            yield before[0].decode(errors="replace")


def _shows(producer: Producer, name: str, traffic: Traffic) -> bool:
    """Whether a person can read a name on the page: ``All_teas`` as ``All teas``."""
    texts = ELEMENT.findall(traffic.response(producer.transaction).text)
    words = f" {plain(name)} "
    return any(words in f" {plain(one)} " for one in texts)


def _no_place(_: Slot, __: Producer, ___: Traffic) -> bool:
    return False


#: Where a word that looks like any other is an id.
_CODE_PLACES: Mapping[ProducerKind, Evidence] = MappingProxyType(
    {
        ProducerKind.JSON: _by_name,
        ProducerKind.XML: _by_name,
        ProducerKind.CONTROL: _by_name,
        ProducerKind.CHOICE: _by_name,
        ProducerKind.LOCATION: _behind_collection,
        ProducerKind.LINK: _linked_code,
    }
)


def _not_typed(slot: Slot, _: Producer, traffic: Traffic) -> bool:
    """The form that was submitted had no field in which a person wrote the value."""
    return not was_typed(slot, traffic)


def was_typed(slot: Slot, traffic: Traffic) -> bool:
    """Whether a page before had a field to write in of that name, with another value in it."""
    fields = traffic.responses.typed.get(slot.name, [])
    position = bisect_left(fields, (slot.transaction, "")) - 1
    return slot.part == "body" and position >= 0 and fields[position][1] != slot.value


def _submitted_form(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The value is in a field of the name, in a form with half of its fields, that is about the
    same by a field for that (``controller``)."""
    if producer.name != slot.name:
        return False
    if producer.form == PARTIAL:
        return True
    form = traffic.responses.forms[producer.transaction, producer.form]
    about = ABOUT & form
    said = (one for one in traffic.slots_of(slot.transaction) if one.name in about)
    is_of_form = _has_half(form, traffic.requests.fields[slot.transaction])
    return is_of_form and all(_has_too(producer, one, traffic) for one in said)


def _has_too(producer: Producer, slot: Slot, traffic: Traffic) -> bool:
    """Return whether the form of one field has the value of another field, too."""
    place = producer.transaction, producer.form, slot.name
    of_value = traffic.producers_of(slot.value)
    return any((one.transaction, one.form, one.name) == place for one in of_value)


@lru_cache(1 << 8)
def _has_half(form: frozenset[str], sent: frozenset[str]) -> bool:
    """Asked once for each field that was sent."""
    return 2 * len(form & sent) >= len(sent)


def _hidden(_: Slot, producer: Producer, __: Traffic) -> bool:
    """The field is one that nobody sees."""
    return producer.control == "hidden"


def _carried(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The value has several parts, of which one is the id of something that the request has sent
    which the form answers: ``[17,18]``, ``a:1:{i:0;s:2:"17";}``."""
    sent = traffic.requests.numbers
    parts = _PART.findall(slot.value)
    return len(parts) > 1 and any(
        one.before == IN_NAME or is_id_name(one.name)
        for part in parts
        for one in sent.get((producer.transaction, part), ())
    )


def _asked_for(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The address of the page has the number, under another name that may be that of an id:
    ``/notes?details=17``, ``/notes/17``; and no page that was asked for another has the same
    there."""
    return is_short_number(slot.value) and any(
        one.value == slot.value
        and (one.place is Place.PATH or plain(one.name) not in SWITCHES)
        and not same_name(slot.name).endswith(same_name(one.name))
        and not _is_whichever(one, producer, traffic)
        for one in traffic.slots_of(producer.transaction)
        if one.part == "target" and not one.depth
    )


def _is_whichever(asked: Slot, producer: Producer, traffic: Traffic) -> bool:
    """Return whether a page that was asked for another number there has the same field with the
    same value: ``save=1``."""
    alike = (one for one in traffic.producers_of(producer.value) if one.name == producer.name)
    return any(
        (one.name, one.before) == (asked.name, asked.before) and one.value != asked.value
        for each in alike
        if each.kind is producer.kind
        for one in traffic.slots_of(each.transaction)
        if one.part == "target"
    )


def _filled_in(_: Slot, producer: Producer, __: Traffic) -> bool:
    """The field is one to write in, and the page came with the value in it."""
    return producer.control == "text"


def _created(_: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The request that was answered may have created something, and it succeeded."""
    step = traffic.steps[producer.transaction]
    if step.exchange is None or step.method == "DELETE":
        return False
    return 200 <= step.exchange.status < 400 and is_change(step)


def _same_path(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The address leads where the slot stands, ``/users/2/…`` both times, or to a list of such
    resources, ``/users?made=2``, or to such a resource as the field is for, ``user_id=2``."""
    if slot.place is Place.PATH:
        same = slot.name == producer.name or HOLE in slot.before
        before = traffic.before(slot)
        path, mark, _ = producer.text.partition("?")
        at_list = bool(mark) and f"{path.rstrip('/')}/".endswith(before)
        return (same and before == producer.before) or at_list
    if is_id_name(slot.name) and slot.name == producer.name:
        return _may_be_one_kind(slot, producer.text, traffic)
    resources = collection_names(collection(producer.before))
    return bool(producer.before) and is_for(slot, resources, traffic)


def _may_be_one_kind(slot: Slot, address: str, traffic: Traffic) -> bool:
    """Whether an address and the slot's request may be about one kind of resource: a bare small
    ``id`` of ``/folders/show?id=9`` is not that of ``/documents/edit?id=9``."""
    if id_stem(slot.name) or not is_short_number(slot.value):
        return True
    path = address.partition("?")[0].partition("://")[2].partition("/")[2] or address
    mine, theirs = (words_of(collection(one.partition("?")[0]))
                    for one in (traffic.steps[slot.transaction].called, path))  # fmt: skip
    return not mine or not theirs or bool(mine & theirs)


def _same_resource(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The key and the field are about the same kind of resource.

    Seven cases: the id of an item, used in a path behind ``items``; used in a field ``item_id``; in
    a field ``id`` of a request that does not say what it is about, if nothing else has that id, or
    if that item alone is another one afterwards; beside another id that only that item has; in a
    path, if it is long and no answer had it before; a number that is called ``item``; or one of
    another name, used in the path behind the very path it was created with.
    """
    made = traffic.steps[producer.transaction]
    if (
        is_id_name(producer.name)
        or is_own_id(producer.name)
        or is_result(producer)
        or is_in_own_list(producer)
    ):
        resources = resources_of(producer, made.called)
        return (
            is_for(slot, resources, traffic)
            or _is_own(slot, producer, resources)
            or _is_only_kind(slot, resources, traffic)
            or has_its_ids(producer, slot, traffic)
            or _is_first_of_all(producer, slot, traffic)
        )
    if is_code_name(producer.name) and not is_short_number(slot.value):
        return is_for(slot, resources_of(producer, made.called), traffic)
    if slot.place is not Place.PATH:
        return False
    called = plain(producer.name)
    if called and singular(called) == called and is_for(slot, frozenset({called}), traffic):
        return True
    return not is_short_number(slot.value) and slot.before.rstrip("/") == made.path.rstrip("/")


def _is_own(slot: Slot, producer: Producer, resources: frozenset[str]) -> bool:
    """Return whether both are called the id of who has signed in, and the answer is about that."""
    alike = slot.name == producer.name and is_own_id(slot.name)
    return alike and not resources.isdisjoint(PEOPLE)


def _is_first_of_all(producer: Producer, slot: Slot, traffic: Traffic) -> bool:
    """Return whether a path has a number that few things have by chance, which no answer had before
    that one, and no later one for what the path is about: ``/database/connect/16384``."""
    if slot.place is not Place.PATH or slot.in_word or len(slot.value) < LONG_NUMBER:
        return False
    return traffic.responses.served.get(slot.value) == producer.transaction and not any(
        is_for(slot, resources_of(one, traffic.steps[one.transaction].called), traffic)
        for one in traffic.producers_of(slot.value)
        if producer.transaction < one.transaction < slot.transaction and is_id_name(one.name)
    )


def _is_only_kind(slot: Slot, resources: frozenset[str], traffic: Traffic) -> bool:
    """Return whether the answers before a request have the id of such resources only, and it says
    of no kind what it is about, as ``POST /?/toggle``; or what it does, as ``POST /toggle``, is
    seen to be done to that one."""
    if slot.place is Place.PATH or not is_id_name(slot.name) or id_stem(slot.name):
        return False
    return all(
        resources & resources_of(one, traffic.steps[one.transaction].called)
        for one in traffic.producers_of(slot.value)
        if one.transaction < slot.transaction and is_id_name(one.name)
    ) and (not collection(traffic.steps[slot.transaction].called) or changed_alone(slot, traffic))


def _told_alone(_: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The answer, to a request that changes nothing, has it in no list: of others, it says which is
    meant."""
    return not producer.of_many and not is_change(traffic.steps[producer.transaction])


def _has_become(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The answer has it where that to the same request before had nothing, as of a job that is done
    now; and the next request is about it."""
    steps, at = traffic.steps, producer.transaction
    between = (steps[one] for one in range(at + 1, slot.transaction))
    if producer.of_many or producer.name.lower() in AMOUNTS:
        return False
    if not all(one.is_static for one in between):
        return False
    asked = (steps[one] for one in range(at - 1, -1, -1))
    before = next((one for one in asked if one.address == steps[at].address), None)
    return (
        before is not None
        and before.exchange is not None
        and _has_nothing(traffic.response(before.index), producer.steps)
    )


def _has_nothing(response: RecordedResponse, steps: Sequence[str | int]) -> bool:
    """Return whether JSON has nothing at the end of those steps, or null."""
    try:
        found = response.document()
    except ValueError:
        return False
    for step in steps:
        found = found.get(step) if isinstance(found, dict) else None
    return found is None


def _of_own(_: Slot, producer: Producer, __: Traffic, own: Set[int]) -> bool:
    """The request that was answered is about something that the session created."""
    return producer.transaction in own


def _of_oneself(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The slot is for who has signed in, and the page says of nobody else who it is."""
    if not collection_names(slot.name) & PEOPLE or not is_short_number(slot.value):
        return False
    if producer.kind is ProducerKind.LINK:
        return is_only_one(slot, producer, traffic)
    text = traffic.response(producer.transaction).text
    return producer.control in ("", "hidden") and text.count(producer.name) <= 1


def _created_resource(slot: Slot, producer: Producer, traffic: Traffic) -> bool:
    """The request was answered with 201 (Created) and the address where the slot stands; of
    ``17.json`` what is before the ending is the id."""
    exchange = traffic.steps[producer.transaction].exchange
    id_, uses = id_before_ending(slot.value), traffic.requests.uses
    if id_ and (is_path_id(id_) or uses[id_] > uses[slot.value]):
        return False
    if slot.place is not Place.PATH or exchange is None or exchange.status != 201:
        return False
    try:
        path = urlsplit(exchange.response_header("location") or "").path
    except ValueError:  # it is no URL
        return False
    folder, _, name = path.rstrip("/").rpartition("/")
    name = unquote(name)
    return f"{folder}/" == slot.before and slot.value in (name, id_before_ending(name))


#: By the names that rules call them.
EVIDENCE: Mapping[str, Evidence] = MappingProxyType(
    {
        "served": _served,
        "new": _new,
        "changing": _changing,
        "version": _version,
        "moment": _moment,
        "long": _long,
        "random": _random,
        "dynamic": _dynamic,
        "numbered": _numbered,
        "id shaped": _id_shaped,
        "not typed": _not_typed,
        "submitted form": _submitted_form,
        "hidden": _hidden,
        "carried": _carried,
        "asked for": _asked_for,
        "filled in": _filled_in,
        "created": _created,
        "created resource": _created_resource,
        "same path": _same_path,
        "same thing": _same_resource,
        "told alone": _told_alone,
        "has become": _has_become,
        "of oneself": _of_oneself,
        "named link": named_link,
        "named item": named_item,
        "spelled": spelled,
        "named choice": named_choice,
        "picked option": picked_option,
    }
)
#: Likewise, those that ask what the session has created.
OF_OWN: Mapping[str, _OfOwn] = MappingProxyType(
    {
        "new link": new_link,
        "new data": new_data,
        "linked thing": linked_resource,
        "of one's own": _of_own,
    }
)


def holds(name: str, slot: Slot, producer: Producer, traffic: Traffic, own: Set[int]) -> bool:
    """Whether the evidence of that name does; ``own`` are the transactions that are about something
    which the session created."""
    if name in EVIDENCE:
        return EVIDENCE[name](slot, producer, traffic)
    return OF_OWN[name](slot, producer, traffic, own)
