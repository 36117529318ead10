"""Which rows of a dataset the users of a load test will take."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from pytest_loadtool.console.arguments import DatasetName, LoadFile
from pytest_loadtool.console.commands.dataset_files import named
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.load_files import chosen
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import datasets as views
from pytest_loadtool.workflow.row_simulation import refused, simulated
from pytest_loadtool.workflow.telling import counted

#: How many users and iterations are shown at the most, and how many unless others are asked for.
MOST_USERS = 1000
MOST_ITERATIONS = 100
_USERS, _ITERATIONS = 10, 5


async def dataset_simulate(
    session: Console,
    name: DatasetName,
    file: LoadFile | None = None,
    *,
    users: int = _USERS,
    iterations: int = 0,
    secrets: bool = False,
) -> None:
    """Simulate: show which rows of a dataset the users of a load test will take.

    Each line is a user: the number of its row in each iteration, and the value of the first column
    there. FILE is a load configuration; without it, the one that `load` shows. What
    `dataset-properties` says counts as it is now, saved or not. --users is how many users are
    shown, --iterations how many iterations of each. --secrets shows all of passwords. Nothing is
    sent, and no row is taken.

    Example: `dataset simulate users rush --users 5 --iterations 3`
    """
    from pytest_loadtool.engine.prepare.share import read_test

    one = named(session, name)
    path = chosen(session, file)
    test = read_test(path, session.settings.trust)
    here, load = session.case_path.resolve(), test.configuration
    cases = (
        session.opened().case if test.path_of(at).resolve() == here else case
        for at, case in enumerate(test.cases)
    )
    test = replace(test, cases=tuple(cases))
    iterations = iterations or min(load.iterations or _ITERATIONS, _ITERATIONS)
    for option, given, most in (
        ("--users", users, MOST_USERS),
        ("--iterations", iterations, MOST_ITERATIONS),
    ):
        if not 1 <= given <= most:
            raise UsageError(f"{option} is 1 to {most}, not {given}")
    content = one.content
    found = simulated(test, one.path, len(content.rows), iterations)
    shown = list(islice(found, users))
    if not shown:
        raise CommandError(
            f"no user of {session.shown(path)} takes rows of {name}: `set-field N FIELD --dataset` "
            "has a field take its value from there"
        )
    names = [case.name for case in test.cases]
    lines: list[str] = [views.heading(one), f"  {session.shown(path)}, before it runs:"]
    lines += views.simulation(content, shown, names, secrets=secrets)
    if left := sum(1 for _ in found):
        lines.append(f"  and {counted(left, 'more user')}: --users shows more")
    if load.keep_state:
        lines.append("  a user keeps its first row: keep_state")
    lines += (f"! {why}" for why in refused(test, one.path, len(content.rows)))
    await session.page(lines)
