"""What test cases that are recorded from tests are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.plugin.record.from_tests import case_path


@pytest.mark.parametrize(
    ("nodeid", "name"),
    [
        ("test_shop.py::test_order", "test_shop.test_order"),
        ("tests/e2e/test_shop.py::TestCart::test_add", "tests/e2e/test_shop.TestCart.test_add"),
        ("test_shop.py::test_order[chromium]", "test_shop.test_order-chromium"),
        ("docs/shop.txt", "docs/shop"),
    ],
)
def test_a_case_is_called_after_its_test(nodeid: str, name: str) -> None:
    """Folders, module, class and function, and the parameters' id."""
    assert case_path(Path("cases"), nodeid) == Path(f"cases/{name}.case.toml")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("test_a.py::test_x[a b]", "test_a.py::test_x[a-b]"),
        ("test_a.py::test_x[a/b]", "test_a.py::test_x[a::b]"),
        ("test_a.py::test_x[]", "test_a.py::test_x"),
        ("a b/test_a.py::test_x", "a-b/test_a.py::test_x"),
        ("../test_a.py::test_x", "test_a.py::test_x"),
        (f"test_a.py::test_x[{'a' * 300}]", f"test_a.py::test_x[{'a' * 301}]"),
    ],
)
def test_two_tests_never_share_a_case(one: str, other: str) -> None:
    """Not even where file names cannot hold what their names hold, and always below the folder."""
    first, second = (case_path(Path("cases"), nodeid) for nodeid in (one, other))
    assert first != second
    for path in (first, second):
        assert ".." not in path.parts
        assert len(path.name) < 200
