"""The servers that requests may go to: those that the test case names, or the one that its user
names.

Where a target says a server, that is known when the test case is compiled. What a placeholder at
its beginning stands for is known only when the request is made; a virtual user without such
requests pays nothing for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from pytest_loadtool.codec.template import Reference, Template
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.compile.format import VariableNames
from pytest_loadtool.replay.user.exchange import Step
from pytest_loadtool.replay.user.origin import Origin, origin_of, parse_origin


@dataclass(frozen=True, slots=True)
class Servers:
    """``hosts`` are hostnames, of which any port counts; ``only`` is the URL of the one server that
    requests may go to, if that is not empty."""

    hosts: frozenset[str]
    only: str = ""

    @classmethod
    def of(cls, case: TestCase, base: str, *, alone: bool) -> Servers:
        """Return those of ``case``, whose requests go to ``base``: with ``alone``, that and no
        other."""
        urls = (urlsplit(one).hostname or "" for one in (base, case.server))
        named = (one.lower() for one in (*urls, *case.hosts, *case.recorded_hosts) if one)
        return cls(frozenset(named), str(origin_of(base)) if alone and base else "")

    def may(self, origin: Origin) -> bool:
        """Return whether requests may go there."""
        return str(origin) == self.only if self.only else origin.host in self.hosts

    def check(self, case: TestCase, steps: Iterable[Step]) -> None:
        """Find out whether all requests go where they may, as far as their targets say it.

        Raises:
            ReplayError: one does not; the text has the line to write.
        """
        others: dict[str, Step] = {}
        for step in steps:
            if not self.may(step.origin):
                others.setdefault(step.origin.host, step)
        if not others:
            return
        first = next(iter(others.values()))
        host = first.origin.host
        if "$" in host:
            what = f"a placeholder cannot say which server it goes to: {host}"
        elif self.only:
            what = (
                f"it would go to {first.origin}, and --loadtool-untrusted allows {self.only} only"
            )
        else:
            key = "recorded_hosts" if case.recorded_hosts and not case.hosts else "hosts"
            hosts = ", ".join(f'"{one}"' for one in (*getattr(case, key), *others))
            what = (
                f"it would go to {host}, which neither 'server' nor 'hosts' names: if it may, "
                f"write {key} = [{hosts}] at the top"
            )
        raise ReplayError(what, _place(case, first))

    def refusing(
        self, target: str, origin: Origin, names: VariableNames
    ) -> Callable[[bytes], Failure | None] | None:
        """Return what refuses requests, if only they tell where they go."""
        first = Template.parse(target).parts[:1]
        if not first or not isinstance(first[0], Reference) or first[0].name in names.constants:
            return None
        return _Guard(self, origin, str(first[0])).wrong


@dataclass(frozen=True, slots=True)
class _Guard:
    """Judges requests to ``origin`` whose target begins with the placeholder ``written``."""

    servers: Servers
    origin: Origin
    written: str

    def wrong(self, request: bytes) -> Failure | None:
        """Return why ``request`` must not be sent; None if it may."""
        target = request.split(b" ", 2)[1].decode("latin-1")
        if self.origin.via is not None and self.origin.scheme == "http":
            target = target.removeprefix(str(self.origin))  # in absolute form, for the proxy
        if target.startswith("/"):
            return None
        try:
            origin = parse_origin(target)
        except ReplayError:
            return Failure("target", f"not sent: {self.written} is neither a path nor a URL")
        if self.servers.may(origin):
            return None
        allowed = (
            f"--loadtool-untrusted allows {self.servers.only} only"
            if self.servers.only
            else "neither 'server' nor 'hosts' names it"
        )
        return Failure("target", f"not sent: {self.written} is a URL of {origin.host}: {allowed}")


def _place(case: TestCase, step: Step) -> tuple[str | int, ...]:
    before = 0
    for number, page in enumerate(case.pages):
        if step.index < before + len(page.transactions):
            return "page", number, "transaction", step.index - before, "request"
        before += len(page.transactions)
    raise AssertionError("every step is of a page")
