"""Test case files as pytest collects them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

from pytest_loadtool import CASE_SUFFIX
from pytest_loadtool.casefile import read_case
from pytest_loadtool.casefile.toml.diagnostics import key_error
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.plugin.functional.item import CaseItem
from pytest_loadtool.plugin.options import profile_of, trust_of
from pytest_loadtool.plugin.paths import shown_error, slug


class CaseFile(pytest.File):
    """A ``*.case.toml``: one test."""

    def collect(self) -> Iterator[CaseItem]:
        """Yield the test.

        Raises:
            CollectError: the file is wrong; the text names each error and its line.
        """
        try:
            case = read_case(self.path, trust_of(self.config), profile_of(self.config))
            self._check_profile(case)
            marks = self._marks(case)
        except FileError as error:
            raise self.CollectError(shown_error(error, self.config)) from None
        name = slug(self.path.name.removesuffix(CASE_SUFFIX))
        yield CaseItem.from_parent(self, name=name, case=case, marks=marks)

    def _check_profile(self, case: TestCase) -> None:
        """Check that the test case has the profile that is asked for: nobody knows what it would do
        to its own server where another was meant.

        Raises:
            FileError: it has no such profile.
        """
        profile = profile_of(self.config)
        if profile and profile not in case.profiles:
            known = did_you_mean(profile, case.profiles) or ": write it, or leave the profile out"
            raise key_error(self.path, (), f"there is no [profile.{profile}]{known}")

    def _marks(self, case: TestCase) -> list[pytest.MarkDecorator]:
        """Return the case's marks. pytest's complaints about unknown ones are made to name the case
        file.

        Raises:
            FileError: pytest refuses one, as under --strict-markers.
        """
        marks: list[pytest.MarkDecorator] = []
        for number, name in enumerate(case.marks):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    marks.append(getattr(pytest.mark, name))
                except (pytest.fail.Exception, AttributeError) as error:
                    hint = did_you_mean(name, _registered(self.config))
                    raise key_error(self.path, ("marks", number), f"{error}{hint}") from None
            for one in caught:
                if isinstance(one.message, Warning):
                    self.warn(one.message)
        return marks


def _registered(config: pytest.Config) -> Iterator[str]:
    """Yield the names of the marks that the configuration and plugins declare."""
    for line in config.getini("markers"):
        yield line.partition(":")[0].partition("(")[0].strip()
