"""How a variable's value is made up: what browsers and scripts compute, each user gets its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_letters, ascii_lowercase, digits
from types import MappingProxyType
from typing import Literal

#: The characters that random text consists of, by name.
ALPHABETS: Mapping[str, str] = MappingProxyType(
    {
        "alphanumeric": ascii_letters + digits,
        "base36": ascii_lowercase + digits,
        "base64url": ascii_letters + digits + "-_",
        "hex": digits + "abcdef",
        "digits": digits,
    }
)


@dataclass(frozen=True, slots=True)
class Uuid:
    """A random UUID (RFC 9562 §5.4), new for each iteration of a user."""


@dataclass(frozen=True, slots=True)
class RandomText:
    """Random characters of an alphabet of `ALPHABETS`, new for each iteration of a user."""

    length: int = 32
    alphabet: str = "alphanumeric"


@dataclass(frozen=True, slots=True)
class Timestamp:
    """The time at which a request that uses it is sent.

    Seconds, milliseconds or microseconds since 1970, or ``iso``: RFC 3339 in UTC with milliseconds,
    as ECMAScript's ``toISOString``.
    """

    unit: Literal["s", "ms", "us", "iso"] = "ms"


Generator = Uuid | RandomText | Timestamp
