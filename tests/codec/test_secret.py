"""Names of secrets: what each kind is called, and that all who go by names agree."""

from __future__ import annotations

import json

import pytest

from pytest_loadtool.codec.names import (
    Secret,
    is_given_out,
    is_password,
    is_secret,
    is_typed_secret,
    secret_kinds,
)
from pytest_loadtool.correlation.requests.fields import fields_of
from pytest_loadtool.masking.found_secrets import captured, typed
from pytest_loadtool.masking.text import BY_NAME
from pytest_loadtool.model.case import Header, Page, Request, TestCase, Transaction
from tests.console.traffic import exchange

NAMES = {
    Secret.PASSWORD: (
        *("password", "Passwd", "pwd", "new_password", "userPassword", "user%5Bpassword%5D"),
        *("user[password]", "password1", "pass", "passphrase", "passcode", "userPassCode"),
        *("loginpassword", "pin", "login-pin", "PINCode", "otp"),
    ),
    Secret.CARD: ("cardNumber", "card_number", "cardnumber", "cvv", "cvc", "card[cvv2]"),
    Secret.KEY: (
        *("client_secret", "clientSecret", "api-key", "apiKey", "APIKEY", "X-API-Key"),
        *("private_key", "credential", "credentials"),
    ),
    Secret.TOKEN: ("access_token", "refreshToken", "id_token", "X-Auth-Token", "sessionToken"),
    Secret.PROOF: (
        *("csrfmiddlewaretoken", "csrf_token", "X-CSRF-Token", "token", "authenticity_token"),
        *("__RequestVerificationToken", "__VIEWSTATE", "sesskey", "form_key", "nonce", "sig"),
    ),
}
OTHERS = (
    *("user", "passport", "passenger", "spinner", "spin", "compass", "shipping", "keyboard"),
    *("page", "card", "passwordless", "compassionate", "design", "stock"),
)
KINDS = [(name, kind) for kind, names in NAMES.items() for name in names]

VALUE = "Zz81QpWm2LxT7ab"


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_names_of_secrets(name: str, kind: Secret) -> None:
    """In any spelling."""
    assert kind in secret_kinds(name)
    assert is_password(name) is (kind is Secret.PASSWORD)
    assert is_typed_secret(name) is (kind in (Secret.PASSWORD, Secret.CARD))
    assert is_given_out(name) is (kind in (Secret.TOKEN, Secret.PROOF))
    assert is_secret(name) is (kind is not Secret.PROOF)


@pytest.mark.parametrize("name", OTHERS)
def test_names_of_others(name: str) -> None:
    """They only look alike."""
    assert secret_kinds(name) == frozenset()


def case(name: str, value: str = VALUE) -> TestCase:
    """A test case whose second request has such a field, and who it is."""
    body = json.dumps({"username": "kim", name: value})
    request = Request("POST", "/x", (Header("Content-Type", "application/json"),), body)
    return TestCase("c", (Page("p", (Transaction(Request("GET", "/")), Transaction(request))),))


@pytest.mark.parametrize("name", [name for name, _ in KINDS if "%" not in name] + [*OTHERS])
def test_all_agree(name: str) -> None:
    """A name is a secret in a report, in a list of fields, in a JSON body and for `secrets`; or in
    none of them. What people type is neither a token that may have been refused nor given out by a
    response."""
    (field,) = (one for one in fields_of(case(name), 1) if one.value == VALUE)
    shown = [
        BY_NAME.value(name, VALUE),
        BY_NAME.field(field),
        BY_NAME.text(json.dumps({name: VALUE})),
    ]
    assert [VALUE not in one for one in shown] == [is_secret(name)] * 3
    columns = {one.field.value: one.column for one in typed(case(name))}
    assert (VALUE in columns) is is_secret(name)
    assert (columns.get(VALUE) == "password") is is_password(name)
    assert ("kim" in columns) is is_password(name)
    answer = exchange(
        "GET", "http://x/", 0.0, content_type="application/json", answer=json.dumps({name: VALUE})
    )
    assert (VALUE in captured(TestCase("c", ()), [answer])) is bool(secret_kinds(name))
