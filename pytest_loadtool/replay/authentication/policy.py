"""What to do about a challenge, whoever was asked: a request by 401 or 407, or a CONNECT.

To send wrong credentials again and again locks an account, so whoever answers asks here first. No
I/O: challenges come in, what to do comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from pytest_loadtool.auth.challenge import Challenge
from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.auth.handshake import Handshake, RequestFacts
from pytest_loadtool.auth.schemes import start, supported
from pytest_loadtool.errors import AuthenticationError
from pytest_loadtool.replay.authentication.credentials import header_line
from pytest_loadtool.replay.user.credential_cache import CredentialCache, Trial
from pytest_loadtool.replay.user.origin import Account

SAY: Final = 0
"""Send the request again, with `Login.line` in its head."""
WAIT: Final = 1
"""Another request tries the same credentials: ask again after a while."""
REFUSED: Final = 2
"""They are wrong, as is known now: `Login.refuse` keeps it."""
KNOWN: Final = 3
"""They are wrong, as was known before: `Login.why` is what was kept."""
UNABLE: Final = 4
"""There is no answer: `Login.why` says why."""


class Login:
    """``account`` answers the challenges of one request in ``header``, until the verdict."""

    __slots__ = ("_cache", "account", "handshake", "header", "line", "trial", "value", "why")

    def __init__(
        self,
        account: Account,
        header: str,
        handshake: Handshake,
        trial: Trial,
        credential_cache: CredentialCache,
    ) -> None:
        self._cache = credential_cache
        self.account = account
        self.header = header
        self.handshake = handshake
        self.trial = trial
        self.value = ""
        """The credentials to send."""
        self.line = b""
        """The line of the head that has them."""
        self.why = ""

    def answer(self, challenges: Sequence[Challenge], sent: bytes, now: float) -> int:
        """Return what to do about ``challenges``, which answer the request that was ``sent``: one
        of the constants above."""
        if not self.value:
            self.why = self._cache.refusal(self.trial)
            if self.why:
                return KNOWN
            if not self._cache.begin(self.trial, now):
                return WAIT
        try:
            value = self.handshake.next(challenges)
        except AuthenticationError as error:
            self.leave()
            self.why = str(error)
            return UNABLE
        if value is None:
            return REFUSED
        line = header_line(self.header, value)
        if b"\r\n" + line in sent:
            return REFUSED
        self.value, self.line = value, line
        return SAY

    def accept(self) -> None:
        """The credentials are right."""
        self._cache.accept(self.trial)

    def refuse(self, how: str) -> None:
        """They are wrong, in the scheme and realm that ``how`` names."""
        self._cache.refuse(self.trial, how)

    def leave(self) -> None:
        """Wait for a verdict no more."""
        self._cache.end(self.trial)


def log_in(
    header: str,
    challenges: Sequence[Challenge],
    accounts: Iterable[Account],
    find: Callable[[Account], Credentials],
    facts: Callable[[], RequestFacts],
    method: str,
    place: object,
    credential_cache: CredentialCache,
) -> Login | None:
    """Choose who answers, and in which scheme; return None if nobody can.

    The first of ``accounts`` is taken whose realm asks; the order of ``challenges`` is the
    preference among schemes, and with a ``method`` that alone will do. ``place`` stands for the
    server or proxy: what is refused there is not refused elsewhere.

    Raises:
        AuthenticationError: what is asked for cannot be answered with these credentials.
    """
    offered = supported(challenges, method)
    for account in accounts:
        fitting = [one for one in offered if account.realm in ("", one.realm)]
        if fitting:
            credentials = find(account)
            handshake = start(fitting, credentials, facts(), method)
            assert handshake is not None, "all of these are supported"
            trial = Trial(credentials, place, handshake.scheme, handshake.realm)
            return Login(account, header, handshake, trial, credential_cache)
    return None


def wrong(who: str, name: str, how: str) -> str:
    """Return that ``who`` refuses the credentials of ``name``."""
    return f"wrong user name or password: {who} refuses {name}{how}"
