"""Login forms: which request signs a user in, and with which fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pytest_loadtool.codec.media import is_html, media_type
from pytest_loadtool.codec.names import is_password, plain
from pytest_loadtool.correlation.classify import SWITCHES, is_identity_name
from pytest_loadtool.correlation.requests.edits import shared
from pytest_loadtool.correlation.requests.fields import Field, every_field
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.extraction.tags import controls
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.exchange import Exchange

_SECTIONS = frozenset({"QUERY", "POST content"})
#: Words in the name of a field for who one is, where the whole name is not one of the usual.
_WORDS = frozenset({"user", "username", "login", "email", "mail", "account", "uname", "uid"})
#: Inputs (WHATWG HTML §4.10.5) that people type their names into.
_TYPED = frozenset({"", "text", "email", "tel", "search"})


@dataclass(frozen=True, slots=True)
class LoginForm:
    """A request that signs in: its index among the transactions, and its fields."""

    transaction: int
    username: Field | None
    password: Field


def logins(case: TestCase, exchanges: Sequence[Exchange] = ()) -> tuple[LoginForm, ...]:
    """Return the requests with one password. A form with two is for a new account, or a new
    password.

    Forms in the recorded pages tell which fields those are; else it is by their names. A field may
    be within the value of another: in a form, or a query, that holds JSON.
    """
    forms = _forms(exchanges)
    found = []
    for index, fields in enumerate(every_field(case, within=True)):
        sent = [
            one for one in fields if one.section in _SECTIONS and one.value.lower() not in SWITCHES
        ]
        secrets: list[Field] = []
        for one in sent:
            secret = one.wire_name in forms or is_password(one.wire_name)
            if secret and not any(_share(one, other) for other in secrets):
                secrets.append(one)
        if len(secrets) == 1:
            password = secrets[0]
            found.append(LoginForm(index, _username(sent, password, forms), password))
    return tuple(found)


def _username(sent: Sequence[Field], password: Field, forms: Mapping[str, str]) -> Field | None:
    """Return who signs in with the password: by the form, by the whole name, by a word in it."""
    others = [one for one in sent if not _share(one, password)]
    ways = (
        lambda name: name == forms.get(password.wire_name),
        is_identity_name,
        lambda name: bool(_WORDS.intersection(plain(name).split())),
    )
    for fits in ways:
        for one in others:
            if fits(one.wire_name):
                return one
    return None


def _share(one: Field, other: Field) -> bool:
    """Return whether one of them is within the other, or both are the same."""
    return one.slot is not None and other.slot is not None and shared(one.slot, other.slot)


def _forms(exchanges: Sequence[Exchange]) -> Mapping[str, str]:
    """Return by the name of each password input of the recorded pages that of the input for the
    user's name, the last one before it; empty if there is none."""
    found: dict[str, str] = {}
    for exchange in exchanges:
        if not is_html(media_type(exchange.response_header("content-type"))):
            continue
        user = ""
        for tag, attributes, _, _ in controls(RecordedResponse(exchange).text):
            name, kind = attributes.get("name", ""), attributes.get("type", "").lower()
            if tag != "input" or not name:
                continue
            if kind == "password":
                found.setdefault(name, user)
            elif kind in _TYPED:
                user = name
    return MappingProxyType(found)
