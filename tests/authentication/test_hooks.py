"""Functions of a project beside authentication: Digest, Negotiate and NTLM at Apache, over both
transports, and tokens that are renewed. What they change arrives, with credentials that hold."""

from __future__ import annotations

import asyncio

import pytest

from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.engine.time_limit import limited
from pytest_loadtool.model.authentication import Identity
from pytest_loadtool.model.case import Header, Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.hook import Hook, HookFunction, Hooks
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.replay import Plan, compile_case
from pytest_loadtool.replay.hook_arguments import HookRequest, HookResponse, HookUser
from tests.authentication.accounts import DOMAIN, USERS
from tests.authentication.matrix import OVERHEAD
from tests.authentication.peer import Peer
from tests.observed import Observed, run_load

(ALICE, RIGHT), _ = USERS

#: How many requests a user sends.
COUNT = 3

SEEN: list[str] = []


def sign(request: HookRequest, user: HookUser) -> None:
    """Headers and body change, whatever the credentials are."""
    SEEN.append(user.variables["n"])
    request.headers["X-Signed"] = str(len(request.body))
    if request.body:
        request.body += b"&signed"


def check(response: HookResponse, request: HookRequest, user: HookUser) -> None:
    """What came back is what was sent."""
    assert request.headers["X-Signed"]
    if response.status == 200:
        assert response.text == f"n={user.variables['n']}&signed"


def number(user: HookUser) -> None:
    """One more, each time that it is called."""
    user.variables["n"] = str(int(user.variables["n"]) + 1)


async def wait(user: HookUser) -> None:
    """Go on later; the same loop makes the requests."""
    await asyncio.sleep(0)
    user.variables["n"] += "0"


def plan_of(apache: Peer, scheme: str, transport: str) -> Plan:
    def hook(function: object, name: str, *wanted: str) -> Hook:
        def call(**given: object) -> object:
            return function(*(given[one] for one in wanted))  # type: ignore[operator]

        return Hook(name, limited(call), (HookFunction(__file__, "conftest.py", 1),))

    post = Transaction(
        Request("POST", f"/{scheme}/echo", body="n=${n}"), call=("steps:number", "steps:wait")
    )
    case = TestCase(
        "c",
        (Page("p", (post,) * COUNT),),
        apache.url("http", "http"),
        headers=(Header("Host"), Header("Content-Length")),
        variables={"n": Variable("n", value="0")},
        identities=(Identity(ALICE, RIGHT, DOMAIN),),
        transport=transport,
    )
    hooks = Hooks(
        request=hook(sign, "pytest_loadtool_request", "request", "user"),
        response=hook(check, "pytest_loadtool_response", "response", "request", "user"),
        calls={
            "steps:number": hook(number, "number", "user"),
            "steps:wait": hook(wait, "wait", "user"),
        },
    )
    return compile_case(case, hooks=hooks)


@pytest.mark.parametrize("transport", ["raw", "httpx"])
@pytest.mark.parametrize("scheme", ["digest", "negotiate", "ntlm"])
def test_hooks_and_calls_with_credentials(apache: Peer, scheme: str, transport: str) -> None:
    """Each request arrives as it was changed; hooks see those that are sent again, and calls are
    made once for each transaction."""
    SEEN.clear()
    mark, observed = apache.log.mark(), Observed()
    replay_once(plan_of(apache, scheme, transport), observer=observed)
    assert [one.told for found in observed.failures for one in found] == []
    assert [one.text for one in observed.responses] == [
        "n=10&signed",
        "n=110&signed",
        "n=1110&signed",
    ]
    asked = [401] * OVERHEAD[scheme] + [200] * COUNT
    assert [one.status for one in apache.log.since(mark, len(asked), "http")] == asked
    assert len(SEEN) == len(asked)


@pytest.mark.parametrize("scheme", ["digest", "ntlm"])
def test_hooks_and_calls_with_credentials_at_load(apache: Peer, scheme: str) -> None:
    """Three users, of which each has its own variables; nothing fails."""
    configuration = LoadConfiguration("l", (CaseShare("c"),), users=3, duration=None, iterations=2)
    metrics = run_load(plan_of(apache, scheme, "raw"), configuration)
    assert [one.message for one in metrics.errors] == []
    assert metrics.transactions[0].statuses == {200: 6}
    assert metrics.requests == 6 * COUNT
    assert metrics.hooks.count >= 6 * COUNT * 4
