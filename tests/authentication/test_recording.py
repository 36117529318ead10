"""Real clients that authenticate through the recorder, and what becomes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pytest_loadtool.auth.recorded import recorded_identities
from pytest_loadtool.casefile import HarWriter, format_case, read_har
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.authentication import Identity
from pytest_loadtool.model.case import TestCase, Variable
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.recording import build_case
from pytest_loadtool.recording.notes import NEGOTIATION, RECORDING_ERROR
from pytest_loadtool.replay import compile_case
from tests.authentication.accounts import DOMAIN
from tests.authentication.apache import serving
from tests.authentication.peer import Peer
from tests.authentication.recorded_clients import (
    IMAGES,
    PASSWORD,
    USER,
    Places,
    add_pages,
    places_at,
    record,
)
from tests.correlation.talk import configure
from tests.observed import Observed


@pytest.fixture(scope="module")
def places(apache: Peer) -> Iterator[Places]:
    """Where each scheme is wanted."""
    with places_at(apache) as places:
        yield places


@pytest.fixture(scope="module")
def restarted() -> Iterator[Peer]:
    """Another Apache with the same pages: it knows none of the nonces, and nobody is logged in."""
    with serving() as peer:
        add_pages(peer)
        yield peer


@pytest.fixture(scope="module")
def recorded(places: Places) -> dict[str, list[Exchange]]:
    """What each client did, by its name."""
    return asyncio.run(asyncio.wait_for(record(places), timeout=180))


def _negotiated(case: TestCase) -> list[tuple[str, int]]:
    """Each transaction, with the number of exchanges that are folded under it."""
    recorded = [(one.request.target, one.recorded) for one in case.transactions()]
    return [(target, len(one.negotiation)) for target, one in recorded if one is not None]


@pytest.mark.promise(89)
@pytest.mark.promise(91)
@pytest.mark.parametrize("secure", ["http", "https"])
@pytest.mark.parametrize(
    ("scheme", "folded"), [("basic", 1), ("digest", 1), ("ntlm", 2), ("negotiate", 2)]
)
def test_the_test_case_is_what_chromium_showed(
    recorded: dict[str, list[Exchange]], scheme: str, folded: int, secure: str
) -> None:
    """A page and what it asks for, neither of which fails; what was negotiated is folded. Where the
    server refuses HTTP/2 for NTLM, the browser has asked over that first."""
    exchanges = recorded[f"{scheme} {secure}"]
    recording = build_case(exchanges, name="intranet")
    (page,) = recording.case.pages
    assert page.name == "Home"
    home, code = _negotiated(recording.case)
    path = urlsplit(exchanges[0].url).path
    assert home == (path, folded)
    assert code[0] == path.replace("home", "code")
    kinds = [one.kind for one in recording.notes]
    assert RECORDING_ERROR not in kinds
    refused = sum("HTTP_1_1_REQUIRED" in one.error for one in exchanges)
    assert refused == ((scheme, secure) == ("ntlm", "https"))
    assert kinds.count(NEGOTIATION) == refused + folded + code[1] == len(exchanges) - 2
    assert "authorization" not in format_case(recording.case).lower()


def test_a_recording_that_was_written_and_read_is_the_same(
    recorded: dict[str, list[Exchange]], tmp_path: Path
) -> None:
    """As one that is imported: the same folds, and the same identity."""
    for name, exchanges in recorded.items():
        with HarWriter(tmp_path / f"{name}.har") as writer:
            for one in exchanges:
                writer.append(one)
        imported = read_har(tmp_path / f"{name}.har")
        case = build_case(exchanges, name="intranet").case
        assert _negotiated(build_case(imported, name="intranet").case) == _negotiated(case)
        assert recorded_identities(imported) == recorded_identities(exchanges)


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ("basic http", ("basic", "One", "", False)),
        ("digest http", ("digest", "Digest", "", False)),
        ("ntlm http", ("ntlm", "", DOMAIN, False)),
        ("negotiate http", ("negotiate", "", DOMAIN, False)),
        ("address", ("basic", "One", "", False)),
        ("second try", ("basic", "One", "", False)),
        ("curl basic", ("basic", "", "", True)),
        ("curl digest", ("digest", "Digest", "", False)),
        ("curl ntlm", ("ntlm", "", DOMAIN, False)),
        ("curl negotiate", ("negotiate", "", DOMAIN, False)),
        ("httpx digest", ("digest", "Digest", "", False)),
    ],
)
def test_who_it_was_is_known(
    recorded: dict[str, list[Exchange]], client: str, expected: tuple[str, str, str, bool]
) -> None:
    """Of Basic the password too; and whether credentials went out unasked."""
    (one,) = recorded_identities(recorded[client])
    assert (one.scheme, one.realm, one.domain, one.ahead) == expected
    assert (one.username, one.refused) == (USER, False)
    assert one.password == (PASSWORD if one.scheme == "basic" else "")
    assert one.host == urlsplit(recorded[client][0].url).netloc


@pytest.mark.promise(89)
@pytest.mark.parametrize(
    ("client", "counts"),
    [
        ("second try", [2, 0]),  # a password was refused
        ("curl basic", [0, 0]),  # credentials went out unasked
        ("curl digest", [1, 1]),  # a client that forgets
        ("httpx digest", [1, 0]),
        ("curl ntlm", [1, 0]),  # the first message went out unasked
        ("curl negotiate", [1, 0]),
    ],
)
def test_clients_differ_in_what_they_negotiate(
    recorded: dict[str, list[Exchange]], client: str, counts: list[int]
) -> None:
    """The transactions are the same."""
    case = build_case(recorded[client], name="intranet").case
    targets = [target.rpartition("/")[2] for target, _ in _negotiated(case)]
    assert targets == ["home", "code"]
    assert [count for _, count in _negotiated(case)] == counts


@pytest.mark.promise(86)
def test_each_connection_is_authenticated_once(
    recorded: dict[str, list[Exchange]], places: Places
) -> None:
    """Through the recorder as without it: a client's connection has its own to the server."""
    for server in (places.ntlm, places.ntlm_tls):
        by_connection: dict[int, list[int]] = {}
        for number, _, status, _ in server.requests:
            by_connection.setdefault(number, []).append(status)
        for statuses in by_connection.values():
            asked = statuses.count(401)
            assert asked in (1, 2)  # curl begins unasked
            assert set(statuses[asked:]) == {200}
    case = build_case(recorded["images"], name="intranet").case
    counts = [count for _, count in _negotiated(case)]
    assert len(counts) == 1 + IMAGES
    assert set(counts) <= {0, 2}
    assert sum(counts) == sum(one.status == 401 for one in recorded["images"])


