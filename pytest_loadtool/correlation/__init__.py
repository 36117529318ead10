"""Application state management: find dynamic values, say why, rewrite the case.

A value is dynamic when the server gives it out and wants it back: tokens, ids, hidden fields. For
each one an extractor takes it from the response that sets it, and a placeholder stands where it is
used. Every decision carries its reason.

Nothing may enter here that reads or writes anything: cases and exchanges come in, a case and its
decisions go out. `extract` is also the hot path of replay and knows nothing of the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_loadtool.extraction.extract import Readable, compile_source

if TYPE_CHECKING:
    from pytest_loadtool.correlation.configuration import Configuration, configure

__all__ = ["Configuration", "Readable", "compile_source", "configure"]


def __getattr__(name: str) -> Any:
    """Import what configures when it is asked for: replay passes here on its way to `extract`."""
    if name in ("Configuration", "configure"):
        from pytest_loadtool.correlation import configuration

        return getattr(configuration, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
