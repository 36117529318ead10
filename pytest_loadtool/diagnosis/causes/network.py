"""What kept a response from coming: names, connections, TLS, time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from pytest_loadtool.diagnosis.finding import Cause, Remedy, RuledOut, Sure
from pytest_loadtool.diagnosis.remedies import (
    new_credentials,
    place_of_failed,
    recorded_server,
    seen_outside,
)
from pytest_loadtool.diagnosis.situation import Situation

#: By the kind of a failure: what it means, and what to do.
_MEANING: dict[str, tuple[str, str]] = {
    "dns": (
        "The host's name is not known here.",
        "correct `server`, or the names that this machine knows (DNS, /etc/hosts)",
    ),
    "connect": (
        "Nobody accepts connections there.",
        "start the server, or correct `server` and its port",
    ),
    "tls": ("TLS did not come about.", "see which protocol and certificate the server has"),
    "timeout": ("The response did not come in time.", "see why the server is slow"),
    "reset": (
        "The server ended the connection.",
        "look into the server's log: it, or a proxy before it, gave up",
    ),
    "protocol": (
        "What came is not HTTP as it should be.",
        "see that `server` is a web server, with https where it speaks TLS",
    ),
    "decoding": (
        "The response's body is not in the coding that it names.",
        "look at Content-Encoding: the server, or a proxy before it, changes bodies",
    ),
    "auth": ("The credentials were refused.", ""),
    "memory": ("The response is larger than what is left of memory.", "run fewer users"),
    "internal": ("pytest-loadtool has a defect.", "please report it, with the response"),
    "hook": (
        "A function of the project failed.",
        "mend the function: the message says where it stands",
    ),
    "target": ("The address cannot be asked for.", "correct `request` of the transaction"),
}


def no_response(situation: Situation) -> Cause | RuledOut | None:
    """Return what the failure says itself, of the connection, TLS, the name or the time."""
    failure = next((one for one in situation.failed.failures if one.cause in _MEANING), None)
    if failure is None:
        return None
    text, todo = _MEANING[failure.cause]
    evidence = [failure.message]
    origin = situation.failed.origin
    if failure.cause in ("dns", "connect", "tls", "timeout", "reset", "protocol"):
        evidence.append(f"asked for at {origin}{_recorded_elsewhere(situation, origin)}")
    if failure.cause == "auth" and re.search("NTLM|Negotiate", failure.message):
        evidence.append(_POLICY)
    if failure.cause == "timeout":
        evidence += _times(situation)
    remedies = tuple(_remedies(situation, failure.cause, failure.message))
    place = place_of_failed(situation) if failure.cause == "target" else ""
    if todo and "--proxy-url" not in "".join(one.command for one in remedies):
        remedies += (Remedy(todo, place=place),)
    text = _told_by(failure.message) or _of_proxy(failure.message) or text
    cause = Cause(text, Sure.KNOWN, tuple(evidence), remedies)
    return seen_outside(situation, cause) if failure.cause in _OUTSIDE else cause


#: What else it may be where NTLM is refused.
_POLICY = (
    "if they are right, see the server's NTLM policy: NTLMv2 with session security is spoken here "
    "(the original tool: from version 5.4; to turn it off makes a server weaker)"
)
#: What the same request shows by another client.
_OUTSIDE = frozenset({"dns", "connect", "tls", "timeout", "reset", "protocol", "decoding"})
#: How much longer is waited than before, at least, in seconds.
_PATIENCE = 300
#: What messages say more closely, and what that means.
_TOLD = {
    "HTTP/2 is spoken": "The server speaks HTTP/2 there, and no HTTP/1.1, which it was asked in.",
    "expired": "The server's certificate has expired.",
    "mismatch": "The server's certificate is for another name.",
    "not valid for": "The server's certificate is for another name.",
    "self-signed": "The server's certificate is of an authority that is not trusted here.",
    "self signed": "The server's certificate is of an authority that is not trusted here.",
    "unable to get local issuer": (
        "The server's certificate is of an authority that is not trusted here."
    ),
}
_UNTRUSTED = re.compile(r"self.signed|local issuer", re.IGNORECASE)


def _of_proxy(message: str) -> str:
    """Return what a proxy wants that nobody has told it."""
    found = re.search(r"wants to know who asks (\(.*?\))", message)
    return f"The proxy wants a login {found[1]}." if found and "proxy" in message else ""


def _told_by(message: str) -> str:
    return next((text for word, text in _TOLD.items() if word in message), "")


def _remedies(situation: Situation, kind: str, message: str) -> Iterator[Remedy]:
    """Yield what can be done here, without the server."""
    path = situation.subject.path
    if kind == "auth":
        yield from new_credentials(situation, message)
    elif kind == "timeout":
        seconds = max(_PATIENCE, 10 * round(situation.failed.milliseconds / 1000))
        text = "wait longer, which also shows whether it comes at all"
        yield Remedy(text, command=f"{situation.replay_command} --loadtool-timeout {seconds}s")
    elif kind in ("dns", "connect") and "proxy" in message:
        text = "start the proxy, correct its address, or go without it"
        yield Remedy(text, command=f"{situation.replay_command} --proxy-url none")
    elif kind in ("dns", "connect", "tls", "protocol"):
        if kind == "tls" and _UNTRUSTED.search(message):
            text = "put the certificate of its authority beside the test case, as ca.pem, and name"
            yield Remedy(f"{text} it at the end", line='[tls]\nca = "ca.pem"', place=path)
        elif (server := recorded_server(situation)) is not None:
            yield server


def _recorded_elsewhere(situation: Situation, origin: str) -> str:
    """Return another server than the one that was recorded, if it is one."""
    exchange = situation.subject.exchange
    if exchange is None:
        return ""
    parts = urlsplit(exchange.url)
    recorded = f"{parts.scheme}://{parts.netloc}"
    return "" if recorded == origin else f"; recorded at {recorded}"


def _times(situation: Situation) -> list[str]:
    """Return how long was waited, and how long it took when it was recorded."""
    waited = situation.failed.milliseconds / 1000
    found = [f"waited {waited:.1f} s"] if waited > 0 else []
    recorded = situation.failed.transaction.recorded
    if recorded is not None and recorded.took:
        found.append(f"{recorded.took * 1000:.0f} ms were recorded")
    return found
