"""The language of thresholds: ``p95 of page "Sign in" < 800 ms``, ``errors > 100: stop``.

threshold  = metric [of scope] comparison limit ["for" duration] [":" "stop"]
metric     = ("p95" | "mean" | "median" | …) [["of"] time] | "error rate" | "throughput" | …
time       = "response time" | "service time" | "time to first byte"
scope      = ["case" | "page" | "transaction" | "metric"] name in quotes
comparison = "<" | "<=" | ">" | ">="
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from pytest_loadtool.casefile.quantities import parse_duration, parse_share
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.threshold import (
    METRICS,
    TIMES,
    Comparison,
    Scope,
    ScopeKind,
    Threshold,
    Unit,
)


def _any(phrases: Sequence[str]) -> str:
    """Return a pattern for one of ``phrases``, whatever blanks are between their words."""
    return "|".join(phrase.replace(" ", r"\s+") for phrase in phrases)


#: What is written for `METRICS`.
_METRIC_NAMES = ["p95", *(name for name in METRICS if name != "percentile")]
_METRIC = re.compile(r"p(\d+(?:\.\d+)?)|" + _any(_METRIC_NAMES[1:]))
_TIME = re.compile(rf"(?:of\s+)?({_any(TIMES)})")
_SCOPE = re.compile(r"(?:(case|page|transaction|metric)\b\s*)?(?:\"([^\"]*)\"|'([^']*)')")
_COMPARISON = re.compile(r"[<>]=?")
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?\s*(?:ms|h|m|s)(?![A-Za-z])\s*)+")
_WORD = re.compile(r"\w+")
_PHRASE = re.compile(r"[^\"'<>=:]*?(?=\s*(?:\bof\b|[\"'<>=:]|$))")


def _duration(text: str) -> float:
    return parse_duration("".join(text.split()))


def _rate(text: str) -> float:
    number, _, per = text.partition("/")
    return float(number.split()[0]) / {"s": 1, "min": 60, "h": 3600}[per.strip()]


#: For each unit what a limit looks like, how it is read, and an example for messages.
_LIMITS: Mapping[Unit, tuple[re.Pattern[str], Callable[[str], float], str]] = {
    "time": (_DURATION, _duration, "a time such as 800 ms or 2 s"),
    "share": (re.compile(r"\d+(?:\.\d+)?\s*%"), parse_share, "a share such as 1 %"),
    "rate": (
        re.compile(r"\d+(?:\.\d+)?(?:\s+requests?)?\s*/\s*(?:s|min|h)\b"),
        _rate,
        "a rate such as 500/s or 30/min",
    ),
    "count": (re.compile(r"\d+\b(?![.,]\d)"), float, "a whole number"),
    "number": (re.compile(r"\d+(?:\.\d+)?\b(?!\s*(?:ms|[hms%/])(?![A-Za-z]))"), float, "a number"),
}

#: The values that a window is made of are a second's.
_SHORTEST_WINDOW = 1.0


def parse_threshold(text: str) -> Threshold:
    """Return the threshold that ``text`` says.

    Raises:
        ValueError: it says none; the message has the column, and what was expected there.
    """
    read = _Reader(text)
    metric, percentile = _metric(read)
    time = _time(read, metric)
    scope = _scope(read, metric)
    at = read.skip()
    comparison = _comparison(read)
    unit = Threshold(text, metric, comparison, 0.0, scope=scope).unit
    pattern, convert, example = _LIMITS[unit]
    limit = read.converted(pattern, convert, example)
    during = 0.0
    if read.word("for"):
        start = read.skip()
        during = read.converted(_DURATION, _duration, "a duration such as 30 s")
        if during < _SHORTEST_WINDOW:
            raise read.wrong("at least 1 s: values are taken each second", start)
    stop = _stop(read, during)
    if scope is None or scope.kind != "metric":  # nobody knows what is good of those
        _check_sense(read, at, metric, comparison, stop=stop)
    return Threshold(text.strip(), metric, comparison, limit, percentile, time, scope, during, stop)


def unknown_name(threshold: Threshold, cases: Sequence[TestCase]) -> str:
    """Return what is wrong with the name in a threshold on a load test of ``cases``; "" if nothing
    is."""
    scope = threshold.scope
    if scope is None or threshold.is_custom:  # only functions know their names
        return ""
    known = _names(scope.kind, cases)
    if scope.name in known:
        return ""
    near = did_you_mean(scope.name, known)
    others: Sequence[ScopeKind] = ("transaction", "page", "case")
    elsewhere = next((kind for kind in others if scope.name in _names(kind, cases)), None)
    if elsewhere:
        near = f', but a {elsewhere}: write {elsewhere} "{scope.name}"'
    return f'there is no {scope.kind} "{scope.name}" in the test cases{near}'


def _names(kind: ScopeKind, cases: Sequence[TestCase]) -> list[str]:
    match kind:
        case "case":
            return [case.name for case in cases]
        case "page":
            return [page.name for case in cases for page in case.pages]
        case "metric":
            return []
    return [one.title for case in cases for page in case.pages for one in page.transactions]


class _Reader:
    """The text, and how far it is read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def skip(self) -> int:
        """Pass blanks, and return where that leads."""
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.at

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return what comes next, if it is that."""
        match = pattern.match(self.text, self.skip())
        if match:
            self.at = match.end()
        return match

    def word(self, word: str) -> bool:
        """Return whether this word comes next; then it is passed."""
        return self.take(re.compile(rf"{word}\b")) is not None

    def converted(
        self, pattern: re.Pattern[str], convert: Callable[[str], float], what: str
    ) -> float:
        """Return a quantity.

        Raises:
            ValueError: it is not there, or out of range.
        """
        start = self.skip()
        match = self.take(pattern)
        if match is None:
            raise self.wrong(what)
        try:
            return convert(match[0].strip())
        except ValueError:
            raise self.wrong(what, start) from None

    def wrong(self, expected: str, at: int | None = None, hint: str = "") -> ValueError:
        """Return the error that something else was expected, here or ``at`` a place."""
        at = self.skip() if at is None else at
        found = self.text[at : at + 40]
        got = f'got "{found}"' if found else "but it ends here"
        return ValueError(f"column {at + 1}: expected {expected}, {got}{hint}")


def _metric(read: _Reader) -> tuple[str, float]:
    match = read.take(_METRIC)
    if match is None or read.text[read.at : read.at + 1].isalnum():
        read.at = match.start() if match else read.at
        phrase = _PHRASE.match(read.text, read.skip())
        near = did_you_mean(" ".join(phrase[0].split()), _METRIC_NAMES) if phrase else ""
        raise read.wrong(f"one of {', '.join(_METRIC_NAMES)}", hint=near)
    if match[1] is None:
        return " ".join(match[0].split()), 0.0
    percentile = float(match[1])
    if not 0 < percentile < 100:
        raise read.wrong("a percentile between p0 and p100", match.start())
    return "percentile", percentile


def _time(read: _Reader, metric: str) -> str:
    at = read.skip()
    match = read.take(_TIME)
    if match is None:
        return ""
    if METRICS[metric].unit != "time":
        raise read.wrong(f"no time after {metric!r}", at)
    return " ".join(match[1].split())


def _scope(read: _Reader, metric: str) -> Scope | None:
    at = read.skip()
    if not read.word("of"):
        if METRICS[metric].is_custom:
            raise read.wrong('of metric "NAME"', at)
        return None
    match = read.take(_SCOPE)
    if match is None:
        word = _WORD.match(read.text, read.skip())
        near = did_you_mean(word[0], ("case", "page", "transaction", "metric")) if word else ""
        parts = ", ".join(f'{one} "NAME"' for one in ("page", "transaction", "case", "metric"))
        what = f"{parts} or one of {', '.join(TIMES)}"
        raise read.wrong(what, hint=near)
    kind = next((kind for kind in METRICS[metric].scopes if kind == match[1]), None)
    if match[1] is None and "transaction" in METRICS[metric].scopes:
        kind = "transaction"
    if kind is None:
        allowed = " or ".join(f'of {one} "NAME"' for one in METRICS[metric].scopes)
        raise read.wrong(allowed or f"a comparison: {metric!r} is of the whole run only", at)
    return Scope(kind, match[2] if match[2] is not None else match[3])


def _comparison(read: _Reader) -> Comparison:
    match = read.take(_COMPARISON)
    found: Mapping[str, Comparison] = {"<": "<", "<=": "<=", ">": ">", ">=": ">="}
    if match is None:
        raise read.wrong('"<", "<=", ">" or ">="')
    return found[match[0]]


def _stop(read: _Reader, during: float) -> bool:
    colon = read.take(re.compile(":"))
    if colon and not read.word("stop"):
        raise read.wrong('"stop"')
    if read.skip() < len(read.text):
        more = [] if colon else [*([] if during else ['"for 30 s"']), '": stop"']
        raise read.wrong(" or ".join([*more, "the end"]))
    return colon is not None


def _check_sense(
    read: _Reader, at: int, metric: str, comparison: Comparison, *, stop: bool
) -> None:
    """A requirement says what is good, a condition to stop what is bad; else it is a slip."""
    good = ">" if METRICS[metric].more_is_better else "<"
    bad = "<" if good == ">" else ">"
    wanted = bad if stop else good
    if comparison.startswith(wanted):
        return
    sense = "the run is stopped when this becomes true" if stop else "the run must keep to this"
    other = "" if stop else ', or end with ": stop" for what must not be'
    raise read.wrong(f'"{wanted}" or "{wanted}=", because {sense}{other}', at)
