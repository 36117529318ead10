"""Variables that are made of others: what stands in base64 is made of its text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pytest_loadtool.correlation.naming import field_name, number
from pytest_loadtool.correlation.nested import Capsule
from pytest_loadtool.model.case import Variable


class Made:
    """The variables that are made of others: one for each template, which ``variables`` has it
    by."""

    def __init__(self, taken: Iterable[str], set_by: Literal["asm", "person"]) -> None:
        """``taken`` are the names of others; ``set_by`` is who wants these."""
        self.variables: dict[str, Variable] = {}
        self._taken = set(taken)
        self._set_by = set_by

    def name(self, capsule: Capsule, template: str) -> str:
        """The name of the variable that is made of ``template``."""
        known = self.variables.get(template)
        if known is None:
            (name,) = number([field_name(capsule.name.lower())], self._taken)
            self._taken.add(name)
            # What a person takes out of a test case is not to stay in it as what was recorded.
            recorded = capsule.text if self._set_by == "asm" else None
            known = Variable(name, template=template, recorded=recorded, set_by=self._set_by)
            self.variables[template] = known
        return known.name
