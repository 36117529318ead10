"""Numbers as people read them, the same in a verdict's reasons and in the reports."""

from __future__ import annotations

from pytest_loadtool.model.bandwidth import Bandwidth, format_speed


def percent(share: float) -> str:
    """Return a share of 1 as ``1.25 %``. What is not quite none or all never looks like it."""
    if share in {0.0, 1.0}:
        return f"{share:.0%}".replace("%", " %")
    hundredths = f"{share * 100:.2f}"
    if hundredths == "0.00":
        return "<0.01 %"
    if hundredths == "100.00":
        return ">99.99 %"
    return hundredths.rstrip("0").rstrip(".") + " %"


def count(number: float) -> str:
    """Return a whole number with thousands separated."""
    return f"{number:,.0f}"


def digits(number: float) -> str:
    """Return a measured number with three digits or more: ``0.42``, ``12.3``, ``1,234``."""
    decimals = 2 if number < 9.995 else 1 if number < 99.95 else 0
    return f"{number:,.{decimals}f}"


def plural(number: int, one: str) -> str:
    """Return ``1 user``, ``20 users``."""
    return f"{count(number)} {one if number == 1 else one + 's'}"


def seconds(value: float) -> str:
    """Return ``0.4 s``, ``10 s``, ``1 h 30 min``: for the length of a run."""
    if value < 120:
        return f"{value:.1f}".removesuffix(".0") + " s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "min"), (rest, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


def line(bandwidth: Bandwidth) -> str:
    """Return ``a 3G line (1.6 Mbit/s down, 768 kbit/s up, 300 ms)``; of one without a name its
    speeds."""
    parts = [f"{format_speed(bandwidth.down)} down", f"{format_speed(bandwidth.up)} up"]
    if bandwidth.latency:
        parts.append(f"{bandwidth.latency * 1000:,g} ms")
    speeds, name = ", ".join(parts), bandwidth.name
    if not name:
        return f"a line of {speeds}"
    article = "an" if name in {"EDGE", "ISDN", "LTE"} else "a"
    return f"{article} {name} line ({speeds})"
