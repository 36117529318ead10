"""Names of fields, however they are spelled.

It also has names of fields and headers that hold secrets, by kinds.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import lru_cache
from urllib.parse import unquote_plus

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
#: Which one of several of that name it is: ``ids[0]``.
_INDEX = re.compile(r"(?:\[\d+\])+\Z")


@lru_cache(1 << 12)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name: ``userId``, ``user_id``, ``user[id]`` and ``user[id][0]`` have
    ``user`` and ``id``."""
    return tuple(word.lower() for word in _WORD.findall(_INDEX.sub("", name)))


def plain(name: str) -> str:
    """Return a name without its spelling: ``userId``, ``user_id`` and ``user[id]`` → ``user
    id``."""
    return " ".join(words_of(name))


#: The headers that say who sends a request (RFC 9110 §11.6.2, §11.7.2).
CREDENTIALS = frozenset({"authorization", "proxy-authorization"})


class Secret(Enum):
    """The kinds of secret that a field may hold by its name."""

    PASSWORD = auto()
    """What a person types to sign in."""
    CARD = auto()
    """What a person types to pay."""
    KEY = auto()
    """What is given to a program, and stays."""
    TOKEN = auto()
    """What a server gives out to whoever has signed in."""
    PROOF = auto()
    """What a server gives out with a page, and wants back with what follows from it. It is no
    secret: people have to see which one was refused."""


#: What there is in the words of a name, see `names.plain`.
_PATTERNS = {
    Secret.PASSWORD: r"pass ?(?:word|wd|phrase|code)\b|\bpass\b|pwd|\b(?:pin|otp)\b",
    Secret.CARD: r"card ?number|\b(?:cvv|cvc)\b",
    Secret.KEY: r"secret|credential|(?:api|private) ?key",
    Secret.TOKEN: r"(?:access|refresh|id|auth|bearer|session) ?token",
    Secret.PROOF: r"csrf|xsrf|token|nonce|verif|authenticity|view ?state|event ?validation"
    r"|form ?key|sess(?:ion)? ?key|crumb|signature|\b(?:sig|tok)\b",
}
_TYPED = frozenset({Secret.PASSWORD, Secret.CARD})
_GIVEN_OUT = frozenset({Secret.TOKEN, Secret.PROOF})


@lru_cache(1 << 12)
def secret_kinds(name: str) -> frozenset[Secret]:
    """Return what a field of that name, which may be percent-encoded, holds by all that it says."""
    words = plain(unquote_plus(name))
    return frozenset(kind for kind, one in _PATTERNS.items() if re.search(one, words))


def is_secret(name: str) -> bool:
    """Return whether a field of that name holds what nobody else may see."""
    return bool(secret_kinds(name) - {Secret.PROOF})


def is_password(name: str) -> bool:
    """Return whether a person signs in with what a field of that name holds."""
    return Secret.PASSWORD in secret_kinds(name)


def is_typed_secret(name: str) -> bool:
    """Return whether a person types a secret into a field of that name."""
    return not _TYPED.isdisjoint(secret_kinds(name))


def is_given_out(name: str) -> bool:
    """Return whether a field of that name holds what a server gave out, and takes for a while
    only."""
    return not _GIVEN_OUT.isdisjoint(secret_kinds(name)) and not is_typed_secret(name)
