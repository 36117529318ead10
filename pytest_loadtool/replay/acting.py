"""Who acts out a plan: a virtual user, and around it what its plan needs beyond that.

Each layer is a generator around the one within. What a plan does not need costs nothing.
"""

from __future__ import annotations

from collections.abc import Generator

from pytest_loadtool.model.custom import counted
from pytest_loadtool.replay.authentication.authenticating import Authenticating
from pytest_loadtool.replay.authentication.renewal import Renewing
from pytest_loadtool.replay.hooking import Measure, Took, UserHooks, untold
from pytest_loadtool.replay.user.exchange import Response
from pytest_loadtool.replay.user.plan import Command, Visit
from pytest_loadtool.replay.user.user import Actor, VirtualUser
from pytest_loadtool.replay.withholding import refused, withholding


def actor_for(user: VirtualUser, took: Took = untold, measure: Measure = counted) -> Actor:
    """Return what acts out the visits of ``user``: itself, if its plan needs nothing else.
    ``took`` is told how long the functions take that it calls, ``measure`` what they measure."""
    hooks = hooks_of(user, took, measure)
    actor = held_actor_for(user, hooks)
    return actor if hooks is None else _Calling(actor, hooks)


def hooks_of(
    user: VirtualUser, took: Took = untold, measure: Measure = counted
) -> UserHooks | None:
    """Return what calls the functions of ``user``; None if there are none."""
    hooks = user.plan.hooks
    return None if hooks is None else UserHooks(user, hooks, took, measure=measure)


def held_actor_for(user: VirtualUser, hooks: UserHooks | None) -> Actor:
    """Return an actor as `actor_for` does, whose functions for requests are to be called by whoever
    sends them."""
    plan = user.plan
    actor: Actor = user if hooks is None else _Iterating(user, hooks)
    if plan.renewals is not None:
        actor = Renewing(user, actor, plan.renewals)
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
        """Return the visit of the one within."""
        return withholding(self._actor.act(visit, number, start), refused)


class _Iterating(Actor):
    """Calls what is called at the beginning and the end of iterations."""

    __slots__ = ("_actor", "_hooks")

    def __init__(self, actor: Actor, hooks: UserHooks) -> None:
        self._actor = actor
        self._hooks = hooks

    def act(
        self, visit: Visit, number: int, start: float
    ) -> Generator[Command, Response | None, None]:
        """Return the visit of the one within."""
        return self._hooks.iteration(self._actor.act(visit, number, start), visit, number)


class _Calling(Actor):
    """Calls what is called for requests and responses, as they are on the wire."""

    __slots__ = ("_actor", "_hooks")

    def __init__(self, actor: Actor, hooks: UserHooks) -> None:
        self._actor = actor
        self._hooks = hooks

    def act(
        self, visit: Visit, number: int, start: float
    ) -> Generator[Command, Response | None, None]:
        """Return the visit of the one within."""
        return self._hooks.requests(self._actor.act(visit, number, start))
