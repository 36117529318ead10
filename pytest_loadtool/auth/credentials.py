"""Who logs in, and how each scheme writes it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Credentials:
    r"""A user name, a password and a Windows domain, as the test case or its dataset gives them.

    The domain may stand in front of the user name (``DOMAIN\alice``), or ``domain`` may hold both.
    """

    username: str
    password: str = field(repr=False)
    domain: str = ""

    @property
    def account(self) -> tuple[str, str]:
        """Domain and user name for NTLM. Without a domain the server looks in its own."""
        for written in (self.domain, self.username):
            domain, backslash, user = written.partition("\\")
            if backslash:
                return domain, user
        return self.domain, self.username

    @property
    def login(self) -> str:
        """The user name for Basic and Digest, which know no domain: as it was written."""
        return self.username or self.account[1]
