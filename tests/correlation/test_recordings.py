"""The recordings that are kept here: what is correlated in them, and nothing else is.

Each value was looked at: the server gives it out, and wants it back. A rule that finds more has to
show that it must, or it is a false positive.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_har
from pytest_loadtool.recording import build_case
from tests.correlation.talk import configure, made

_ROOT = Path(__file__).parents[2]
#: How many variables of a name there are, and by which rule.
_CORRELATED = {
    "example_suite/cases/admin.har": {("csrf_token", "csrf-form-field"): 3},
    "example_suite/cases/api.har": {
        ("bearer_token", "oauth2-access-token"): 1,
        ("order_id", "created-id"): 1,
    },
    "tests/applications/recordings/django-admin.har": {
        ("csrf_token", "csrf-form-field"): 9,
        ("group_id", "named-link"): 1,
        ("user_id", "created-location"): 1,
        ("initial_date_joined_0", "hidden-field"): 1,
        ("initial_date_joined_1", "hidden-field"): 1,
        ("date_joined_0", "filled-in-field"): 1,
        ("date_joined_1", "filled-in-field"): 1,
    },
}


@pytest.mark.parametrize("recording", _CORRELATED)
def test_nothing_else_is_correlated(recording: str) -> None:
    """By the package's rules, as recorded: the very variables that a person found right."""
    exchanges = read_har(_ROOT / recording)
    configuration = configure(build_case(exchanges, name="recorded").case, exchanges)
    found = Counter((one.variable.partition("[")[0], one.rule) for one in made(configuration))
    assert found == _CORRELATED[recording]