@pytest.mark.promise(81, 83, 85)
@pytest.mark.parametrize(
    ("client", "statuses"),
    [
        ("basic http", [401, 200, 200]),
        ("basic https", [401, 200, 200]),
        ("digest http", [401, 200, 200]),
        ("digest https", [401, 200, 200]),
        ("ntlm http", [401, 401, 200, 200]),
        ("ntlm https", [401, 401, 200, 200]),
        ("negotiate http", [401, 401, 200, 200]),
        ("negotiate https", [401, 401, 200, 200]),
        ("second try", [401, 200, 200]),
        ("curl basic", [200, 200]),
        ("curl digest", [401, 200, 200]),
        ("curl ntlm", [401, 401, 200, 200]),
    ],
)
def test_what_was_recorded_replays(
    recorded: dict[str, list[Exchange]], restarted: Peer, client: str, statuses: list[int]
) -> None:
    """On a server that has never seen anybody, with the identity that the recording shows. Nothing
    in it is taken for a dynamic value; what the server was asked is in its own log."""
    exchanges = recorded[client]
    configured = configure(build_case(exchanges, name="intranet").case, exchanges).case
    assert configured.variables == {}
    (who,) = recorded_identities(exchanges)
    case = replace(
        configured,
        identities=(Identity(who.username, "${PASSWORD}", who.domain, who.realm, ahead=who.ahead),),
        variables={"PASSWORD": Variable("PASSWORD", env="PASSWORD")},
        tls=TlsSettings(ca=str(restarted.folder / "ca.pem")),
    )
    scheme = urlsplit(exchanges[0].url).scheme
    plan = compile_case(case, server=restarted.url(scheme, scheme), environ={"PASSWORD": PASSWORD})
    observed, mark = Observed(), restarted.log.mark()
    replay_once(plan, observer=observed)
    assert observed.failures == [(), ()]
    assert [one.status for one in observed.responses] == [200, 200]
    asked = restarted.log.since(mark, len(statuses))
    assert [one.status for one in asked] == statuses
    assert {one.user.rpartition("\\")[2] for one in asked if one.status == 200} == {USER}
    assert len({one.connection for one in asked}) == 1


def test_a_challenge_that_nobody_answered_is_not_answered_on_replay(
    recorded: dict[str, list[Exchange]], restarted: Peer
) -> None:
    """Though the test case knows how: that its status is 401 is what was recorded."""
    exchanges = [*recorded["curl nobody"], *recorded["curl basic"]]
    (who,) = recorded_identities(exchanges)
    case = replace(
        build_case(exchanges, name="intranet").case,
        identities=(Identity(who.username, "${PASSWORD}"),),
        variables={"PASSWORD": Variable("PASSWORD", value=PASSWORD)},
    )
    observed, mark = Observed(), restarted.log.mark()
    replay_once(compile_case(case, server=restarted.url("http")), observer=observed)
    assert observed.failures == [(), (), ()]
    assert [one.status for one in observed.responses] == [401, 200, 200]
    asked = restarted.log.since(mark, 4)
    assert [one.status for one in asked] == [401, 401, 200, 200]
