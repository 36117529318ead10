"""A test case with other transactions in the place of its own, or with fewer of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from urllib.parse import urlsplit

from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.flow import NOTHING, Choose, NamedFlow, chain_of, parents_of
from pytest_loadtool.model.validator import Validator


def with_transactions(case: TestCase, transactions: Iterable[Transaction]) -> TestCase:
    """Return ``case`` with these, as many as it has, on its pages."""
    upcoming = iter(transactions)
    pages = tuple(
        replace(page, transactions=tuple(next(upcoming) for _ in page.transactions))
        for page in case.pages
    )
    return replace(case, pages=pages)


def numbered_titles(case: TestCase) -> list[str]:
    """Return the titles of the transactions, `numbered`."""
    return numbered((one.title,) for one in case.transactions())


def numbered(keys: Iterable[tuple[str, ...]]) -> list[str]:
    """Return the last part of each key, with a number if the same key came before: ``GET /
    (2)``."""
    seen: Counter[tuple[str, ...]] = Counter()
    names = []
    for key in keys:
        seen[key] += 1
        names.append(key[-1] if seen[key] == 1 else f"{key[-1]} ({seen[key]})")
    return names


def retitled(case: TestCase, before: TestCase, origins: Sequence[int] | None = None) -> TestCase:
    """Return ``case`` with outcomes of changes as these are called now.

    ``origins`` has, for each transaction, the index that it had in ``before``; None: the same one.
    """
    old, new = numbered_titles(before), numbered_titles(case)
    names: dict[str, str] = {}
    for origin, name in zip(range(len(new)) if origins is None else origins, new, strict=True):
        names.setdefault(old[origin], name)
    return with_transactions(
        case,
        (
            replace(one, validators=tuple(_renamed(each, names) for each in one.validators))
            for one in case.transactions()
        ),
    )


def _renamed(validator: Validator, names: Mapping[str, str]) -> Validator:
    outcome = validator.outcome
    if outcome is None or names.get(outcome.change, outcome.change) == outcome.change:
        return validator
    return replace(validator, outcome=replace(outcome, change=names[outcome.change]))


def without(case: TestCase, dropped: Container[int]) -> TestCase:
    """Return ``case`` without the transactions at these indexes, counted from 0; empty pages go
    too.

    Cookies that a script had set by one of them are set by the next one to the same host.
    """
    before = case
    if any(one.request.cookies for one in case.transactions()):
        case = with_transactions(case, _carried(case, dropped))
    pages = []
    position = 0
    for page in case.pages:
        kept = tuple(one for at, one in enumerate(page.transactions, position) if at not in dropped)
        position += len(page.transactions)
        if kept:
            pages.append(page if kept == page.transactions else replace(page, transactions=kept))
    origins = [index for index in range(position) if index not in dropped]
    kept_case = without_unused_flows(replace(case, pages=tuple(pages)))
    return retitled(kept_case, before, origins)


def without_unused_flows(case: TestCase) -> TestCase:
    """Return ``case`` without the flows in which nothing stands."""
    parents = parents_of(case.flows)
    named = {page.flow for page in case.pages} | {one.flow for one in case.transactions()}
    used = {name for one in named for name in chain_of(one, parents)} | {NOTHING}
    kept: dict[str, NamedFlow] = {}
    for name, flow in case.flows.items():
        if name not in used:
            continue
        if isinstance(flow.rule, Choose):
            weights = {one: weight for one, weight in flow.rule.weights.items() if one in used}
            flow = replace(flow, rule=Choose(MappingProxyType(weights)))
        kept[name] = flow
    return case if kept == case.flows else replace(case, flows=MappingProxyType(kept))


def _carried(case: TestCase, dropped: Container[int]) -> Iterator[Transaction]:
    """Yield the transactions, with the cookies of those that are dropped before."""
    waiting: dict[str, tuple[str, ...]] = {}
    server = urlsplit(case.server).hostname
    for index, one in enumerate(case.transactions()):
        request = one.request
        host = urlsplit(request.target).hostname or server or ""
        cookies = waiting.pop(host, ()) + request.cookies
        if index in dropped:
            waiting[host] = cookies
        elif cookies != request.cookies:
            newest = tuple({line.partition("=")[0]: line for line in cookies}.values())
            one = replace(one, request=replace(request, cookies=newest))
        yield one


def page_span(case: TestCase, index: int) -> range:
    """Return the indexes of the transactions of page ``index``."""
    start = sum(len(page.transactions) for page in case.pages[:index])
    return range(start, start + len(case.pages[index].transactions))
