"""Tests of pytest_loadtool.correlation.outcomes."""
