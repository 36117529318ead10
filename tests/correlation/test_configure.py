"""Recordings of a real application, configured: what is found, what is left; and they replay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from pytest_loadtool.correlation import Configuration
from pytest_loadtool.correlation.following import followed
from pytest_loadtool.correlation.revert import revert
from pytest_loadtool.correlation.traffic import steps_of
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.case import Header, TestCase, Transaction, Variable
from pytest_loadtool.model.decision import Decision
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import (
    CookieValue,
    Extractor,
    FormField,
    HeaderValue,
    JsonPath,
    Link,
    RegularExpression,
)
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import TextValidator
from pytest_loadtool.recording import build_case
from pytest_loadtool.replay import compile_case
from tests.correlation.conftest import Serve
from tests.correlation.sessions import SESSIONS
from tests.correlation.talk import configure

Sessions = dict[str, tuple[Exchange, ...]]


@pytest.fixture(scope="module")
def cases(recorded: Sessions) -> dict[str, TestCase]:
    """The test case of each session, as recorded."""
    return {name: build_case(one, name=name).case for name, one in recorded.items()}


@pytest.fixture(scope="module")
def configured(cases: dict[str, TestCase], recorded: Sessions) -> dict[str, Configuration]:
    """Each session, configured."""
    return {name: configure(case, recorded[name]) for name, case in cases.items()}


def sent(case: TestCase, title: str) -> Transaction:
    """The last transaction of that title."""
    return [one for one in case.transactions() if one.title == title][-1]


def header(transaction: Transaction, name: str) -> str | None:
    """A header's template."""
    return next((one.value for one in transaction.request.headers if one.name == name), None)


def extractors(case: TestCase) -> dict[str, tuple[str, Extractor]]:
    """By variable: the title of the transaction that sets it, and the extractor."""
    return {
        extractor.variable: (transaction.title, extractor)
        for transaction in case.transactions()
        for extractor in transaction.extractors
    }


def decided(configuration: Configuration, rule: str) -> list[Decision]:
    """The decisions by that rule."""
    return [one for one in configuration.decisions if one.rule == rule]


