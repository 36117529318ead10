"""Which transactions and pages a person means: one language for all commands.

================  ==================================================================
``4``             a transaction by its number in `tree`; ``4-8``, ``4-``, ``5,6``
``P3``            a page by its number; ``P1-P3``, ``P1,P4``
``"Log in"``      a page by its name, or by a beginning that only one has
``/login``        all transactions with that path; ``/static/*``
``POST /login``   those of them with that method
``/login#2``      the second of those that this means
``all``           the test case
``~m POST``       a filter expression (`workflow.filtering`) narrows what stands before it
================  ==================================================================

Numbers are those of the test case as it is now: they shift when something before them is deleted.
Names do not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.console.arguments import HostName, KindName, OptionGroup, PageName, StatusName
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.model.case import Request, TestCase, Transaction
from pytest_loadtool.model.editing import page_span
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.filtering import (
    is_expression,
    matching,
    parsed,
)

ALL = "all"
#: ``4``, ``4-8``, ``4-``, ``P3``, ``P1-P3``, and several of them with commas between.
_NUMBERS = re.compile(r"(?P<page>[Pp]?)(?P<first>\d+)(?P<range>-(?:[Pp]?(?P<last>\d+))?)?")
#: Which of several transactions of one name: ``#2``, or as reports have it, `` (2)``.
_WHICH = re.compile(r"(?P<name>.+?)(?:#| \()(?P<number>\d+)\)?")
_METHOD = re.compile(r"[A-Z]+")


@dataclass(frozen=True, slots=True)
class Selection:
    """Transactions by index, in their order; and the pages that were selected as wholes."""

    transactions: tuple[int, ...]
    pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters(OptionGroup):
    """The conditions that narrow a selection. ``failed`` means: when it was last replayed."""

    page: PageName | None = None
    kind: KindName | None = None
    host: HostName | None = None
    status: StatusName | None = None
    failed: bool = False

    @property
    def expression(self) -> list[str]:
        """The filters as an expression."""
        given = (("~k", self.kind), ("~d", self.host), ("~c", self.status))
        words = [word for operator, value in given if value for word in (operator, value)]
        return [*words, "~f"] if self.failed else words


NO_FILTERS = Filters()


def select(
    document: Document,
    words: Sequence[str],
    filters: Filters = NO_FILTERS,
    *,
    failed: Collection[int] = frozenset(),
) -> Selection:
    """Return what ``words`` and ``filters`` select; without words, all that the filters leave.

    ``failed`` are the indexes of the transactions that failed when they were last replayed.

    Raises:
        UsageError: there is no such thing (the text names the nearest), or nothing is left.
    """
    split = next((at for at, word in enumerate(words) if is_expression(word)), len(words))
    found = [_found(document, word) for word in _named(words[:split])]
    if not found:
        found = [Selection(everything(document.case).transactions)]
    if filters.page is not None:
        index = page_index(document, filters.page)
        within = set(page_span(document.case, index))
        found = [Selection(tuple(within.intersection(one.transactions)), (index,)) for one in found]
    chosen = {index for one in found for index in one.transactions}
    try:
        for expression in (words[split:], filters.expression):
            if expression:
                chosen &= set(matching(document, parsed(expression), failed=failed))
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not chosen:
        raise UsageError("no transaction is like that: `tree` shows all of them")
    whole = {page for one in found for page in one.pages}
    pages = [page for page in sorted(whole) if chosen.issuperset(page_span(document.case, page))]
    return Selection(tuple(sorted(chosen)), tuple(pages))


def everything(case: TestCase) -> Selection:
    """Return all of a test case."""
    return Selection(
        tuple(range(sum(len(page.transactions) for page in case.pages))),
        tuple(range(len(case.pages))),
    )


def transaction_index(document: Document, name: str) -> int:
    """Return the index of the one transaction that is meant.

    Raises:
        UsageError: there is none, or it is several.
    """
    found = select(document, [name]).transactions
    if len(found) > 1:
        names = stable_names(document.case)
        some = ", ".join(f"{index + 1} {names[index]}" for index in found[:3])
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        raise UsageError(f"{name!r} is {len(found)} transactions: {some}{more}")
    return found[0]


def transaction(document: Document, name: str) -> Transaction:
    """Return the one transaction that is meant.

    Raises:
        UsageError: there is none, or it is several.
    """
    return list(document.case.transactions())[transaction_index(document, name)]


def page_index(document: Document, name: str) -> int:
    """Return the index of the page of that name, of that number (``P3`` or ``3``), or with a name
    that begins so, if no other does.

    Raises:
        UsageError: there is none, or it is several.
    """
    names = [page.name for page in document.case.pages]
    if name in names:
        return names.index(name)
    if (number := re.fullmatch(r"[Pp]?(\d+)", name)) is not None:
        return _page_number(document.case, int(number[1]))
    begun = _beginning(names, name)
    if len(begun) == 1:
        return begun[0]
    if begun:
        some = ", ".join(f"P{index + 1} {names[index]}" for index in begun[:3])
        raise UsageError(f"{len(begun)} pages begin with {name!r}: {some}")
    near = did_you_mean(name, names) or ": `tree --collapse-all` lists the pages"
    raise UsageError(f"there is no page {name!r}{near}")


def page_indexes(document: Document, word: str) -> tuple[int, ...]:
    """Return the indexes of the pages that are meant: ``P1-P3``, ``P1,P4``, a name, ``all``.

    Raises:
        UsageError: there is none.
    """
    if word == ALL:
        return everything(document.case).pages
    if word in [page.name for page in document.case.pages]:
        return (page_index(document, word),)
    found = _by_number(document.case, word, pages=True)
    return found.pages if found is not None else (page_index(document, word),)


def stable_names(case: TestCase) -> list[str]:
    """Return a name for each transaction that means it alone, and goes on to mean it when others
    are deleted: ``GET /``, ``POST /login#2``."""
    titles = [one.title for one in case.transactions()]
    count = Counter(titles)
    seen: Counter[str] = Counter()
    names = []
    for title in titles:
        seen[title] += 1
        names.append(title if count[title] == 1 else f"{title}#{seen[title]}")
    return names


