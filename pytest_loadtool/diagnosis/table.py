"""What is looked for in an exchange that failed, and what its status means: one row for each.

What the checks find is told, the surest first. Where they find nothing, the usual causes of the
status are told with what helps against them.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_loadtool.diagnosis.causes import (
    admission,
    challenge,
    choices,
    extracted,
    login,
    missing,
    network,
    pages,
    paging,
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

#: What is looked for: of causes that are equally sure, the first here is named first. Each check
#: knows which answers it is about.
CHECKS: tuple[Check, ...] = (
    network.no_response,
    recording.recorded_in_error,
    recording.form_changed,
    recording.answers_renamed,
    server.proxy_refuses,
    challenge.http_authentication,
    challenge.proxy_authentication,
    missing.missing_everywhere,
    request.clock_wrong,
    admission.origin_refused,
    admission.host_refused,
    challenge.bearer_token,
    choices.choice_gone,
    pages.same_everywhere,
    request.address_edited,
    tokens.token_written_over,
    validators.flow_not_ended,
    validators.text_not_found,
    values.stale_id,
    values.stale_token,
    refused.field_wanted,
    tokens.token_of_wrong_page,
    tokens.token_not_anew,
    request.header_not_sent,
    request.not_as_recorded,
    session.cookie_not_sent,
    login.login_refused,
    pages.another_server,
    missing.missing_page,
    admission.answered_before,
    server.bot_defence,
    refused.refused_values,
    session.passed_not_as_recorded,
    session.not_every_server,
    pages.redirected_elsewhere,
    pages.charset_wrong,
    pages.another_page,
    extracted.nothing_extracted,
    server.rate_limited,
    server.overloaded,
    server.server_error,
    server.method_refused,
    server.too_large,
    session.session_expired,
    tokens.token_refused,
    request.body_invalid,
    challenge.client_certificate,
    missing.missing_file,
    refused.exists_already,
    refused.refused_form,
    paging.on_another_page,
    unconfirmed.change_without_effect,
    validators.value_differs,
    unconfirmed.change_unconfirmed,
    validators.says_it_failed,
    server.not_permitted,
    request.says_why,
    request.gives_no_reason,
)
#: Looked for only where what was sent may be refused.
_OF_REQUESTS = frozenset(
    {
        values.stale_token,
        tokens.token_written_over,
        tokens.token_of_wrong_page,
        tokens.token_not_anew,
        tokens.token_refused,
        request.body_invalid,
        request.header_not_sent,
        session.cookie_not_sent,
        session.session_expired,
    }
)
#: No response; what is not there; what is about size, rate, or who stands before the server.
_NOT_OF_REQUESTS = frozenset({0, 404, 405, 407, 410, 413, 414, 421, 429, 431, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class StatusRow:
    """The meaning of a status. ``possible`` are its usual causes and ``advice`` is what helps, told
    where no check found anything; ``steps`` are facts that are told in any case."""

    meaning: str
    possible: tuple[str, ...] = ()
    advice: tuple[Remedy, ...] = ()
    steps: tuple[tuple[str, Step], ...] = ()


_TOKEN_STEPS = (("tokens", tokens.token_fields), ("their values", tokens.token_values))

ROWS: dict[int, StatusRow] = {
    400: StatusRow(
        "malformed request",
        ("a value or a header that the server does not take",),
        steps=_TOKEN_STEPS,
    ),
    401: StatusRow(
        "the server does not know who asks",
        (
            "no credentials were sent",
            "the session cookie was not sent",
            "the session ended between recording and replay",
            "the server wants HTTP authentication",
            "the server has come to demand NTLMv2 session security, which is spoken here "
            "(the original tool: from version 5.4; to turn it off makes a server weaker)",
            "the credentials are wrong",
        ),
        (edited("find dynamic values anew", "application-state"),),
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
    404: StatusRow("not found"),
    405: StatusRow(
        "the method is not allowed there", ("the server or its version is another one",)
    ),
    407: StatusRow("the proxy does not know who asks"),
    409: StatusRow(
        "it conflicts with what is there",
        ("the thing has changed, or is there already",),
        steps=_TOKEN_STEPS,
    ),
    410: StatusRow("gone for good"),
    412: StatusRow(
        "a precondition does not hold",
        ("an ETag or a version in the request is that of the recording",),
        steps=_TOKEN_STEPS,
    ),
    413: StatusRow("the body is too large"),
    414: StatusRow("the address is too long"),
    419: StatusRow("the page has expired (Laravel: the anti-forgery token)", steps=_TOKEN_STEPS),
    421: StatusRow("the server is not that of this host"),
    422: StatusRow("the values are not accepted", steps=_TOKEN_STEPS),
    428: StatusRow("a precondition is wanted"),
    429: StatusRow("too many requests"),
    431: StatusRow("the headers are too large"),
    440: StatusRow("the session has ended (IIS)"),
    498: StatusRow("the token is not valid (ArcGIS)"),
    502: StatusRow("no good answer from behind"),
    503: StatusRow("not available"),
    504: StatusRow("no answer from behind in time"),
}
#: Of the statuses that have no row, by their hundreds; 0: no response.
GROUPS: dict[int, StatusRow] = {
    0: StatusRow(""),
    2: StatusRow(""),
    3: StatusRow("a redirect"),
    4: StatusRow("the request is refused"),
    5: StatusRow("the server failed"),
}


def row_of(status: int) -> StatusRow:
    """Return the row of a status code; 0 is no response."""
    return ROWS.get(status) or GROUPS.get(status // 100, GROUPS[4])


def checks_of(status: int) -> tuple[Check, ...]:
    """Return what is looked for where an answer has a status code; 0 is no response."""
    if status in _NOT_OF_REQUESTS:
        return tuple(one for one in CHECKS if one not in _OF_REQUESTS)
    return CHECKS
