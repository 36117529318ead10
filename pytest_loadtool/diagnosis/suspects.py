"""What in a request that was refused may be the reason: tokens, and names that exist already."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from urllib.parse import unquote

from pytest_loadtool.codec.names import plain
from pytest_loadtool.codec.printable import clip
from pytest_loadtool.codec.secret import is_given_out, is_password, is_typed_secret
from pytest_loadtool.codec.spellings import spellings
from pytest_loadtool.codec.template import Reference, Template, TemplateError
from pytest_loadtool.correlation.classify import (
    SWITCHES,
    is_identity_name,
    is_title_name,
    looks_random,
)
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field, fields_of
from pytest_loadtool.masking.text import Mask
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.rule import NamePatterns, same_name

#: What servers answer to a token that is missing, of another session or too old; 419 and 440 are
#: of Laravel and IIS, 498 of ArcGIS.
_STALE = frozenset({400, 401, 403, 409, 412, 419, 422, 440, 498})
#: What pages say of a name that is there already.
_EXISTS = re.compile(
    r"exist|already|taken|in use|duplicate|unique|bereits|vergeben|déjà|ya est|già", re.IGNORECASE
)
_SAME = ("the recorded value: the server gave it out again, or nothing was taken",)
_ANEW = (
    "not the recorded value: it was taken anew; if it is refused all the same, then",
    "it is of the wrong response: move the extractor to the page that holds the form",
)
_MOST_SHOWN = 6
#: Which of several requests, or fields, an entry of what is ignored is for.
_NUMBER = re.compile(r" #\d+(?=:|$)")
_LONGEST = 60


def _may_be_taken(field: Field) -> bool:
    """Whether it is text under a name for names."""
    return (
        len(field.value) <= _LONGEST
        and field.value not in SWITCHES
        and re.search(r"[^\W\d]", field.value) is not None
        and (is_title_name(field.wire_name) or is_identity_name(field.wire_name))
    )


def _rank(field: Field, complaints: str) -> tuple[bool, bool, bool]:
    """The lower, the more likely it is that these complaints are about the field."""
    words = [one for one in plain(field.wire_name).split() if len(one) > 1]
    named = bool(words) and same_name(words[-1]) in same_name(complaints)
    return (
        not re.search(rf"(?<!\w){re.escape(field.value)}(?!\w)", complaints),
        not named,
        not is_identity_name(field.wire_name),
    )


def may_be_stale(status: int) -> bool:
    """Whether a server may mean by such a status that a token was not the right one."""
    return status in _STALE


@dataclass(frozen=True, slots=True)
class Suspects:
    """A transaction of a test case by its ``index``; ``values`` are those of its placeholders, as
    they were sent."""

    case: TestCase
    index: int
    values: Mapping[str, str]
    mask: Mask

    def tokens(self, *, anew: bool) -> list[str]:
        """Lines on the fields that look like tokens: what gave each out, or that nothing did.
        Those that are not as they were recorded only if ``anew``."""
        told = (list(self._about(one, anew=anew)) for one in self._tokens())
        lines = [line for some in islice(filter(None, told), _MOST_SHOWN) for line in some]
        return ["tokens that were sent:", *lines] if lines else []

    def name(self, complaints: Sequence[str] = ()) -> str:
        """The text in its body that a server may take only once, as it was typed: the one that the
        page complains of, else who somebody is, else the first. Empty: there is none, or the form
        is one to sign in with, unless the page says that something exists."""
        typed = [
            one
            for one in fields_of(self.case, self.index)
            if one.datasource == CONSTANT and one.section == "POST content"
        ]
        said = " ".join(complaints)
        names = [one for one in typed if _may_be_taken(one)]
        secrets = [one for one in typed if is_password(one.wire_name)]
        signs_in = len(secrets) == len(names) == 1 and is_identity_name(names[0].wire_name)
        if not names or (signs_in and not _EXISTS.search(said)):
            return ""
        return min(names, key=lambda one: _rank(one, said)).value

    def _tokens(self) -> Iterator[Field]:
        """Each field that looks like one, or else what within it does."""
        known = False
        for field in fields_of(self.case, self.index, within=True):
            if field.slot is None:
                continue  # a file
            if not field.slot.depth:
                known = False
            if not known and self._is_token(field):
                known = True
                yield field

    def _is_token(self, field: Field) -> bool:
        name = field.wire_name
        if is_typed_secret(name) or is_identity_name(name) or not field.value:
            return False
        recorded = [field.value] if field.datasource == CONSTANT else self._recorded(field)
        return is_given_out(name) or any(map(looks_random, recorded))

    def _recorded(self, field: Field) -> list[str]:
        variables = (self.case.variables.get(one.name) for one in _references(field))
        return [one.recorded for one in variables if one is not None and one.recorded is not None]

    def _about(self, field: Field, *, anew: bool) -> Iterator[str]:
        if field.datasource == CONSTANT:
            shown = clip(self.mask.field(field), _LONGEST)
            yield f"  {field.name} = {shown} is a constant: it was sent as recorded"
            yield f"    {self._remedy(field)}"
        for one in _references(field):
            compared = self._compared(one.name)
            if one.dataset is None and (anew or compared is not _ANEW):
                yield f"  {field.name} = ${{{one.name}}}{self._origin(one.name)}"
                yield from (f"    {line}" for line in compared)

    def _origin(self, name: str) -> str:
        variable = self.case.variables.get(name)
        rule = f", by the rule {variable.rule}" if variable is not None and variable.rule else ""
        givers = [
            (number, one.title)
            for number, one in enumerate(islice(self.case.transactions(), self.index), 1)
            if any(each.variable == name for each in one.extractors)
        ]
        if not givers:
            return f"{rule or ', a variable'}; no transaction before gives it out"
        number, title = givers[-1]
        return f", which transaction {number} {title!r} gave out{rule}"

    def _compared(self, name: str) -> tuple[str, ...]:
        variable, now = self.case.variables.get(name), self.values.get(name)
        if variable is None or variable.recorded is None or now is None:
            return ()
        same = now in spellings(variable.recorded) | spellings(unquote(variable.recorded))
        return _SAME if same else _ANEW

    def _remedy(self, field: Field) -> str:
        request = next(islice(self.case.transactions(), self.index, None)).request
        for entry in self.case.asm.ignore:
            named = _NUMBER.sub("", entry)
            own = named.startswith(f"{request.method} /") and named.endswith(f": {field.wire_name}")
            if own or field.wire_name in NamePatterns((entry,)):
                return (
                    f'the test case says so, ignore = ["{entry}"]: take that out, then `configure`'
                )
        if not self.case.configured:
            return "`configure` in the console connects it with the response that gives it out"
        return (
            "`configure` has found nothing that gives it out: `configure --replay` may, or an "
            "extractor by hand"
        )


def _references(field: Field) -> tuple[Reference, ...]:
    try:
        return () if field.datasource == CONSTANT else Template.parse(field.value).references
    except TemplateError:  # text beside the placeholder that looks like one
        return ()
