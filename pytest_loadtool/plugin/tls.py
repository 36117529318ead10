"""TLS settings that cannot be used are found before anything is sent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_loadtool.plugin.paths import key_error

if TYPE_CHECKING:
    from pytest_loadtool.replay import Plan

__all__ = ["check_tls"]


def check_tls(plan: Plan, path: Path) -> None:
    """Find out whether the TLS settings of ``plan``, made from the file ``path``, can be used.

    Raises:
        FileError: they cannot.
    """
    from pytest_loadtool.transport.tls import TlsError
    from pytest_loadtool.transport.tls import check_tls as check

    try:
        check(plan)
    except TlsError as error:
        raise key_error(path, ("tls", error.key), str(error)) from None
