"""Angular's HttpClient: the cookie XSRF-TOKEN goes back as the header X-XSRF-TOKEN.

The server is Flask with Flask-SeaSurf, whose cookie and header are called as Angular wants them; it
compares the header with the token in its signed session.
"""

from __future__ import annotations

import itertools
import secrets

from flask import Flask, abort, jsonify, request
from flask import session as login
from flask.typing import ResponseReturnValue
from flask_seasurf import SeaSurf

from tests.frameworks.browser import Browser
from tests.frameworks.harness import Trial
from tests.frameworks.site import first_id


def make() -> Flask:
    """An application for heroes, with secrets of its own."""
    app = Flask(__name__)
    app.config.update(
        SECRET_KEY=secrets.token_bytes(32),
        CSRF_COOKIE_NAME="XSRF-TOKEN",
        CSRF_HEADER_NAME="X-XSRF-TOKEN",
    )
    protection = SeaSurf(app)
    ids = itertools.count(first_id())
    heroes: dict[int, str] = {}

    @app.get("/")
    def index() -> str:
        return "<!doctype html><app-root></app-root><script src=main.js type=module></script>"

    @app.post("/api/session")
    def log_in() -> ResponseReturnValue:
        assert request.json is not None
        login["user"] = request.json["name"]
        protection.generate_new_token()
        return jsonify(name=login["user"])

    @app.delete("/api/session")
    def log_out() -> ResponseReturnValue:
        login.clear()
        return "", 204

    @app.route("/api/heroes", methods=["GET", "POST"])
    def collection() -> ResponseReturnValue:
        if "user" not in login:
            abort(401)
        if request.method == "GET":
            return jsonify([{"id": key, "name": name} for key, name in heroes.items()])
        number = next(ids)
        heroes[number] = str(request.json["name"])
        return jsonify(id=number, name=heroes[number]), 201

    @app.route("/api/heroes/<int:number>", methods=["PUT", "DELETE"])
    def hero(number: int) -> ResponseReturnValue:
        if number not in heroes:
            abort(404)
        if request.method == "DELETE":
            del heroes[number]
        return "", 204

    return app


def session(browser: Browser) -> None:
    """Open the page, log in, make a hero, change and delete it, log out."""

    def call(method: str, target: str, **value: object) -> None:
        made = browser.json(
            method, target, value or None, X_XSRF_TOKEN=browser.cookie("XSRF-TOKEN")
        )
        if made:
            answers.append(made)

    answers: list[dict[str, int]] = []
    browser.go("/")
    call("POST", "/api/session", name="kim", password="secret pass")
    call("GET", "/api/heroes")
    call("POST", "/api/heroes", name="Windstorm")
    call("PUT", f"/api/heroes/{answers[-1]['id']}", name="Storm")
    call("DELETE", f"/api/heroes/{answers[-1]['id']}")
    call("DELETE", "/api/session")


def test_angular() -> None:
    """The header takes the cookie's value from the last response that sets it."""
    Trial(make, session).check("csrf_token by csrf-header", "hero_id by created-id")