class Failures:
    """An observer that keeps what went wrong."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int, tuple[Failure, ...]]] = []

    def transaction(self, step: Any, response: Any, failures: tuple[Failure, ...]) -> None:
        """Keep a failed transaction."""
        if failures:
            self.seen.append((step.title, response.status, failures))

    def negotiation(self, *_: Any) -> None:
        """There is none here."""

    def page(self, *_: Any) -> None:
        """Pages do not matter here."""

    def iteration(self, *_: Any) -> None:
        """Nor do iterations."""


def replayed(case: TestCase, url: str) -> list[tuple[str, int, tuple[Failure, ...]]]:
    """What fails when the case is replayed once, without think times."""
    observer = Failures()
    pages = tuple(replace(page, think_time=0.0) for page in case.pages)
    replay_once(compile_case(replace(case, pages=pages), server=url), observer=observer)
    return observer.seen


@pytest.mark.promise(72)
def test_django_login(configured: dict[str, Configuration]) -> None:
    """The token of each form comes from the page with the form; what a person typed stays."""
    configuration = configured["admin"]
    case = configuration.case
    login = sent(case, "POST /admin/login/")
    assert login.request.body == (
        "csrfmiddlewaretoken=${csrf_token[1]}&username=admin&password=secret+pass&next=%2Fadmin%2F"
    )
    field = FormField("csrfmiddlewaretoken")
    found = extractors(case)
    assert found["csrf_token[1]"] == ("GET /admin/login/", Extractor("csrf_token[1]", field))
    assert found["csrf_token[2]"][0] == "GET /admin/auth/user/add/"
    first = decided(configuration, "csrf-form-field")[0]
    assert first.variable == "csrf_token[1]"
    assert first.producer == "2 GET /admin/login/"
    assert first.consumers == ("3 POST /admin/login/",)
    assert "Its twin, the cookie csrftoken, is sent from the cookie jar." in first.reason
    assert len(first.value) == 64
    assert first.confidence > 0.9


@pytest.mark.promise(102)
def test_session_cookies_are_left_to_the_jar(configured: dict[str, Configuration]) -> None:
    """The session cookie is dynamic: a decision says who sets it, and no text carries it."""
    configuration = configured["admin"]
    (session,) = decided(configuration, "session-cookie")
    assert session.producer == "3 POST /admin/login/"
    assert any("GET /admin/auth/group/add/" in one for one in session.consumers)
    assert "Server authentication header" in session.reason
    assert session.variable == ""
    for transaction in configuration.case.transactions():
        values = [one.value or "" for one in transaction.request.headers]
        assert not any(session.value in value for value in values)


def test_ids_of_what_was_created(configured: dict[str, Configuration]) -> None:
    """The new user's id comes from the redirect, the new group's from the link that appears."""
    case = configured["admin"].case
    edit = sent(case, "POST /admin/auth/user/${user_id[1]}/change/")
    assert header(edit, "Referer") == "${server}/admin/auth/user/${user_id[1]}/change/"
    assert extractors(case)["user_id[1]"] == (
        "POST /admin/auth/user/add/",
        Extractor("user_id[1]", HeaderValue("Location", "/admin/auth/user/([^/?#&;]+)/change/")),
    )
    where, extractor = extractors(case)["group_id[1]"]
    assert where == "GET /admin/auth/group/"
    assert extractor.source == Link("/admin/auth/group/*/change/", "editors")
    assert extractor.match == 1
    sent(case, "POST /admin/auth/group/${group_id[1]}/change/")


def test_hidden_fields(configured: dict[str, Configuration]) -> None:
    """Fields are taken from the form when they look dynamic; other defaults and texts are not."""
    edit = sent(configured["admin"].case, "POST /admin/auth/user/${user_id[1]}/change/")
    body = str(edit.request.body)
    assert "initial-date_joined_0=${initial_date_joined_0[1]}" in body
    assert "&date_joined_0=${date_joined_0[1]}&date_joined_1=${date_joined_1[1]}&" in body
    assert "&first_name=Bob+%26+Co&last_name=&email=bob%40example.com&" in body
    save = sent(configured["board"].case, "POST /board/")
    assert save.request.body == (
        "csrfmiddlewaretoken=${csrf_token[3]}&cart=${cart[1]}&page_size=20&mode=simple"
        "&title=Plan+for+2026&note=first+line&color=blue"
    )


def test_script_requests(configured: dict[str, Configuration]) -> None:
    """X-CSRFToken carries the cookie or the page's token, whichever it was in the recording."""
    case = configured["board"].case
    found = extractors(case)
    assert found["csrf_token[1]"][1].source == CookieValue("csrftoken")
    assert found["csrf_token[2]"][1].source == FormField("csrf-token")
    likes = [one for one in case.transactions() if one.title == "POST /board/like"]
    assert [header(one, "X-CSRFToken") for one in likes] == [
        "${csrf_token[1]}", "${csrf_token[2]}",
    ]  # fmt: skip
    assert likes[0].request.body == '{"board": "${board[1]}"}'
    assert found["board[1]"][1].source == RegularExpression(r'"key"\s*:\s*"([^"]*)"')


@pytest.mark.promise(40)
@pytest.mark.promise(96)
@pytest.mark.promise(97)
def test_oauth_tokens(configured: dict[str, Configuration]) -> None:
    """Every token issued gets an extractor, under the rule's name; headers use the newest."""
    configuration = configured["api"]
    assert [
        (one.variable, one.producer) for one in decided(configuration, "oauth2-access-token")
    ] == [("bearer_token[1]", "1 POST /api/token"), ("bearer_token[2]", "6 POST /api/token")]
    assert [one.variable for one in decided(configuration, "oauth2-refresh-token")] == [
        "refresh_token[1]", "refresh_token[2]",
    ]  # fmt: skip
    case = configuration.case
    assert extractors(case)["bearer_token[1]"][1].source == JsonPath("$.access_token")
    assert case.variables["refresh_token[1]"].rule == "oauth2-refresh-token"
    created = sent(case, "POST /api/items")
    assert header(created, "Authorization") == "Bearer ${bearer_token[1]}"
    assert header(sent(case, "GET /api/items"), "Authorization") == "Bearer ${bearer_token[2]}"
    renewed = sent(case, "POST /api/token")
    assert renewed.request.body == '{"refresh_token": "${refresh_token[1]}"}'
    reason = decided(configuration, "oauth2-access-token")[0].reason
    assert "Server authentication header" in reason


