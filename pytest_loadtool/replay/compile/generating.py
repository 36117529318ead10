"""Values that are made up for each iteration: by chance, in turn, from the clock, by faker.

A turn is a number that no two iterations of a run share, whichever worker has them. What has a seed
depends on that, the turn and its name alone.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID
from zoneinfo import ZoneInfo

from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.case import Variable
from pytest_loadtool.model.generator import (
    ALPHABETS,
    ChosenText,
    Date,
    Fake,
    Generator,
    Number,
    RandomText,
    Sequence,
    Uuid,
)
from pytest_loadtool.replay.compile.computed import Clock
from pytest_loadtool.replay.compile.format import VariableNames

#: From a turn to a value.
Generate = Callable[[int], str]

#: Gives the random numbers for a turn.
_Chance = Callable[[int], Random]


def generators(
    variables: Mapping[str, Variable], names: VariableNames, clock: Clock
) -> Iterator[tuple[int, Generate]]:
    """Yield the used slots whose values are made up for each iteration.

    Raises:
        ReplayError: one of them cannot be.
    """
    for name, slot in names.slots.items():
        generator = variables[name].generate if name in variables else None
        found = None if generator is None else generating(name, generator, clock)
        if found is not None:
            yield slot, found


def generating(name: str, generator: Generator, clock: Clock) -> Generate | None:
    """Return what makes up the values of a variable; None: they are made when they are used.

    Raises:
        ReplayError: they cannot be made.
    """
    match generator:
        case Uuid(seed):
            chance = _chance(name, seed)
            return lambda turn: str(UUID(int=chance(turn).getrandbits(128), version=4))
        case RandomText(length, alphabet, seed):
            letters, chance = ALPHABETS[alphabet], _chance(name, seed)
            return lambda turn: "".join(chance(turn).choices(letters, k=length))
        case Sequence(start, step):
            return lambda turn: str(start + step * turn)
        case ChosenText(choices, seed):
            texts, weights, chance = list(choices), list(choices.values()), _chance(name, seed)
            return lambda turn: chance(turn).choices(texts, weights)[0]
        case Number():
            return _number(generator, _chance(name, generator.seed))
        case Date(written, offset, timezone):
            later, zone = timedelta(**offset), ZoneInfo(timezone)

            def date(_turn: int) -> str:
                moment = datetime.fromtimestamp(clock(), UTC) + later
                return moment.astimezone(zone).strftime(written)

            return date
        case Fake():
            return _fake(name, generator)
        case _:
            return None


def _chance(name: str, seed: int | None) -> _Chance:
    if seed is None:
        system = secrets.SystemRandom()
        return lambda _turn: system
    return lambda turn: Random(f"{seed}/{name}/{turn}")  # noqa: S311  it is to be known


def _number(number: Number, chance: _Chance) -> Generate:
    """Return numbers that are all as likely, both ends too."""
    scale, decimals = 10**number.decimals, number.decimals
    least, most = round(number.min * scale), round(number.max * scale)
    if not decimals:
        return lambda turn: str(chance(turn).randint(least, most))
    return lambda turn: f"{chance(turn).randint(least, most) / scale:.{decimals}f}"


def _fake(name: str, fake: Fake) -> Generate:
    def wrong(message: str, key: str) -> ReplayError:
        return ReplayError(message, ("variables", name, key))

    try:
        from faker import Faker
    except ImportError:
        problem = "faker is not installed: pip install 'pytest-loadtool[faker]'"
        raise wrong(problem, "generate") from None
    try:
        maker = Faker(fake.locale)
    except (AttributeError, ImportError, ValueError):
        raise wrong(f"faker knows no locale {fake.locale!r}: such as de_DE", "locale") from None
    own = {*dir(Faker), *dir(object)}  # what is no provider
    provider = None if fake.provider in own else getattr(maker, fake.provider, None)
    if not callable(provider):
        near = did_you_mean(fake.provider, {*dir(maker)} - own)
        known = near or ": its documentation lists them, such as name, email, city"
        raise wrong(f"faker has no provider {fake.provider!r} in {fake.locale}{known}", "provider")
    arguments = dict(fake.arguments)
    try:
        provider(**arguments)
    except Exception as error:  # of whoever wrote the provider
        problem = f"faker's {fake.provider} does not take these: {error}"
        raise wrong(problem, "arguments" if arguments else "provider") from None
    if fake.seed is None:
        maker.seed_instance(secrets.randbits(128))
        return lambda _turn: str(provider(**arguments))

    def make(turn: int) -> str:
        maker.seed_instance(f"{fake.seed}/{name}/{turn}")
        return str(provider(**arguments))

    return make
