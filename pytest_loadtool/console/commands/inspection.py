"""Looking at what a replay sent and received: its responses, and how it differs from what was
recorded; and taking a request or a response elsewhere.

It also has the full-screen views, in which one looks at the test case and works in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_loadtool.codec.curl import curl_command
from pytest_loadtool.codec.printable import on_one_line
from pytest_loadtool.console.arguments import TransactionName
from pytest_loadtool.console.errors import CommandError
from pytest_loadtool.console.replays import replay_at_hand
from pytest_loadtool.console.screens.content import content
from pytest_loadtool.console.selection import transaction_index
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views.inspection import differences
from pytest_loadtool.console.views.line import UNBROKEN, ViewLine
from pytest_loadtool.console.views.replays import OUTCOME_KINDS, when
from pytest_loadtool.console.views.text import status_kind
from pytest_loadtool.masking.text import Mask, Unmasked
from pytest_loadtool.model.exchange import Exchange, HeaderList
from pytest_loadtool.model.kept_replay import KeptTransaction
from pytest_loadtool.workflow.comparing import compared
from pytest_loadtool.workflow.opening_elsewhere import open_body
from pytest_loadtool.workflow.replays import OpenReplay, mask_for


async def view(session: Console, which: TransactionName | None = None) -> None:
    """Open the Test Case Editor on the full screen; F2 at the prompt does so, too.

    The tree stands on the left, the transaction at the cursor on the right: its content, headers,
    fields, actors and errors. WHICH is the transaction to begin with. `?` lists the keys: each
    either moves what you look at, or runs a command, as if it were typed. `:` takes any command
    line. `q` leads back to the prompt, with everything kept.

    Example: `view POST /login`
    """
    document = session.opened()
    number = transaction_index(document, which) + 1 if which is not None else 0
    if session.show_view is None:
        raise CommandError("views need a terminal: `tree` and `show` print the same")
    await session.show_view(number)


async def response(
    session: Console,
    which: TransactionName,
    *,
    sent: bool = False,
    raw: bool = False,
    secrets: bool = False,
) -> None:
    """Show what a transaction was answered in the last replay: status, headers, decoded body.

    WHICH is its number in `tree`, or what it is. JSON, HTML and XML are laid out and highlighted;
    --raw shows them as they came. --sent also shows what was sent, with what had negotiated it. Of
    passwords, tokens and cookies only the beginning is shown; --secrets shows them as they are.

    Example: `response POST /login --sent`
    """
    opened, kept, exchange = _kept(session, which)
    mask = Unmasked() if secrets else mask_for(session.opened(), opened)
    await session.page(_answered(kept, exchange, mask, sent=sent, raw=raw))


async def diff(
    session: Console, which: TransactionName, *, full: bool = False, secrets: bool = False
) -> None:
    """Compare a transaction as recorded with the last replay: request and response.

    WHICH is its number in `tree`, or what it is. A line with - is as recorded, with + as replayed.
    Differences are expected where a placeholder, the server or a cookie explains them, and it is
    said which; `!` marks those that nothing explains, such as a value that should be correlated.
    Lines that are the same are left out but for two around each difference; --full shows all.
    --secrets shows passwords and tokens as they are.

    Example: `diff 15`
    """
    document, opened = session.opened(), replay_at_hand(session)
    index = transaction_index(document, which)
    try:
        found = compared(document, index, opened, mask=Unmasked() if secrets else None)
    except ValueError as error:
        raise CommandError(f"transaction {index + 1} cannot be compared: {error}") from None
    title = list(document.case.transactions())[index].title
    head = ViewLine(
        (f"{index + 1} {title}", "heading"),
        (f", as recorded (-) and as replayed at {when(opened.replay.started)} (+)", ""),
    )
    await session.page([head, *differences(found, everything=full)])


async def curl(
    session: Console, which: TransactionName, *, replayed: bool = False, secrets: bool = False
) -> None:
    """Write a request as a command of curl.

    WHICH is its number in `tree`, or what it is. The request is the recorded one; --replayed takes
    that of the last replay. Passwords, tokens and cookies are cut, so that the command can be
    shown; --secrets leaves them in, so that it can be run. It shows status and headers, too.

    Example: `curl 15 --replayed --secrets`
    """
    document = session.opened()
    if replayed:
        opened, _, exchange = _kept(session, which)
        mask = mask_for(document, opened)
    else:
        exchange = _recorded(session, which, "; --replayed takes what the last replay sent")
        mask = mask_for(document, None)
    if secrets:
        mask = Unmasked()
    headers = tuple((name, mask.header(name, value)) for name, value in exchange.request_headers)
    body = exchange.request_body
    masked = body if secrets else _masked(body, mask)
    command = curl_command(exchange.method, mask.text(exchange.url), headers, masked, include=True)
    session.tell(ViewLine((line, ""), hanging=UNBROKEN) for line in command.split("\n"))


async def open_(session: Console, which: TransactionName, *, recorded: bool = False) -> None:
    """Open a transaction's response in the browser: its decoded body, as the last replay has it.

    WHICH is its number in `tree`, or what it is. --recorded takes the recorded response. The body
    is written to a private file, which is gone with the console; its path is said.

    Example: `open 15`
    """
    if recorded:
        exchange, undecoded = _recorded(session, which), ""
    else:
        _, kept, exchange = _kept(session, which)
        undecoded = kept.undecoded
    if not exchange.response_size:
        raise CommandError("there is no body to open")
    path, shown = open_body(exchange, encoded=bool(undecoded))
    session.say(f"{path}" if shown else f"No browser could be opened; the body is in {path}")


def _kept(session: Console, which: str) -> tuple[OpenReplay, KeptTransaction, Exchange]:
    """Return what the replay at hand has of a transaction.

    Raises:
        CommandError: nothing.
    """
    document, opened = session.opened(), replay_at_hand(session)
    index = transaction_index(document, which)
    kept = opened.transaction(document.case, index)
    if kept is None:
        raise CommandError(f"transaction {index + 1} is not in that replay: `play` sends it")
    if kept.exchange is None:
        why = "its page did not come" if opened.replay.ending == "finished" else "it was stopped"
        raise CommandError(f"transaction {index + 1} was not sent in that replay: {why}")
    return opened, kept, kept.exchange


def _recorded(session: Console, which: str, instead: str = "") -> Exchange:
    """Return what was recorded of a transaction; ``instead`` says what there may be if nothing is.

    Raises:
        CommandError: it is not at hand.
    """
    document = session.opened()
    index = transaction_index(document, which)
    exchange = document.evidence_of(list(document.case.transactions())[index])
    if exchange is None:
        raise CommandError(f"nothing recorded of transaction {index + 1} is at hand{instead}")
    return exchange


def _answered(
    kept: KeptTransaction, exchange: Exchange, mask: Mask, *, sent: bool, raw: bool
) -> Iterator[ViewLine]:
    yield ViewLine((f"{kept.id.title}  ", "heading"), (kept.outcome, OUTCOME_KINDS[kept.outcome]))
    for said in (*(one.message for one in kept.failures), kept.not_as_recorded):
        if said:
            yield ViewLine(("  ", ""), (on_one_line(mask.text(said)), ""))
    yield ViewLine(("", ""))
    if sent:
        for one in kept.negotiation:
            yield from _head(one, mask)
            yield from _status(one, mask)
        yield from _head(exchange, mask)
        if exchange.request_size:
            media = exchange.request_header("content-type") or ""
            yield from content(exchange.request_body, media, mask, raw=raw)
            yield ViewLine(("", ""))
    yield from _status(exchange, mask)
    if kept.undecoded:
        size = exchange.response_size
        yield ViewLine((f"({kept.undecoded}; {size:,} bytes as received)", "bad"))
    elif exchange.status:
        media = exchange.response_header("content-type") or ""
        yield from content(exchange.response_body, media, mask, raw=raw)


def _head(exchange: Exchange, mask: Mask) -> Iterator[ViewLine]:
    yield ViewLine((on_one_line(f"{exchange.method} {mask.text(exchange.url)}"), "heading"))
    yield from _headers(exchange.request_headers, mask)


def _status(exchange: Exchange, mask: Mask) -> Iterator[ViewLine]:
    if not exchange.status:
        yield ViewLine((f"no response: {exchange.error or 'the connection ended'}", "bad"))
        return
    took = f" {exchange.reason}".rstrip() + f"  ({exchange.took * 1000:.0f} ms)"
    status = str(exchange.status)
    yield ViewLine((status, status_kind(status)), (on_one_line(took), ""))
    yield from _headers(exchange.response_headers, mask)


def _headers(headers: HeaderList, mask: Mask) -> Iterator[ViewLine]:
    for name, value in headers:
        yield ViewLine(
            (on_one_line(name), "name"), (f": {on_one_line(mask.header(name, value))}", "")
        )
    yield ViewLine(("", ""))


def _masked(body: bytes, mask: Mask) -> bytes:
    """Return a body without its secrets.

    Raises:
        CommandError: it is no text, in which nobody finds them.
    """
    try:
        return mask.text(body.decode()).encode()
    except UnicodeDecodeError:
        raise CommandError(
            "its body is no text, and may hold secrets: --secrets leaves them in"
        ) from None
