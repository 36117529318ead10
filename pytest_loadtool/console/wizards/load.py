"""Asking for a load configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil

from pytest_loadtool.casefile.quantities import format_duration
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.wizard import Wizard, choice, question
from pytest_loadtool.model.length import Length
from pytest_loadtool.model.load import LoadConfiguration
from pytest_loadtool.workflow.errors import LoadValueError
from pytest_loadtool.workflow.load_editing import with_value

#: What to write for nothing.
_NONE = "none"

#: How many iterations a user should have time for, and what a duration is rounded up to (seconds).
_ITERATIONS, _ROUND = 3, 60.0


def load_values(
    begun: LoadConfiguration, length: Length, others: Sequence[str]
) -> Wizard[list[tuple[str, str]]]:
    """Ask who does what for how long; return keys and their values.

    ``begun`` is what there is without, ``length`` that of an iteration; ``others`` are test cases
    that could be played as well.
    """
    found: list[tuple[str, str]] = []
    model = yield from choice(
        "Users who begin one iteration after the other, a rate of arrivals, or stages of either",
        _MODELS, "users",
    )  # fmt: skip
    made = begun
    more = (_cases(others),) if others else ()
    for key, text, default in (*_MODELS[model], *more, _THINK_TIME, _THRESHOLD):
        usual = _enough(length) if key == "duration" else default
        answer = yield from question(f"{text}?", usual, _understood(made, key))
        if answer == _NONE and key != "think_time":
            continue
        for word in answer.split() if key == "case" else [answer]:
            found.append((key, word))
            made = with_value(made, key, word)
    return found


_USERS = ("users", "How many users", "20")
_RATE = ("rate", "How many iterations begin, such as 10/s or 300/min", "1/s")
_MOST_USERS = ("users", "How many users are at work at most", "100")
_DURATION = ("duration", "For how long", "1m")
_RAMP_UP = ("ramp_up", "Over how long do they begin (0s: all at once)", "10s")
_THINK_TIME = (
    "think_time",
    "Think times: recorded, none, a factor (0.5), the most (5s)",
    "recorded",
)
_THRESHOLD = ("threshold", "What must hold, such as p95 < 800 ms (none: no errors)", _NONE)
_STAGES = ("stages", "Stages, LEVEL:DURATION:RAMP each, such as 50:10m:2m 0:1m:1m", "20:10m:2m")

#: What is asked of each way to say how much there is.
_MODELS: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "users": (_USERS, _DURATION, _RAMP_UP),
    "rate": (_RATE, _MOST_USERS, _DURATION, _RAMP_UP),
    "stages": (_STAGES,),
}


def _cases(others: Sequence[str]) -> tuple[str, str, str]:
    shown = f"{others[0]}:1 (there {'is' if len(others) == 1 else 'are'} {', '.join(others)})"
    return "case", f"Other test cases with their weights, such as {shown}", _NONE


def _enough(length: Length) -> str:
    """A duration in which a user finishes a few iterations."""
    return format_duration(max(1, ceil(_ITERATIONS * length.total / _ROUND)) * _ROUND)


def _understood(made: LoadConfiguration, key: str) -> Callable[[str], str]:
    def understand(answer: str) -> str:
        if answer != _NONE:
            try:
                for word in answer.split() if key == "case" else [answer]:
                    with_value(made, key, word)
            except LoadValueError as error:
                raise UsageError(str(error)) from None
        return answer

    return understand
