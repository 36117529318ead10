"""Values that scripts read in base64 and in tokens, and send back alone.

The browser is Chromium, recorded by the recorder; the server is Flask, PyJWT signs its tokens,
itsdangerous its state, each with a key of its own. It compares what comes back with what it gave
out.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import secrets
from dataclasses import replace
from functools import cached_property
from typing import Any
from urllib.parse import quote

import jwt
import pytest
from flask import Flask, Response, abort, jsonify, redirect, request
from flask import session as server_side
from flask.typing import ResponseReturnValue
from itsdangerous import BadData, URLSafeTimedSerializer

from pytest_loadtool.capture import Recorder
from pytest_loadtool.model.case import Transaction
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import Decoded, Extractor
from tests.capture.driving import driven
from tests.frameworks.harness import Trial
from tests.frameworks.site import first_id, serving


def _packed(value: object) -> str:
    return base64.b64encode(json.dumps(value).encode()).decode()


#: What a person sets off in the page, one after the other.
SCRIPT = """
const opened = text => JSON.parse(atob(text.replace(/-/g, '+').replace(/_/g, '/')));
const call = (method, target, headers, body) => fetch(target, {method, headers, body});
async function all() {
  const json = {'Content-Type': 'application/json'};
  const cookie = document.cookie.match(/XSRF-STATE=([^;]*)/)[1];
  const csrf = opened(decodeURIComponent(cookie)).csrf;
  let answer = await call('POST', '/api/login', {...json, 'X-CSRF-Token': csrf}, '{"name":"zoe"}');
  const token = (await answer.json()).token, claims = opened(token.split('.')[1]);
  const bearer = {Authorization: `Bearer ${token}`}, id = claims.jti;
  await call('GET', `/api/users/${claims.user_id}`, bearer);
  const note = JSON.stringify({text: 'Tea', tokenId: id});
  await call('POST', '/api/notes', {...json, ...bearer, 'X-Token-Id': id}, note);
  answer = await call('GET', '/share', {});
  const state = new URL(answer.url).searchParams.get('state');
  const ticket = opened((await answer.text()).match(/options = '(.*?)'/)[1]).ticket;
  const flow = opened(state.split('.')[0]).flow;
  return (await call('POST', '/api/share', {}, new URLSearchParams({flow, ticket}))).status;
}
"""


def make() -> Flask:
    """An application for notes, with keys and ids of its own."""
    app = Flask(__name__)
    app.config["SECRET_KEY"] = secrets.token_bytes(32)
    key, sign = secrets.token_hex(32), URLSafeTimedSerializer(secrets.token_hex())
    user = first_id()
    ids = itertools.count(10 * first_id())
    codes: set[str] = set()

    def demand(given: object, name: str) -> None:
        if not given or given != server_side.get(name):
            abort(403, f"{given} is not the {name}")

    def new(name: str) -> str:
        server_side[name] = secrets.token_hex(16)
        return str(server_side[name])

    def claims() -> dict[str, Any]:
        scheme, _, text = request.headers.get("Authorization", "").partition(" ")
        try:
            return dict(jwt.decode(text, key, algorithms=["HS256"]))
        except jwt.InvalidTokenError as error:
            abort(401, f"{scheme}: {error}")

    @app.get("/")
    def index() -> Response:
        """The cookie is for the script of the page."""
        icon = '<link rel="icon" href="data:,">'
        page = Response(f"<!doctype html>{icon}<div id=app></div><script>{SCRIPT}</script>")
        state = _packed({"next": "/?a=1>2", "csrf": new("csrf")})
        page.set_cookie("XSRF-STATE", quote(state, safe=""))
        return page

    @app.post("/api/login")
    def login() -> ResponseReturnValue:
        demand(request.headers.get("X-CSRF-Token"), "csrf")
        claimed = {"user_id": user, "jti": new("jti"), "scope": ["notes"], "name": "Zoë"}
        return jsonify(token=jwt.encode(claimed, key, algorithm="HS256"))

    @app.get("/api/users/<int:number>")
    def profile(number: int) -> ResponseReturnValue:
        if claims()["user_id"] != number:
            abort(404)
        return jsonify(name="Zoë", notes=[])

    @app.post("/api/notes")
    def note() -> ResponseReturnValue:
        demand(request.headers.get("X-Token-Id"), "jti")
        assert request.json is not None
        demand(request.json["tokenId"], "jti")
        return jsonify(id=next(ids), owner=claims()["user_id"]), 201

    @app.get("/share")
    def share() -> ResponseReturnValue:
        """What comes back with the redirect is signed; scripts read its first part."""
        flow = secrets.token_hex(18)
        codes.add(flow)
        return redirect(f"/shared?lang=en&state={sign.dumps({'flow': flow, 'at': '/'})}#top")

    @app.get("/shared")
    def shared() -> str:
        try:
            state = sign.loads(request.args["state"])
        except BadData as error:
            abort(403, str(error))
        options = _packed({"poll": 30, "ticket": new("ticket")}).rstrip("=")
        return f"<h1>{state['at']}</h1><script>window.options = '{options}';</script>"

    @app.post("/api/share")
    def confirm() -> ResponseReturnValue:
        if request.form["flow"] not in codes:
            abort(403)
        codes.remove(request.form["flow"])
        demand(request.form["ticket"], "ticket")
        return "", 204

    return app


async def _recorded(url: str) -> tuple[Exchange, ...]:
    got: list[Exchange] = []
    async with Recorder(got.append) as recorder, driven(recorder, f"{url}/") as page:
        assert await page.evaluate("all()") == 204
    return tuple(got)


class Recorded(Trial):
    """A trial whose session is the one of the page's script, in Chromium."""

    @cached_property
    def exchanges(self) -> tuple[Exchange, ...]:
        """What the recorder recorded."""
        with serving(self.make()) as url:
            return asyncio.run(asyncio.wait_for(_recorded(url), timeout=120))


@pytest.fixture(scope="module")
def trial() -> Trial:
    return Recorded(make, lambda _: None)


def test_encoded(trial: Trial) -> None:
    """Configured without a hand, it is green against new servers with new keys, again and again."""
    trial.check(
        "csrf_token by csrf-header",
        "bearer_token by bearer-token",
        "user_id by created-id",
        "token_id by record-scan",
        "state by oauth2-state",
        "flow by record-scan",
        "ticket by record-scan",
    )
    assert trial.replayed(trial.configured.case) == []


def test_each_extractor_is_needed(trial: Trial) -> None:
    """Broken, each is the first that fails, and is named."""
    case = trial.configured.case
    decoded = [
        one
        for transaction in case.transactions()
        for one in transaction.extractors
        if isinstance(one.source, Decoded)
    ]
    assert len(decoded) == 5
    for one in decoded:
        broken = with_transactions(case, (_broken(each, one) for each in case.transactions()))
        first = trial.replayed(broken)[0]
        assert f"Extractor found nothing for ${{{one.variable}}}: " in first


def _broken(transaction: Transaction, one: Extractor) -> Transaction:
    """The transaction, with another decoding in that extractor if it has it."""
    assert isinstance(one.source, Decoded)
    wrong = replace(one, source=replace(one.source, decode=("html",)))
    changed = (wrong if each is one else each for each in transaction.extractors)
    return replace(transaction, extractors=tuple(changed))
