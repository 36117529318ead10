"""Proofs in pages, in XML and in plain text: what a change sent is shown, by its row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from urllib.parse import unquote

from pytest_loadtool.codec.entities import in_markup, unescape
from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import (
    TELLING,
    collection_names,
    is_id_name,
    is_identity_name,
    is_short_number,
    is_title_name,
    singular,
)
from pytest_loadtool.correlation.kinds import collection, id_stem
from pytest_loadtool.correlation.outcomes.changes import Change, Said
from pytest_loadtool.correlation.outcomes.proof import (
    SHORTEST,
    Before,
    Proof,
    is_passing,
    is_same,
    names,
    short,
)
from pytest_loadtool.correlation.outcomes.resources import Resource
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.correlation.responses.markup_items import (
    items_around,
    repeated_around,
    row_texts,
    texts_of,
)
from pytest_loadtool.extraction.page import row_finder
from pytest_loadtool.extraction.row_search import in_row, row_around
from pytest_loadtool.model.validator import TextValidator

#: What begins and ends lines of wikis and the like.
_MARKS = " \t=*#-+>_~|!'`"
#: Of how many lines of a longer text it is looked whether a page shows them.
_MOST_PROSE = 8
#: What leads to an id in an attribute: ``orders/``, ``order_id=``, ``where[id]=``.
_KIND = re.compile(r"([A-Za-z][\w.]*)]?[/=-]$")
#: What resources are called that may be of any kind.
_ANYTHING = frozenset({"action", "entry", "item", "key", "object", "record", "row", "thing"})
#: What an id is called in a query that leaves it to the path what it is of.
_BARE_IDS = frozenset({"id", "ids", "pk", "pks"})
#: At how many places of a page an id is looked at.
_MOST_ATTRIBUTES = 200
_NUMBER = re.compile(r"(?<=[/=])\d{1,18}(?=[/&])")
#: How much of an address is before it.
_LONGEST_ADDRESS = 200
#: The name of the attribute of which the value begins; that of a control, and what of the kind a
#: row has by which it is picked.
_ATTRIBUTE = re.compile(r"""\s([\w:.-]+)\s*=\s*["']\Z""")
_NAME = re.compile(r"""\sname=["']?([^"'<>\s]+)""", re.IGNORECASE)
_CHOICE = re.compile(r"<button\b|\btype=[\"']?(?:checkbox|radio|submit)\b", re.IGNORECASE)
#: What the names of choices begin with, before the kind of thing that is picked.
_PICKED = frozenset(
    {"check", "checked", "choose", "chosen", "pick", "picked", "select", "selected"}
)
#: Behind an id in the name of a field.
_COMPARED = re.compile(r"(?<= id) (?:eq|in|not eq|not in|exact)\Z")
_NO_ADDRESS = re.compile(r"[<>\s]")
#: What may be behind an id in an attribute.
_AFTER = frozenset("\"'/?&#")


