"""A producer: one place in one response where a value stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Protocol

from pytest_loadtool.codec.names import words_of
from pytest_loadtool.correlation.classify import looks_random
from pytest_loadtool.extraction.json_steps import Column
from pytest_loadtool.model.rule import ProducerKind

#: What is one document, that is read when all of it is there; a page is read while it comes.
DOCUMENTS = frozenset({ProducerKind.JSON, ProducerKind.XML})
#: The number of the form into which a partial response puts its fields.
PARTIAL = -2
#: What stands under such a name is one of many, whoever has made it: ``last_entry``, ``newest``.
_ORDINALS = frozenset({"first", "last", "latest", "newest", "oldest", "recent"})


def is_ordinal(step: str | int) -> bool:
    """Return whether what stands under the key is the first or last of many."""
    return isinstance(step, str) and bool(_ORDINALS.intersection(words_of(step)[:1]))


@lru_cache(1 << 12)
def is_dynamic_key(step: str | int) -> bool:
    """Return whether a key of an object is an id, or a path with one."""
    if isinstance(step, int | Column):
        return False
    return any(one.isdigit() or looks_random(one) for one in step.split("/"))


def last_item(steps: Sequence[str | int]) -> int | None:
    """Return the place of the last step to one of many, of a list or by its id; None: there is
    none."""
    places = (at for at, step in enumerate(steps) if isinstance(step, int) or is_dynamic_key(step))
    return max(places, default=None)


class Wanted(Protocol):
    """The values that are looked for: a set, or more than can be listed; and pairs of what
    something is called and its number."""

    def __contains__(self, value: object, /) -> bool: ...

    def __len__(self) -> int: ...

    def intersection(self, words: Iterable[str], /) -> Set[str]:
        """Return those of the words that are wanted."""
        ...


@dataclass(frozen=True, slots=True)
class Box:
    """An encoded text in which a value stands: where it is, what decodes it, what it then says."""

    producer: Producer
    decode: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Producer:
    """A value in the response of ``transaction``.

    ``name`` is the key, the field, the cookie, the header or, in an address, the segment before.
    ``steps`` lead to a JSON value, and to one in a list of XML. ``text`` is the address, as
    written, of a redirect or link, or in which a JSON value stands; all of a header of which the
    value is a part, or that sets it as a cookie; the pattern of a rule that found the value in a
    text; of XML, whether it stands in an element or an attribute; of a choice, its label as
    written.
    ``before`` is the path up to the value in an address, and ``labels`` are the texts of such
    links or choices, or what an item of a list is called. ``form`` numbers the form of a
    control within its page (`PARTIAL`: of a partial response), and ``control`` tells whether a
    person can write into it, choose in it, or neither.
    """

    transaction: int
    kind: ProducerKind
    name: str
    value: str
    steps: tuple[str | int, ...] = ()
    text: str = ""
    before: str = ""
    form: int = -1
    control: Literal["", "hidden", "text", "choice"] = ""
    labels: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()
    """Those of the labels that an item of JSON has only within it, as who has made it is called."""
    type: str = ""
    """The type of the object that it is a field of, where that says so itself (GraphQL)."""
    encoded: str | None = None
    """What an extractor takes, where that is not the value yet: ``filters`` make it so."""
    filters: tuple[str, ...] = ()
    header: str = "Location"
    """Of an address in the head: the header that has it."""
    box: Box | None = None
    """The encoded text that it stands in; all but ``transaction`` is then about its place in it."""

    @property
    def extracted(self) -> str:
        """Return what an extractor takes from the response."""
        return self.value if self.encoded is None else self.encoded

    @property
    def effort(self) -> int:
        """0: it stands there; 1: a client decodes it; 2: it would have to read what a browser shows
        to no script (RFC 6265 §4.1.2.6)."""
        if self.box is None:
            return 0
        around = self.box.producer
        while around.box is not None:
            around = around.box.producer
        in_cookie = around.kind is ProducerKind.COOKIE or around.name.lower() == "set-cookie"
        return 2 if in_cookie and "httponly" in around.text.lower() else 1

    @property
    def in_list(self) -> bool:
        """Return whether it is in an element of a list, of JSON or XML."""
        return any(isinstance(step, int) for step in self.steps)

    @property
    def is_ordinal(self) -> bool:
        """Return whether an object on the way to it is called the first or last of many."""
        return any(map(is_ordinal, self.steps[:-1]))

    @property
    def has_dynamic_key(self) -> bool:
        """Return whether it, or an object on the way to it, stands under an id, or a path with
        one."""
        return any(map(is_dynamic_key, self.steps))

    @property
    def of_many(self) -> bool:
        """Return whether there are others like it, so that its place is another one on another
        day."""
        return self.in_list or self.is_ordinal or self.has_dynamic_key
