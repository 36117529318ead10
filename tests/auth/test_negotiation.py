"""Which recorded exchanges are negotiations, and of what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.auth.negotiation import (
    is_challenge,
    is_http_credentials,
    negotiations,
    was_refused,
)
from tests.auth.negotiated import ASKS, BASIC, DIGEST, basic, exchange, ntlm_tokens

ALICE = basic("alice:secret1")
WRONG = basic("alice:wrong")


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    """The messages of one NTLM authentication."""
    return ntlm_tokens(tmp_path_factory.mktemp("ntlm"), "EXAMPLE", "alice", "secret1")


def test_without_a_challenge_nothing_folds() -> None:
    """Not even where credentials go out, or where a 401 asks for a login form or a token."""
    assert negotiations([]) == {}
    assert negotiations([exchange(0, 200), exchange(1, 200, ALICE), exchange(2, 200, ALICE)]) == {}
    assert negotiations([exchange(0, 401), exchange(1, 200, ALICE)]) == {}
    bearer = exchange(0, 401, "", 'Bearer realm="shop"')
    assert negotiations([bearer, exchange(1, 200, "Bearer abc")]) == {}


@pytest.mark.promise(85)
@pytest.mark.parametrize("challenge", [BASIC, DIGEST, "Negotiate", f"{DIGEST}, {BASIC}"])
def test_one_challenge_folds_under_the_request_with_credentials(challenge: str) -> None:
    """Basic and Digest; Negotiate where one token is enough."""
    scheme = challenge.partition(" ")[0]
    asked, answered = exchange(0, 401, "", challenge), exchange(1, 200, f"{scheme} abc=")
    assert negotiations([asked, answered, exchange(2, 200, f"{scheme} abc=")]) == {1: (0,)}
    assert negotiations([answered, asked]) == {0: (1,)}, "in any order"


@pytest.mark.promise(85)
def test_two_exchanges_of_ntlm_fold_under_the_third(tokens: tuple[str, str, str]) -> None:
    """With Negotiate as well; and one, where the client began without being asked."""
    one, two, three = tokens
    for scheme in ASKS:
        whole = [
            exchange(0, 401, "", *ASKS),
            exchange(1, 401, f"{scheme} {one}", f"{scheme} {two}"),
            exchange(2, 200, f"{scheme} {three}"),
        ]
        assert negotiations(whole) == {2: (0, 1)}
        assert negotiations(whole[1:]) == {1: (0,)}


@pytest.mark.promise(85)
def test_negotiations_of_one_address_on_several_connections(tokens: tuple[str, str, str]) -> None:
    """Each last message goes with a challenge that waits for one."""
    one, two, three = tokens
    start = exchange(0, 401, "", "NTLM")
    middle = exchange(0, 401, f"NTLM {one}", f"NTLM {two}")
    end = exchange(0, 200, f"NTLM {three}")
    in_order = [start, start, middle, end, middle, end]
    recorded = [replace(one, started=at) for at, one in enumerate(in_order)]
    assert negotiations(recorded) == {3: (1, 2), 5: (0, 4)}


def test_other_requests_in_between_do_not_matter() -> None:
    """Of another address or method."""
    others = [
        exchange(1, 200, ALICE, url="http://shop.test/other"),
        exchange(2, 200, ALICE, method="POST"),
    ]
    recorded = [exchange(0, 401, "", BASIC), *others, exchange(3, 200, ALICE)]
    assert negotiations(recorded) == {3: (0,)}


@pytest.mark.promise(89)
def test_a_refused_password_folds_with_the_next_try(tokens: tuple[str, str, str]) -> None:
    """As often as it takes."""
    tries = [exchange(at, 401, WRONG if at else "", BASIC) for at in range(3)]
    assert negotiations([*tries, exchange(3, 200, ALICE)]) == {3: (0, 1, 2)}
    assert [was_refused(one) for one in tries] == [False, True, True]
    one, two, three = tokens
    steps = [("", *ASKS), (f"NTLM {one}", f"NTLM {two}"), (f"NTLM {three}", *ASKS)]
    tries = [exchange(at, 401, *step) for at, step in enumerate([*steps, steps[1]])]
    assert negotiations([*tries, exchange(4, 200, f"NTLM {three}")]) == {4: (0, 1, 2, 3)}
    assert [was_refused(one) for one in tries] == [False, False, True, False]


def test_a_stale_nonce_is_no_refusal() -> None:
    """It folds all the same."""
    stale = exchange(1, 401, "Digest username=alice", f"{DIGEST}, stale=TRUE")
    recorded = [exchange(0, 401, "", DIGEST), stale, exchange(2, 200, "Digest username=alice")]
    assert negotiations(recorded) == {2: (0, 1)}
    assert not was_refused(stale)


def test_what_ends_with_a_401_ends_there() -> None:
    """It is no negotiation of anything: nobody answered, or the password was refused for good."""
    unanswered = exchange(0, 401, "", BASIC)
    assert negotiations([unanswered]) == {}
    assert negotiations([unanswered, exchange(1, 401, WRONG, BASIC)]) == {1: (0,)}
    assert negotiations([unanswered, exchange(1, 401, "", BASIC)]) == {}
    assert negotiations([unanswered, exchange(1, 403, ALICE)]) == {1: (0,)}


def test_what_was_given_up_is_not_gone_on_with(tokens: tuple[str, str, str]) -> None:
    """A prompt that was closed, and the same page once more: the latest challenge is answered."""
    closed, again = exchange(0, 401, "", BASIC), exchange(1, 401, "", BASIC)
    assert negotiations([closed, again, exchange(2, 200, ALICE)]) == {2: (1,)}
    one, two, three = tokens
    closed, again = exchange(0, 401, "", "NTLM"), exchange(1, 401, "", "NTLM")
    answer = exchange(2, 401, f"NTLM {one}", f"NTLM {two}"), exchange(3, 200, f"NTLM {three}")
    assert negotiations([closed, again, *answer]) == {3: (1, 2)}


def test_a_proxy_negotiates_likewise(tokens: tuple[str, str, str]) -> None:
    """For a tunnel, and before the server does."""
    tunnel = {"method": "CONNECT", "url": "https://shop.test/", "proxy": "yes"}
    asked, let = exchange(0, 407, "", BASIC, **tunnel), exchange(1, 200, ALICE, **tunnel)
    assert negotiations([asked, let]) == {1: (0,)}
    one, two, three = tokens
    at_proxy = [
        exchange(0, 407, "", "NTLM"),
        exchange(1, 407, f"NTLM {one}", f"NTLM {two}"),
        replace(
            exchange(2, 401, "", BASIC),
            request_headers=(("Proxy-Authorization", f"NTLM {three}"),),
        ),
    ]
    assert negotiations([*at_proxy, exchange(3, 200, ALICE)]) == {3: (0, 1, 2)}


STEPS = st.sampled_from(
    [
        (200,),
        (200, ALICE),
        (401,),
        (401, "", BASIC),
        (401, WRONG, BASIC),
        (407, "", "NTLM"),
        (401, "NTLM TlRMTVNTUAABAAAA", "NTLM TlRMTVNTUAACAAAA"),
        (200, "NTLM TlRMTVNTUAADAAAA"),
    ]
)


@given(st.lists(st.tuples(STEPS, st.booleans()), max_size=12))
def test_each_exchange_has_one_place(steps: list[tuple[Any, bool]]) -> None:
    """Whatever comes after whatever: it folds under one other that came later, or stays; and only
    what asks for credentials folds."""
    recorded = [
        exchange(at, *step, method="POST" if post else "GET")
        for at, (step, post) in enumerate(steps)
    ]
    found = negotiations(recorded)
    folded = [index for indexes in found.values() for index in indexes]
    assert len(folded) == len(set(folded))
    assert not found.keys() & set(folded)
    for final, indexes in found.items():
        assert [*indexes, final] == sorted({*indexes, final})
        assert {recorded[at].method for at in indexes} == {recorded[final].method}
        assert all(is_challenge(recorded[at]) for at in indexes)


def test_credentials_of_http_authentication() -> None:
    """Tokens and keys are none, whatever they look like."""
    assert is_http_credentials("Authorization", "basic abc")
    assert is_http_credentials("proxy-authorization", "Negotiate abc")
    assert not is_http_credentials("Authorization", "Bearer Basic")
    assert not is_http_credentials("Authorization", "Basically")
    assert not is_http_credentials("X-Authorization", "Basic abc")