def on_page(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield texts of the change that a page shows, in the row of the resource where there is
    one."""
    for said in change.said:
        for template, raw, at in chain(written(said, answer), _short(change, said, answer)):
            row = _row_of(change, answer, at, raw)
            if row is None and answer.paged and not _is_about(change, answer):
                continue
            name, named = _name_of_row(said, raw, answer, at, was) if row is None else (None, "")
            anchor, recorded, created, kind = row or ("", "", False, named)
            if not created and was.known(said.value):
                continue
            if not any(holds(one, raw, recorded, kind) for one in was.alike(answer)):
                by = name.template if name else anchor
                validator = TextValidator(template, row=by, item=kind)
                says = f"{short(said.value)} is shown"
                says += f" with {short(name.value)}" if name else ""
                text = "" if row else said.value
                strength = 0 if row else 1
                yield Proof(answer.step.index, strength, says, validator, text, said.field)
                break


def _name_of_row(
    said: Said, raw: str, answer: SeenAnswer, at: int, was: Before
) -> tuple[Said | None, str]:
    """Return what the session has called the row around a place before, and what the row is; None:
    nothing."""
    text = answer.text
    for item in repeated_around(text, at) if not answer.is_xml else (None,):
        shown = texts_of(text, item) if item is not None else row_texts(text, at)
        kind = item.kind if item is not None else ""
        for one in filter(None, map(was.named, sorted(shown))):
            if one.value != said.value and in_row(text, one.value, raw, row_finder(kind)):
                return one, kind
    return None, ""


def in_control(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield controls of the form of the resource that come with what the change has sent, and came
    with something else before."""
    mine = [one for one in change.resources if names(answer.step, one)]
    about = answer.step.path == change.step.path or bool(mine)
    is_new, own = any(one.given for one in mine), any(one.is_own for one in mine)
    shown = answer.controls if about and _may_come_with(change, answer) else {}
    empty = (Said(one, "", "") for one in sorted(change.emptied))
    for said in (*change.said, *empty) if shown else ():
        raw = shown.get((said.field, said.value))
        earlier = [one for one in was.alike(answer) if one.kind == answer.kind] if raw else []
        was_so = any(raw == one.controls.get((said.field, said.value)) for one in earlier)
        was_so = was_so or (raw is not None and not is_new and _came_with(said, was))
        known = is_new or any(said.field in one.control_names for one in earlier)
        if raw is None or not known or len(raw) > _LONGEST_ADDRESS:
            continue
        if was_so and not (own and (said.field, said.value) in was.sent):
            continue
        label = unescape(raw.partition(">")[2].strip()) or said.value or "empty"
        head, value, tail = _split_at_value(raw)
        now = said.template if "${" in said.template else escape(value)
        named = change.called.get(said.field, escape(said.field))
        around = (escape(one).replace(escape(said.field), named) for one in (head, tail))
        check = TextValidator(now.join(around))
        says = f"{said.field} is {'still ' if was_so else ''}{short(label)}"
        yield Proof(answer.step.index, 0, says, check, field=said.field, beside=was_so)


def _came_with(said: Said, was: Before) -> bool:
    """Return whether the last form before the change that has the field had the value in it: the
    change has left it as it was."""
    forms = (one for one in was.answers if one.may_say(said.field) and one.is_page)
    last = next((one for one in forms if said.field in one.control_names), None)
    return last is not None and (said.field, said.value) in last.controls


def _may_come_with(change: Change, answer: SeenAnswer) -> bool:
    """Return whether a field and its value stand in the page at all: to read its controls takes
    long."""
    sent = (one.field for one in change.said if answer.may_show(one.value))
    return any(
        answer.may_say(one) and one in answer.field_names for one in (*sent, *change.emptied)
    )


def _split_at_value(tag: str) -> tuple[str, str, str]:
    """Return a tag before, in and behind its value."""
    head, anchor, rest = tag.partition('value="')
    value, quote, tail = rest.partition('"')
    return head + anchor, value, quote + tail


def in_element(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield elements of XML beside that with the id of the resource, as the change has sent
    them."""
    text = answer.text
    for resource in change.resources:
        anchor = f">{resource.id}<"
        at = text.find(anchor)
        start, end = row_around(text, at) if at >= 0 else (0, 0)
        for said in change.said if end else ():
            written = re.compile(rf"([\w.-]+)(?:\s[^<>]*)?>{re.escape(said.value)}</")
            for found in written.finditer(text, start, end):
                if not is_same(found[1], said, said.value) or is_id_name(found[1]):
                    continue
                inner = f"{found[1]}>{said.value}<"
                if not any(in_row(one.text, anchor, inner) for one in was.alike(answer)):
                    row, shown = f">{resource.template}<", f"{found[1]}>{said.template}<"
                    says = f"{found[1]} is {short(said.value)}"
                    yield Proof(answer.step.index, 0, says, TextValidator(shown, row=row))
                    break


def in_text(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield texts of the change that stand in an answer that is neither a page nor JSON."""
    for said in change.said:
        text = said.value
        telling = said.is_text and len(text) >= TELLING
        if telling and text in answer.text and not was.known(text):
            says = f"{short(text)} is there"
            yield Proof(answer.step.index, 1, says, TextValidator(said.template), text)


def holds(answer: SeenAnswer, raw: str, row: str, item: str) -> bool:
    """Return whether an answer has a text, in the row with another one if that is not empty."""
    if not row:
        return raw in answer.text
    return in_markup(raw, answer.text) and in_row(answer.text, row, raw, row_finder(item))


def _is_about(change: Change, answer: SeenAnswer) -> bool:
    return any(names(answer.step, one) for one in change.resources)


def written(said: Said, answer: SeenAnswer) -> Iterator[tuple[str, str, int]]:
    """Yield a text as the page shows it, by itself and with the ends of the tags around it: as a
    template, as recorded, and where. Of a longer constant, the longest line that is shown."""
    telling = is_title_name(said.field) or is_identity_name(said.field)
    if not said.is_text or len(said.value) < (SHORTEST if telling else TELLING):
        return
    found = answer.shown_as(said.value)
    template = said.template
    if found is None and "${" not in template:
        lines = (line.strip(_MARKS) for line in said.value.splitlines())
        for line in sorted(filter(_is_telling, lines), key=len, reverse=True)[:_MOST_PROSE]:
            found = answer.shown_as(line)
            if found is not None:
                template = escape(line)
                break
    if found is None:
        return
    written, at, alone = found
    yield template, written, at
    if alone:
        yield f">{template}<", f">{written}<", at


def _short(change: Change, said: Said, answer: SeenAnswer) -> Iterator[tuple[str, str, int]]:
    """Yield the text of a field that is too short to be looked for anywhere, of a change that has
    no resource with a row, as the page shows it alone in an item of a list: with the ends of the
    tags."""
    named = is_title_name(said.field) or is_identity_name(said.field)
    if change.resources or named or not (said.field and said.is_text) or is_passing(said.value):
        return
    if SHORTEST <= len(said.value) < TELLING:
        shown = answer.shown_as(said.value)
        if shown is not None and shown[2] and any(repeated_around(answer.text, shown[1])):
            yield f">{said.template}<", f">{shown[0]}<", shown[1]


def _is_telling(line: str) -> bool:
    return len(line) >= TELLING and any(map(str.isalpha, line))


def _row_of(
    change: Change, answer: SeenAnswer, at: int, raw: str
) -> tuple[str, str, bool, str] | None:
    """Return what the row around that place is known by: the resource's id in an attribute there,
    and not in that of a row within, which does not have the text, and of what the change has made
    first;
    whether the change has created the resource, so that all in its row comes from that; and what
    the row is."""
    own = sorted((one for one in known(change, answer) if one.id in answer.text), key=_is_there)
    for item in items_around(answer.text, at) if own else ():
        row = answer.text[item.start : item.end]
        for resource in own if not item.alone else ():
            place = slice(item.start, item.end)
            for template, recorded in attributes_with(
                answer.text, resource, change.resources, place, page=answer.step.path
            ):
                if item.kind and _has_others(row, recorded, resource):
                    return None  # it is the list
                if holds(answer, raw, recorded, item.kind):
                    return template, recorded, resource.given, item.kind
    return None


def _has_others(row: str, recorded: str, resource: Resource) -> bool:
    """Return whether other numbers stand in the place of the id, too."""
    other = re.escape(recorded).replace(re.escape(resource.id), r"(\d+)", 1)
    return is_short_number(resource.id) and {*re.findall(other, row)} != {resource.id}


def known(change: Change, answer: SeenAnswer) -> Iterator[Resource]:
    """Return the resources whose ids are known when the answer comes."""
    return (one for one in change.resources if one.since < answer.step.index)


def attributes_with(
    text: str,
    resource: Resource,
    others: Sequence[Resource] = (),
    within: slice = slice(0, None),
    page: str = "",
) -> Iterator[tuple[str, str]]:
    """Yield the id with what is around it in attributes ``within`` a text, that of the ``page``
    with this path, as a template and as recorded. Ids of ``others`` may stand before it:
    ``/orders/17/items/5``."""
    known: dict[str, str] = {}
    for at in islice(_places(text, resource.id, within), _MOST_ATTRIBUTES):
        head = text[max(0, at - _LONGEST_ADDRESS) : at]
        written = head[max(head.rfind('"'), head.rfind("'")) :]  # without one, the last character
        inside = written[1:]
        after = text[at + len(resource.id) : at + len(resource.id) + 1]
        if written[:1] not in ('"', "'") or after not in _AFTER or _NO_ADDRESS.search(inside):
            continue
        if (inside and inside[-1] not in "/=?&-") or not _is_kind(resource, written):
            continue
        if (
            not inside
            and is_short_number(resource.id)
            and not _is_attribute_for(resource, text, at, others, page)
        ):
            continue  # any attribute may be 1
        before = re.sub(r"""^["'](?:https?://[^/]*)?(?=[/?])""", "", written)
        before = before[max(0, before.find("#")) :]  # the page before it may be another's
        if before in resource.others:
            continue  # there it is that of something else
        behind = _behind_unknown(before, [one for one in others if one != resource])
        if behind != before and not any(map(str.isalpha, behind)):
            continue  # nothing tells of what it is: ``/page/3/2/``
        before = behind
        known.setdefault(
            f"{before}{resource.id}{after}",
            f"{_above(before, resource, others)}{resource.template}{after}",
        )
    for recorded in sorted(known, key=lambda one: one[0] in "\"'"):  # addresses tell most
        yield known[recorded], recorded


def _is_attribute_for(
    resource: Resource, text: str, at: int, others: Sequence[Resource] = (), page: str = ""
) -> bool:
    """Return whether a number that is all there is between two quotes may be the id of such a
    resource, of which each run has another one: in an attribute, by the name of that. Where that
    says of no kind, it is that of the first of the ``others`` that have the number: what the change
    has made, or what its path is about; and of none if the page is about another kind."""
    start = text.rfind("<", 0, at)
    found = _ATTRIBUTE.search(text, max(start, 0), at)
    if found is None or not resource.is_own:
        return resource.is_own
    tag, name = text[start : text.find(">", at)], found[1].lower()
    if name == "value":
        if tag.lower().startswith("<option"):  # of which the list tells the name
            tag = text[max(text.rfind("<select", 0, start), 0) : start].partition(">")[0]
        submitted = _NAME.search(tag)
        if submitted is None or (_CHOICE.search(tag) and not _says_a_kind(submitted[1])):
            alike = sorted((one for one in others if one.id == resource.id), key=_is_there)
            return alike[:1] in ([], [resource]) and _may_be_of(resource, page)
        name = submitted[1]
    # ``q[order_id_eq]`` says behind the id how it is compared.
    named = _COMPARED.sub("", plain(name.removeprefix("data-")))
    last = (id_stem(named) if is_id_name(named) else named).rpartition(" ")[2]
    if last == resource.noun.split()[-1]:
        return True
    return (last in _ANYTHING or is_id_name(last or named)) and _may_be_of(resource, page)


def _is_there(resource: Resource) -> bool:
    """Return whether the change has not made it."""
    return not resource.given


def _may_be_of(resource: Resource, path: str) -> bool:
    """Return whether what is behind that path may be such a resource: no other change is about the
    kind that the path tells."""
    return resource.elsewhere.isdisjoint(collection_names(collection(path)))


def _says_a_kind(name: str) -> bool:
    """Return whether the name of a choice says of what kind the things are that are picked:
    ``selected_line``."""
    first, *more = plain(name).split() or [""]
    return bool(more) and first in _PICKED


def _behind_unknown(before: str, others: Sequence[Resource]) -> str:
    """Return what is before an id without what leads to a number that is of none of the ``others``:
    it is another one on another server."""
    start = 0
    for number in _NUMBER.finditer(before):
        same = (one for one in others if one.id == number[0] and one.is_own and not one.given)
        if not any(_is_kind(one, before[: number.start()]) for one in same):
            start = number.end()
    return before[start:]


def _above(before: str, resource: Resource, others: Sequence[Resource]) -> str:
    """Return what is before the id of a resource, as a template: with those of others that each run
    has its own of."""
    template = escape(before)
    for other in others:
        if other.is_own and other != resource and not other.given and other.id in before:
            written = re.compile(rf"(?<=[/=]){re.escape(other.id)}(?=[/&])")
            found = written.search(template)
            if found is not None and _is_kind(other, template[: found.start()]):
                template = template[: found.start()] + other.template + template[found.end() :]
    return template


def _places(text: str, wanted: str, within: slice) -> Iterator[int]:
    at = text.find(wanted, within.start, within.stop)
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1, within.stop)


def _is_kind(resource: Resource, before: str) -> bool:
    """Return whether the id behind that may be of such a resource: in ``/wiki/Tea?version=2`` it is
    not that of ticket 2, in ``host.php?id=1`` not that of what other pages are about."""
    kind = _KIND.search(unquote(before))
    if kind is None or not is_short_number(resource.id):
        return True
    name = kind[1]
    path, query, _ = before.strip("\"'").partition("?")
    if query and name in _BARE_IDS:
        return _may_be_of(resource, path)
    if resource.noun.split()[-1] in _ANYTHING:
        return True
    words = {*plain(name).split(), *singular(name).split(), *id_stem(name).split()}
    return name in _BARE_IDS or resource.noun.split()[-1] in words
