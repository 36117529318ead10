"""Answers are compared with the recorded ones at next to no cost, and with the same result."""

from __future__ import annotations

import gzip

import pytest

from pytest_loadtool.model.case import Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import Outcome, StatusCodes, TextValidator
from pytest_loadtool.replay import Response, Send, Step, compile_case
from tests.answers.samples import ALIKE, DIFFERS, FAILED, HTML, JSON, LOGIN, ORDERS, Raw, page


def step_of(was: Raw, target: str = "/", **settings: object) -> Step:
    """The only one of a test case."""
    transaction = Transaction(Request("GET", target), recorded=was.recorded)
    case = TestCase("c", (Page("p", (transaction,)),), "http://h", **settings)  # type: ignore[arg-type]
    return compile_case(case).steps[0]


def answered(step: Step, raw: Raw, *, packed: bool = False) -> Response:
    """A response as it comes from the network."""
    response = Response(Send(step, 0, b"GET / HTTP/1.1", 0.0))
    lines = ["HTTP/1.1 200 OK", f"Content-Type: {raw.content_type}"]
    lines += [f"Location: {raw.location}"] if raw.location else []
    body = raw.text.encode()
    if packed:
        lines.append("Content-Encoding: gzip")
        body = gzip.compress(body)
    response.head = "\r\n".join(lines).encode()
    response.status, response.body = raw.status, body
    return response


def said(step: Step, raw: Raw, *, packed: bool = False) -> str:
    """What there is to say of an answer."""
    response = answered(step, raw, packed=packed)
    assert step.compare is not None
    failure = step.compare(response)
    assert not (failure and response.not_as_recorded)
    return failure.message if failure else response.not_as_recorded


SAID = [
    *((Raw(200, media, was), Raw(200, media, now), f"The answer says that it failed: {how}")
      for media, was, now, how in FAILED),
    *DIFFERS,
    *((was, now, "") for was, now in ALIKE),
]  # fmt: skip


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize(("was", "now", "text"), SAID)
def test_nothing_is_missed_after_many_that_came_as_recorded(
    was: Raw, now: Raw, text: str, packed: bool
) -> None:
    """What is known of answers that were read hides none that is another."""
    step = step_of(was)
    for _ in range(3):
        assert said(step, was, packed=packed) == ""
    assert said(step, now, packed=packed) == text
    assert said(step, was, packed=packed) == ""


@pytest.mark.parametrize(
    "other",
    [
        page("Orders · Shop", "<h1>Not found</h1>"),
        LOGIN.replace("<title>Shop", "<title>Orders · Shop"),
        page("Not found"),
        page("Orders · Shop", "<h1>Orders</h1><h1>Orders</h1>" + "<p>" * 200),
    ],
)
def test_a_small_page_is_looked_through(other: str) -> None:
    """Title, heading and fields count, whatever another that was read had."""
    step = step_of(Raw(200, HTML, ORDERS))
    assert said(step, Raw(200, HTML, ORDERS)) == ""
    whole = said(step_of(Raw(200, HTML, ORDERS)), Raw(200, HTML, other))
    assert said(step, Raw(200, HTML, other)) == whole


def test_a_strict_test_case_fails() -> None:
    """Each answer that differs, and none that does not."""
    was = Raw(200, JSON, '{"items": [1]}')
    step = step_of(was, strict=True)
    assert step.compare is not None
    assert step.compare(answered(step, was)) is None
    empty = answered(step, Raw(200, JSON, '{"items": []}'))
    expected = Failure("answer", 'Not as recorded: an empty list: "items"')
    assert step.compare(empty) == expected
    assert empty.not_as_recorded == ""


def test_values_of_variables_are_no_words_of_titles() -> None:
    """Who is greeted is another one, and where a redirect leads to is another thing."""
    variables = {"name": Variable("name", recorded="Tea House")}
    step = step_of(Raw(200, HTML, page("Tea House · Shop")), variables=variables)
    assert said(step, Raw(200, HTML, page("Coffee · Shop"))) == ""
    assert said(step, Raw(200, HTML, page("Coffee"))) != ""
    step = step_of(Raw(302, HTML, "", "/things/tea-house"), variables=variables)
    assert said(step, Raw(302, HTML, "", "/things/coffee")) == ""
    assert said(step, Raw(302, HTML, "", "/others/coffee")) != ""


def test_a_body_that_cannot_be_decoded_is_not_compared() -> None:
    """Nobody has asked to look into it: it is no failure, as without a recording."""
    step = step_of(Raw(200, JSON, '{"id": 1}'))
    response = answered(step, Raw(200, JSON, "{}"))
    response.head += b"\r\nContent-Encoding: unknown"
    assert step.compare is not None
    assert step.compare(response) is None
    assert response.not_as_recorded == ""


@pytest.mark.parametrize(
    "body", [b"no gzip", gzip.compress(b'{"id": 1}')[:-12]], ids=["none", "cut"]
)
def test_a_body_that_is_not_in_its_coding_has_failed(body: bytes) -> None:
    """A browser would show an error, though nobody has asked to look into it."""
    step = step_of(Raw(200, JSON, '{"id": 1}'))
    response = answered(step, Raw(200, JSON, '{"id": 1}'), packed=True)
    assert step.compare is not None
    assert step.compare(response) is None
    response = answered(step, Raw(200, JSON, "{}"), packed=True)
    response.body = body
    failure = step.compare(response)
    assert failure is not None
    assert failure.cause == "decoding"


def test_a_body_that_was_not_kept_is_not_empty() -> None:
    """It was too large to be looked into, and nothing more is known of it."""
    step = step_of(Raw(200, JSON, '{"id": 1}'))
    response = answered(step, Raw(200, JSON, ""))
    response.unkept = 1 << 20
    assert step.compare is not None
    assert step.compare(response) is None
    assert response.not_as_recorded == ""


def test_a_status_that_is_not_expected_any_more_is_no_yardstick() -> None:
    """A person has said what is right now."""
    was = Raw(200, HTML, ORDERS)
    one = Transaction(Request("GET", "/"), status=StatusCodes(((302, 302),)), recorded=was.recorded)
    step = compile_case(TestCase("c", (Page("p", (one,)),), "http://h")).steps[0]
    assert step.compare is None


@pytest.mark.parametrize("strict", [False, True])
def test_what_was_so_before_its_change(strict: bool) -> None:
    """An outcome that an earlier run has left passes, and is told; with `strict`, it fails."""
    outcome = Outcome("Tea House is not yet shown", "POST /orders", before=True)
    validators = (TextValidator("Tea House", absent=True, outcome=outcome),)
    transaction = Transaction(Request("GET", "/"), validators=validators)
    case = TestCase("c", (Page("p", (transaction,)),), "http://h", strict=strict)
    step = compile_case(case).steps[0]
    (check,) = step.checks
    new = answered(step, Raw(200, HTML, "<p>Milk</p>"))
    assert check(new, []) is None
    assert new.not_as_recorded == ""
    used = answered(step, Raw(200, HTML, "<p>Tea House</p>"))
    failure = check(used, [])
    text = failure.message if failure else used.not_as_recorded
    assert "not so before POST /orders: Tea House is not yet shown" in text
    assert (failure is not None) == strict
