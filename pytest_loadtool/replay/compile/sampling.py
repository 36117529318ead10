"""Durations drawn from a distribution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from pytest_loadtool.model.load import Distribution


def draw(distribution: Distribution, random: Random) -> float:
    """Return seconds, never negative."""
    return _DRAW[distribution.kind](random, *distribution.parameters)


def _constant(_random: Random, seconds: float) -> float:
    return seconds


def _normal(random: Random, mean: float, deviation: float) -> float:
    """Return a time that is drawn again when it is negative, which at most every other time it
    is."""
    while True:
        seconds = random.normalvariate(mean, deviation)
        if seconds >= 0:
            return seconds


def _exponential(random: Random, mean: float) -> float:
    return random.expovariate(1 / mean) if mean else 0.0


_DRAW: Mapping[str, Callable[..., float]] = {
    "constant": _constant,
    "uniform": Random.uniform,
    "normal": _normal,
    "exponential": _exponential,
}
