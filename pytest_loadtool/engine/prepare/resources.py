"""A test case made ready to be replayed, with what it takes from outside of its file: datasets and
other files, the environment, the keyring."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pytest_loadtool.casefile import read_dataset
from pytest_loadtool.casefile.files import read_bytes
from pytest_loadtool.casefile.toml.diagnostics import key_error
from pytest_loadtool.casefile.trust import TRUSTED, Trust, named_path
from pytest_loadtool.diagnosis.causes.challenge import WIZARD
from pytest_loadtool.engine.prepare.keyrings import keyring_password
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.hook import Hooks
from pytest_loadtool.model.load import ThinkTime
from pytest_loadtool.replay import Plan, compile_case
from pytest_loadtool.structure.uses import case_files
from pytest_loadtool.transport.wire.tls import TlsError, check_tls

_NOBODY = (
    "HTTP authentication was recorded here, and the test case does not say who its users are: "
    f"{WIZARD}"
)

_NOTHING: Mapping[str, bytes] = MappingProxyType({})


def compile_from(
    path: Path,
    case: TestCase,
    *,
    server: str = "",
    think_time: ThinkTime | None = None,
    unsaved: Mapping[str, bytes] = _NOTHING,
    trust: Trust = TRUSTED,
    hooks: Hooks | None = None,
) -> Plan:
    """Compile ``case``, of the file ``path``; all else as in `compile_case`. ``unsaved`` is what
    files in its bodies hold that are not written yet; ``trust`` says what it may reach.

    Raises:
        FileError: a dataset's file is wrong, one in a body is not there, or may not be read, or
            what a key of ``path`` names is not there: a variable of the environment, an entry of
            the keyring, a column, a server that is named nowhere else.
        ReplayError: it cannot be replayed.
    """
    files = {
        name: unsaved[name] if name in unsaved else read_bytes(named_path(path, name, trust))
        for name in case_files(case)
    }
    try:
        return compile_case(
            case,
            server=server,
            datasets={
                use.name: read_dataset(named_path(path, use.file, trust)) for use in case.datasets
            },
            environ=os.environ,
            keyring=keyring_password,
            think_time=think_time,
            folder=str(path.parent),
            files=files,
            alone=trust.untrusted,
            hooks=hooks,
        )
    except ReplayError as error:
        if not error.at or not path.exists():  # a test case that is not saved yet
            raise
        raise key_error(path, error.at, str(error)) from None


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
    """Check that nothing is asked that only somebody with credentials was answered."""
    if case.identities or case.proxy is not None:
        return
    for outer, page in enumerate(case.pages):
        for inner, transaction in enumerate(page.transactions):
            if transaction.recorded is not None and transaction.recorded.negotiation:
                at = ("page", outer, "transaction", inner, "recorded", "negotiation")
                raise key_error(path, at, _NOBODY)
