"""Who the virtual users are: their accounts, and the login forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pytest_loadtool.auth import scheme_names
from pytest_loadtool.auth.negotiation import challenges_in
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.workflow.telling import place_of, who

if TYPE_CHECKING:
    from pytest_loadtool.editing.login_forms import Login


def login(case: TestCase, one: Login) -> str:
    """``login form 3 POST /login: username (Constant value ann), password (Dataset …)``."""
    title = next(t.title for index, t in enumerate(case.transactions()) if index == one.transaction)
    texts = []
    if one.username is not None:
        name = one.username
        texts.append(f"{name.name} ({name.datasource}, {name.value})")
    texts.append(f"{one.password.name} ({one.password.datasource})")
    return f"Login form {one.transaction + 1} {title}: {', '.join(texts)}"


def authentication(case: TestCase) -> Iterator[str]:
    """The folder Authentication: a line for each identity."""
    for one in case.identities:
        ahead = "  (sent unasked)" if one.ahead else ""
        yield f"{place_of(case, one)}: {who(case, one)}{ahead}"


def offered(exchange: Exchange) -> str:
    """What an exchange of a negotiation was about: ``asks for Negotiate or NTLM``."""
    return f"asks for {scheme_names(challenges_in(exchange), ' or ')}"
