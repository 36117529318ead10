"""How pytest-xdist is told that every worker takes part in every test.

All tests are sent to all workers at once; that they begin together, and what each does in a test,
is settled over the load test's own channels. See `xdist.scheduler.protocol` for what must be here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_loadtool.plugin.load.series import Series

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

#: No test has this index. `mark_test_complete` with it means: there is something to hear.
WAKE_UP = -1


class LoadTestScheduling:
    """One session's scheduler.

    ``attend`` acts on what workers have said so far; ``expected`` is how many will come.
    """

    def __init__(
        self, session: pytest.Session, series: Series, expected: int, attend: Callable[[], None]
    ) -> None:
        self._session = session
        self._series = series
        self._expected = expected
        self._attend = attend
        self._collections: dict[WorkerController, Sequence[str]] = {}
        self._nodes: list[WorkerController] = []
        self._scheduled: set[WorkerController] = set()
        self._nodeids: Sequence[str] | None = None

    @property
    def nodes(self) -> list[WorkerController]:
        """The workers."""
        return list(self._nodes)

    @property
    def collection_is_completed(self) -> bool:
        """Whether all workers have said which tests they have."""
        return self._nodeids is not None or len(self._collections) >= self._expected

    @property
    def begun(self) -> bool:
        """Whether there ever was anything to do."""
        return self._nodeids is not None

    @property
    def tests_finished(self) -> bool:
        """Whether nothing is left to do."""
        return self._nodeids is not None and self._series.finished

    @property
    def has_pending(self) -> bool:
        """Whether workers are at work."""
        return self._nodeids is not None and not self._series.finished

    def go_on_without(self) -> bool:
        """A worker is lost, and not replaced: whether the others go on. They do before the start,
        and take the whole load.

        Raises:
            pytest.Session.Interrupted: as `schedule`, which may have waited for that worker only.
        """
        if self.begun or self._expected <= 1:
            return False
        self._expected -= 1
        if self.collection_is_completed:
            self.schedule()
        return True

    def add_node(self, node: WorkerController) -> None:
        """A worker has come up."""
        self._nodes.append(node)

    def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
        """A worker has collected."""
        self._collections[node] = tuple(collection)

    def schedule(self) -> None:
        """All workers have collected, or one more has.

        Raises:
            pytest.Session.Interrupted: files are wrong, so that nothing is run; as without workers.
        """
        self._attend()
        if self._nodeids is None:
            self._refuse_after_errors()
            first, *_ = self._collections.values()
            nodes = [
                node for node in sorted(self._nodes, key=_by_name) if self._agrees(node, first)
            ]
            self._nodeids = first
            for node in nodes:
                self._send(node, 0)
            self._series.begin(first, [node.gateway.id for node in nodes])
            return
        late = [node for node in self._collections if node not in self._scheduled]
        for node in late:
            if self._agrees(node, self._nodeids):
                self._send(node, self._series.join(node.gateway.id))

    def mark_test_complete(
        self,
        node: WorkerController,
        item_index: int,
        duration: float = 0,  # noqa: ARG002 - xdist's signature
    ) -> None:
        """A worker is through with a test, or just has said something."""
        self._attend()
        if item_index != WAKE_UP and self._nodeids is not None:
            self._series.leave(node.gateway.id, self._nodeids[item_index])

    def mark_test_pending(self, item: str) -> None:
        """Refused: a load test is not run twice because a worker was lost."""
        raise NotImplementedError

    def remove_pending_tests_from_node(
        self, node: WorkerController, indices: Sequence[int]
    ) -> None:
        """Refused: no worker takes over from another."""
        raise NotImplementedError

    def remove_node(self, node: WorkerController) -> None:
        """A worker is gone. Never names a test to report as crashed: the verdict says it.

        Raises:
            KeyError: it never came up.
        """
        self._attend()
        self._series.lose(node.gateway.id)
        if node not in self._nodes:
            raise KeyError(node)
        self._nodes.remove(node)
        self._collections.pop(node, None)

    def _send(self, node: WorkerController, first: int) -> None:
        assert self._nodeids is not None
        self._scheduled.add(node)
        if first < len(self._nodeids):
            node.send_runtest_some(list(range(first, len(self._nodeids))))
        # With the end in its queue a worker does not hold its last test back.
        node.shutdown()

    def _agrees(self, node: WorkerController, nodeids: Sequence[str]) -> bool:
        """Whether a worker has collected the same as the others. One that has not is sent home."""
        if self._collections[node] == nodeids:
            return True
        name = node.gateway.id
        text = (
            f"worker {name} has other load tests than the first worker: "
            f"{', '.join(self._collections[node])} and not {', '.join(nodeids)}. "
            "Do all workers see the same files?"
        )
        report = pytest.CollectReport(nodeid=name, outcome="failed", longrepr=text, result=[])
        self._session.config.hook.pytest_collectreport(report=report)
        self._scheduled.add(node)
        node.shutdown()
        return False

    def _refuse_after_errors(self) -> None:
        errors = self._session.testsfailed
        if errors and not self._session.config.option.continue_on_collection_errors:
            noun = "error" if errors == 1 else "errors"
            raise self._session.Interrupted(f"{errors} {noun} during collection")


def _by_name(node: WorkerController) -> tuple[int, str]:
    """gw2 before gw10; which worker comes up first is chance."""
    return len(node.gateway.id), node.gateway.id
