"""What each status means, what may cause it, and what is looked at: one row for each.

The checks of a row are made on the exchange that failed; what is found is told, the surest first.
Where nothing is found, the usual causes are told with what helps against them.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_loadtool.diagnosis.causes import (
    challenge,
    login,
    missing,
    network,
    pages,
    recording,
    refused,
    request,
    server,
    session,
    tokens,
    unconfirmed,
    validators,
    values,
)
from pytest_loadtool.diagnosis.finding import Check, Remedy, Step
from pytest_loadtool.diagnosis.remedies import edited

#: Looked for whatever the status is.
EVERYWHERE: tuple[Check, ...] = (
    network.no_response,
    login.login_refused,
    recording.recorded_in_error,
    recording.form_changed,
    recording.answers_renamed,
    session.passed_but_otherwise,
    session.not_every_server,
    pages.redirected_elsewhere,
    pages.same_everywhere,
    pages.another_server,
    pages.charset_wrong,
    pages.another_page,
    request.clock_wrong,
    request.says_why,
    request.not_as_recorded,
    request.gives_no_reason,
    refused.refused_values,
    server.proxy_refuses,
    challenge.client_certificate,
    refused.field_wanted,
    server.bot_defence,
    server.rate_limited,
    validators.change_without_effect,
    validators.says_it_failed,
    validators.text_not_found,
    validators.value_differs,
    validators.nothing_extracted,
    unconfirmed.change_unconfirmed,
)
_TOKENS: tuple[Check, ...] = (
    values.stale_constant(tokens=True),
    tokens.token_written_over,
    tokens.token_of_wrong_page,
    tokens.token_not_anew,
    tokens.token_refused,
)
_REQUEST: tuple[Check, ...] = (
    request.body_invalid,
    request.header_not_sent,
    values.stale_constant(tokens=False),
)
_SESSION: tuple[Check, ...] = (session.cookie_not_sent, session.session_expired)


@dataclass(frozen=True, slots=True)
class StatusRow:
    """What a status means. ``possible`` are its usual causes and ``advice`` is what helps, told
    where no check found anything; ``steps`` are facts that are told in any case."""

    meaning: str
    checks: tuple[Check, ...] = ()
    possible: tuple[str, ...] = ()
    advice: tuple[Remedy, ...] = ()
    steps: tuple[tuple[str, Step], ...] = ()


_TOKEN_STEPS = (("tokens", tokens.token_fields), ("their values", tokens.token_values))
_ASM = edited("find dynamic values anew", "application-state")

ROWS: dict[int, StatusRow] = {
    400: StatusRow(
        "malformed request",
        (*_REQUEST, *_TOKENS, refused.exists_already, *_SESSION[:1]),
        ("a value or a header that the server does not take",),
        (Remedy("investigate: `diff` compares the request with the recorded one"),),
        _TOKEN_STEPS,
    ),
    401: StatusRow(
        "the server does not know who asks",
        (
            *(challenge.http_authentication, challenge.bearer_token),
            *(*_SESSION, *_TOKENS, request.header_not_sent),
        ),
        (
            "no credentials were sent",
            "the session cookie was not sent",
            "the session ended between recording and replay",
            "the server wants HTTP authentication",
            "the server has come to demand NTLMv2 session security, which is spoken here "
            "(the original tool: from version 5.4; to turn it off makes a server weaker)",
            "the credentials are wrong",
        ),
        (_ASM,),
        (
            ("Authentication folder", challenge.authentication_folder),
            ("WWW-Authenticate", challenge.www_authenticate),
            ("Set-Cookie of the login", session.set_cookie_of_login),
            ("Cookie of this request", session.cookie_of_request),
            ("Authorization of this request", tokens.authorization_of_request),
        ),
    ),
    403: StatusRow(
        "the server knows who asks, and refuses",
        (
            *(challenge.bearer_token, *_TOKENS, request.header_not_sent),
            *(server.not_permitted, *_SESSION[:1], *_REQUEST[2:]),
        ),
        (
            "an anti-forgery token is missing or stale",
            "the user has not the rights of the recorded one",
            "a defence against robots, or a rate limit",
            "the session was never set up",
        ),
        (
            Remedy(
                "replay as another user, with more think time, or ask those who guard the target"
            ),
        ),
        _TOKEN_STEPS,
    ),
    404: StatusRow(
        "not found",
        (
            *(
                missing.missing_everywhere,
                request.address_edited,
                values.stale_constant(tokens=False),
            ),
            *(missing.missing_file, missing.missing_page),
        ),
    ),
    405: StatusRow(
        "the method is not allowed there",
        (server.method_refused,),
        ("the server or its version is another one",),
    ),
    407: StatusRow("the proxy does not know who asks", (challenge.proxy_authentication,)),
    409: StatusRow(
        "it conflicts with what is there",
        (refused.exists_already, *_REQUEST, *_TOKENS),
        ("the thing has changed, or is there already",),
        steps=_TOKEN_STEPS,
    ),
    410: StatusRow(
        "gone for good",
        (
            request.address_edited,
            values.stale_constant(tokens=False),
            missing.missing_file,
            missing.missing_page,
        ),
    ),
    412: StatusRow(
        "a precondition does not hold",
        (values.stale_constant(tokens=True), *_REQUEST, *_TOKENS[1:]),
        ("an ETag or a version in the request is that of the recording",),
        steps=_TOKEN_STEPS,
    ),
    413: StatusRow("the body is too large", (server.too_large,)),
    414: StatusRow("the address is too long", (server.too_large,)),
    419: StatusRow(
        "the page has expired (Laravel: the anti-forgery token)",
        (*_TOKENS, *_SESSION),
        steps=_TOKEN_STEPS,
    ),
    421: StatusRow("the server is not that of this host", ()),
    422: StatusRow(
        "the values are not accepted",
        (*(refused.exists_already, *_TOKENS, *_REQUEST, session.cookie_not_sent),),
        steps=_TOKEN_STEPS,
    ),
    428: StatusRow("a precondition is wanted", (*_REQUEST, *_TOKENS)),
    429: StatusRow("too many requests", ()),
    431: StatusRow("the headers are too large", (server.too_large,)),
    440: StatusRow("the session has ended (IIS)", (*_SESSION, *_TOKENS)),
    498: StatusRow("the token is not valid (ArcGIS)", (*_TOKENS, challenge.bearer_token)),
    502: StatusRow("no good answer from behind", (server.overloaded,)),
    503: StatusRow("not available", (server.overloaded,)),
    504: StatusRow("no answer from behind in time", (server.overloaded,)),
}
#: Of the statuses that have no row, by their hundreds; 0: no response, or one that succeeded.
GROUPS: dict[int, StatusRow] = {
    0: StatusRow("", ()),
    2: StatusRow(
        "",
        (refused.exists_already, refused.refused_form, *_TOKENS, *_SESSION, *_REQUEST),
    ),
    3: StatusRow("a redirect", (session.session_expired, *_SESSION[:1], *_TOKENS)),
    4: StatusRow(
        "the request is refused",
        (*_REQUEST, *_TOKENS, *_SESSION[:1]),
        advice=(Remedy("investigate: `diff` compares the request with the recorded one"),),
    ),
    5: StatusRow(
        "the server failed",
        (server.server_error, *_REQUEST, *_TOKENS[:1]),
        advice=(Remedy("investigate: the server's log says why"),),
    ),
}


def row_of(status: int) -> StatusRow:
    """Return the row of a status code; 0 is no response."""
    return ROWS.get(status) or GROUPS.get(status // 100, GROUPS[4])