def _named(words: Sequence[str]) -> Iterator[str]:
    """Yield the words, a method with the path behind it."""
    method = ""
    for word in words:
        if method:
            word, method = f"{method} {word}", ""
        elif _METHOD.fullmatch(word) and word is not words[-1]:
            method = word
            continue
        yield word


def _found(document: Document, word: str) -> Selection:
    """Return what one word selects. What a transaction asked for when recorded means it, too, if
    nothing asks for that now: its path may have got placeholders."""
    case = document.case
    if word == ALL:
        return everything(case)
    found = _by_number(case, word)
    if found is not None:
        return found
    transactions = list(case.transactions())
    chosen = _meant(document, transactions, word)
    which = _WHICH.fullmatch(word)
    if not chosen and which is not None:
        alike = _meant(document, transactions, which["name"])
        number = int(which["number"])
        if alike and not 1 <= number <= len(alike):
            raise UsageError(
                f"{which['name']} is {len(alike)} times in the test case: there is no #{number}"
            )
        chosen = alike[number - 1 : number]
    if chosen:
        return Selection(tuple(chosen))
    names = [page.name for page in case.pages]
    pages = [names.index(word)] if word in names else _beginning(names, word)
    if len(pages) == 1:
        return _pages(case, pages)
    if pages:
        some = ", ".join(f"P{index + 1} {names[index]}" for index in pages[:3])
        raise UsageError(f"{len(pages)} pages begin with {word!r}: {some}")
    near = did_you_mean(
        word, [*(one.title for one in transactions), *map(path_of, transactions), *names]
    )
    near = near or _within(transactions, word) or ": `tree` shows what there is"
    raise UsageError(f"there is no transaction or page {word!r}{near}")


def _within(transactions: Sequence[Transaction], word: str) -> str:
    """Return a sentence on which transactions have the word somewhere in what they ask for; "" if
    none has."""
    wanted = word.casefold()
    found = [
        f"{number} {one.title}"
        for number, one in enumerate(transactions, 1)
        if wanted in one.request.target.casefold()
    ]
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return f": did you mean {', '.join(found[:3])}{more}?" if found else ""


def _by_number(case: TestCase, word: str, *, pages: bool = False) -> Selection | None:
    """Return what numbers select; None if the word is something else. With ``pages``, all are of
    pages."""
    matches = [_NUMBERS.fullmatch(part.strip()) for part in word.split(",")]
    if not all(matches):
        return None
    transactions: set[int] = set()
    whole: set[int] = set()
    count = len(list(case.transactions()))
    for match in filter(None, matches):
        first = int(match["first"])
        of_pages = pages or bool(match["page"])
        most = len(case.pages) if of_pages else count
        last = int(match["last"]) if match["last"] else most if match["range"] else first
        if last < first:
            raise UsageError(f"{match[0]} ends before it begins")
        if of_pages:
            mine = range(_page_number(case, first), _page_number(case, last) + 1)
            whole.update(mine)
            transactions.update(index for page in mine for index in page_span(case, page))
            continue
        for number in (first, last):
            if not 1 <= number <= count:
                raise UsageError(
                    f"there is no transaction {number}: `tree` numbers them 1 to {count}"
                )
        transactions.update(range(first - 1, last))
    return Selection(tuple(sorted(transactions)), tuple(sorted(whole)))


def _page_number(case: TestCase, number: int) -> int:
    if not 1 <= number <= len(case.pages):
        raise UsageError(
            f"there is no page P{number}: `tree` numbers them P1 to P{len(case.pages)}"
        )
    return number - 1


def _pages(case: TestCase, pages: Sequence[int]) -> Selection:
    spans = (page_span(case, page) for page in pages)
    return Selection(tuple(index for span in spans for index in span), tuple(pages))


def _beginning(names: Sequence[str], text: str) -> list[int]:
    """Return the pages whose names begin with the text, without regard to case."""
    wanted = text.casefold()
    return [index for index, name in enumerate(names) if name.casefold().startswith(wanted)]


def _meant(document: Document, transactions: Sequence[Transaction], word: str) -> list[int]:
    now = [index for index, one in enumerate(transactions) if _means(word, one)]
    return now or [
        index
        for index, one in enumerate(transactions)
        if "${" in one.request.target
        and (recorded := document.evidence_of(one)) is not None
        and _means(word, Transaction(Request(recorded.method, recorded.url)))
    ]


def _means(word: str, one: Transaction) -> bool:
    """Return whether the word, with or without a method, is what the transaction is."""
    if word == one.title:
        return True
    method, blank, target = word.partition(" ")
    if not blank or not _METHOD.fullmatch(method):
        method, target = "", word
    if not target.startswith(("/", "http://", "https://", "*")) or method not in (
        "",
        one.request.method,
    ):
        return False
    asked = one.request.target
    forms = (asked, asked.partition("?")[0], path_of(one))
    if "*" not in target:
        return target in forms
    pattern = re.compile(".*".join(map(re.escape, target.split("*"))), re.DOTALL)
    return any(map(pattern.fullmatch, forms))


def path_of(one: Transaction) -> str:
    """Return the path that is asked for, of a whole URL, too."""
    target = one.request.target
    return target.partition("?")[0] if target.startswith("/") else urlsplit(target).path
