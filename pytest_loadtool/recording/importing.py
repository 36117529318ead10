"""As New Web Page: one exchange becomes a page of a test case that is there already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from types import MappingProxyType

from pytest_loadtool.codec.cookie import sent_cookies
from pytest_loadtool.model.case import Header, Request, TestCase
from pytest_loadtool.model.editing import retitled, with_transactions
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording.build import build_case
from pytest_loadtool.recording.entry import origin, sayable
from pytest_loadtool.recording.filter.domains import with_recorded_hosts
from pytest_loadtool.recording.request.header_sets import share
from pytest_loadtool.recording.request.template import draft
from pytest_loadtool.recording.request.uploads import Uploads

_HEADER_SET = "imported"


def with_page(
    case: TestCase,
    exchange: Exchange,
    entry: int | None,
    name: str = "",
    before: Sequence[Exchange] = (),
    uploads: Uploads | None = None,
) -> TestCase:
    """Return ``case`` with one more page, at its end, that holds ``exchange`` as its transaction.

    ``entry`` is the exchange's index in the evidence, None if it is in none; ``name`` is the
    page's, empty: as a recorded page's; ``before`` is the evidence so far. The transaction sends
    the headers of the exchange and no others; of its cookies those that this evidence does not
    know, as the others are each virtual user's own by then. The first page of a test case says
    what its server is. What in the body is no text becomes one of ``uploads``.
    """
    exchange = sayable(exchange)
    if not case.pages and not case.server:
        case = replace(case, server=origin(exchange.url))
    (page,) = build_case((exchange,), name=case.name).case.pages
    (transaction,) = page.transactions
    one = draft(exchange, case.server, uploads or Uploads(case.name))
    sharing = share([one.headers])
    header_set, sets = _header_set(case, sharing.headers)
    _, own = sharing.requests[0]
    request = Request(
        one.method, one.target, own, one.body, header_set,
        _unknown(transaction.request.cookies, before) if before or not case.pages else (),
        one.charset,
    )  # fmt: skip
    assert transaction.recorded is not None, "it was built from an exchange"
    transaction = replace(
        transaction, request=request, recorded=replace(transaction.recorded, entry=entry)
    )
    page = replace(page, name=_unused(name or page.name, case), transactions=(transaction,))
    return with_recorded_hosts(
        replace(case, pages=(*case.pages, page), header_sets=MappingProxyType(sets))
    )


def restored(case: TestCase, index: int, exchange: Exchange, uploads: Uploads) -> TestCase:
    """Return ``case`` whose transaction ``index`` sends again what was recorded in ``exchange``,
    all of it constant; what its header set adds stays, and what is no text becomes one of
    ``uploads``."""
    transactions = list(case.transactions())
    old = transactions[index]
    server = origin(exchange.url) if old.request.target.startswith("/") else case.server
    one = draft(sayable(exchange), server, uploads)
    header_set = old.request.header_set
    shared = case.header_sets[header_set] if header_set else case.headers
    request = replace(
        old.request,
        method=one.method,
        target=one.target,
        headers=tuple(each for each in one.headers if each not in shared),
        body=one.body,
        charset=one.charset,
    )
    transactions[index] = replace(old, request=request)
    return retitled(with_transactions(case, transactions), case)


def _unknown(cookies: tuple[str, ...], before: Sequence[Exchange]) -> tuple[str, ...]:
    """Return those of a name that no exchange has sent or set."""
    sent = {name for one in before for name, _ in sent_cookies(one.request_headers)}
    known = sent | {
        value.partition("=")[0].strip()
        for one in before
        for name, value in one.response_headers
        if name.lower() == "set-cookie"
    }
    return tuple(line for line in cookies if line.partition("=")[0] not in known)


def _header_set(
    case: TestCase, headers: tuple[Header, ...]
) -> tuple[str, dict[str, tuple[Header, ...]]]:
    """Return the name of the set that has these headers, and all sets, with a new one if none
    has."""
    sets = dict(case.header_sets)
    for name, known in {"": case.headers, **sets}.items():
        if known == headers:
            return name, sets
    names = (_HEADER_SET if n == 1 else f"{_HEADER_SET}-{n}" for n in count(1))
    name = next(name for name in names if name not in sets)
    return name, {**sets, name: headers}


def _unused(name: str, case: TestCase) -> str:
    """Return ``name``, or with the first number that makes it the only page of that name."""
    taken = {page.name for page in case.pages}
    names = (name if n == 1 else f"{name} ({n})" for n in count(1))
    return next(one for one in names if one not in taken)
