"""What would go wrong with the first request of a plan: found before it, told with its place."""

from __future__ import annotations

from pathlib import Path

from pytest_loadtool.casefile.toml.diagnostics import key_error
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.replay.user.plan import Plan
from pytest_loadtool.transport.wire.tls import TlsError, check_tls

_NOBODY = (
    "HTTP authentication was recorded here, and the test case does not say who its users are: run "
    "the Test Case Configuration Wizard (`pytest --record FILE`, command `test-case-configuration`)"
)


def check_plan(plan: Plan, path: Path) -> None:
    """Find out whether the TLS settings of ``plan``, made from the file ``path``, can be used, and
    whether its application, if it has one, can be asked; and that it is known who answers where
    authentication was recorded.

    Raises:
        FileError: they cannot.
    """
    try:
        check_tls(plan)
    except TlsError as error:
        raise key_error(path, ("tls", error.key), str(error)) from None
    _check_identities(plan.case, path)
    if not plan.case.app:
        return
    from pytest_loadtool.transport.inprocess.apps import load_app

    try:
        if plan.case.transport == "raw":
            raise ReplayError(
                "--loadtool-transport raw does not reach an application in this process: leave it "
                "out, or name a server with --loadtool-server"
            )
        load_app(plan.case.app)
    except ReplayError as error:
        raise key_error(path, ("app",), str(error)) from None


def _check_identities(case: TestCase, path: Path) -> None:
    """Nothing is asked that only somebody with credentials was answered."""
    if case.identities or case.proxy is not None:
        return
    for outer, page in enumerate(case.pages):
        for inner, transaction in enumerate(page.transactions):
            if transaction.recorded is not None and transaction.recorded.negotiation:
                at = ("page", outer, "transaction", inner, "recorded", "negotiation")
                raise key_error(path, at, _NOBODY)
