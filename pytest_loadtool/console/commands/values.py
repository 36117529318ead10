"""Values on their way: variables, texts, and where a value comes from and goes."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace

from pytest_loadtool.casefile.case.variables import parse_generator
from pytest_loadtool.casefile.syntax import variable_name
from pytest_loadtool.codec.names import is_secret
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.console.arguments import (
    GeneratorKey,
    GeneratorKind,
    SearchScope,
    TracedValue,
    VariableName,
)
from pytest_loadtool.console.errors import CommandError, UsageError, as_usage
from pytest_loadtool.console.replays import replay_if_any
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import inspection as views
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.masking.text import Unmasked
from pytest_loadtool.workflow import finding
from pytest_loadtool.workflow.errors import CaseError
from pytest_loadtool.workflow.replays import mask_for
from pytest_loadtool.workflow.telling import counted
from pytest_loadtool.workflow.variables import (
    made_up,
    variable_rows,
    with_constant,
    with_generated,
)

#: Matches that `search` shows unless all are asked for.
_MOST_SHOWN = 100


async def variables(
    session: Console, name: VariableName | None = None, *, secrets: bool = False
) -> None:
    """Variables tab: list the user variables with the value that each took in the last replay.

    Each has its value now, the recorded one, the transaction that set it (Where Set) and those that
    use it; NAME is a part of the names to show. Columns of datasets are there with their row. Of
    passwords and tokens only the beginning is shown; --secrets shows them as they are.

    Example: `variables csrf`
    """
    document, opened = session.opened(), replay_if_any(session)
    sought = (name or "").lower()
    rows = [one for one in variable_rows(document, opened) if sought in one.name.lower()]
    if not rows:
        what = f"no variable is called like {name!r}" if name else "there are no variables yet"
        raise CommandError(f"{what}: `configure` makes them of dynamic values")
    mask = Unmasked() if secrets else mask_for(document, opened)
    titles = [one.title for one in document.case.transactions()]
    shown = (replace(one, secret=one.secret and not secrets) for one in rows)
    await session.page(views.variable_table(shown, titles, mask))
    if opened is None:
        session.say("Nothing was replayed yet: `play` gives them values.")


async def variable(session: Console, name: VariableName, value: str) -> None:
    """Give a user variable another value: what every field and check that uses it has from now on.

    NAME is a variable of the test case, as `variables` lists it; `set-field 7 name --variable NAME`
    makes one. VALUE is sent as it stands, encoded as each place needs, instead of what the variable
    came from before: an environment variable, a template, a generator. What an extractor or a
    dataset's row sets anyhow is refused.

    Example: `variable product "Large teapot"`
    """
    document = session.opened()
    try:
        case = with_constant(document.case, name, value)
    except CaseError as error:
        raise UsageError(f"{error}{did_you_mean(name, document.case.variables)}") from None
    session.document = replace(document, case=case)
    if is_secret(name):
        session.secrets.add(value)
    session.say(f"{name}: {'*' * 8 if is_secret(name) else value}")


async def generate(
    session: Console, name: VariableName, kind: GeneratorKind, *keys: GeneratorKey
) -> None:
    """Make a user variable of values that are made up for each iteration of a user.

    KIND is `sequence`, `choice`, `number`, `date`, `uuid`, `random`, `timestamp` or `faker`, and
    each of KEYS a key of a file with its value: `start=1000`, `choices=red,green` or with weights
    `choices=red=3,green=1`, `min=1 max=6`, `offset={days=3}`, `provider=email`. With `seed=7` they
    are the same in each run. The first values are shown; `set-field 7 name --variable NAME` sends
    them.

    Example: `generate order sequence start=1000`
    """
    document = session.opened()
    table: dict[str, object] = {"generate": kind}
    for one in keys:
        key, equals, value = one.partition("=")
        if not equals:
            raise UsageError(f"expected KEY=VALUE, such as start=1000, not {one!r}")
        table[key] = _choices(value) if key == "choices" else _toml(value)
    with as_usage():
        variable_name(name)
        generator = parse_generator(table)
    try:
        case = with_generated(document.case, name, generator)
        values = made_up(name, generator, range(3))
    except (CaseError, ReplayError) as error:
        raise UsageError(str(error)) from None
    session.document = replace(document, case=case)
    session.say(f"{name}: {', '.join([*values, '…']) if values else 'the time of each request'}")


def _choices(text: str) -> object:
    """Return texts with commas between, or their weights: ``red=3,green=1``."""
    if text[:1] in ("[", "{"):
        return _toml(text)
    pairs = [one.rpartition("=") for one in text.split(",")]
    if all(equals for _, equals, _ in pairs):
        return {name: _toml(weight) for name, _, weight in pairs}
    return text.split(",")


def _toml(text: str) -> object:
    """Return a value as a file has it; what is none there is a text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


async def search(
    session: Console,
    text: str,
    *,
    in_: tuple[SearchScope, ...] = (),
    regex: bool = False,
    full: bool = False,
    secrets: bool = False,
) -> None:
    """Search for a text in everything: what was recorded, replayed, and what the test case sends.

    Addresses, headers, decoded bodies and placeholders are looked through; capital letters matter
    if TEXT has any. --in narrows it: to request or response; to recording, replay or test-case; to
    url, header, body or status. Given several times, a place has to be one of each of these kinds
    that are named. --regex takes TEXT for a regular expression.
    --full shows all matches, --secrets passwords and tokens as they are.

    Example: `search "order number" --in response`
    """
    document, opened = session.opened(), replay_if_any(session)
    pattern = _pattern(text, regex=regex)
    for one in in_:
        if one not in finding.SCOPES:
            raise UsageError(f"--in is one of {', '.join(finding.SCOPES)}, not {one!r}")
    found = list(
        finding.search(document, opened, pattern, within=in_, mask=Unmasked() if secrets else None)
    )
    if not found and not finding.has_place(document, opened, in_):
        narrowed = " and ".join(f"--in {one}" for one in in_)
        raise CommandError(f"nothing here is {narrowed} at once, so nothing was looked through")
    if not found:
        raise CommandError(f"{text!r} is nowhere in there")
    shown = found if full else found[:_MOST_SHOWN]
    await session.page(views.places(shown, session.width))
    left = len(found) - len(shown)
    more = f", of which the first {len(shown)} are shown: --full shows all" if left else ""
    session.say(f"Found in {counted(len(found), 'place')}{more}.")


def _pattern(text: str, *, regex: bool) -> re.Pattern[str]:
    flags = re.IGNORECASE if text == text.lower() else 0
    try:
        return re.compile(text if regex else re.escape(text), flags)
    except re.error as error:
        raise UsageError(f"{text!r} is no regular expression: {error}") from None


async def trace(session: Console, value: TracedValue, *, secrets: bool = False) -> None:
    """Trace a value: where it comes from, and where it goes, in the recording and in the replay.

    VALUE is the name of a variable, or any text. Each place is listed in time, what sets it first;
    the value is found however it is written: percent-encoded, in JSON, HTML or Base64. What stands
    in a response before it stands in a request is where an extractor could take it. --secrets shows
    passwords and tokens as they are.

    Example: `trace csrf_token[1]`
    """
    document, opened = session.opened(), replay_if_any(session)
    found = finding.trace(document, opened, value, mask=Unmasked() if secrets else None)
    if not found.places:
        raise CommandError(f"{value!r} is nowhere: `variables` lists the names of variables")
    await session.page(views.trace_lines(found, session.width))
