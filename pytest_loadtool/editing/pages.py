"""The structure of a test case: its pages renamed, moved, merged, split, duplicated and paced.

Transactions keep their extractors, validators and requests. Times within a page are such that what
comes from elsewhere goes out when all before it has ended, and the others overlap as recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pytest_loadtool.editing.flows import ensure_flows
from pytest_loadtool.model.case import Page, TestCase, Transaction, misplaced
from pytest_loadtool.model.editing import page_span, retitled, without_unused_flows

#: What a transaction is, and the index that it had before.
_Placed = tuple[int, Transaction]


@dataclass(frozen=True, slots=True)
class Pace:
    """A think time: so many ``seconds``, or ``factor`` times what it is now."""

    seconds: float | None = None
    factor: float = 1.0

    def of(self, seconds: float) -> float:
        """Return the think time that comes in the place of ``seconds``."""
        return round(seconds * self.factor, 3) if self.seconds is None else self.seconds


def renamed_page(case: TestCase, index: int, name: str) -> TestCase:
    """Return ``case`` with another name for a page.

    Raises:
        ValueError: the name is empty, or another page has it.
    """
    _check_name(case, name, except_for=index)
    pages = list(case.pages)
    pages[index] = replace(pages[index], name=name)
    return replace(case, pages=tuple(pages))


def renamed_transaction(case: TestCase, index: int, name: str) -> TestCase:
    """Return ``case`` with another name for a transaction; without one it is called what it asks
    for."""
    arranged = _arranged(case)
    for _, placed in arranged:
        for position, (origin, one) in enumerate(placed):
            if origin == index:
                placed[position] = (origin, replace(one, name=name))
    return _with(case, arranged)


def paced(case: TestCase, indexes: Sequence[int], pace: Pace) -> TestCase:
    """Return ``case`` with other think times after these pages. A factor counts for the pauses
    within them, too."""
    pages = list(case.pages)
    for index in indexes:
        page = pages[index]
        inside = page.transactions
        if pace.seconds is None:
            inside = tuple(_with_pause(one, pace.of(_pause(one))) for one in inside)
        pages[index] = replace(page, think_time=pace.of(page.think_time), transactions=inside)
    return replace(case, pages=tuple(pages))


def moved(case: TestCase, indexes: Sequence[int], target: int, *, behind: bool) -> TestCase:
    """Return ``case`` with the transactions at ``indexes``, in their order, on the page of the one
    at ``target``: before it, or ``behind`` it.

    A page that has none left is gone. What needs a value of what comes later now is for the caller
    to look for.

    Raises:
        ValueError: the target is among them.
    """
    if target in indexes:
        raise ValueError("what is moved cannot stay where it goes")
    chosen = set(indexes)
    everything = [placed for _, page in _arranged(case) for placed in page]
    block = [everything[index] for index in sorted(chosen)]
    arranged = []
    for page, placed in _arranged(case):
        here = [origin for origin, _ in placed]
        left = [one for one in placed if one[0] not in chosen]
        if target in here:
            at = [origin for origin, _ in left].index(target) + behind
            left = _in_sequence(left[:at], block, left[at:])
        arranged.append((page, left))
    return _with(case, arranged)


def moved_pages(case: TestCase, indexes: Sequence[int], target: int, *, behind: bool) -> TestCase:
    """Return ``case`` with these pages, in their order, before the one at ``target`` or ``behind``
    it.

    Raises:
        ValueError: the target is among them.
    """
    if target in indexes:
        raise ValueError("what is moved cannot stay where it goes")
    arranged = _arranged(case)
    left = [page for index, page in enumerate(arranged) if index not in indexes]
    at = left.index(arranged[target]) + behind
    return _with(case, [*left[:at], *(arranged[index] for index in sorted(indexes)), *left[at:]])


def merged(case: TestCase, indexes: Sequence[int], name: str = "") -> TestCase:
    """Return ``case`` with one page in the place of these, called ``name`` or as the first of them.

    The think times between them become pauses within the page.

    Raises:
        ValueError: they are fewer than two, others are between them, or the name is taken.
    """
    order = sorted(set(indexes))
    if len(order) < 2:
        raise ValueError("that takes two pages or more")
    if order != list(range(order[0], order[-1] + 1)):
        raise ValueError("there are other pages between them: move them together first")
    if name:
        _check_name(case, name, except_for=order[0])
    arranged = _arranged(case)
    page, placed = arranged[order[0]]
    for index in order[1:]:
        following, block = arranged[index]
        (first, opening), *others = block
        waited = _with_pause(opening, page.think_time)
        placed = _in_sequence(placed, [(first, waited), *others], [], page.think_time)
        page = replace(page, think_time=following.think_time)
    page = replace(page, name=name or page.name)
    return _with(case, [*arranged[: order[0]], (page, placed), *arranged[order[-1] + 1 :]])


def split(case: TestCase, index: int, name: str) -> TestCase:
    """Return ``case`` whose page with the transaction at ``index`` ends before that one; what
    follows is a page called ``name``.

    The pause before the transaction becomes the think time of the first page.

    Raises:
        ValueError: the transaction is the first of its page, or the name is taken.
    """
    _check_name(case, name)
    arranged: list[tuple[Page, list[_Placed]]] = []
    for page, placed in _arranged(case):
        at = next((at for at, (origin, _) in enumerate(placed) if origin == index), -1)
        if at < 0:
            arranged.append((page, placed))
            continue
        if at == 0:
            raise ValueError("it is the first of its page already")
        opening = placed[at][1]
        (_, *others) = placed[at:]
        second = _shifted([(index, _with_pause(opening, 0.0)), *others], -_start(placed[at:]))
        arranged.append((replace(page, think_time=_pause(opening)), placed[:at]))
        arranged.append((replace(page, name=name), second))
    return _with(case, arranged)


def duplicated(case: TestCase, indexes: Sequence[int]) -> TestCase:
    """Return ``case`` with a copy of the transactions at ``indexes`` behind the last of them."""
    block = [(index, one) for index, one in enumerate(case.transactions()) if index in indexes]
    arranged = []
    for page, placed in _arranged(case):
        at = next((at for at, (one, _) in enumerate(placed) if one == block[-1][0]), -1)
        before, behind = placed[: at + 1], placed[at + 1 :]
        arranged.append((page, placed if at < 0 else _in_sequence(before, block, behind)))
    return _with(case, arranged)


def duplicated_page(case: TestCase, index: int, name: str) -> TestCase:
    """Return ``case`` with a copy of a page behind it, called ``name``.

    Raises:
        ValueError: the name is taken.
    """
    _check_name(case, name)
    arranged = _arranged(case)
    page, placed = arranged[index]
    copy = (replace(page, name=name), list(placed))
    return _with(case, [*arranged[: index + 1], copy, *arranged[index + 1 :]])


def _check_name(case: TestCase, name: str, *, except_for: int = -1) -> None:
    if not name.strip():
        raise ValueError("a page needs a name")
    if any(page.name == name for at, page in enumerate(case.pages) if at != except_for):
        raise ValueError(f"another page is called {name!r}")


def _arranged(case: TestCase) -> list[tuple[Page, list[_Placed]]]:
    """Return the pages, each with what it holds and the indexes of that."""
    transactions = list(enumerate(case.transactions()))
    spans = (page_span(case, index) for index in range(len(case.pages)))
    return [
        (page, transactions[span.start : span.stop])
        for page, span in zip(case.pages, spans, strict=True)
    ]


def _with(case: TestCase, arranged: Iterable[tuple[Page, Sequence[_Placed]]]) -> TestCase:
    """Return the test case with these pages, but for empty ones; outcomes are of what they were of.

    Raises:
        ValueError: as `ensure_parts` and `ensure_flows`.
    """
    kept = [(page, placed) for page, placed in arranged if placed]
    pages = tuple(
        replace(page, transactions=tuple(one for _, one in placed)) for page, placed in kept
    )
    ensure_parts(pages)
    origins = [origin for _, placed in kept for origin, _ in placed]
    arranged_case = without_unused_flows(replace(case, pages=pages))
    ensure_flows(arranged_case)
    return retitled(arranged_case, case, origins)


def ensure_parts(pages: Sequence[Page]) -> None:
    """Make sure that pages which are done once can stand where they do.

    Raises:
        ValueError: the start would not come first, or the end last, or no page would be left for
        the iterations.
    """
    if wrong := misplaced(pages):
        index, problem = wrong
        raise ValueError(f"P{index + 1} {pages[index].name}: {problem} (see `once`)")


def _in_sequence(
    before: Sequence[_Placed], block: Sequence[_Placed], behind: Sequence[_Placed], gap: float = 0.0
) -> list[_Placed]:
    """Return all of them on a page: the block goes out ``gap`` seconds after all before it has
    ended, and what is behind it when it has ended, if not later."""
    start = _end(before) + gap
    mine = _shifted(block, start - _start(block))
    later = max(0.0, _end(mine) - _start(behind)) if behind else 0.0
    return [*before, *mine, *_shifted(behind, later)]


def _shifted(placed: Sequence[_Placed], seconds: float) -> list[_Placed]:
    return [
        (
            origin,
            one
            if one.recorded is None
            else replace(
                one,
                recorded=replace(one.recorded, at=max(0.0, round(one.recorded.at + seconds, 3))),
            ),
        )
        for origin, one in placed
    ]


def _start(placed: Sequence[_Placed]) -> float:
    return min((one.recorded.at for _, one in placed if one.recorded is not None), default=0.0)


def _end(placed: Sequence[_Placed]) -> float:
    times = (one.recorded for _, one in placed)
    return max((one.at + one.took for one in times if one is not None), default=0.0)


def _pause(one: Transaction) -> float:
    return one.recorded.pause if one.recorded is not None else 0.0


def _with_pause(one: Transaction, pause: float) -> Transaction:
    if one.recorded is None or one.recorded.pause == pause:
        return one
    return replace(one, recorded=replace(one.recorded, pause=pause))
