"""Settings of application state management."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AsmSettings:
    """The settings of a test case for its dynamic values.

    ``rules`` are files with rules that come before the package's, relative to the test case's file;
    the values of fields and headers called as in ``ignore`` are left as recorded.
    """

    rules: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


USUAL_ASM = AsmSettings()
