"""Logins that were refused, with whatever status, and what that means for what follows."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from pytest_loadtool.codec.cookie import set_cookies
from pytest_loadtool.codec.names import is_password
from pytest_loadtool.correlation.classify import is_identity_name
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field, fields_of
from pytest_loadtool.diagnosis.finding import Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.outcome import StepOutcome, text_of
from pytest_loadtool.diagnosis.page_errors import EXISTS
from pytest_loadtool.diagnosis.redirect_mismatch import led_to_another_page, was_refused
from pytest_loadtool.diagnosis.remedies import new_password, references, seen_outside
from pytest_loadtool.diagnosis.situation import Situation

#: What servers say of credentials that they do not take.
_OF_CREDENTIALS = re.compile(
    r"pass ?wor[dt]|user ?name|credential|incorrect|wrong|invalid|unknown user|(?:not|n't) match"
    r"|(?:log|sign).?(?:in|on) (?:failed|incorrect)|kennwort|benutzer|falsch"
    r"|mot de passe|contraseñ",
    re.IGNORECASE,
)
#: What they say of what else a login needs.
_OF_OTHERS = re.compile(
    r"captcha|robot|human|javascript|\bcode\b|\botp\b|factor|two.step|consent|terms|expired",
    re.IGNORECASE,
)
_OF_TOKENS = re.compile(r"csrf|xsrf|forgery|\btoken|\bcookie", re.IGNORECASE)
_PASSWORD_CONTROL = re.compile(r"""<input\b[^<>]*\btype\s*=\s*["']?password\b""", re.IGNORECASE)
_REFUSED = frozenset({400, 401, 403, 422, 423})
#: What is said of logins by who takes no more of them (429), and not of requests in general.
_OF_LOGINS = re.compile(r"account|attempt|(?:log|sign).?(?:in|on)\b|lock", re.IGNORECASE)


def login_refused(situation: Situation) -> Cause | RuledOut | None:
    """The last login before the failure was refused: it failed itself, or its answer, which may
    have status 200, is not what was recorded and asks to log in again."""
    login = situation.login
    if login is None:
        return None
    said = situation.complaints_of(login)
    why = _why_refused(situation, login, said)
    if not why:
        return RuledOut(f"the login, {situation.name(login)}, was not refused")
    if leads := _leads_elsewhere(situation, login):
        return leads
    words = " ".join(said)
    if EXISTS.search(words) or _OF_TOKENS.search(words):
        return None  # it registers somebody, or lacks a token
    typed = [one for one in fields_of(situation.subject.case, login.index) if _signs_in(one)]
    sent = (_sent(situation, login, one) for one in typed)
    of_account = bool(_OF_ACCOUNTS.search(words)) and _is_as_recorded(situation, login, typed)
    of_password = not of_account and _is_of_password(login, words)
    told = "" if of_password or not said else f" It says: {said[0]!r}."
    sure = Sure.SAID if of_password and words else Sure.SHOWN if of_password else Sure.LIKELY
    cause = Cause(
        f"The login was refused: {situation.name(login)}."
        + (" The account is locked, or may not log in." if of_account else told),
        Sure.SAID if of_account else sure,
        (why, *sent),
        (
            new_password(situation, login, typed)
            if of_password
            else Remedy("see the account on the server: the same password was taken once")
            if of_account
            else Remedy("do by hand what it asks for, as that user; or record again with that"),
        ),
        index=login.index,
    )
    return cause if of_password else seen_outside(situation, cause, login)


def _is_of_password(login: StepOutcome, words: str) -> bool:
    """Return whether a refused login is about the password: its answer says so, or has nothing else
    to say than that it does not know who that is, or asks for it again."""
    if _OF_OTHERS.search(words):
        return False
    silent = not words and _PASSWORD_CONTROL.search(text_of(login.response)[0])
    return bool(_OF_CREDENTIALS.search(words) or silent) or login.response.status == 401


