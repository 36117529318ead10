"""Dynamic values in what is behind HTTP authentication."""

from __future__ import annotations

from pytest_loadtool.recording import build_case
from tests.correlation.exchanges import FORM, answered, html
from tests.correlation.talk import TOKEN, configure, get, made

NONCE = "Z3J1ZXNzZSBhbiBkaWUgTmFjaHdlbHQ"
CHALLENGE = ("WWW-Authenticate", f'Digest realm="shop", nonce="{NONCE}", qop="auth"')
ANSWER = ("Authorization", f'Digest username="alice", realm="shop", nonce="{NONCE}", response="0"')


def test_tokens_of_a_negotiation_are_no_values_and_those_behind_it_are() -> None:
    """The token in the form is taken from the response that the negotiation led to."""
    page = "<form method=post action=/buy><input type=hidden name=csrf value={}></form>"
    recorded = [
        get("/form", html(page.format(NONCE)), status=401, received=(CHALLENGE,)),
        get("/form", html(page.format(TOKEN)), sent=(ANSWER,)),
        answered("POST", "/buy", html(""), sent=(FORM, ANSWER), body=f"csrf={TOKEN}".encode()),
    ]
    configuration = configure(build_case(recorded, name="shop").case, recorded)
    form, bought = configuration.case.transactions()
    assert [one.value for one in made(configuration)] == [TOKEN]
    (extractor,) = form.extractors
    assert bought.request.body == f"csrf=${{{extractor.variable}}}"
