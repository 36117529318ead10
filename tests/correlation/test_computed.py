"""What the client computes is recognised and computed anew; what only looks like it is left."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

import pytest

from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.correlation import Configuration
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.generator import Generator, RandomText, Timestamp, Uuid
from tests.correlation.exchanges import (
    FORM,
    JSON,
    SERVER,
    answered,
    case_of,
    exchange,
    html,
    json_body,
)
from tests.correlation.talk import configure

NOW = 1_712_345_678.9
MADE = "6f1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
STATE, NONCE = "x7Kq2Lm9Pz4Rt8Vw", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"


def run(*exchanges: Exchange) -> Configuration:
    """Configure exchanges that were recorded one second after the other."""
    timed = [replace(one, started=NOW + number) for number, one in enumerate(exchanges)]
    return configure(case_of(*timed), timed)


def made(configuration: Configuration) -> dict[str, Generator]:
    """The variables that are made up."""
    variables = configuration.case.variables
    return {name: one.generate for name, one in variables.items() if one.generate}


def targets(configuration: Configuration) -> list[str]:
    return [one.request.target for one in configuration.case.transactions()]


def bodies(configuration: Configuration) -> list[object]:
    return [one.request.body for one in configuration.case.transactions()]


def test_times_in_the_text_of_a_page_are_served() -> None:
    """What a response has held before is not the client's, wherever it stood."""
    now = "2024-04-05T19:34:38.900Z"
    poll = answered("POST", "/poll", exchange(), sent=(JSON,), body=f'{{"since":"{now}"}}'.encode())
    assert made(run(exchange(), poll)) == {"since[1]": Timestamp("iso")}
    assert made(run(html(f'<script>var since = "{now}"</script>'), poll)) == {}


def _authorization_code_flow() -> list[Exchange]:
    """RFC 6749 §4.1 with RFC 7636 and OpenID Connect, as a script in the browser does it."""
    challenge = filtered(VERIFIER, ("s256",))
    back = quote(f"{SERVER}/callback", safe="")
    query = (
        f"response_type=code&client_id=spa&redirect_uri={back}&scope=openid&state={STATE}"
        f"&nonce={NONCE}&code_challenge={challenge}&code_challenge_method=S256"
    )
    code = "Zk3Jx9Qv2Lm7Rt5Wp8Ys"
    return [
        answered("GET", "/", html("<p>Log in</p>")),
        exchange(
            "GET", f"{SERVER}/authorize?{query}", status=303,
            received=(("Location", f"/callback?code={code}&state={STATE}"),),
        ),
        answered("GET", f"/callback?code={code}&state={STATE}", html("<p>Hi</p>")),
        answered(
            "POST", "/token", json_body({"token_type": "Bearer", "access_token": "a" * 8 + "1B2c"}),
            sent=(FORM,), body=f"code={code}&code_verifier={VERIFIER}&client_id=spa".encode(),
        ),
    ]  # fmt: skip


def test_authorization_code_flow() -> None:
    """The verifier is made up and its hash sent before; state and nonce likewise; the code is the
    server's."""
    configuration = run(*_authorization_code_flow())
    assert made(configuration) == {
        "code_verifier[1]": RandomText(43, "base64url"),
        "state[1]": RandomText(16, "alphanumeric"),
        "nonce[1]": RandomText(32, "hex"),
    }
    authorize, callback = targets(configuration)[1:3]
    assert "state=${state[1]}&nonce=${nonce[1]}&" in authorize
    assert "&code_challenge=${code_verifier[1]|s256}&" in authorize
    assert callback == "/callback?code=${code[1]|unurl}&state=${state[1]}"
    assert bodies(configuration)[3] == (
        "code=${code[1]|unurl}&code_verifier=${code_verifier[1]}&client_id=spa"
    )
    reasons = {one.variable: one.reason for one in configuration.decisions if one.variable}
    assert "(PKCE)" in reasons["code_verifier[1]"]
    assert "one authorization" in reasons["state[1]"]


