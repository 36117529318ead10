"""What answers show: a JSON document or a page, as outcomes look at it. Read once, when asked."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl, unquote_plus

from pytest_loadtool.answers.paging import is_paged
from pytest_loadtool.codec.batches import messages_in
from pytest_loadtool.codec.calls import is_same_call
from pytest_loadtool.codec.entities import WRITTEN, unescape
from pytest_loadtool.codec.events import begins_json
from pytest_loadtool.correlation.classify import is_chosen, may_be_code
from pytest_loadtool.correlation.index.traffic import RecordedStep, is_change
from pytest_loadtool.correlation.outcomes.changes import walk
from pytest_loadtool.correlation.outcomes.resources import Resource
from pytest_loadtool.correlation.outcomes.sent import operation_of
from pytest_loadtool.correlation.producer import is_dynamic_key, is_ordinal
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.extraction.jsonpath import json_text
from pytest_loadtool.extraction.row_search import looks_like_html

#: An answer that is longer is not looked into, and how many are around a change, in text.
_LONGEST_ANSWER, _MOST_ANSWERS = 2_000_000, 40
#: Of how many answers to later changes the same is asked where no other answer shows it.
_MOST_TO_CHANGES = 8
_GONE = (404, 410)
_NODE, _TAG = re.compile(r">([^<>]+)<"), re.compile(r"<\w")
#: What nobody sees.
_UNSEEN = re.compile(
    r"<(script|style|template|title)\b[^>]*>.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL
)
#: A field of a form in which a person sets something; an option that is chosen, with its label.
_CONTROL = re.compile(
    r"<(input(?![^<>]*\btype=.?(?:hidden|submit|checkbox|radio|button|password))|select"
    r"|option(?=[^<>]*\bselected\b))\b[^<>]*>([^<>]*)",
    re.IGNORECASE,
)
_NAME, _VALUE = re.compile(r"""\bname=["']([^"'<>]*)"""), re.compile(r"""\bvalue="([^"<>]*)\"""")
#: How pages mark a field or a text that says what is wrong: Bootstrap, Django, Rails, WAI-ARIA.
WRONG = (
    r"""class=["'][^"'<>]*(?:\b|_)(?:danger|errors?|errorlist|invalid)\b"""
    r"""|aria-invalid=["']?true|role=["']alert["'][^<>]*>\s*[^\s<]"""
)
#: How a page that a change leads to does: there, other resources may be in error, such as jobs.
FLASHED_WRONG = (
    r"""class=["'](?:[^"'<>]*[\s_-])?(?:alert|flash|messages?|notice|notification|toast)"""
    r"""[\s_-](?:[^"'<>]*[\s_-])?(?:danger|errors?)\b"""
    r"""|role=["']alert["'][^<>]*>\s*[^\s<]"""
)
_WRONG_WORDS = ("error", "danger", "invalid", "alert")

#: Makes a blank of all that is no part of a word.
_WORDS = bytes(one if chr(one).isalnum() or one == ord("_") else 32 for one in range(128)).ljust(
    256, b" "
)
_LONE_NUMBER = re.compile(r">\s*(-?\d+(?:\.\d+)?)\s*(?=<)")


Objects = Sequence[tuple[tuple[str | int, ...], dict[str, Any]]]
"""Objects of a document, each with the keys and indexes that lead to it."""


@dataclass(frozen=True)
class SeenAnswer:
    """The response of a transaction."""

    step: RecordedStep
    response: RecordedResponse
    sought: frozenset[str] = frozenset()
    """The words that are asked for; of others nothing is known."""

    @cached_property
    def text(self) -> str:
        """Its body."""
        return self.response.text

    @cached_property
    def asked(self) -> tuple[str, str]:
        """Return what was asked for: the address, and the operation where that does not tell."""
        return self.step.address, operation_of(self.step)

    @property
    def body(self) -> bytes:
        """Return the body of its request."""
        exchange = self.step.exchange
        return exchange.request_body if exchange is not None else b""

    @cached_property
    def sent(self) -> str:
        """What the body of its request says, be it a form."""
        return unquote_plus(self.body.decode("utf-8", "replace"))

    def asks_the_same(self, other: SeenAnswer) -> bool:
        """Return whether both answer the same request."""
        methods = {one.step.transaction.request.method for one in (self, other)}
        if self.asked != other.asked or len(methods) > 1:
            return False
        if self.body == other.body or is_same_call(self.body, other.body):
            return True
        return bool(self.step.calls) and messages_in(self.body) == messages_in(other.body)

    @cached_property
    def meant(self) -> tuple[str, str, str]:
        """What was asked for, in GraphQL, JSON-RPC and what else reads by POST of which things, be
        it for more or fewer of them."""
        if self.asked[1]:
            kept = _arguments(self.body)
        else:
            reads = bool(self.body) and not is_change(self.step)
            kept = _fields(self.step.transaction.request.body) if reads else {}
        return *self.asked, json.dumps(kept, sort_keys=True)

    @cached_property
    def kind(self) -> tuple[str, str]:
        """Return the path and what was asked for, without the query."""
        return self.step.path, self.asked[1]

    @cached_property
    def document(self) -> Any:
        """Return its body as JSON; None if it is none."""
        if not begins_json(self.text):
            return None
        try:
            return self.response.json()
        except ValueError:
            return None

    @property
    def is_page(self) -> bool:
        """Return whether it is written in tags."""
        return self.text.lstrip()[:1] == "<"

    @cached_property
    def is_xml(self) -> bool:
        """Return whether it is written in tags that are none of HTML."""
        return not looks_like_html(self.text)

    @cached_property
    def nodes(self) -> dict[str, tuple[str, int]]:
        """The texts that a reader of the page sees, each as written and where it first stands."""
        found: dict[str, tuple[str, int]] = {}
        text = _UNSEEN.sub(lambda unseen: " " * len(unseen[0]), self.text)
        for node in _NODE.finditer(text):
            written = node[1].strip()
            if written:
                found.setdefault(" ".join(unescape(written).split()), (written, node.start(1)))
        return found

    @cached_property
    def controls(self) -> Mapping[tuple[str, str], str]:
        """The fields that a form comes with, and the options chosen in them, by name and value: the
        tag as written, with the label of an option."""
        found: dict[tuple[str, str], str] = {}
        select = ""
        for tag in _CONTROL.finditer(self.text) if self.is_page else ():
            name, value = _NAME.search(tag[0]), _VALUE.search(tag[0])
            kind, field = tag[1].lower(), unescape(name[1]) if name else ""
            if kind == "select":
                select = field
            elif value is not None and (field or select):
                end = tag.end() if kind == "option" else tag.start(2)
                key = select if kind == "option" else field, unescape(value[1])
                found.setdefault(key, self.text[tag.start() : end].rstrip())
        return found

    @cached_property
    def field_names(self) -> frozenset[str]:
        """The names of all controls, whatever they are."""
        return frozenset(map(unescape, _NAME.findall(self.text)))

    @cached_property
    def lone_numbers(self) -> frozenset[str]:
        """The numbers that stand alone between two tags."""
        return frozenset(_LONE_NUMBER.findall(self.text))

    @cached_property
    def control_names(self) -> frozenset[str]:
        """The names of these."""
        return frozenset(name for name, _ in self.controls)

    def may_say(self, text: str) -> bool:
        """Return whether all words of a text may stand there: most that is looked for does not."""
        there, sought = self._words[0], self.sought
        return all(one in there or one not in sought for one in words_of(text))

    def may_have(self, text: str) -> bool:
        """Return whether a document may have a text, as it is or with escapes."""
        return text in self.text or "\\" in self.text

    def may_show(self, text: str) -> bool:
        """Return whether a page may show a text, as it is or with references to characters."""
        return self.may_say(text) or WRITTEN.search(text) is not None

    def shown_as(self, text: str) -> tuple[str, int, bool] | None:
        """Return how the page writes a text, where, and whether alone between two tags; None: not
        at all, or with other spaces."""
        if text not in self._shown:
            self._shown[text] = self._shown_as(text)
        return self._shown[text]

    @cached_property
    def _shown(self) -> dict[str, tuple[str, int, bool] | None]:
        """What `shown_as` has returned."""
        return {}

    def _shown_as(self, text: str) -> tuple[str, int, bool] | None:
        if not self.may_show(text) or (text not in self.text and not WRITTEN.search(text)):
            return None
        value = " ".join(text.split())
        for node, (written, at) in self.nodes.items():
            if value in node and _as_words(value, node) and text in unescape(written):
                as_written = text if text in written else written
                return as_written, at, node == value and self._is_alone(at, as_written)
        return None

    def _is_alone(self, at: int, written: str) -> bool:
        """Return whether nothing, not even a space, is between a text and the tags around it."""
        return self.text.startswith(f">{written}<", max(0, self.text.rfind(">", 0, at + 1)))

    @cached_property
    def _words(self) -> tuple[frozenset[str], str]:
        """The words that are sought and stand there by themselves; and all words, each once."""
        words = frozenset(_in_ascii(self.text))
        return self.sought & words, " ".join(words)

    def has_any(self, words: Sequence[str]) -> bool:
        """Return whether one of these ASCII words stands there, be it in another."""
        return any(one in self._words[1] for one in words)

    @cached_property
    def has_tags(self) -> bool:
        """Return whether there are tags in it, be it in a text of JSON."""
        return _TAG.search(self.text) is not None

    def says(self, text: str) -> bool:
        """Return whether a text stands there in quotes, or for readers as words of their own."""
        if text not in self.text:
            return False
        if any(one in self.text for one in (f'"{text}"', f"'{text}'", f">{text}<")):
            return True
        if not self.is_page:
            return True
        return any(text in node and _as_words(text, node) for node in self.nodes)

    @cached_property
    def objects(self) -> Objects:
        """The objects of the document, in their order; not the ``latest`` of many, which may be
        somebody else's, nor what stands under a word that may be an id."""
        found = walk(self.response.document()) if self.document is not None else ()
        return tuple(one for one in found if not any(map(_is_elsewhere, one[0])))

    def objects_with(self, text: str, *, deep: bool = False) -> Objects:
        """Return those of the objects that have a text or a number, which is written so; with
        ``deep``, be it in an object that they have."""
        if (text, deep) not in self._holding:
            held = (one for one in self.objects if _has(one[1], text, deep))
            self._holding[text, deep] = tuple(held)
        return self._holding[text, deep]

    @cached_property
    def about(self) -> dict[Resource, Objects]:
        """The objects with the ids of resources, of those that were looked for."""
        return {}

    @cached_property
    def _holding(self) -> dict[tuple[str, bool], Objects]:
        """What `objects_with` has returned."""
        return {}

    def marks(self, wrong: str) -> bool:
        """Return whether a page marks something as wrong, in the way of a pattern."""
        return self.has_any(_WRONG_WORDS) and re.search(wrong, self.text) is not None

    @cached_property
    def paged(self) -> bool:
        """Return whether there may be more than it shows."""
        top = next((one for _, one in self.objects), {}) if self.document is not None else None
        return is_paged(top, self.text)


class Answers:
    """The answers of a session that show something, in which words are ``sought``; those to
    changes, too, if they are ``read`` by what reads the others."""

    def __init__(
        self, steps: Sequence[RecordedStep], sought: frozenset[str], read: Answers | None = None
    ) -> None:
        self._changes = changes = read is not None
        self._steps = [
            one for one in _in_order(steps) if _shows(one) and (changes or not is_change(one))
        ]
        self._places = [one.index for one in self._steps]
        self._all = {one.index: one for one in steps}
        self._sought = sought
        self._kept: dict[int, SeenAnswer] = {} if read is None else read._kept
        self._gone = [one for one in steps if one.exchange and one.exchange.status in _GONE]
        self._found: dict[str, int] = {}
        for one in self._steps:
            self._found.setdefault(one.address, one.index)

    def after(self, index: int) -> Iterator[SeenAnswer]:
        """Return some that come after a transaction, the next first; only those to changes, if
        these count at all."""
        start = bisect_right(self._places, index)
        later = self._steps[start : start + _MOST_ANSWERS]
        if self._changes:
            later = list(islice(filter(is_change, later), _MOST_TO_CHANGES))
        return map(self._read, later)

    def before(self, index: int) -> Iterator[SeenAnswer]:
        """Return some that come before a transaction, the last first."""
        end = bisect_left(self._places, index)
        return map(self._read, reversed(self._steps[max(0, end - _MOST_ANSWERS) : end]))

    def of(self, step: RecordedStep) -> SeenAnswer | None:
        """Return the answer of that transaction, if it shows something."""
        return self._read(step) if _shows(step) else None

    def next(self, index: int) -> SeenAnswer | None:
        """Return what the transaction after another one shows, if it changes nothing."""
        step = self._all.get(index + 1)
        return self.of(step) if step is not None and not is_change(step) else None

    def gone(self, index: int) -> Iterator[RecordedStep]:
        """Yield those that came after a transaction with a status that says there is no such
        resource, where there was one before (RFC 9110 §15.5.5, §15.5.11)."""
        for step in self._gone:
            before = self._found.get(step.address)
            if before is not None and before < index < step.index:
                yield step

    def _read(self, step: RecordedStep) -> SeenAnswer:
        kept = self._kept
        found = kept.pop(step.index, None)
        if found is None:
            assert step.exchange is not None, "it shows something"
            found = SeenAnswer(step, RecordedResponse(step.exchange), self._sought)
        kept[step.index] = found
        if len(kept) > 3 * _MOST_ANSWERS:  # what is far behind is asked for no more
            del kept[next(iter(kept))]
        return found


def _arguments(body: bytes) -> Any:
    """Return what a call of GraphQL or JSON-RPC says of the things that it is about, not of how
    many and in what order."""
    try:
        document = json.loads(body)
    except ValueError:
        return {}
    sent = document.get("variables", document.get("params")) if isinstance(document, dict) else None
    return _not_chosen(sent) if isinstance(sent, dict) else sent or {}


def _fields(body: str | bytes | None) -> Any:
    """Return the same of a form that reads; of what else is sent, all."""
    fields = parse_qsl(body, keep_blank_values=True) if isinstance(body, str) else ()
    return [pair for pair in fields if not is_chosen(pair[0])] or str(body)


def _not_chosen(sent: dict[str, Any]) -> dict[str, Any]:
    return {key: one for key, one in sent.items() if not is_chosen(key)}


def _has(item: dict[str, Any], text: str, deep: bool) -> bool:
    for value in item.values():
        kind = value.__class__
        if kind is str:
            if value == text:
                return True
        elif kind is dict:
            if deep and _has(value, text, deep):
                return True
        elif kind is not list and json_text(value) == text:
            return True
    return False


def _as_words(text: str, node: str) -> bool:
    """Return whether a text stands there and is no part of a longer word."""
    return re.search(rf"(?<!\w){re.escape(text)}(?!\w)", node) is not None


@lru_cache(maxsize=1024)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text; none of one that is not all ASCII, which pages write in other
    ways."""
    return tuple(_in_ascii(text)) if text.isascii() else ()


def _in_ascii(text: str) -> list[str]:
    return text.encode("ascii", "replace").translate(_WORDS).decode().split()


def _in_order(steps: Sequence[RecordedStep]) -> Iterator[RecordedStep]:
    """Yield those that were recorded after all changes that the test case sends before them: pages
    that were open side by side are sent one after the other, and then show something else."""
    latest = -1
    for step in steps:
        recorded = step.transaction.recorded
        entry = recorded.entry if recorded is not None else None
        if entry is None or entry >= latest:
            yield step
        if entry is not None and is_change(step):
            latest = max(latest, entry)


def _shows(step: RecordedStep) -> bool:
    exchange = step.exchange
    return (
        exchange is not None
        and not step.is_static
        and 200 <= exchange.status < 300
        and 0 < exchange.response_size <= _LONGEST_ANSWER
        and RecordedResponse(exchange).has_text
    )


def _is_elsewhere(step: str | int) -> bool:
    """Return whether what stands under the key stands under another one on another day."""
    if is_ordinal(step):
        return True
    return isinstance(step, str) and may_be_code(step) and not is_dynamic_key(step)
