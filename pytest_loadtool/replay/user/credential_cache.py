"""What became of credentials that virtual users have tried: accepted, refused, or on trial.

To send wrong ones again and again locks an account: directories often allow three or five tries. So
what was refused is not sent again for as long as the run lasts, and what is not known to be right
is tried by one request at a time, of all users of the process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_loadtool.auth.credentials import Credentials

POLL_INTERVAL: Final = 0.01
"""How long (seconds) one waits at first before one looks again what has become of a trial."""

#: How long (seconds) credentials are on trial at most: a server that does not answer keeps nobody.
_PATIENCE: Final = 5.0

#: Of how many credentials it is known what became of them. There may be new ones in each iteration.
_MOST_KNOWN: Final = 10_000

#: The credentials, and where.
_Who = tuple[Credentials, object]

#: Scheme and realm.
_How = tuple[str, str]


class Trial:
    """An attempt to log in: with what, where, and in which scheme and realm. ``place`` is whatever
    stands for a server or a proxy."""

    __slots__ = ("begun", "credentials", "how", "who")

    def __init__(self, credentials: Credentials, place: object, scheme: str, realm: str) -> None:
        self.credentials = credentials
        self.who: _Who = (credentials, place)
        self.how: _How = (scheme, realm)
        self.begun = 0.0


class CredentialCache:
    """The credentials of all virtual users of a plan, and what became of them. Credentials that
    differ in anything are others."""

    __slots__ = ("_accepted", "_refused", "_trying")

    def __init__(self) -> None:
        self._accepted: dict[tuple[_Who, _How], bool] = {}
        self._refused: dict[_Who, dict[_How, str]] = {}
        self._trying: dict[tuple[_Who, _How], Trial] = {}

    def begin(self, trial: Trial, now: float) -> bool:
        """Return whether it may be made now; else another one has to end before, or to take too
        long."""
        key = (trial.who, trial.how)
        if key in self._accepted:
            return True
        other = self._trying.get(key)
        if other is not None and now - other.begun < _PATIENCE:
            return False
        trial.begun = now
        self._trying[key] = trial
        return True

    def end(self, trial: Trial) -> None:
        """End the trial, whatever became of it: nobody waits for it any more."""
        key = (trial.who, trial.how)
        if self._trying.get(key) is trial:
            del self._trying[key]

    def accept(self, trial: Trial) -> None:
        """They are right."""
        accepted = self._accepted
        accepted[trial.who, trial.how] = True
        if len(accepted) > _MOST_KNOWN:
            del accepted[next(iter(accepted))]
        self.end(trial)

    def refuse(self, trial: Trial, how: str) -> None:
        """They are wrong: ``how`` is what `refusal` gives from now on.

        What was right before is wrong from the second time on: one such answer may be the server's
        own trouble, and all who share the credentials would suffer from it.
        """
        self.end(trial)
        if self._accepted.pop((trial.who, trial.how), False):
            return
        refused = self._refused
        refused.setdefault(trial.who, {})[trial.how] = how
        if len(refused) > _MOST_KNOWN:
            del refused[next(iter(refused))]

    def refusal(self, trial: Trial) -> str:
        """Return how these credentials were refused; nothing if they were not."""
        known = self._refused.get(trial.who)
        return "" if known is None else known.get(trial.how, "")

    def any_refusal(self, credentials: Credentials, place: object) -> bool:
        """Return whether they were refused there, in any scheme and realm."""
        return (credentials, place) in self._refused


@dataclass(frozen=True, slots=True)
class ProxyUser:
    """The user at a proxy just now: what it logs in with, if with anything, how messages call it,
    and what is known of such."""

    credentials: Credentials | None
    name: str
    credential_cache: CredentialCache
