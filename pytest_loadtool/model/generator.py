"""How a variable's value is made up: what browsers and scripts compute, each user gets its own.

Those with a ``seed`` make the same for the same turn: the same user and iteration, in each run and
over any workers. The fields are named as the keys of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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

    seed: int | None = None


@dataclass(frozen=True, slots=True)
class RandomText:
    """Random characters of an alphabet of `ALPHABETS`, new for each iteration of a user."""

    length: int = 32
    alphabet: str = "alphanumeric"
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Timestamp:
    """The time at which a request that uses it is sent.

    Seconds, milliseconds or microseconds since 1970, or ``iso``: RFC 3339 in UTC with milliseconds,
    as ECMAScript's ``toISOString``.
    """

    unit: Literal["s", "ms", "us", "iso"] = "ms"


@dataclass(frozen=True, slots=True)
class Sequence:
    """Numbers from ``start`` on, of which no two iterations have the same one."""

    start: int = 1
    step: int = 1


@dataclass(frozen=True, slots=True)
class ChosenText:
    """One of some texts, each with its weight, drawn for each iteration."""

    choices: Mapping[str, int]
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A number between two, with so many decimals, drawn for each iteration."""

    min: float
    max: float
    decimals: int = 0
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Date:
    """The moment at which an iteration begins, and so much later or earlier, as ``strftime`` writes
    it.

    ``offset`` are arguments of ``timedelta``, ``timezone`` is a name of the IANA database.
    """

    format: str = "%Y-%m-%d"
    offset: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    timezone: str = "UTC"


@dataclass(frozen=True, slots=True)
class Fake:
    """The value that a provider of faker makes up for each iteration."""

    provider: str
    locale: str = "en_US"
    arguments: Mapping[str, str | float | bool] = field(
        default_factory=lambda: MappingProxyType({})
    )
    seed: int | None = None


Generator = Uuid | RandomText | Timestamp | Sequence | ChosenText | Number | Date | Fake
