"""What a server makes up: ids, codes, tokens, versions, the things of others."""

from __future__ import annotations

import base64
import string
from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any

__all__ = ["CODES", "IDS", "Server"]

_LOWER, _BASE62 = string.ascii_lowercase + string.digits, string.ascii_letters + string.digits
_URLSAFE, _HEX = _BASE62 + "_-", string.hexdigits[:16]
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def _text(alphabet: str, length: int) -> Callable[[Random], str]:
    return lambda random: "".join(random.choices(alphabet, k=length))


def _urlsafe(size: int) -> Callable[[Random], str]:
    """As ``secrets.token_urlsafe``."""
    return lambda random: base64.urlsafe_b64encode(random.randbytes(size)).rstrip(b"=").decode()


def _uuid(random: Random) -> str:
    text = _text(_HEX, 32)(random)
    return (
        f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{random.choice('89ab')}{text[17:20]}-{text[20:]}"
    )


#: Codes of 5 to 12 characters.
CODES: Mapping[str, Callable[[Random], str]] = MappingProxyType(
    {
        "hashid": _text(_BASE62, 5),
        "short link": _text(_BASE62, 7),
        "ticket": _text(string.ascii_uppercase + string.digits, 6),
        "hex": _text(_HEX, 8),
        "nanoid of 10": _text(_URLSAFE, 10),
        "letters": _text(string.ascii_lowercase, 9),
        "token of 8": _urlsafe(8),
        "token of 9": _urlsafe(9),
        "hex of 12": _text(_HEX, 12),
    }
)
#: All kinds of ids but numbers.
IDS: Mapping[str, Callable[[Random], str]] = MappingProxyType(
    {
        **CODES,
        "uuid": _uuid,
        "object id": lambda random: "6560" + _text(_HEX, 20)(random),
        "nanoid": _text(_URLSAFE, 21),
        "ulid": lambda random: "01" + _text(_CROCKFORD, 24)(random),
        "prefixed": lambda random: "obj_" + _text(_BASE62, 14)(random),
        "cuid": lambda random: "c" + _text(_LOWER, 23)(random),
        "token of 12": _urlsafe(12),
        "token of 16": _urlsafe(16),
    }
)
_TOKENS: Mapping[str, Callable[[Random], str]] = MappingProxyType(
    {
        "csrf": _text(_BASE62, 32),
        "csrf urlsafe": _urlsafe(32),
        "csrf hex": _text(_HEX, 64),
        "bearer": _urlsafe(24),
        "bearer hex": _text(_HEX, 40),
        "etag": _text(_HEX, 32),
        "short etag": _urlsafe(6),
        "row version": lambda random: base64.b64encode(bytes(4) + random.randbytes(4)).decode(),
        "stamp": _uuid,
        "revision": lambda random: f"1-{_text(_HEX, 32)(random)}",
        "session": _text(_LOWER, 26),
    }
)
#: Where sequences of numbers begin: mostly on a server that is new.
_BEGINNINGS = ((1, 9), (1, 9), (1, 9), (10, 99), (1000, 90_000))
_OTHERS = (
    *("Anton", "Berta", "Caesar", "Dora", "Emil", "Friedrich", "Gustav", "Heinrich", "Ida"),
    *("Julius", "Kaufmann", "Ludwig", "Martha", "Nordpol", "Otto", "Paula", "Quelle", "Richard"),
)


class Server:
    """One draw."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)
        self._last: dict[str, int] = {}
        self.started = 1_790_000_000.0 + self._random.randrange(10_000_000)

    def id(self, kind: str, of: str) -> Any:
        """The next id of that kind in a table: of numbers the next, or the one after that."""
        if kind != "number":
            return IDS[kind](self._random)
        if of not in self._last:
            self._last[of] = self._random.randint(*self._random.choice(_BEGINNINGS)) - 1
        self._last[of] += self._random.choice((1, 1, 1, 2))
        return self._last[of]

    def token(self, kind: str) -> str:
        """A token, or a version of something."""
        return _TOKENS[kind](self._random)

    def number(self, low: int, high: int) -> int:
        """A number that the server counts."""
        return self._random.randint(low, high)

    def among(self, own: list[Any], other: Callable[[str], Any]) -> list[Any]:
        """A list of one's own and of what others have, in no order."""
        others = self._random.sample(_OTHERS, self._random.randint(1, 6))
        rows = own + [other(name) for name in others]
        self._random.shuffle(rows)
        return rows
