"""Scores: what a rule or strategy is worth, on sessions of which the truth is known."""

from __future__ import annotations

from pytest_loadtool.casefile import package_rules
from pytest_loadtool.correlation.strategies.replay_diff import ReplayDiff
from pytest_loadtool.correlation.strategies.table import strategies
from tests.applications.score import PAGE, Scores, Session, scored
from tests.correlation.exchanges import html, json_body
from tests.correlation.talk import call, get, post
from tests.synthetic.judging import recorded


def _scores(session: Session) -> Scores:
    scores = Scores()
    scores.add(session)
    return scores


def _shop(token: str, number: int) -> Session:
    """A hidden token that two rules know, and an id that one does."""
    field = f'<form action="/notes"><input type="hidden" name="csrf_token" value="{token}"></form>'
    return Session(
        "shop",
        (
            get("/new", html(field)),
            post("/notes", f"csrf_token={token}&text=Tea"),
            call("POST", "/api/items", {"name": "Tea"}, json_body({"id": number}), status=201),
            get(f"/api/items/{number}"),
        ),
    )


def test_what_only_one_finds() -> None:
    """What another rule finds as well is found without it; what no other does is not."""
    shop = _shop("c7Jq2Xv9Lm4PzR8tYw3N", 1701)
    change = (
        get("/api/items/7", json_body({"id": 7, "version": 5})),
        call("PUT", "/api/items/7", {"name": "Milk", "version": 5}),
    )
    rules = _scores(Session("shop", (*shop.exchanges, *change))).rules
    assert (rules["csrf-form-field"].found, rules["csrf-form-field"].alone) == (1, 0)
    assert (rules["row-version"].found, rules["row-version"].alone) == (1, 1)
    assert not rules["saml"].found


def test_without_another_server_nothing_is_wrong() -> None:
    """One recording tells nothing about the truth."""
    scores = _scores(_shop("c7Jq2Xv9Lm4PzR8tYw3N", 1701))
    assert (scores.sessions, scores.with_truth) == (1, 0)
    assert not any(one.judged or one.wrong for one in scores.rules.values())


def test_what_is_the_same_everywhere_is_wrong() -> None:
    """The token differs on the other server, the id does not."""
    one, other = _shop("c7Jq2Xv9Lm4PzR8tYw3N", 1701), _shop("Zp8Lw2Qx6Vb4Nt9Rk3Hd", 1701)
    scores = _scores(Session("shop", one.exchanges, (other.exchanges,)))
    assert scores.with_truth == 1
    token, made = scores.rules["csrf-form-field"], scores.rules["created-id"]
    assert (token.judged, token.wrong) == (1, 0)
    assert (made.judged, made.wrong) == (1, 1)


def test_made_up_sessions() -> None:
    """Of one that is recorded on four servers all is found, and nothing wrongly."""
    first, *others = (recorded(1, draw) for draw in range(4))
    rules = _scores(Session("one", first, tuple(others))).strategies["rules"]
    assert rules.judged == rules.found > 0
    assert rules.alone > 0
    assert not rules.wrong


def test_the_page_has_them_all() -> None:
    """docs/scores.md has a row for each strategy and rule: `python -m tests.applications --score
    --write` makes it anew."""
    names = [*(one.name for one in strategies(())), *(one.name for one in package_rules())]
    text = PAGE.read_text()
    assert [one for one in (*names, ReplayDiff.name) if f"| `{one}` |" not in text] == []
    assert "73 sessions" not in scored(text, _scores(_shop("c7Jq2Xv9Lm4PzR8tYw3N", 1701)))
