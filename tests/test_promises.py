"""The numbered promises: complete, and each one that is built kept by a test."""

from __future__ import annotations

import pytest

from tests import promises
from tests.promises import BEHAVIOUR, read_promises

#: What this version builds. A promise is built once it has its tests and stands here.
BUILT = {*range(1, 14), 15, *range(20, 23), *range(37, 46), 48, 65, 66, 103}
BUILT |= {*range(69, 73), *range(96, 103)}
BUILT |= {41, 42, 46, *range(49, 57), 67, 125, *range(126, 131), 132, 135, 136, 137}
BUILT |= {14, *range(16, 20), 23, 25, 26, 33, *range(57, 63), *range(91, 95)}
BUILT |= {34, 35, *range(73, 91), 95, 131, 133, 138}
BUILT |= {31, 32, 63, 64}  # datasets
BUILT |= {36, 104}  # actors
BUILT |= {24, *range(27, 31)}  # fields
BUILT |= {68}  # views
BUILT |= {139, 140}  # flows
BUILT |= {141, 142}  # hooks, doubts
BUILT |= {47, 134, *range(105, 125)}  # diagnosis

PAGE = """\
- **1.** Built and tested.
- **2.** *(planned)* Some day.
- **3.** Built.
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project whose page of promises is ``PAGE``."""
    page = pytester.path / "behaviour.md"
    page.write_text(PAGE)
    monkeypatch.setattr(promises, "BEHAVIOUR", page)
    pytester.makeini("[pytest]\nmarkers =\n    promise(number): a promise\n")
    return pytester


def run(suite: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest in this process, where the page is replaced, with the plugin alone."""
    plugins = ("-p", "tests.promises", "-p", "no:cacheprovider")
    return suite.runpytest_inprocess(*plugins, *arguments)


def test_every_promise_is_stated_once_under_its_number() -> None:
    """docs/behaviour.md has the promises 1 to 142, in order; the others are marked as planned."""
    stated = read_promises(BEHAVIOUR.read_text())
    assert list(stated) == list(range(1, 143))
    assert {number for number, built in stated.items() if built} == BUILT


def test_a_number_stated_twice_is_refused() -> None:
    """Two promises cannot share a number."""
    with pytest.raises(ValueError, match="promise 1 stands there twice"):
        read_promises("- **1.** One.\n- **1.** *(planned)* Another.\n")


def test_a_built_promise_without_a_test_fails(suite: pytest.Pytester) -> None:
    """``--promises`` counts, runs no test, and exits with 1 while promise 3 has none."""
    suite.makepyfile(
        "import pytest\n@pytest.mark.promise(1)\n@pytest.mark.promise(2)\ndef test_one():\n"
        "    raise SystemExit('this test must not run')\n"
    )
    result = run(suite, "--promises")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "1: 1 tests",
            "2: 1 tests",
            "3: 0 tests: built, but nothing tests it",
            "2 of 3 promises are built, 1 of them tested",
        ]
    )


def test_it_passes_when_every_built_promise_has_a_test(suite: pytest.Pytester) -> None:
    """Marks of the module, of several numbers and on parametrized tests all count."""
    suite.makepyfile(
        "import pytest\npytestmark = pytest.mark.promise(3)\n"
        "@pytest.mark.promise(1, 2)\n@pytest.mark.parametrize('x', [1, 2])\n"
        "def test_one(x):\n    pass\n"
    )
    result = run(suite, "--promises")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["1: 2 tests", "2: 2 tests", "3: 2 tests"])


def test_a_test_that_cannot_be_collected_fails_it(suite: pytest.Pytester) -> None:
    """A count over half of the tests is not taken for the whole."""
    suite.makepyfile(
        test_good="import pytest\n@pytest.mark.promise(1, 3)\ndef test_one():\n    pass\n",
        test_broken="import nothing_of_that_name\n",
    )
    result = run(suite, "--promises")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.no_fnmatch_line("1: *")


def test_a_number_that_is_no_promise_is_refused(suite: pytest.Pytester) -> None:
    """A slip in a mark is an error in every run, not only under ``--promises``."""
    suite.makepyfile("import pytest\n@pytest.mark.promise(4)\ndef test_one():\n    pass\n")
    result = run(suite)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*test_one: docs/behaviour.md has no promise 4"])


def test_without_the_option_tests_run(suite: pytest.Pytester) -> None:
    """The plugin stays out of the way of an ordinary run."""
    suite.makepyfile("import pytest\n@pytest.mark.promise(1)\ndef test_one():\n    pass\n")
    result = run(suite)
    result.assert_outcomes(passed=1)


def test_with_workers_it_is_refused(suite: pytest.Pytester) -> None:
    """``-n`` would leave nothing to count here, which must not look like no tests at all."""
    result = run(suite, "--promises", "-n", "2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*leave -n out*"])
