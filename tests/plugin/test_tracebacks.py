"""Tracebacks of tests that files describe."""

from __future__ import annotations

from importlib import import_module

import pytest

from tests.plugin.serving import Server, case, write


def test_fixture_shows_what_it_holds(pytester: pytest.Pytester, server: Server) -> None:
    """A mistake in a fixture of the project is told like in any other test."""
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture
        def stock(request):
            teapots = "there are 17"
            raise LookupError("no kettles")
        """
    )
    write(pytester, "shop", case(server.url, "GET /", head='fixtures = ["stock"]'))
    result = pytester.runpytest("-l")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*LookupError: no kettles", "teapots *= 'there are 17'"])


def test_mistake_of_ours_shows_its_place_alone(
    pytester: pytest.Pytester, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither arguments nor variables, in frames of ours and of what they call."""
    # As the run inside imports it: a package may still name a module that an earlier one had.
    outside = import_module("pytest_loadtool.engine.prepare.resources")

    def broken(*arguments: object, **named: object) -> None:
        number = "it is 4711"
        raise LookupError(f"a mistake, {len(number)}")

    monkeypatch.setattr(outside, "compile_case", broken)
    write(pytester, "shop", case(server.url, "GET /"))
    result = pytester.runpytest("-l", "--full-trace")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*resources.py:*", "*LookupError: a mistake, 10"])
    result.stdout.no_fnmatch_line("*= 'it is 4711'")
    result.stdout.no_fnmatch_line("*arguments = *")
    result.stdout.no_fnmatch_line("*path *= PosixPath*")
