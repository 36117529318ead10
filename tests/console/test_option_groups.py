"""The options of `extract` and `validate` are the keys that test cases have."""

from __future__ import annotations

from dataclasses import fields

from pytest_loadtool.console.commands.extracting import Whereabouts
from pytest_loadtool.console.commands.validating import Requirement
from pytest_loadtool.model.extractor import SOURCE_KINDS
from pytest_loadtool.model.validator import COMPARISONS, VALIDATOR_KINDS


def test_each_key_of_a_source_is_an_option() -> None:
    """A boundary is typed as its two sides."""
    keys = {key for kind in SOURCE_KINDS.values() for key in kind.keys} - {"boundary"}
    assert keys | {"left", "right"} <= {one.name for one in fields(Whereabouts)}


def test_each_key_of_a_validator_is_an_option() -> None:
    """A value is checked by flows alone: nothing of a response."""
    own = {key for kind in VALIDATOR_KINDS.values() for key in kind.own}
    keys = {*VALIDATOR_KINDS, *COMPARISONS, *own} - {"value"}
    assert keys <= {one.name.rstrip("_") for one in fields(Requirement)}
