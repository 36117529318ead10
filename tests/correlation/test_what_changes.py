"""Which requests change something, by what they say themselves."""

from __future__ import annotations

import pytest

from pytest_loadtool.correlation.index.traffic import steps_of
from pytest_loadtool.model.exchange import Exchange
from tests.correlation.exchanges import FORM, case_of, exchange

_TEXT = ("Content-Type", "text/plain")
_TO_PAGE = ("Location", "/page")
_BY_SCRIPT = ("X-Ajax-Redirect", "/page")


def _link(url: str) -> Exchange:
    """A link on ``/page`` that leads back to it."""
    page = ("Referer", "http://shop.test/page")
    return exchange(url=url, status=302, sent=(page,), received=(_TO_PAGE,))


@pytest.mark.parametrize(
    ("one", "changes"),
    [
        (_link("http://shop.test/list/add/3/"), True),
        (_link("http://shop.test/do?n=3"), True),
        (_link("http://shop.test/other"), False),
        (_link("http://star.test/other"), False),  # that is the name of a server
        (exchange(url="http://shop.test/?action=close&n=3&csrf_token=a17"), True),
        (exchange(url="http://shop.test/?action=show&n=3&csrf_token=a17"), False),
        (exchange(url="http://shop.test/?n=3&csrf_token=a17", received=(_BY_SCRIPT,)), True),
        (exchange(url="http://shop.test/?n=3", received=(_BY_SCRIPT,)), False),
        (exchange("POST", sent=(FORM,), body=b"action=query-files&n=1"), False),
        (exchange("POST", sent=(FORM,), body=b"action=query&n=1"), True),
        (exchange("POST", sent=(FORM,), body=b"action=get-and-delete"), True),
        (exchange("POST", sent=(_TEXT,), body=b"action=query-files"), True),  # it is no form
    ],
)
def test_what_changes_something(one: Exchange, changes: bool) -> None:
    """A link by the path that it has, and that it leads back; one with a token by what it says is
    done, and that it leads elsewhere; a form by the field for that."""
    (step,) = steps_of(case_of(one), [one])
    assert step.changes_state is changes
