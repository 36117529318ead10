"""On a server that others have used, a replay is right, or red, or says that it may not be."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.correlation.used_servers import OFFICES, become, recorded

#: What becomes of all others on a used server is that they are right. Where the place is all that
#: there is, the run says so; and where a name has two, or the thing is not to be seen.
_ELSE: Mapping[str, str] = {
    "lists beside each other": "told, wrong",
    "a map of paths and etags": "told, wrong",
    "the last one": "told, right",
    "the last one by name": "told, wrong",
    "links in a header": "told, wrong",
    "on the second page": "red",
    "two of the same name": "told, wrong",
    "two rows of the same name": "told, wrong",
    "one of the same name that is shown as gone": "told, wrong",
    "links of one name": "told, wrong",
    "numbers in links of one name": "told, wrong",
}


@pytest.mark.parametrize("name", OFFICES)
def test_a_used_server(name: str) -> None:
    """Judged by the state of the server, not by what the run says."""
    situation = OFFICES[name]
    case = recorded(situation, looks_first=False)
    assert become(situation, case) == _ELSE.get(name, "right")
    assert become(situation, case, used=False) in ("right", "told, right")
