"""Which fixtures a recorded test case can use for its server."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from pytest_loadtool.plugin.record.from_tests import is_seen_from, server_fixtures


@pytest.mark.parametrize(
    ("folder", "baseid", "seen"),
    [
        ("cases/tests", "", True),
        ("cases/tests", "cases", True),
        ("cases/tests", "tests", False),
        ("cases/tests", "cas", False),
        ("tests/e2e", "tests/e2e", True),
        ("tests/e2e", "tests/e2e/test_shop.py", False),
        (".", "", True),
        (".", "tests", False),
    ],
)
def test_conftests_are_for_what_is_below_them(folder: str, baseid: str, seen: bool) -> None:
    """As pytest has it; a module's and a class's own fixtures are for nobody else."""
    assert is_seen_from(PurePath(folder), baseid) is seen


def test_fixtures_by_the_url_they_gave(pytester: pytest.Pytester) -> None:
    """Strings, and objects like pytest-django's live_server, of conftests and plugins."""
    pytester.makeconftest(
        """
        import types
        import pytest

        @pytest.fixture
        def shop():
            return "http://127.0.0.1:8000"

        @pytest.fixture
        def live_server():
            return types.SimpleNamespace(url="http://127.0.0.1:8001")

        @pytest.fixture
        def base_url():
            return "http://127.0.0.1:8002"

        @pytest.fixture
        def tab():
            return types.SimpleNamespace(url="about:blank")
        """
    )
    (item,) = pytester.getitems(
        """
        import pytest

        @pytest.fixture
        def own():
            return "http://127.0.0.1:8003"

        def test_it(base_url, live_server, own, shop, tab): pass
        """
    )
    item.session._setupstate.setup(item)
    try:
        assert server_fixtures(item, pytester.path / "cases") == {
            "http://127.0.0.1:8000": "shop",
            "http://127.0.0.1:8001": "live_server",
        }
        assert server_fixtures(item, pytester.path.parent) == {}
    finally:
        item.session._setupstate.teardown_exact(None)
