"""Who hears what becomes of each recording by `pytest_loadtool.record`: a pytest session.

Every session imports this at its start, used or not, so it imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_loadtool.workflow.unattended import Recorded

#: The innermost session's is the last, and the only one that is called.
listeners: list[Callable[[Recorded], None]] = []