def test_ids_of_an_api(configured: dict[str, Configuration]) -> None:
    """The id of what a POST created goes into paths and bodies; equal small numbers stay."""
    configuration = configured["api"]
    case = configuration.case
    sent(case, "GET /api/items/${item_id[1]}")
    sent(case, "PUT /api/items/${item_id[1]}")
    assert extractors(case)["item_id[1]"][1].source == JsonPath("$.data.id")
    shipment = sent(case, "POST /api/shipments")
    assert shipment.request.body == '{"item_id": ${item_id[1]}, "ref": "${ref[1]}"}'
    created = sent(case, "POST /api/items")
    assert created.request.body == '{"name": "Tëapot", "quantity": 3, "size": "xl"}'
    (decision,) = decided(configuration, "created-id")
    assert decision.consumers == (
        "3 GET /api/items/${item_id[1]}", "4 PUT /api/items/${item_id[1]}", "5 POST /api/shipments",
    )  # fmt: skip


def test_credentials_are_left_alone(configured: dict[str, Configuration]) -> None:
    """What a person typed is a decision too; passwords are not shown."""
    typed = decided(configured["admin"], "typed-credentials")
    assert [(one.consumers[0], one.value) for one in typed][:2] == [
        ("3 POST /admin/login/", "admin"), ("3 POST /admin/login/", "********"),
    ]  # fmt: skip
    assert all(one.variable == "" for one in typed)
    for configuration in configured.values():
        assert not any("secret pass" in str(one) for one in configuration.decisions)


@pytest.mark.parametrize("name", SESSIONS)
def test_configuring_again_changes_nothing(
    name: str, configured: dict[str, Configuration], recorded: Sessions
) -> None:
    """The second run finds what the first found, with the same names and decisions."""
    first = configured[name]
    assert configure(first.case, recorded[name]) == first


@pytest.mark.parametrize("name", SESSIONS)
def test_taking_everything_back(
    name: str, cases: dict[str, TestCase], configured: dict[str, Configuration], recorded: Sessions
) -> None:
    """With recorded values in place of placeholders, the case is the recorded one, to the byte."""
    case = configured[name].case
    assert revert(case, steps_of(case, recorded[name])) == cases[name]


@pytest.mark.parametrize("name", SESSIONS)
def test_replays_on_another_server(
    name: str, cases: dict[str, TestCase], configured: dict[str, Configuration], serve: Serve
) -> None:
    """Green against new secrets and other ids; as recorded, the same case is refused."""
    with serve(5000) as url:
        assert replayed(configured[name].case, url) == []
        statuses = [status for _, status, _ in replayed(cases[name], url)]
        assert statuses
        assert statuses[0] in (401, 403)


#: Variables that replay passes without. Of the date that Django shows it compares the initial one
#: (sent as recorded, both would change it), and nobody uses the second refresh token.
_SPARE = {
    *(f"{initial}date_joined_{part}[1]" for initial in ("", "initial_") for part in (0, 1)),
    "refresh_token[2]",
}


@pytest.mark.parametrize("name", SESSIONS)
def test_every_variable_is_needed(
    name: str, configured: dict[str, Configuration], recorded: Sessions, serve: Serve
) -> None:
    """Taking back any single variable makes the replay fail: nothing is correlated for nothing."""
    case = configured[name].case
    with serve(7000) as url:
        for number, variable in enumerate(case.variables):
            broken = renamed(without(case, variable, recorded[name]), number)
            assert bool(replayed(broken, url)) is (variable not in _SPARE), variable


def renamed(case: TestCase, number: int) -> TestCase:
    """The case creating a user and a group of other names: a server has each only once."""

    def change(one: Transaction) -> Transaction:
        body = one.request.body
        if not isinstance(body, str):
            return one
        body = body.replace("=bob&", f"=bob{number}&").replace("=editors", f"=editors{number}")
        body = body.replace("chief+editors", f"chief{number}")
        return replace(one, request=replace(one.request, body=body))

    for old, new in (("bob", f"bob{number}"), ("editors", f"editors{number}")):
        case = followed(case, 0, old, new)  # by which extractors find the rows
    return mapped(case, change)


