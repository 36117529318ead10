"""What the answer to a change says of how it went.

A server may say so and do nothing, so that is no proof: such a change is told as one that nothing
shows. But an answer that says something else is no success.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from pytest_loadtool.answers.documents import GOOD_WORDS
from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.template import escape
from pytest_loadtool.correlation.graphql import operation
from pytest_loadtool.correlation.index.traffic import is_change
from pytest_loadtool.correlation.outcomes.changes import Change
from pytest_loadtool.correlation.outcomes.proof import REPLY, Before, Proof, short
from pytest_loadtool.correlation.outcomes.seen import FLASHED_WRONG, WRONG, SeenAnswer
from pytest_loadtool.correlation.responses.objects import KEY
from pytest_loadtool.extraction.json_steps import format_path
from pytest_loadtool.model.validator import (
    HeaderValidator,
    JsonValidator,
    RegexValidator,
    TextValidator,
)

#: What fields are called that say how many resources were made, or the id of the one.
_MADE = frozenset({"added", "created", "inserted"})
#: What fields are called, or say, that tell that something was done.
_DONE = (
    GOOD_WORDS
    | _MADE
    | {
        *("accepted", "affected", "applied", "archived", "assigned", "changed", "completed"),
        *("confirmed", "copied", "deleted", "executed", "imported", "merged"),
        *("modified", "moved", "processed", "published", "removed", "renamed", "restored", "saved"),
        *("sent", "stored", "submitted", "updated", "upserted", "written"),
    }
)
#: Of these, what an answer to PUT says depends on whether the resource was there (RFC 9110 §9.3.4).
_NEW = _MADE | {"modified", "updated", "upserted"}
#: What fields are called that have such a word, a truth, or the code of a status.
_SAYING = frozenset({"code", "outcome", "result", "return", "state", "status", "status code"})
#: Of what is shown to a person: these have a word.
_SHOWING = frozenset({"kind", "level", "severity", "type"})
_FAILED = frozenset(
    {"conflicts", "error", "errors", "failed", "failures", "rejected", "violations"}
)
#: How many objects of a document are looked at, such as the answers of a batch.
_MOST_OBJECTS = 20
_ELEMENT = re.compile(
    r"<((?:[\w.-]*:)?[\w.-]*(?:[Cc]ode|[Rr]esult|[Rr]eturn|[Ss]tatus|[Ss]uccess))>(\w{1,12})</"
)
#: What a call of SOAP is answered with (WS-I Basic Profile 1.1 §4.7.9: one element).
_BODY = re.compile(r"<(?:[\w.-]+:)?Body\b[^<>]*>\s*<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")
#: The class of an element in which a page says that it went well.
_FLASHES = ("success", "notice", "confirmation")
_FLASH = re.compile(rf"""class=["'][^"'<>]*\b(?:{"|".join(_FLASHES)})\b[^"'<>]*["']""")
#: What a page says in an element that is for that.
_HINTS = ("alert", "flash", "message", "notice", "notification", "snackbar", "toast")
_SAID = re.compile(
    rf"""<\w+[^<>]*\b(?:class|id|role)=["']?[^"'<>]*\b(?:{"|".join(_HINTS)})s?\b[^<>]*>"""
    r"""(?:\s*<\w[^<>]*>){0,2}\s*([^<>]{4,120}?)\s*<""",
    re.IGNORECASE,
)
#: How a page begins a message that something was done, in the answer to the change itself.
_BEGINNINGS = ("OK", "Ok", "SUCCESS", "Success", "DONE", "Done")
_MESSAGE = re.compile(rf">\s*(?:{'|'.join(_BEGINNINGS)}) ?[-:!] ")
#: How long a sentence of a page is at most that answers a form.
_LONGEST_SENTENCE = 120
#: A number of resources that it was done to, in JSON.
_TYPE = "__typename"
#: On how many pages before a change its form is looked for.
_MOST_PAGES = 3
#: How often the name of an element stands before ``>`` that is there once.
_TAGS_OF_ONE = 2
#: An answer that is a number of resources that it was done to, or an id; and what none is.
_SOME, _NONE = re.compile(r"[1-9]\d{0,17}"), r"\A\s*0\s*\Z"
#: A field of JSON that tells of an error by its name, if it has something; an id of nothing.
_TELLS = (
    r'"[\w.-]*(?:[Ee]rrors?|[Ee]xceptions?|[Ff]ailures?|[Ff]aults?|[Vv]iolations?)"'
    r'\s*:\s*(?:"[^"]|\[\s*[^\]\s]|\{\s*")'
)
_NO_ID = r'"id"\s*:\s*0\s*[,}]'
#: The header by which a server has a page of htmx do something, and what tells of an error there.
_TRIGGER, _TRIGGERED = "HX-Trigger", "(?i)error|fail|danger"
_COUNT = re.compile(r'"([\w-]{2,40})"(\s*:\s*)([1-9]\d{0,6})(\s*[,}])')