def test_running_again_changes_nothing() -> None:
    """What was made up is taken back and found again."""
    exchanges = [
        replace(one, started=NOW + number) for number, one in enumerate(_authorization_code_flow())
    ]
    once = configure(case_of(*exchanges), exchanges)
    assert configure(once.case, exchanges) == once


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1712345678901", Timestamp("ms")),
        ("1712345678", Timestamp("s")),
        ("1712345678899000", Timestamp("us")),
        ("2024-04-05T19:34:38.850Z", Timestamp("iso")),
    ],
)
def test_times(written: str, expected: Timestamp) -> None:
    """A time that is that of the request, in any unit, however deep."""
    body = f'{{"sent": "{written}", "x": [1]}}'.encode()
    configuration = run(exchange("POST", f"{SERVER}/x", sent=(JSON,), body=body))
    assert made(configuration) == {"sent[1]": expected}
    assert bodies(configuration) == ['{"sent": "${sent[1]}", "x": [1]}']


#: What jQuery 3.7 and a script of one's own sent from Chromium to a page with neither before: when,
#: and what.
POLLING = (
    (1795317403.814, "/list?_=1795317403768"),
    (1795317405.578, "/poll?last=1795317405573"),
    (1795317407.105, "/beat?clock=1795317407099&when=2026-11-22T03%3A16%3A47.099Z"),
    (1795317409.755, "/list?_=1795317403769"),
    (1795317411.501, "/poll?last=1795317411495"),
    (1795317413.030, "/beat?clock=1795317413023&when=2026-11-22T03%3A16%3A53.023Z"),
    (1795317415.681, "/list?_=1795317403770"),
    (1795317417.403, "/poll?last=1795317417398"),
)


def polled(*requests: tuple[float, str]) -> list[str]:
    """The targets of such requests, once they are configured."""
    exchanges = [replace(exchange(url=SERVER + target), started=at) for at, target in requests]
    return targets(configure(case_of(*exchanges), exchanges))


def test_times_of_a_page_that_polls() -> None:
    """By the names of their fields, or as they move with their requests, whatever they are called.

    jQuery counts on from the time at which it was loaded: after a while that is the time of no
    request any more, and is sent as recorded.
    """
    assert polled(*POLLING) == [
        "/list?_=${value[1]}",
        "/poll?last=${last[1]}",
        "/beat?clock=${clock[1]}&when=${when[1]}",
        "/list?_=${value[2]}",
        "/poll?last=${last[2]}",
        "/beat?clock=${clock[2]}&when=${when[2]}",
        "/list?_=1795317403770",
        "/poll?last=${last[3]}",
    ]


def test_times_without_a_name() -> None:
    """JupyterLab's cache busters: two requests may have the same. A version is none, nor a flag."""
    assert polled(
        (1795338240.519, "/me?1795338240515"),
        (1795338241.420, "/files?content=1&1795338241415"),
        (1795338241.421, "/folders?1795338241415#top"),
        (1795338241.500, "/list?1700000000123&with-sizes"),
    ) == [
        "/me?${value[1]}",
        "/files?content=1&${value[2]}",
        "/folders?${value[2]}#top",
        "/list?1700000000123&with-sizes",
    ]


@pytest.mark.parametrize(
    "requests",
    [
        # The only number in a field of that name.
        [(1795317405.578, "/poll?last=1795317405573")],
        # Others there are no times of theirs.
        [(1795317405.578, "/a?order=1795317405573"), (1795317411.501, "/a?order=1795317399120")],
        [(1795317405.578, "/a?order=1795317405573"), (1795317411.501, "/a?order=4417200381956")],
        # Counted on from one time: near those of the requests, and yet not theirs.
        [(1795317405.578, "/a?order=1795317405573"), (1795317411.501, "/a?order=1795317405574")],
    ],
)
def test_ids_that_look_like_times(requests: list[tuple[float, str]]) -> None:
    """Without a name that says so, a number near the time of its request is no time yet."""
    assert polled(*requests) == [target for _, target in requests]


