"""Proofs that something is gone by what the session has called it: a list showed that name before
the change, and shows it no more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl

from pytest_loadtool.codec.entities import in_markup, unescape
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.classify import (
    TELLING,
    is_identity_name,
    is_title_name,
    is_type_name,
)
from pytest_loadtool.correlation.kinds import removes
from pytest_loadtool.correlation.outcomes.changes import Change, Said
from pytest_loadtool.correlation.outcomes.object_paths import unlisted_path
from pytest_loadtool.correlation.outcomes.proof import (
    SHORTEST,
    Before,
    Proof,
    gone,
    names,
    short,
)
from pytest_loadtool.correlation.outcomes.seen import SeenAnswer
from pytest_loadtool.extraction.tags import controls
from pytest_loadtool.model.validator import TextValidator

#: The types of controls of which a form sends those that are chosen, and how a page writes one: its
#: name beside its value.
_CHOICES = ("checkbox", "radio")
_NAMED = re.compile(
    r"""\bname=(["']?)[^"'<>\s]+\1\s+value=(["']?)[^"'<>\s]+\2"""
    r"""|\bvalue=(["']?)[^"'<>\s]+\3\s+name=(["']?)[^"'<>\s]+\4"""
)


def named_gone(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield that the same address shows a name of the change's resource no more, if nothing else
    has been changed since it did, or the change removes by what it is called. It is in doubt, if
    others may give that name, too."""
    earlier = was.same(answer)
    if earlier is None or not _is_alone(change, earlier, answer, was) or answer.paged:
        return
    called = (
        one for one in _names(change, was) if one.value in earlier.text or "&" in earlier.text
    )
    for name in sorted(called, key=lambda one: (not one.unique, not _is_title(one))):
        if not earlier.says(name.value) and not in_markup(name.value, earlier.text):
            continue
        if in_markup(name.value, answer.text):
            continue
        in_list = earlier.document is not None and answer.document is not None
        path = unlisted_path(name, earlier, answer) if in_list else None
        check = path or TextValidator(name.template, absent=True)
        at, what = answer.step.index, short(name.value)
        yield gone(at, 1, what, check, name.value, doubtful=not name.unique)
        return


def choice_gone(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the choices of a form that were sent, and that the same address offers no more since
    the change: the boxes before the rows that it has removed."""
    earlier = was.same(answer) if change.has_fields else None
    if earlier is None or not was.only(earlier, answer) or not earlier.has_any(_CHOICES):
        return
    exchange = change.step.exchange
    body = exchange.request_body.decode("utf-8", "replace") if exchange is not None else ""
    sent = frozenset(parse_qsl(body))
    templates = change.templates
    for _, found, start, end in controls(earlier.text):
        name, value = found.get("name", ""), found.get("value", "")
        if found.get("type", "").lower() in _CHOICES and (name, value) in sent:
            written = _NAMED.search(earlier.text, start, end)
            if written is not None and written[0] not in answer.text:
                head, there, tail = written[0].partition("value=")
                tail = escape(tail).replace(escape(value), templates.get(value, escape(value)), 1)
                check = TextValidator(f"{escape(head)}{there}{tail}", absent=True)
                yield gone(answer.step.index, 1, f"{name} {short(value)}", check)


def no_more_chosen(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the options that the form of the resource came with as chosen before the change, and
    offers unchosen since: those that its list lacks in which one can choose several."""
    if not change.has_fields or not any(names(answer.step, one) for one in change.resources):
        return
    earlier = was.same(answer)
    then, now = (one.controls if one is not None else {} for one in (earlier, answer))
    for (name, value), raw in then.items():
        label = unescape(raw.rpartition(">")[2])
        others = any(one[0] == name and one not in then for one in now)
        is_known = value in change.taken or value in was.taken
        if (name, value) in now or others or is_known or not raw.lower().startswith("<option"):
            continue
        offered = rf'<option\b(?=[^<>]*\bvalue="{re.escape(value)}")[^<>]*>\s*{re.escape(label)}\b'
        written = re.search(offered, answer.text, re.IGNORECASE)
        if written is not None and earlier is not None and written[0] not in earlier.text:
            says = f"{name} {short(label)} is not chosen"
            check = TextValidator(escape(written[0]))
            yield Proof(answer.step.index, 0, says, check, field=f"{name} {value}")


def _is_alone(change: Change, earlier: SeenAnswer, answer: SeenAnswer, was: Before) -> bool:
    """Return whether the change alone may have taken something away between two answers."""
    if was.only(earlier, answer):
        return True
    own = (one for one in change.resources if not one.given)
    return removes(change.step.called, change.method) and all(
        was.last(one, answer) and was.alone(one, earlier, answer) for one in own
    )


def _names(change: Change, was: Before) -> Iterator[Said]:
    """Yield what the session has called the resources of the change, before and in it, but for what
    it is called anew."""
    renamed = {one.field for one in change.said}
    for resource in change.resources:
        for _, said in was.sent_of(resource.known_as) if not resource.given else ():
            if _tells(said) and said.field not in renamed:
                yield said
    for said in (*change.said, *((change.last,) if change.last is not None else ())):
        named = was.named(said.value)
        if named is not None and _tells(named):
            yield named
    yield from filter(_tells, change.rows)


def _tells(said: Said) -> bool:
    telling = len(said.value) >= (SHORTEST if _is_title(said) else TELLING)
    return said.is_text and telling and not is_type_name(said.field)


def _is_title(said: Said) -> bool:
    return is_title_name(said.field) or is_identity_name(said.field)
