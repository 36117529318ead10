"""Who acts out a plan: a virtual user, and around it what its plan needs beyond that.

Each layer is a generator around the one within. What a plan does not need costs nothing.
"""

from __future__ import annotations

from collections.abc import Generator

from pytest_loadtool.replay.authentication.authenticating import Authenticating
from pytest_loadtool.replay.authentication.renewal import Renewing
from pytest_loadtool.replay.compile.servers import guarded
from pytest_loadtool.replay.user.exchange import Response
from pytest_loadtool.replay.user.plan import Command, Visit
from pytest_loadtool.replay.user.user import Actor, VirtualUser


def actor_for(user: VirtualUser) -> Actor:
    """What acts out the visits of ``user``: itself, if its plan needs nothing else."""
    plan = user.plan
    actor: Actor = user
    if plan.renewals is not None:
        actor = Renewing(user, plan.renewals)
    if plan.accounts:
        actor = Authenticating(user, actor)
    if plan.guarded:
        actor = _Guarded(actor)
    return actor


class _Guarded(Actor):
    """Leaves out the requests that must not be sent."""

    __slots__ = ("_actor",)

    def __init__(self, actor: Actor) -> None:
        self._actor = actor

    def act(
        self, visit: Visit, number: int, start: float
    ) -> Generator[Command, Response | None, None]:
        """The visit of the one within."""
        return guarded(self._actor.act(visit, number, start))