def reply(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the validators of the change's own answer, or of the page that it leads to."""
    done = _DONE - _NEW if change.method == "PUT" else _DONE
    text = answer.text.strip()
    if answer.document is not None:
        yield from _in_document(change, answer, done)
    elif text.lower() in done | {"true"}:
        yield _proof(answer, text, TextValidator(escape(text)))
    elif _SOME.fullmatch(text):
        yield _proof(answer, "the number", RegexValidator(_NONE, absent=True))
    elif answer.is_page and answer.is_xml:
        yield from _in_elements(answer, done)
    elif answer.is_page:
        yield from _on_page(change, answer, was)


def in_head(change: Change) -> Iterator[Proof]:
    """Yield the proofs in the head of its answer: a field such as ``grpc-status``, or where it
    redirects to: ``/orders?saved=1``."""
    exchange = change.step.exchange
    assert exchange is not None, "it was recorded"
    at = change.step.index
    for name, value in exchange.response_headers:
        if plain(name).rpartition(" ")[2] in _SAYING and value.lower() in _DONE | {"0", "true"}:
            says = f"{name} says that it went well"
            yield Proof(at, REPLY, says, HeaderValidator(name, equals=escape(value)))
    triggered = exchange.response_header(_TRIGGER) or ""
    if exchange.request_header("hx-request") and not re.search(_TRIGGERED, triggered):
        check = HeaderValidator(_TRIGGER, matches=_TRIGGERED, absent=True)
        yield Proof(at, REPLY, f"{_TRIGGER} tells of no error", check)
    query = urlsplit(exchange.response_header("location") or "").query
    for name, value in parse_qsl(query):
        told = _tells(plain(name), _DONE) and value in ("1", "true")
        if told or value.lower() in _DONE:
            check = HeaderValidator("Location", contains=escape(urlencode({name: value})))
            if check.contains and check.contains in query:
                yield Proof(at, REPLY, f"{name} of the redirect says that it went well", check)


def _in_document(change: Change, answer: SeenAnswer, done: frozenset[str]) -> Iterator[Proof]:
    says_it = False
    for path, value in _said(change, answer, done):
        nothing, says_it = value == (), True
        check = JsonValidator(path, None if nothing else value, absent=nothing)
        yield _proof(answer, path.removeprefix("$."), check)
    gives_id = any(_gives_id(one) for _, one in answer.objects[:_MOST_OBJECTS])
    for says, pattern in (
        ("no field tells of an error", _TELLS if says_it else ""),
        ("no id is 0", _NO_ID if gives_id and change.method == "POST" else ""),
    ):
        if pattern and not re.search(pattern, answer.text):
            none = RegexValidator(pattern, absent=True)
            yield Proof(answer.step.index, REPLY, says, none)
    for found in _COUNT.finditer(answer.text):
        name = plain(found[1])
        if _tells(name, done) and int(found[3]) not in _counts(change, name):
            zero = escape(f'"{found[1]}"{found[2]}0{found[4]}')
            yield _proof(answer, found[1], TextValidator(zero, absent=True))


def _in_elements(answer: SeenAnswer, done: frozenset[str]) -> Iterator[Proof]:
    for found in _ELEMENT.finditer(answer.text):
        code = found[1].lower().endswith("code") and found[2] == "0"
        if code or found[2].lower() in done | {"true"}:
            shown = f"{found[1]}>{found[2]}<"
            yield _proof(answer, found[1], TextValidator(escape(shown)))
    body = _BODY.search(answer.text)
    if body is not None and answer.text.count(f"{body[1]}>") <= _TAGS_OF_ONE:
        yield _proof(answer, body[1], TextValidator(body[1]))


def _on_page(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    own = answer.step.index == change.step.index
    told = [*_messages(change, answer, was, own)]
    yield from told or (_new_sentence(change, answer, was) if own else ())
    sends_form = change.has_fields and change.step.transaction.request.method == "POST"
    wrong = WRONG if answer.step.index == change.step.index else FLASHED_WRONG
    if sends_form and not any(one.marks(wrong) for one in (answer, *was.of_kind(answer))):
        says = "the page marks nothing as wrong"
        yield Proof(answer.step.index, REPLY, says, RegexValidator(wrong, absent=True))
    again = f'action="{change.path}"'
    if (
        sends_form
        and again not in answer.text
        and any(again in one.text for one in was.answers[:_MOST_PAGES])
    ):
        says = "the form is not there again"
        check = TextValidator(f'action="{change.path_template}"', absent=True)
        yield Proof(answer.step.index, REPLY, says, check)


def _messages(change: Change, answer: SeenAnswer, was: Before, own: bool) -> Iterator[Proof]:
    """Yield what a page says that went well, as pages mark it; of its ``own`` answer, as it begins
    such a sentence."""
    flashes = answer.has_any(_FLASHES)
    for found in islice(_FLASH.finditer(answer.text), 1) if flashes else ():
        if not any(found[0] in one.text for one in was.alike(answer)):
            yield _proof(answer, "the page", TextValidator(escape(found[0])))
    if not flashes and answer.has_any(_HINTS):
        yield from _in_message(change, answer, was)
    begins = own and answer.has_any(_BEGINNINGS)
    for found in islice(_MESSAGE.finditer(answer.text), 1) if begins else ():
        if not any(found[0] in one.text for one in was.answers if not is_change(one.step)):
            yield _proof(answer, "the message", TextValidator(escape(found[0])))


def _in_message(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the message of a page that no page had before, if it is the same for everyone."""
    for found in islice(_SAID.finditer(answer.text), 1):
        own = any(one.value in unescape(found[1]) for one in change.said)
        words = any(map(str.isalpha, found[1])) and not any(map(str.isdigit, found[1]))
        if words and not own and not any(found[1] in one.text for one in was.alike(answer)):
            yield _proof(answer, "the message", TextValidator(escape(found[1])))


def _new_sentence(change: Change, answer: SeenAnswer, was: Before) -> Iterator[Proof]:
    """Yield the first sentence that only the page has which answers a form: ``Thank you for your
    vote``. It may be another one for each user, so that it is in doubt."""
    for shown, (written, _) in answer.nodes.items():
        if shown.count(" ") < 2 or len(shown) > _LONGEST_SENTENCE:
            continue
        own = any(one.value in shown for one in change.said) or any(map(str.isdigit, shown))
        if not own and not any(written in one.text for one in was.answers):
            says = f"the page says {short(shown)}"
            check = TextValidator(escape(written))
            yield Proof(answer.step.index, REPLY, says, check, doubtful=True)
            return


def _proof(
    answer: SeenAnswer, what: str, check: JsonValidator | RegexValidator | TextValidator
) -> Proof:
    return Proof(answer.step.index, REPLY, f"{what} says that it went well", check)


def _counts(change: Change, name: str) -> frozenset[int]:
    """Return to how many resources it may have been done, by a field: to one, or all whose ids were
    sent. ``{"created": 1}`` is as well the id of the only one."""
    sent = sum(not one.given for one in change.resources)
    return frozenset({sent} if _tells(name, _MADE) else {1, sent})


def _said(change: Change, answer: SeenAnswer, done: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """Yield the paths to what tells that it went well, each with what it has: of the last kind,
    ``()``, nothing; None is anything."""
    is_query = answer.step.exchange is not None and operation(answer.step.exchange) is not None
    for steps, item in answer.objects[:_MOST_OBJECTS]:
        if is_query and steps == ("data",):  # GraphQL §7.1.1: null is what failed
            yield from ((f"{format_path(steps)}.{key}", None) for key, one in item.items() if one)
        if is_query and steps[:1] == ("data",) and isinstance(kind := item.get(_TYPE), str):
            yield f"{format_path(steps)}.{_TYPE}", kind
        for key, value in item.items():
            name = plain(key) if KEY.fullmatch(key) else ""
            if _tells(name, _FAILED) and value == []:
                yield f"{format_path((*steps, key))}[0]", ()
            elif _is_well(name, value, _counts(change, name), done):
                yield format_path((*steps, key)), value
            elif _is_given(change, answer, steps, key, value):
                yield format_path((*steps, key)), None


def _is_given(
    change: Change, answer: SeenAnswer, steps: tuple[str | int, ...], key: str, value: Any
) -> bool:
    """Return whether it is the id of what was made, or what a call of a batch has returned."""
    if value is None or value is False or value == "":
        return False
    if steps and isinstance(steps[-1], int):
        calls = isinstance(answer.document, list) and len(steps) == 1
        return calls and key == "result" and "jsonrpc" in answer.document[steps[0]]
    alone = not any(isinstance(one, int) for one in steps)
    repeated = isinstance(answer.document, dict) and "jsonrpc" in answer.document and not steps
    return change.method == "POST" and alone and key == "id" and not repeated


def _gives_id(item: dict[str, Any]) -> bool:
    return isinstance(item.get("id"), int) and "jsonrpc" not in item


def _tells(name: str, words: frozenset[str]) -> bool:
    return not words.isdisjoint(name.split())


def _is_well(name: str, value: Any, counts: frozenset[int], done: frozenset[str]) -> bool:
    if isinstance(value, bool):
        return value and (_tells(name, done) or name in _SAYING)
    if isinstance(value, int):
        none = value == 0 and _tells(name, _FAILED)
        ok = none or (name in _SAYING and 200 <= value <= 299)
        return ok or (_tells(name, done) and value in counts and value > 0)
    telling = name in _SAYING or name in _SHOWING
    return telling and isinstance(value, str) and value.lower() in done
