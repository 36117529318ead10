"""What kept a response from coming: names, connections, TLS, time."""

from __future__ import annotations

from urllib.parse import urlsplit

from pytest_loadtool.diagnosis.finding import SAID, Cause, Remedy, RuledOut
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
    "tls": (
        "TLS did not come about.",
        'name the certificate authority in [tls] of the test case: ca = "ca.pem"',
    ),
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
    "target": ("The address cannot be asked for.", "correct `request` of the transaction"),
}


def no_response(situation: Situation) -> Cause | RuledOut | None:
    """The connection, TLS, the name or the time: what the failure says itself."""
    failure = next((one for one in situation.failed.failures if one.cause in _MEANING), None)
    if failure is None:
        return None
    text, todo = _MEANING[failure.cause]
    evidence = [failure.message]
    origin = situation.failed.origin
    if failure.cause in ("dns", "connect", "tls", "timeout", "reset", "protocol"):
        evidence.append(f"asked for at {origin}{_recorded_elsewhere(situation, origin)}")
    if failure.cause == "timeout":
        evidence += _times(situation)
    place = f"{situation.subject.path}:{situation.failed.transaction.line}"
    remedies = (Remedy(todo, place=place if failure.cause == "target" else ""),) if todo else ()
    return Cause(text, SAID + 2, tuple(evidence), remedies)


def _recorded_elsewhere(situation: Situation, origin: str) -> str:
    """Another server than the one that was recorded, if it is one."""
    exchange = situation.subject.exchange
    if exchange is None:
        return ""
    parts = urlsplit(exchange.url)
    recorded = f"{parts.scheme}://{parts.netloc}"
    return "" if recorded == origin else f"; recorded at {recorded}"


def _times(situation: Situation) -> list[str]:
    """How long was waited, and how long it took when it was recorded."""
    waited = situation.failed.milliseconds / 1000
    found = [f"waited {waited:.1f} s"] if waited > 0 else []
    recorded = situation.failed.transaction.recorded
    if recorded is not None and recorded.took:
        found.append(f"{recorded.took * 1000:.0f} ms were recorded")
    return found
