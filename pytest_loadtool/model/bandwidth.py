"""The line between a virtual user and the network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

#: By how many tens each unit multiplies bits per second: a kilobit is 1,000 bits.
SPEED_UNITS: Mapping[str, int] = MappingProxyType(
    {"Gbit/s": 9, "Mbit/s": 6, "kbit/s": 3, "bit/s": 0}
)


@dataclass(frozen=True, slots=True)
class Bandwidth:
    """The rates that a line carries to the user and from it, in bits per second.

    ``latency`` is how long a round trip takes on it, in seconds.
    """

    down: int
    up: int
    latency: float = 0.0

    @property
    def name(self) -> str:
        """Return what it is called in `PROFILES`; empty if it is none of them."""
        return next((name for name, one in PROFILES.items() if one == self), "")


def format_speed(bits: int) -> str:
    """Return bits per second in the largest unit that makes them one or more: ``1.6 Mbit/s``.

    Raises:
        ValueError: there are none.
    """
    for unit, exponent in SPEED_UNITS.items():
        if bits >= 10**exponent:
            return f"{Decimal(bits).scaleb(-exponent).normalize():f} {unit}"
    raise ValueError(f"{bits} is not positive")


#: Lines by name. The numbers are those of WebPageTest's connectivity profiles (its file
#: ``connectivity.ini.sample``, of which some versions lack 4G and LTE); for ISDN two B channels
#: (ITU-T I.412) and an estimated latency.
PROFILES: Mapping[str, Bandwidth] = MappingProxyType(
    {
        "modem": Bandwidth(49_000, 30_000, 0.120),
        "ISDN": Bandwidth(128_000, 128_000, 0.030),
        "2G": Bandwidth(35_000, 32_000, 1.300),
        "EDGE": Bandwidth(240_000, 200_000, 0.840),
        "3G slow": Bandwidth(780_000, 330_000, 0.200),
        "3G": Bandwidth(1_600_000, 768_000, 0.300),
        "3G fast": Bandwidth(1_600_000, 768_000, 0.150),
        "4G": Bandwidth(9_000_000, 9_000_000, 0.170),
        "LTE": Bandwidth(12_000_000, 12_000_000, 0.070),
        "DSL": Bandwidth(1_500_000, 384_000, 0.050),
        "cable": Bandwidth(5_000_000, 1_000_000, 0.028),
        "fiber": Bandwidth(20_000_000, 5_000_000, 0.004),
    }
)
