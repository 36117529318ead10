"""Application state management: find dynamic values, say why, rewrite the case.

A value is dynamic when the server gives it out and wants it back: tokens, ids, hidden fields. For
each one an extractor takes it from the response that sets it, and a placeholder stands where it is
used. Every decision carries its reason.

Nothing may enter here that reads or writes anything: cases and exchanges come in, a case and its
decisions go out. `extract` is also the hot path of replay and knows nothing of the rest.
"""

from pytest_loadtool.correlation.configure import Configuration, configure
from pytest_loadtool.correlation.extract import Readable, compile_source

__all__ = ["Configuration", "Readable", "compile_source", "configure"]
