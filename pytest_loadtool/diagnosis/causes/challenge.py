"""Challenges: HTTP authentication that nobody has answered, and bearer tokens that were refused."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from pytest_loadtool.auth import Challenge, parse_challenges, scheme_names, supported
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field
from pytest_loadtool.diagnosis.finding import Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.outcome import text_of
from pytest_loadtool.diagnosis.remedies import (
    PASSWORD,
    as_recorded,
    edited,
    proxy_login,
    references,
    seen_outside,
)
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.diagnosis.subject import place_of

_ASKS = {401: "www-authenticate", 407: "proxy-authenticate"}

WIZARD = (
    "run the Test Case Configuration Wizard (`pytest --record FILE`, command "
    "`test-case-configuration`)"
)
"""How to say who the users of a test case are."""


def challenge_remedy(
    status: int, headers: Sequence[tuple[bytes, bytes]], *, has_identities: bool
) -> str:
    """Return who should have answered such a response, and how to say so; nothing if it asks for
    nothing that could be answered. ``has_identities``: the test case has some."""
    asks = _ASKS.get(status, "").encode()
    schemes = _schemes([value.decode("latin-1") for name, value in headers if name.lower() == asks])
    if not schemes:
        return ""
    if status == 407:
        return f"The proxy asks who you are ({schemes}): [proxy] of the test case can tell."
    if not has_identities:
        return f"The server asks who you are ({schemes}), and the test case does not say: {WIZARD}."
    return (
        f"The server asks who you are ({schemes}), and no [[identity]] is for this host and realm."
    )


def _schemes(values: Sequence[str]) -> str:
    return scheme_names(supported(parse_challenges(values)))


def _challenges(situation: Situation) -> tuple[Challenge, ...]:
    return parse_challenges(situation.header(_ASKS.get(situation.status, _ASKS[401])))


def http_authentication(situation: Situation) -> Cause | RuledOut | None:
    """The server wants HTTP authentication, and nobody has said who the users are."""
    if situation.status != 401 or "auth" in situation.causes:
        return None
    asked = situation.header("www-authenticate")
    schemes = _schemes(asked)
    if not schemes:
        return RuledOut("the server asks for no HTTP authentication") if not asked else None
    if situation.subject.case.identities:
        realms = ", ".join(one.realm for one in _challenges(situation) if one.realm)
        return Cause(
            f"The server asks who you are ({schemes}), and no [[identity]] is for this host"
            + (f" and the realm {realms!r}." if realms else "."),
            Sure.KNOWN,
            remedies=(_another_identity(situation),),
        )
    return Cause(
        f"The server asks who you are ({schemes}), and the test case does not say.",
        Sure.KNOWN,
        remedies=(
            edited(
                f"name a user that all share, and set the environment variable {PASSWORD}; or a "
                "dataset with a row for each: --dataset users.csv",
                f"test-case-configuration --share USERNAME --password-env {PASSWORD}",
            ),
        ),
    )


def _another_identity(situation: Situation) -> Remedy:
    """Return who the users are at another place than those that the test case has users for."""
    case = situation.subject.case
    realm = next((one.realm for one in _challenges(situation) if one.realm), "")
    lines = [] if PASSWORD in case.variables else [f"[variables.{PASSWORD}]", f'env = "{PASSWORD}"']
    lines += ["[[identity]]"]
    if any(one.host for one in case.identities):
        lines.append(f"host = {json.dumps(urlsplit(situation.failed.origin).hostname)}")
    if realm:
        lines.append(f"realm = {json.dumps(realm, ensure_ascii=False)}")
    lines += ['username = "USERNAME"', f'password = "${{{PASSWORD}}}"']
    return Remedy(
        f"say at the end who the users are there, and set the environment variable {PASSWORD}; or "
        "correct `host` or `realm` of the [[identity]]",
        line="\n".join(lines),
        place=situation.subject.path,
    )


_OF_CERTIFICATES = re.compile(r"(?:ssl|tls|client)\W+certificate", re.IGNORECASE)


def client_certificate(situation: Situation) -> Cause | RuledOut | None:
    """The server wants a certificate of the client, in TLS, and says so in HTTP."""
    said = [one for one in situation.complaints if _OF_CERTIFICATES.search(one)]
    secure = situation.failed.origin.startswith("https://")
    if not said or not secure or situation.status not in (400, 401, 403, 495, 496):
        return None
    sent = bool(situation.subject.case.tls.client_certificate)
    cause = Cause(
        "The server does not take the certificate of the client."
        if sent
        else "The server wants a certificate of the client, and the test case has none.",
        Sure.SAID,
        (),
        (
            Remedy(
                "name a certificate that the server takes in client_certificate of [tls], with "
                "client_key if its key is in another file"
            ),
        ),
    )
    return seen_outside(situation, cause)


def proxy_authentication(situation: Situation) -> Cause | RuledOut | None:
    """The proxy wants to know who asks."""
    if situation.status != 407:
        return None
    schemes = _schemes(situation.header("proxy-authenticate")) or "no scheme that is known"
    return Cause(
        f"The proxy wants a login ({schemes}).", Sure.KNOWN, remedies=(proxy_login(situation),)
    )


def bearer_token(situation: Situation) -> Cause | RuledOut | None:
    """A bearer token was refused, or none was sent (RFC 6750 §3.1)."""
    challenge = next((one for one in _challenges(situation) if one.scheme == "bearer"), None)
    field = _authorization(situation)
    if challenge is None and not (field and situation.status == 401):
        return None
    said = challenge.parameters if challenge is not None else {}
    evidence = [f'the server says: {name} "{said[name]}"' for name in _TOLD if said.get(name)]
    if said.get("error") == "insufficient_scope":
        cause = Cause(
            "The token is good, and does not allow this: its scope is too small.",
            Sure.SAID,
            tuple(evidence),
            (Remedy("have the user, or the client, given a scope that allows this"),),
        )
        return seen_outside(situation, cause)
    if field is None:
        return Cause(
            "The server wants a bearer token, and the request has none.",
            Sure.SHOWN,
            tuple(evidence),
            (as_recorded(situation, "send the token that the answer to the login gives out"),),
        )
    if field.datasource == CONSTANT:
        return _constant(situation, field, evidence)
    return _refused(situation, field, evidence)


_TOLD = ("error", "error_description")


def _authorization(situation: Situation) -> Field | None:
    found = (one for one in situation.fields if one.wire_name.lower() == "authorization")
    return next(found, None)


def _constant(situation: Situation, field: Field, evidence: list[str]) -> Cause:
    shown = situation.subject.mask.field(field)
    command = "application-state" if situation.subject.case.configured else "configure"
    return Cause(
        "The bearer token is a constant: it was sent as recorded, and is refused.",
        Sure.SHOWN,
        (f"Authorization: {shown}", *evidence),
        (edited("take the token from the answer that gives it out", command),),
    )


def _refused(situation: Situation, field: Field, evidence: list[str]) -> Cause | RuledOut | None:
    """Return a token that was taken anew, and refused: it has expired, or is of another kind."""
    names = [one.name for one in references(field.value)]
    givers = [
        one
        for one in situation.before
        for extractor in one.transaction.extractors
        if extractor.variable in names
    ]
    if not givers:
        return Cause(
            f"Nothing gives out ${{{names[0] if names else '?'}}}, which Authorization sends.",
            Sure.SHOWN,
            tuple(evidence),
            (as_recorded(situation, "take it from the answer to the login"),),
        )
    giver = givers[-1]
    failed = [one for one in giver.failures if one.cause == "extractor"]
    if failed:
        return Cause(
            f"{situation.name(giver)} gave out no token.",
            Sure.SHOWN,
            (failed[0].told, *evidence),
            index=giver.index,
        )
    age, recorded = situation.seconds_since(giver)
    life = _lifetime(text_of(giver.response)[0])
    text = " ".join(evidence)
    expired = "expire" in text.lower() or (life is not None and age >= life)
    then = f"; {recorded:.1f} s when recorded" if recorded is not None else ""
    lives = f", which says that it lives {life:g} s" if life is not None else ""
    path = situation.subject.path
    cause = Cause(
        "The bearer token has expired." if expired else "The bearer token was refused.",
        Sure.SAID if expired else Sure.LIKELY,
        (
            f"${{{names[0]}}} was taken anew from {situation.name(giver)}{lives}, "
            f"{age:.1f} s before{then}",
            *evidence,
        ),
        (
            Remedy(
                "have the token renewed when it has expired, by the transaction that gives it out",
                line=f'refreshes = "{names[0]}"',
                place=place_of(path, giver),
            ),
            Remedy(
                "or shorter pauses",
                command=f"{situation.replay_command} --loadtool-think-time 500ms",
            ),
        )
        if expired
        else (
            Remedy(
                "see whether that user may do this, and whether the server's clock and keys are "
                "those of who gives the token out"
            ),
        ),
        confirm=f"{situation.replay_command} --loadtool-think-time none" if age > 0.5 else "",
    )
    return cause if cause.confirm or expired else seen_outside(situation, cause)


def _lifetime(text: str) -> float | None:
    """Return how long the token lives by the answer that gave it out, in seconds: ``expires_in``
    (RFC 6749 §5.1), or what a JSON web token says (RFC 7519 §4.1.4, §4.1.6)."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    seconds = found.get("expires_in")
    if isinstance(seconds, int | float) and not isinstance(seconds, bool):
        return float(seconds)
    parts = str(found.get("access_token") or found.get("token") or "").split(".")
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
        return float(claims["exp"]) - float(claims["iat"])
    except (IndexError, ValueError, KeyError, TypeError, RecursionError):
        return None


# What is looked at first and second after a 401.


def authentication_folder(situation: Situation) -> str:
    """Return whether HTTP authentication is configured."""
    count = len(situation.subject.case.identities)
    if not count:
        return "none: HTTP authentication is not configured"
    return f"{count} {'identity' if count == 1 else 'identities'}"


def www_authenticate(situation: Situation) -> str:
    """Return what the server asks for, and what that means."""
    asked = situation.header("www-authenticate")
    if not asked:
        return "none: a form or a session, not HTTP authentication"
    schemes = [one.scheme for one in parse_challenges(asked)]
    if "bearer" in schemes:
        return f"{asked[0][:60]}: an OAuth 2.0 token"
    known = _schemes(asked)
    return f"{known}: HTTP authentication" if known else f"{', '.join(schemes)}: not supported"
