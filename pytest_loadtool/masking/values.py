"""The secrets of a test case: values from outside, and passwords in whatever form they go."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping

from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.codec.filters import filtered
from pytest_loadtool.codec.template import Template
from pytest_loadtool.model.authentication import Identity, Proxy
from pytest_loadtool.model.case import TestCase


def secrets_of(case: TestCase, values: Mapping[str, str]) -> Iterator[str]:
    """Yield the secrets of a test case, of whose placeholders the ``values`` are these: a user's,
    or those that all users begin with."""
    for variable in case.variables.values():
        if variable.env or variable.keyring:
            yield values.get(variable.name, "")
    accounts: list[Identity | Proxy] = [*case.identities]
    if case.proxy is not None:
        accounts.append(case.proxy)
    for one in accounts:
        username, password, domain = (_rendered(text, values) for text in one.templates)
        if password:
            yield password
            login = Credentials(username, password, domain).login
            yield b64encode(f"{login}:{password}".encode()).decode()


def _rendered(text: str, values: Mapping[str, str]) -> str:
    return Template.parse(text).filled(lambda one: filtered(values.get(one.name, ""), one.filters))
