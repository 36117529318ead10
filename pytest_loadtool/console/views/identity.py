"""Who the virtual users are: accounts, login forms, and where their credentials come from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pytest_loadtool.auth import scheme_name, scheme_names
from pytest_loadtool.auth.negotiation import challenges_in
from pytest_loadtool.codec.template import Reference, Template
from pytest_loadtool.model.authentication import Identity, Proxy
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange

if TYPE_CHECKING:
    from pytest_loadtool.console.accounts import Account
    from pytest_loadtool.editing.login_forms import Login


def account(case: TestCase, one: Account) -> str:
    """``NTLM at 127.0.0.1:8080, recorded as EXAMPLE\\alice; now dataset users``."""
    schemes = " and ".join(map(scheme_name, one.schemes)) or "HTTP authentication"
    places = dict.fromkeys(place_of(case, place) for place in one.places)
    text = f"{schemes} at {', '.join(places)}"
    if one.known.name:
        text += f", recorded as {one.known.name}"
    if one.configured:
        text += f"; now {who(case, one.places[0])}"
    return text


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


def who(case: TestCase, one: Identity | Proxy) -> str:
    """Who the virtual users are: ``a row of users.csv each``, or name and password's origin."""
    parts = [part for text in one.templates for part in Template.parse(text).parts]
    datasets = {part.dataset if isinstance(part, Reference) else None for part in parts}
    if len(datasets) == 1 and (name := datasets.pop()):
        return f"a row of {_file(case, name)} for each virtual user"
    texts = [source(case, one.username), f"password from {source(case, one.password)}"]
    if one.domain:
        texts.append(f"domain {source(case, one.domain)}")
    return ", ".join(texts)


def offered(exchange: Exchange) -> str:
    """What an exchange of a negotiation was about: ``asks for Negotiate or NTLM``."""
    return f"asks for {scheme_names(challenges_in(exchange), ' or ')}"


def place_of(case: TestCase, one: Identity) -> str:
    """The host that an identity is for, and its realm if that matters."""
    host = one.host or urlsplit(case.server).netloc or "the test case's server"
    return f"{host}, realm {one.realm!r}" if one.realm else host


def source(case: TestCase, text: str) -> str:
    """Where the value of a template comes from; itself if it holds no placeholder."""
    template = Template.parse(text)
    if template.literal is not None:
        return template.literal
    return ", ".join(_origin(case, one.name) for one in template.references)


def _origin(case: TestCase, name: str) -> str:
    dataset, dot, column = name.partition(".")
    if dot:
        return f"column {column} of {_file(case, dataset)}"
    variable = case.variables.get(name)
    if variable is not None and variable.env is not None:
        return f"the environment variable {variable.env}"
    if variable is not None and variable.keyring is not None:
        return f"the keyring ({variable.keyring}, {variable.username})"
    return f"the variable {name}"


def _file(case: TestCase, dataset: str) -> str:
    return next((use.file for use in case.datasets if use.name == dataset), dataset)
