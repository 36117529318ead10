"""Who may log in at the peers, in the form that each of their checks reads."""

from __future__ import annotations

import base64
import hashlib
import subprocess
from pathlib import Path

__all__ = ["DOMAIN", "USERS", "Account", "many", "write_accounts"]

DOMAIN = "EXAMPLE"

#: An account: the user's name and password.
Account = tuple[str, str]

#: Known everywhere; ``bob`` alone to the realm ``Two`` of Basic.
USERS: tuple[Account, ...] = (("alice", "secret1"), ("bob", "sëcret 2"))

#: The realms of Digest: a server's and a proxy's.
_DIGEST_REALMS = ("Digest", "Proxy")


def many(count: int) -> tuple[Account, ...]:
    """Accounts ``user0``, ``user1`` …, each with a password of its own."""
    return tuple((f"user{number}", f"password of {number}") for number in range(count))


def write_accounts(folder: Path, accounts: tuple[Account, ...] = USERS) -> None:
    """Write the files ``basic``, ``two``, ``ncsa``, ``digest`` and ``ntlm`` of these accounts."""
    basic = [f"{user}:{_sha1(password)}\n" for user, password in accounts]
    digest = [
        f"{user}:{realm}:{hashlib.md5(f'{user}:{realm}:{password}'.encode()).hexdigest()}\n"
        for user, password in accounts
        for realm in _DIGEST_REALMS
    ]
    ntlm = [f"{DOMAIN}:{user}:{password}\n" for user, password in accounts]
    files = {
        "basic": basic,
        "two": [line for line in basic if line.startswith("bob:")],
        "ncsa": [_ncsa(*account) for account in accounts[: len(USERS)]],
        "digest": digest,
        "ntlm": ntlm,
    }
    for name, lines in files.items():
        (folder / name).write_text("".join(lines), encoding="utf-8")


def _sha1(password: str) -> str:
    return "{SHA}" + base64.b64encode(hashlib.sha1(password.encode()).digest()).decode()


def _ncsa(user: str, password: str) -> str:
    """The line of squid's `basic_ncsa_auth`, which does not know what Apache reads fastest."""
    command = ["htpasswd", "-nbm", user, password]
    return subprocess.check_output(command, text=True).strip() + "\n"
