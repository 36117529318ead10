"""A load configuration: its users over time, and what it will come to."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_loadtool.casefile import format_share
from pytest_loadtool.console.views.line import Kind, ViewLine
from pytest_loadtool.load.formatting import count, plural, seconds
from pytest_loadtool.load.pacing.expected import level_at
from pytest_loadtool.load.pacing.schedule import describe, population_name, stages_of
from pytest_loadtool.model.load import CaseShare, LoadConfiguration, Schedule, ThinkTime
from pytest_loadtool.workflow.load_preview import CasePreview, LoadPreview, RowsPreview

_NAME = 14
#: Lines of the plot, and columns right and left of it.
_HEIGHT = 6
_MARGIN = 4


def lines(shown: LoadPreview, file: str, width: int, glyphs: str) -> Iterator[ViewLine]:
    """Yield the lines of a load configuration for a terminal of that width; ``glyphs`` fill the
    plot, from nothing to all of a cell."""
    load = shown.configuration
    yield ViewLine((f"{load.name}  ", "heading"), (file, "name"))
    yield ViewLine((describe(load), ""))
    for population in load.populations:
        if len(load.populations) > 1:
            yield ViewLine((population_name(load, population), "name"))
        yield from _plot(population.schedule, load.end, width, glyphs)
    for one in shown.cases:
        yield _row("one iteration" if len(shown.cases) == 1 else one.name, _length(one))
    for one in shown.cases:
        yield _row("iterations" if one is shown.cases[0] else "", _iterations(one, shown))
    pages = [one.expected.per_minute for one in shown.cases]
    if None not in pages:
        total = sum((one.expected.per_minute or 0.0) * one.pages for one in shown.cases)
        yield _row("pages", f"about {count(total)} per minute at the most")
    else:
        yield _row("pages", "as many as the server manages: there is no think time")
    parts = (_share(one, case) for one, case in zip(shown.cases, load.cases, strict=True))
    yield _row("test cases", ", ".join(parts))
    yield _row("think time", think_time(load.think_time))
    yield _row("thresholds", _thresholds(load))
    for dataset in shown.datasets:
        yield ViewLine((f"{'dataset':<{_NAME}}  ", ""), (_rows(dataset), _kind(dataset)))
    for warning in shown.warnings:
        yield ViewLine(("! ", "bad"), (warning, "bad"))


def _share(one: CasePreview, case: CaseShare) -> str:
    own = "its own schedule" if case.schedule is not None else f"weight {one.weight}"
    return f"{one.file} ({own})"


def think_time(one: ThinkTime) -> str:
    """Return think times in words: ``half of the recorded``, ``uniform, 1 s to 5 s``."""
    longest = "" if one.cap is None else f", at most {seconds(one.cap)} each"
    if one.drawn is not None:
        kind, parameters = one.drawn.kind, " and ".join(map(seconds, one.drawn.parameters))
        return f"{kind}, {parameters}{longest}"
    if not one.scale:
        return "none"
    times = "" if one.scale == 1 else f", times {one.scale:g}"
    return f"as recorded{times}{longest}"


def _plot(load: Schedule, length: float | None, width: int, glyphs: str) -> Iterator[ViewLine]:
    """Yield users, or arrivals per second, over the time of the run, which is ``length``
    seconds."""
    most = max(stage.level for stage in stages_of(load))
    unit = "/s" if load.open else " users"
    label = f"{most:g}{unit}"
    if length is None:  # nothing but its iterations ends it
        return
    columns = max(10, width - len(label) - _MARGIN)
    steps = len(glyphs) - 1
    levels = [level_at(load, (at + 0.5) * length / columns) / most for at in range(columns)]
    for row in range(_HEIGHT, 0, -1):
        filled = (min(1.0, max(0.0, level * _HEIGHT - row + 1)) for level in levels)
        cells = "".join(glyphs[round(part * steps)] for part in filled)
        left = label if row == _HEIGHT else ""
        yield ViewLine((f"{left:>{len(label)}} |", "number"), (cells.rstrip(), "good"))
    axis = _axis(load, length, columns)
    yield ViewLine((f"{'0':>{len(label)}} |", "number"), (axis, "number"))


def _axis(load: Schedule, length: float, columns: int) -> str:
    """Return the times at which the line bends, below it, as far as there is room."""
    times, begin = [0.0], 0.0
    for stage in stages_of(load):
        times += [begin + stage.ramp, begin + stage.duration]
        begin += stage.duration
    text = ""
    for at in dict.fromkeys(times):
        word = seconds(at).replace(" ", "") if at else "0"
        place = min(round(at / length * columns), columns - len(word))
        if place >= len(text) + bool(text):
            text = f"{text:<{place}}{word}"
    return text


def _row(name: str, text: str) -> ViewLine:
    return ViewLine((f"{name:<{_NAME}}  ", ""), (text, ""))


def _length(one: CasePreview) -> str:
    length = one.length
    if not length.total:
        return "no time of its own: as quick as the server"
    total, thinking = (seconds(round(one, 1)) for one in (length.total, length.thinking))
    of_it = f", {'all' if thinking == total else thinking} of it think time"
    return f"{total}{of_it if length.thinking else ''}"


def _iterations(one: CasePreview, shown: LoadPreview) -> str:
    found, name = one.expected, f"{one.name}: " if len(shown.cases) > 1 else ""
    if found.begun is None or found.finished is None:
        return f"{name}as many as the server manages"
    each = "" if found.each is None else f", at most {found.each} per user"
    cut = found.begun - found.finished
    rest = f", {count(cut)} of them cut at the end" if cut else ""
    return f"{name}about {count(found.begun)}{rest}{each}"


def _thresholds(load: LoadConfiguration) -> str:
    texts = [one.text for one in load.thresholds]
    if not any(one.replaces_error_rate for one in load.thresholds):
        texts.append(f"error rate <= {format_share(load.max_error_rate)}")
    return ", ".join(texts)


def _rows(one: RowsPreview) -> str:
    if one.rows is None:
        return f"{one.name} ({one.file}) cannot be read"
    missing = f", {one.missing} missing" if one.missing else ""
    if not missing:
        enough = f"{plural(one.rows, 'row')}, {one.needed:,} needed"
        return f"{one.name} ({one.file}): {enough}"
    needed = plural(one.needed, "row")
    return f"{one.name} ({one.file}): {one.rows} of {needed} that are needed{missing}"


def _kind(one: RowsPreview) -> Kind:
    return "bad" if one.missing or one.rows is None else ""
