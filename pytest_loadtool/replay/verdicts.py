"""What became of the credentials that a virtual user has tried: accepted, refused, or on trial.

To send wrong ones again and again locks an account: directories often allow three or five tries. So
what was refused is not sent again for as long as the user lives, and what is not known to be right
is tried by one request at a time.
"""

from __future__ import annotations

from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.replay.plan import Account

__all__ = ["Trial", "Verdicts"]


class Trial:
    """With what, where, and in which realm an account logs in. ``place`` is whatever stands for a
    server or a proxy."""

    __slots__ = ("account", "credentials", "place", "realm")

    def __init__(
        self, account: Account, credentials: Credentials, place: object, realm: str
    ) -> None:
        self.account = account
        self.credentials = credentials
        self.place = place
        self.realm = realm


class Verdicts:
    """Of one virtual user, in all of its iterations: each may have other credentials."""

    __slots__ = ("_accepted", "_refused", "_trying")

    def __init__(self) -> None:
        # Of those that were accepted only the last: a user may go through all rows of a dataset.
        self._accepted: dict[tuple[Account, object, str], Credentials] = {}
        self._refused: dict[tuple[Credentials, object], dict[str, str]] = {}
        self._trying: set[tuple[Credentials, object, str]] = set()

    def begin(self, trial: Trial) -> bool:
        """Whether it may be made now; else another one has to end before."""
        known = self._accepted.get((trial.account, trial.place, trial.realm))
        if known == trial.credentials:
            return True
        key = (trial.credentials, trial.place, trial.realm)
        if key in self._trying:
            return False
        self._trying.add(key)
        return True

    def end(self, trial: Trial) -> None:
        """Nobody waits for it any more, whatever became of it."""
        self._trying.discard((trial.credentials, trial.place, trial.realm))

    def end_all(self) -> None:
        """Nothing is under way."""
        self._trying.clear()

    def accept(self, trial: Trial) -> None:
        """They are right."""
        self._accepted[trial.account, trial.place, trial.realm] = trial.credentials
        self.end(trial)

    def refuse(self, trial: Trial, how: str) -> None:
        """They are wrong: ``how`` is what `refusal` gives from now on."""
        self._refused.setdefault((trial.credentials, trial.place), {})[trial.realm] = how
        self.end(trial)

    def refusal(self, trial: Trial) -> str:
        """How these credentials were refused; nothing if they were not."""
        return self._refused.get((trial.credentials, trial.place), {}).get(trial.realm, "")

    def any_refusal(self, credentials: Credentials, place: object) -> bool:
        """Whether any realm there has refused them."""
        return (credentials, place) in self._refused
