"""Challenges as servers really write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.auth import Challenge, parse_challenges


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (['Basic realm="WallyWorld"'], [Challenge("basic", {"realm": "WallyWorld"})]),
        (["Negotiate", "NTLM"], [Challenge("negotiate"), Challenge("ntlm")]),
        (["Negotiate, NTLM"], [Challenge("negotiate"), Challenge("ntlm")]),
        (["NTLM TlRMTVNTUAACAAAA=="], [Challenge("ntlm", {}, "TlRMTVNTUAACAAAA==")]),
        (
            ['Negotiate abc/+=, Basic realm="x"'],
            [Challenge("negotiate", {}, "abc/+="), Challenge("basic", {"realm": "x"})],
        ),
        (
            ['Basic realm="a, b=c", charset="UTF-8", Digest realm="d", nonce=n'],
            [
                Challenge("basic", {"realm": "a, b=c", "charset": "UTF-8"}),
                Challenge("digest", {"realm": "d", "nonce": "n"}),
            ],
        ),
        (  # RFC 9110 §11.6.1
            [
                'Basic realm="simple", Newauth realm="apps", type=1, '
                r'title="Login to \"apps\""'
            ],
            [
                Challenge("basic", {"realm": "simple"}),
                Challenge("newauth", {"realm": "apps", "type": "1", "title": 'Login to "apps"'}),
            ],
        ),
        (["BASIC Realm=My Site, NTLM"], [
            Challenge("basic", {"realm": "My Site"}), Challenge("ntlm")
        ]),
        (['basic realm = "x" ,charset= UTF-8'], [
            Challenge("basic", {"realm": "x", "charset": "UTF-8"})
        ]),
        (['Digest qop="auth,auth-int",,stale=FALSE,'], [
            Challenge("digest", {"qop": "auth,auth-int", "stale": "FALSE"})
        ]),
        (["Basic"], [Challenge("basic")]),
        (['Basic realm="never closed'], [Challenge("basic", {"realm": "never closed"})]),
        (['Basic realm="x", realm="y"'], [Challenge("basic", {"realm": "x"})]),
        (['Basic realm=""'], [Challenge("basic", {"realm": ""})]),
        (['Basic realm="x" Digest realm="y"'], [
            Challenge("basic", {"realm": "x"}), Challenge("digest", {"realm": "y"})
        ]),
        (['{"broken"}, @, Basic realm="x"'], [Challenge("basic", {"realm": "x"})]),
        (
            ['Bearer realm="api", error="invalid_token", error_description="it, too, expired"'],
            [
                Challenge(
                    "bearer",
                    {
                        "realm": "api",
                        "error": "invalid_token",
                        "error_description": "it, too, expired",
                    },
                )
            ],
        ),
        (["", " , ,"], []),
        ([], []),
    ],
)  # fmt: skip
def test_challenges_are_read(lines: list[str], expected: list[Challenge]) -> None:
    """All of them, in the server's order, however they are spread over lines."""
    assert list(parse_challenges(lines)) == expected


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_realm_is_text(encoding: str) -> None:
    """The realm's octets are UTF-8, or ISO 8859-1 where they cannot be that."""
    line = 'Basic realm="Zürich"'.encode(encoding).decode("latin-1")
    assert parse_challenges([line])[0].realm == "Zürich"


def test_a_realm_that_was_decoded_before_is_left_as_it_is() -> None:
    """As in evidence that a browser wrote."""
    assert parse_challenges(['Basic realm="Москва"'])[0].realm == "Москва"


_TOKENS = st.from_regex(r"[A-Za-z][A-Za-z0-9-]{0,5}", fullmatch=True)
_CHALLENGES = st.builds(
    Challenge,
    _TOKENS.map(str.lower),
    st.dictionaries(
        _TOKENS.map(str.lower), st.text(st.characters(max_codepoint=255), max_size=6), max_size=3
    ),
)


def _written(challenge: Challenge) -> str:
    quoted = (
        '{}="{}"'.format(name, value.replace("\\", "\\\\").replace('"', '\\"'))
        for name, value in challenge.parameters.items()
    )
    return f"{challenge.scheme} {', '.join(quoted)}".strip()


@given(st.lists(_CHALLENGES, max_size=3), st.booleans())
def test_what_is_written_by_the_rules_is_read_back(challenges: list[Challenge], one: bool) -> None:
    """Whatever the values have in them, in one line as in several."""
    lines = [_written(challenge) for challenge in challenges]
    assert list(parse_challenges([", ".join(lines)] if one else lines)) == challenges


@given(st.text(st.sampled_from('aB =",\\;@é'), max_size=30))
def test_no_header_is_too_odd(line: str) -> None:
    """Whatever comes, it is read to its end, and names are in lower case."""
    for challenge in parse_challenges([line]):
        assert challenge.scheme == challenge.scheme.lower() != ""
