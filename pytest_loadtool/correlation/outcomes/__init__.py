"""Outcomes: what later answers show of a change, made a validator, so that passed means done."""

from pytest_loadtool.correlation.outcomes.asserting import Asserted, asserted, without_outcome

__all__ = ["Asserted", "asserted", "without_outcome"]