#: What servers say of accounts, whose password may be right.
_OF_ACCOUNTS = re.compile(
    r"lock|disabled|inactive|deactivated|suspended|banned|blocked|staff|permission|too many"
    r"|attempts|expired|not (?:yet )?(?:active|verified|confirmed)|gesperrt|verrouillé",
    re.IGNORECASE,
)


def _is_as_recorded(situation: Situation, login: StepOutcome, typed: list[Field]) -> bool:
    """Return whether the same was typed as when it was recorded."""
    recorded = situation.recorded_of(login)
    return bool(typed) and all(
        one.datasource == CONSTANT and one.value in recorded.get(one.wire_name, ()) for one in typed
    )


def _leads_elsewhere(situation: Situation, login: StepOutcome) -> Cause | None:
    """Return a login that was taken, as its cookies show, and leads to another page first."""
    exchange, subject = situation.of(login).exchange, situation.of(login)
    then = exchange.response_header("location") if exchange is not None else None
    if exchange is None or not then or not led_to_another_page(then, subject.location):
        return None
    before, now = dict(set_cookies(exchange.response_headers)), dict(set_cookies(subject.headers))
    asked = subject.request_head[0].split(" ")[1:2]
    path = urlsplit(subject.location).path
    if not path or not before or not before.keys() <= now.keys() or [path] == asked:
        return None
    cause = Cause(
        f"The login was taken, and leads to {situation.subject.mask.text(path)} first.",
        Sure.SHOWN,
        (f"when recorded it led to {then}, and set {', '.join(before)} as it does now",),
        (Remedy("do what that page wants, by hand, as that user; or record again with it"),),
        index=login.index,
    )
    return seen_outside(situation, cause, login)


def _why_refused(situation: Situation, login: StepOutcome, said: tuple[str, ...]) -> str:
    """Return how its answer shows that; empty if it does not."""
    recorded, status = login.transaction.recorded, login.response.status
    was = recorded.status if recorded is not None else 0
    of_logins = status == 429 and _OF_LOGINS.search(" ".join(said)) is not None
    if (status in _REFUSED or of_logins) and status != was:
        return f"it was answered with {status}, {was} was recorded" if was else f"status {status}"
    if status == 0 or status >= 400:
        return ""
    asks = situation.is_asked_again(login) or bool(said)
    if was_refused(login.transaction.request.method, was, status) and asks:
        return f"it came back as a page ({status}), a redirect was recorded ({was})"
    if _asks_again(situation, login):
        return "its answer has a password field, as the recorded one had not"
    exchange = situation.of(login).exchange
    then = exchange.response_header("location") if exchange is not None else None
    now = situation.of(login).location
    if then and now and led_to_another_page(then, now):
        return f"it redirects to {situation.subject.mask.text(now)}, not to {then}"
    if login.not_as_recorded and said:
        return f"not as recorded: {login.not_as_recorded}"
    return ""


def _asks_again(situation: Situation, login: StepOutcome) -> bool:
    exchange = situation.of(login).exchange
    if exchange is None:
        return False
    then = exchange.response_body.decode("utf-8", "replace")
    now = text_of(login.response)[0]
    return bool(_PASSWORD_CONTROL.search(now)) and not _PASSWORD_CONTROL.search(then)


def _signs_in(field: Field) -> bool:
    name = field.wire_name
    return field.section != "PATH" and (is_password(name) or is_identity_name(name))


def _sent(situation: Situation, login: StepOutcome, field: Field) -> str:
    """Return what was sent in a field, and where it is from."""
    subject = situation.of(login)
    if field.datasource == CONSTANT:
        return f"sent {field.name} = {subject.mask.field(field)}, a constant"
    sent = {name: subject.mask.value(field.name, value) for name, value in subject.sent.items()}
    parts = (f"{sent.get(one.name, '?')} of ${{{one.name}}}" for one in references(field.value))
    return f"sent {field.name} = {', '.join(parts)}"
