"""Filter expressions, as mitmproxy has them: which transactions are meant, by what they are.

``~m POST & !~c 403 & ~u /login``: ``!`` binds tighter than ``&``, that tighter than ``|``; brackets
group. Two tests without a sign between them both have to hold, and a word without an operator is a
part of the URL. What an operator looks for is a regular expression, without regard to case, but for
status codes, kinds and domains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from urllib.parse import urlsplit

from pytest_loadtool.codec.media import decoded
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.model.case import Kind, Page, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange, HeaderList
from pytest_loadtool.recording import Domain
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.marks import MARKS, marks_of


@dataclass(frozen=True)
class Asked:
    """The test case that an expression is asked about; ``failed`` are the indexes of the
    transactions that failed when they were last replayed."""

    document: Document
    failed: Collection[int] = frozenset()

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """The `MARKS` of each transaction."""
        return marks_of(self.document, self.failed)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate for a test: a transaction, where it stands, and what was recorded of it."""

    index: int
    page: Page
    transaction: Transaction
    exchange: Exchange | None
    asked: Asked

    @property
    def case(self) -> TestCase:
        """The test case that it is of."""
        return self.asked.document.case


#: Whether a transaction is meant.
Test = Callable[[Candidate], bool]


def matching(
    document: Document, test: Test, *, failed: Collection[int] = frozenset()
) -> tuple[int, ...]:
    """Return the indexes of the transactions that ``test`` holds for, in their order.

    ``failed`` are the indexes of those that failed when they were last replayed.
    """
    return tuple(
        index for index, one in enumerate(_candidates(Asked(document, failed))) if test(one)
    )


def parsed(words: Sequence[str]) -> Test:
    """Return the test that the words of an expression make; none at all: everything is meant.

    Raises:
        ValueError: it is no expression; the text says what is wrong, and the nearest operator.
    """
    reader = _ExpressionReader(list(_tokens(words)))
    try:
        test = reader.alternatives() if reader.tokens else _anything
    except RecursionError:
        raise ValueError("that has more brackets than can be followed") from None
    if reader.tokens:
        raise ValueError(f"{reader.tokens[0].text!r} has nothing before it")
    return test


def is_expression(word: str) -> bool:
    """Return whether a word is the beginning of an expression, and not the name of something."""
    return word.lstrip("!(").startswith("~") or word in ("!", "(")


