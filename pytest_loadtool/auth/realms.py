"""Where credentials that were accepted may go ahead of a challenge: the protection space."""

from __future__ import annotations

from pytest_loadtool.auth.handshake import HandshakeState


class Realms:
    """The realms that one virtual user has entered, by host and path.

    Which realm a path belongs to is inferred from the paths that asked before (RFC 7617 §2.2); the
    longest that fits decides. ``host`` is whatever stands for a server (scheme, name and port).
    """

    __slots__ = ("_entered",)

    def __init__(self) -> None:
        self._entered: dict[object, dict[str, HandshakeState]] = {}

    def enter(self, host: object, session: HandshakeState) -> None:
        """The session was accepted: it replaces what was known of its realm."""
        spaces = self._entered.setdefault(host, {})
        for prefix, known in spaces.items():
            if known.realm == session.realm:
                spaces[prefix] = session
        for prefix in session.prefixes:
            spaces[prefix] = session
        self._entered[host] = dict(sorted(spaces.items(), key=lambda one: -len(one[0])))

    def find(self, host: object, target: str) -> HandshakeState | None:
        """Return the session for a request of the host, if its path lies in a realm already
        entered."""
        for prefix, session in self._entered.get(host, {}).items():
            if _within(target, prefix):
                return session
        return None

    def leave(self, host: object, session: HandshakeState) -> None:
        """The session is accepted no more."""
        spaces = self._entered.get(host, {})
        self._entered[host] = {at: one for at, one in spaces.items() if one is not session}


def _within(target: str, prefix: str) -> bool:
    """Return whether the path is the prefix or lies below it: ``/a`` has ``/a/b`` and not
    ``/ab``."""
    if not target.startswith(prefix):
        return False
    return prefix.endswith("/") or target[len(prefix) : len(prefix) + 1] in ("", "/", "?")
