"""Who acts out a plan: a virtual user, and around it what its plan needs beyond that.

Each layer is a generator around the one within. What a plan does not need costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from pytest_loadtool.model.custom import counted
from pytest_loadtool.replay.authentication.authenticating import Authenticating
from pytest_loadtool.replay.authentication.renewal import Renewing
from pytest_loadtool.replay.hooking import Measure, Took, UserHooks, untold
from pytest_loadtool.replay.user.plan import Visit
from pytest_loadtool.replay.user.user import Actor, VirtualUser
from pytest_loadtool.replay.withholding import Commands, refused, withholding

#: What becomes of the commands of a visit, whose iteration has a number, on their way.
_Through = Callable[[Commands, Visit, int], Commands]


def actor_for(user: VirtualUser, took: Took = untold, measure: Measure = counted) -> Actor:
    """Return what acts out the visits of ``user``: itself, if its plan needs nothing else.
    ``took`` is told how long the functions take that it calls, ``measure`` what they measure."""
    hooks = hooks_of(user, took, measure)
    actor = held_actor_for(user, hooks)
    if hooks is None:
        return actor
    call = hooks.requests
    return _Passing(actor, lambda commands, _visit, _number: call(commands))


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
    actor: Actor = user if hooks is None else _Passing(user, hooks.iteration)
    if plan.renewals is not None:
        actor = Renewing(user, actor, plan.renewals)
    if plan.accounts:
        actor = Authenticating(user, actor)
    if plan.guarded:
        actor = _Passing(actor, lambda commands, _visit, _number: withholding(commands, refused))
    return actor


class _Passing(Actor):
    """Acts as the one within, whose commands go through a function."""

    __slots__ = ("_actor", "_through")

    def __init__(self, actor: Actor, through: _Through) -> None:
        self._actor = actor
        self._through = through

    def act(self, visit: Visit, number: int, start: float) -> Commands:
        """Return the visit of the one within."""
        return self._through(self._actor.act(visit, number, start), visit, number)