def _candidates(asked: Asked) -> Iterator[Candidate]:
    index = 0
    for page in asked.document.case.pages:
        for one in page.transactions:
            yield Candidate(index, page, one, asked.document.evidence_of(one), asked)
            index += 1


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator: what it tells, and the test that it makes of its argument.

    Without ``argument``, which says what that is, it takes none.
    """

    summary: str
    make: Callable[[str], Test]
    argument: str = ""


def _pattern(texts: Callable[[Candidate], Iterator[str]]) -> Callable[[str], Test]:
    """Return what makes a test: whether an expression is found in one of ``texts``."""

    def make(argument: str) -> Test:
        try:
            found = re.compile(argument, re.IGNORECASE | re.DOTALL).search
        except re.error as error:
            raise ValueError(f"{argument!r} is no regular expression: {error}") from None
        return lambda one: any(map(found, texts(one)))

    return make


def _simply(test: Test) -> Callable[[str], Test]:
    return lambda _: test


def _anything(_: Candidate) -> bool:
    return True


def _methods(one: Candidate) -> Iterator[str]:
    yield one.transaction.request.method


def _pages(one: Candidate) -> Iterator[str]:
    yield one.page.name


def _urls(one: Candidate) -> Iterator[str]:
    yield one.transaction.request.target
    if one.exchange is not None:
        yield one.exchange.url


def _headers(headers: HeaderList) -> Iterator[str]:
    return (f"{name}: {value}" for name, value in headers)


def _request_headers(one: Candidate) -> Iterator[str]:
    for header in one.case.wire_headers(one.transaction.request):
        yield f"{header.name}: {header.value or ''}"
    if one.exchange is not None:
        yield from _headers(one.exchange.request_headers)


def _response_headers(one: Candidate) -> Iterator[str]:
    if one.exchange is not None:
        yield from _headers(one.exchange.response_headers)


def _any_headers(one: Candidate) -> Iterator[str]:
    yield from _request_headers(one)
    yield from _response_headers(one)


def _request_bodies(one: Candidate) -> Iterator[str]:
    body = one.transaction.request.body
    if isinstance(body, str):
        yield body
    if one.exchange is not None:
        media = one.exchange.request_header("content-type") or ""
        yield decoded(one.exchange.request_body, media)


def _response_bodies(one: Candidate) -> Iterator[str]:
    if one.exchange is not None:
        media = one.exchange.response_header("content-type") or ""
        yield decoded(one.exchange.response_body, media)


def _any_bodies(one: Candidate) -> Iterator[str]:
    yield from _request_bodies(one)
    yield from _response_bodies(one)


def _media(one: Candidate) -> Iterator[str]:
    if one.exchange is not None:
        yield one.exchange.response_header("content-type") or ""
        yield one.exchange.request_header("content-type") or ""


def _went_wrong(one: Candidate) -> bool:
    recorded = one.transaction.recorded
    failed = one.index in one.asked.failed
    return failed or (recorded is not None and not 0 < recorded.status < 400)


def _marked(letter: str) -> Test:
    return lambda one: letter in one.asked.marks[one.index]


def _of_codes(argument: str) -> Test:
    ranges = list(map(_codes, argument.split(",")))

    def test(one: Candidate) -> bool:
        status = one.transaction.recorded.status if one.transaction.recorded is not None else -1
        return any(low <= status <= high for low, high in ranges)

    return test


def _codes(text: str) -> tuple[int, int]:
    """Read ``404``, ``4xx`` or ``400-499``."""
    found = re.fullmatch(r"(?P<low>\d{1,3})(?:-(?P<high>\d{1,3}))?|(?P<class>[1-5])xx", text, re.I)
    if found is None:
        raise ValueError(f"{text!r} is no status code: 404, 4xx, 400-499 and 403,500-599 are")
    if found["class"]:
        return int(found["class"]) * 100, int(found["class"]) * 100 + 99
    return int(found["low"]), int(found["high"] or found["low"])


#: The kinds of responses as they are typed.
KINDS: Mapping[str, Kind] = MappingProxyType({kind.value.lower(): kind for kind in Kind})


def _of_kind(argument: str) -> Test:
    kind = KINDS.get(argument.lower())
    if kind is None:
        near = did_you_mean(argument, KINDS)
        raise ValueError(f"{argument!r} is no kind{near or ': ' + ', '.join(KINDS)}")
    return lambda one: (
        one.transaction.recorded is not None and one.transaction.recorded.kind is kind
    )


def _of_domain(argument: str) -> Test:
    domain = Domain.parse(argument)

    def test(one: Candidate) -> bool:
        url = next((url for url in _urls(one) if "://" in url), one.case.server)
        parts = urlsplit(url)
        return domain.holds(parts.hostname or "", parts.port)

    return test


_TEXT = "a regular expression"

#: The operators by their names.
OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {
        "~m": Operator("method", _pattern(_methods), _TEXT),
        "~u": Operator("URL", _pattern(_urls), _TEXT),
        "~c": Operator("recorded status", _of_codes, "404, 4xx, 400-499"),
        "~k": Operator("kind of the response", _of_kind, ", ".join(KINDS)),
        "~d": Operator("domain, with those below it", _of_domain, "shop.example"),
        "~p": Operator("name of the page", _pattern(_pages), _TEXT),
        "~t": Operator("Content-Type", _pattern(_media), _TEXT),
        "~h": Operator("header of request or response", _pattern(_any_headers), _TEXT),
        "~hq": Operator("request header", _pattern(_request_headers), _TEXT),
        "~hs": Operator("response header", _pattern(_response_headers), _TEXT),
        "~b": Operator("body of request or response", _pattern(_any_bodies), _TEXT),
        "~bq": Operator("request body", _pattern(_request_bodies), _TEXT),
        "~bs": Operator("response body", _pattern(_response_bodies), _TEXT),
        "~e": Operator("went wrong, when recorded or replayed", _simply(_went_wrong)),
        **{
            f"~{letter}": Operator(meaning, _simply(_marked(letter)))
            for letter, meaning in MARKS.items()
        },
        "~all": Operator("everything", _simply(_anything)),
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _ExpressionToken:
    """A sign (``!``, ``&``, ``|``, a bracket) or, with ``test``, a test that stands for itself."""

    text: str
    test: Test | None = None


def _tokens(words: Sequence[str]) -> Iterator[_ExpressionToken]:
    """Take the words apart. Brackets stand at either end of words, as nobody puts blanks there;
    those within a word, and those that it closes itself, are its own."""
    upcoming = iter(words)
    for word in upcoming:
        while word[:1] in ("!", "(") and word:
            yield _ExpressionToken(word[0])
            word = word[1:]
        if word in ("&", "|"):
            yield _ExpressionToken(word)
            continue
        word, closing = _unclosed(word)
        if word.startswith("~"):
            operator = OPERATORS.get(word)
            if operator is None:
                near = did_you_mean(word, OPERATORS) or f": {', '.join(OPERATORS)}"
                raise ValueError(f"there is no operator {word!r}{near}")
            argument = ""
            if operator.argument:
                argument = "" if closing else next(upcoming, "")
                if not argument:
                    raise ValueError(f"{word} ({operator.summary}) needs {operator.argument}")
                argument, closing = _unclosed(argument)
            yield _ExpressionToken(word, operator.make(argument))
        elif word:
            yield _ExpressionToken(word, OPERATORS["~u"].make(word))
        yield from [_ExpressionToken(")")] * closing


def _unclosed(word: str) -> tuple[str, int]:
    """Return the word without the brackets at its end that it did not open, and their number."""
    closing = 0
    while word.endswith(")") and word.count(")") > word.count("("):
        word, closing = word[:-1], closing + 1
    return word, closing


@dataclass(slots=True)
class _ExpressionReader:
    """Takes the tokens one after the other."""

    tokens: list[_ExpressionToken]

    def _follows(self, *texts: str) -> bool:
        return bool(self.tokens) and self.tokens[0].test is None and self.tokens[0].text in texts

    def alternatives(self) -> Test:
        """Read tests with ``|`` between."""
        tests = [self.all_of()]
        while self._follows("|"):
            self.tokens.pop(0)
            tests.append(self.all_of())
        return tests[0] if len(tests) == 1 else lambda one: any(test(one) for test in tests)

    def all_of(self) -> Test:
        """Read tests with ``&`` between, or nothing."""
        tests = [self.test()]
        while self.tokens and not self._follows("|", ")"):
            if self._follows("&"):
                self.tokens.pop(0)
            tests.append(self.test())
        return tests[0] if len(tests) == 1 else lambda one: all(test(one) for test in tests)

    def test(self) -> Test:
        """Read one test, a denial, or what is in brackets."""
        if not self.tokens:
            raise ValueError("the expression ends where a test should stand")
        token = self.tokens.pop(0)
        if token.test is not None:
            return token.test
        if token.text == "!":
            denied = self.test()
            return lambda one: not denied(one)
        if token.text != "(":
            raise ValueError(f"{token.text!r} has nothing before it")
        within = self.alternatives()
        if not self._follows(")"):
            raise ValueError("a bracket is not closed")
        self.tokens.pop(0)
        return within