def test_a_cache_buster_beside_a_version() -> None:
    """``_`` is the time; a build's number and an older time are not."""
    configuration = run(
        exchange(
            url=f"{SERVER}/data?v=1700000000123&_=1712345678850&since=2024-04-05T10:00:00.000Z"
        )
    )
    assert targets(configuration) == [
        "/data?v=1700000000123&_=${value[1]}&since=2024-04-05T10:00:00.000Z"
    ]


@pytest.mark.parametrize(
    ("method", "target", "sent", "body"),
    [
        ("POST", "/orders", (JSON,), f'{{"id": "{MADE}"}}'),
        ("POST", "/orders", (JSON, ("Idempotency-Key", MADE)), "{}"),
        ("PUT", f"/orders/{MADE}", (JSON,), "{}"),
        ("GET", f"/orders?requestId={MADE}", (), ""),
        ("POST", "/graphql", (JSON,), f'{{"variables": {{"clientMutationId": "{MADE}"}}}}'),
    ],
)
def test_uuids_of_the_client(
    method: str, target: str, sent: tuple[tuple[str, str], ...], body: str
) -> None:
    """Made up for a request, or for what it creates; used again, it is the same one."""
    configuration = run(
        answered("GET", "/", html("<p>Hi</p>")),
        answered(method, target, json_body({"id": MADE}), sent=sent, body=body.encode()),
        exchange(url=f"{SERVER}/orders/{MADE}"),
    )
    ((name, generator),) = made(configuration).items()
    assert generator == Uuid()
    assert targets(configuration)[2] == f"/orders/${{{name}}}"


OTHER = "c7Jq2Xv9Lm4PzR8tYw3N"


@pytest.mark.parametrize(
    "exchanges",
    [
        # Known to a response before, if only to a script.
        [answered("GET", "/", html(f"<script>var a = '{MADE}';</script>")),
         exchange("POST", f"{SERVER}/x", sent=(JSON,), body=f'{{"other": "{MADE}"}}'.encode())],
        # The id of something that is there already.
        [exchange("POST", f"{SERVER}/a", sent=(JSON,), body=f'{{"product": "{MADE}"}}'.encode())],
        [exchange(url=f"{SERVER}/orders/{MADE}")],
        [exchange(url=f"{SERVER}/x?client_id={MADE}")],
        # No version 4.
        [exchange("POST", f"{SERVER}/x", sent=(JSON,), body=b'{"id": "%b"}'
                  % MADE.replace("-4a", "-1a").encode())],
        # Used in several requests: no time, whatever it looks like.
        [exchange(url=f"{SERVER}/{one}?sid=1712345678901") for one in "ab"],
        # Times that are not those of the requests.
        [exchange(url=f"{SERVER}/a?from=1712345000000&to=1712349999999&d=2024-04-06")],
        # A state outside an authorization, a verifier without its challenge.
        [exchange(url=f"{SERVER}/a?state={STATE}")],
        [exchange("POST", f"{SERVER}/t", sent=(FORM,), body=f"code_verifier={VERIFIER}".encode())],
        # A password that a person typed.
        [exchange("POST", f"{SERVER}/l", sent=(FORM,), body=f"password={MADE}".encode())],
    ],
)  # fmt: skip
def test_what_is_left(exchanges: list[Exchange]) -> None:
    """Where there is any doubt, nothing is made up."""
    assert made(run(*exchanges)) == {}


def test_a_state_of_the_server() -> None:
    """A server that starts the authorization gives out the state: it is extracted, not made up."""
    where = f"/authorize?response_type=code&client_id=a&state={STATE}"
    configuration = run(
        exchange(url=f"{SERVER}/login", status=302, received=(("Location", where),)),
        exchange(url=f"{SERVER}{where}"),
    )
    assert made(configuration) == {}
    assert "state=${state[1]|unurl}" in targets(configuration)[1]