def without(case: TestCase, variable: str, exchanges: Sequence[Exchange]) -> TestCase:
    """The case with one variable taken back."""
    others = {
        name: one if name == variable else replace(one, set_by="person")
        for name, one in case.variables.items()
    }
    owned = replace(case, variables=MappingProxyType(others))
    return revert(owned, steps_of(owned, exchanges))


def mapped(case: TestCase, change: Callable[[Transaction], Transaction]) -> TestCase:
    """The case with ``change`` applied to each transaction."""
    pages = tuple(
        replace(page, transactions=tuple(map(change, page.transactions))) for page in case.pages
    )
    return replace(case, pages=pages)


def edited(case: TestCase, title: str, **changes: Any) -> TestCase:
    """The case with every transaction of that title changed, or its request."""

    def change(one: Transaction) -> Transaction:
        if one.title != title:
            return one
        parts = {key: changes[key] for key in ("body", "headers") if key in changes}
        rest = {key: value for key, value in changes.items() if key not in parts}
        return replace(one, request=replace(one.request, **parts), **rest)

    return mapped(case, change)


def test_a_persons_edits_stay(configured: dict[str, Configuration], recorded: Sessions) -> None:
    """Dataset references, own variables and own extractors survive another run, and names."""
    case = configured["admin"].case
    body = (
        "csrfmiddlewaretoken=${my_token}&username=${users.username}&password=${users.password}"
        "&next=%2Fadmin%2F"
    )
    mine = Extractor("my_token", RegularExpression('name="csrf.*?value="([^"]+)"'))
    theirs = Extractor("csrf_token[1]", FormField("csrfmiddlewaretoken"))
    case = edited(case, "POST /admin/login/", body=body)
    case = edited(case, "GET /admin/login/", extractors=(mine, theirs))
    variables = {
        **case.variables,
        "my_token": Variable("my_token"),
        "csrf_token[1]": Variable("csrf_token[1]", set_by="person"),
    }
    case = replace(case, variables=MappingProxyType(variables))

    again = configure(case, recorded["admin"]).case

    assert sent(again, "POST /admin/login/").request.body == body
    assert sent(again, "GET /admin/login/").extractors == (mine, theirs)
    assert again.variables["csrf_token[1]"] == variables["csrf_token[1]"]
    assert "${csrf_token[2]}" in str(sent(again, "POST /admin/auth/user/add/").request.body)
    assert configure(again, recorded["admin"]).case == again


def test_a_check_keeps_its_variable(
    configured: dict[str, Configuration], recorded: Sessions
) -> None:
    """A validator that a person wrote goes on working: the variable in it is not taken back."""
    check = TextValidator("${item_id[1]}")
    case = edited(configured["api"].case, "GET /api/items/${item_id[1]}", validators=(check,))
    again = configure(case, recorded["api"]).case
    assert again.variables["item_id[1]"] == case.variables["item_id[1]"]
    assert extractors(again)["item_id[1]"] == extractors(case)["item_id[1]"]
    assert sent(again, "GET /api/items/${item_id[1]}").validators[0] == check


def test_without_evidence_nothing_changes(configured: dict[str, Configuration]) -> None:
    """A case whose recording is gone stays as it is."""
    case = configured["admin"].case
    assert configure(case, ()).case == case


def test_a_deleted_producer_is_replaced(
    configured: dict[str, Configuration], recorded: Sessions
) -> None:
    """When the page that gave a value is deleted from the case, the next best response gives it."""
    case = configured["api"].case
    pages = tuple(
        replace(
            page,
            transactions=tuple(one for one in page.transactions if one.request.method != "PUT"),
        )
        for page in case.pages
    )
    again = configure(replace(case, pages=pages), recorded["api"]).case
    assert extractors(case)["ref[1]"][0].startswith("PUT")
    assert extractors(again)["ref[1]"] == (
        "GET /api/items/${item_id[1]}",
        Extractor("ref[1]", JsonPath("$.ref")),
    )


def test_a_header_added_by_hand_is_no_evidence(
    configured: dict[str, Configuration], recorded: Sessions
) -> None:
    """A header that a person added, with a value of their own, stays."""
    added = (Header("X-Run", "7f3a9c21e4"),)
    case = edited(configured["api"].case, "GET /api/items", headers=added)
    again = configure(case, recorded["api"]).case
    assert sent(again, "GET /api/items").request.headers == added
