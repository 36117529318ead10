"""The arguments of commands: their types, how each is read, and how it is written in a usage
line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NewType, TypeVar

from pytest_loadtool.casefile.quantities import parse_duration
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.editing.pages import Pace
from pytest_loadtool.model.dataset import Lifespan, Order
from pytest_loadtool.recording import Domain

#: The name of a command: completed from the registry.
CommandName = NewType("CommandName", str)
#: A field of a transaction, as ``fields`` names it.
FieldName = NewType("FieldName", str)
#: Hostnames of the test case, with commas between.
Hostnames = NewType("Hostnames", str)
#: A dataset of the test case.
DatasetName = NewType("DatasetName", str)
#: A column of the dataset whose name stands before.
ColumnName = NewType("ColumnName", str)
#: A dataset and its column: ``users.username``.
DatasetColumn = NewType("DatasetColumn", str)
#: Columns of a dataset that is to be made, perhaps with commas between.
NewColumns = NewType("NewColumns", str)
#: An extractor of the test case: its number, as in ``Extractor[3]``, or the variable that it sets.
ExtractorName = NewType("ExtractorName", str)
#: A user variable of the test case.
VariableName = NewType("VariableName", str)
#: What a test case can be exported for: one of ``exporting.KINDS``.
ExportKind = NewType("ExportKind", str)
#: How values are made up, and a key of that with its value: ``start=1000``.
GeneratorKind = NewType("GeneratorKind", str)
GeneratorKey = NewType("GeneratorKey", str)
#: A user variable that an extractor is to set.
NewVariable = NewType("NewVariable", str)
#: The path of a browser, or `none`.
BrowserPath = NewType("BrowserPath", str)
#: When a user does a page: one of `PART_NAMES`.
PagePart = NewType("PagePart", str)
#: A flow of the test case, or what a new one is called.
FlowName = NewType("FlowName", str)
#: A function of the project that may be called: ``module:function``.
FunctionName = NewType("FunctionName", str)
#: A scheme that a proxy is answered in: one of `PROXY_METHODS`.
ProxyScheme = NewType("ProxyScheme", str)
#: A user whose HTTP authentication was recorded.
UserName = NewType("UserName", str)
#: What becomes of credentials and tokens: one of ``secrets.SECRETS_CHOICES``.
SecretsChoice = NewType("SecretsChoice", str)
#: A page of the test case: its name or the beginning of it, or its number, as in ``P3``.
PageName = NewType("PageName", str)
#: Several pages: ``P1-P3``, ``P1,P4``, a name, ``all``.
PageSelection = NewType("PageSelection", str)
#: A transaction of the test case: its number in ``tree``, or what it is, ``POST /login``.
TransactionName = NewType("TransactionName", str)
#: Transactions and pages of the test case: one word of `console.selection`.
SelectionWord = NewType("SelectionWord", str)
#: A word of a value that is typed without quotes: ``p95 < 800 ms``.
ValueWord = NewType("ValueWord", str)
#: What `search` is narrowed to: one of ``finding.SCOPES``.
SearchScope = NewType("SearchScope", str)
#: The name of a variable, or a value.
TracedValue = NewType("TracedValue", str)
#: A kind of responses, as ``tree`` shows it.
KindName = NewType("KindName", str)
#: A host that transactions go to, and those below it.
HostName = NewType("HostName", str)
#: Recorded statuses: ``404``, ``4xx``, ``400-499``.
StatusName = NewType("StatusName", str)

#: A key of a load configuration: one of `load_editing.KEYS`.
LoadKey = NewType("LoadKey", str)
#: What becomes of think times: one of `THINK_TIMES`, or others, as a factor.
ThinkTimes = NewType("ThinkTimes", str)
#: How transactions become pages: one of `recording.ALGORITHMS`.
GroupingName = NewType("GroupingName", str)
#: A kept replay: its number in `replays`, or its file.
ReplayName = NewType("ReplayName", str)
#: How long a virtual user keeps its row: one of `LIFESPANS`.
LifespanName = NewType("LifespanName", str)
#: In which order rows are taken: one of `ORDERS`.
OrderName = NewType("OrderName", str)
#: ``yes`` or ``no``.
YesNo = NewType("YesNo", str)

#: Files by what is in them: their names end so.
HarFile = NewType("HarFile", Path)
CaseFile = NewType("CaseFile", Path)
LoadFile = NewType("LoadFile", Path)
ResultFile = NewType("ResultFile", Path)
RulesFile = NewType("RulesFile", Path)

#: By what a person may say: how long a virtual user keeps its row of a dataset, and in which order
#: rows are taken.
LIFESPANS: Mapping[str, Lifespan] = {"virtual-user": "virtual user", "test-case": "test case"}
ORDERS: Mapping[str, Order] = {"sequential": "sequential", "random": "random"}
THINK_TIMES = ("recorded", "none")

#: Seconds, written as in files: ``90s``, ``1m30s``.
Duration = NewType("Duration", float)


def _pace(text: str) -> Pace:
    """Read ``2s``, or ``x0.5``.

    Raises:
        ValueError: it is neither.
    """
    if text[:1] not in ("x", "*"):
        return Pace(parse_duration(text))
    factor = float(text[1:])
    if not 0 <= factor < float("inf"):
        raise ValueError("no factor")
    return Pace(factor=factor)


#: How each type is read, and what it is called in a message about a wrong value.
_TYPES: Mapping[Any, tuple[Callable[[str], Any], str]] = {
    str: (str, "text"),
    int: (int, "a whole number"),
    float: (float, "a number"),
    Path: (lambda text: Path(text).expanduser(), "a file name"),
    Duration: (parse_duration, "a duration such as 30s, 5m or 1h30m"),
    Pace: (_pace, "a duration such as 2s, or a factor such as x0.5"),
    Domain: (Domain.parse, "a domain such as shop.example"),
}

#: What is one argument, though it may be of two words: ``POST /login``.
_OF_TWO_WORDS = (TransactionName, SelectionWord)
_METHOD = re.compile(r"[A-Z]+")
_TARGET = re.compile(r"/|https?://")


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """Options that several commands have in common: a frozen dataclass with a default for each."""


_Group = TypeVar("_Group", bound=OptionGroup)


def with_options(kinds: Mapping[str, type]) -> Callable[[type[_Group]], type[_Group]]:
    """Return a decorator that makes a class a dataclass of the options of a table, by name their
    type, before those that it declares itself."""

    def made(group: type[_Group]) -> type[_Group]:
        own = group.__annotations__
        for name in kinds.keys() - own.keys():
            setattr(group, name, False if kinds[name] is bool else None)
        group.__annotations__ = {name: kinds[name] | None for name in kinds} | own
        return dataclass(frozen=True, slots=True, kw_only=True)(group)

    return made


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a command. ``kind`` is the declared type; its base type is what is parsed.

    Of the places, ``several`` takes words as long as there are any, with options between them;
    ``rest`` takes all from its first word on, as it stands.
    """

    name: str
    kind: Any
    place: Literal["positional", "several", "option", "flag", "rest"]
    required: bool = False
    repeats: bool = False

    @property
    def label(self) -> str:
        """Return the argument as it is typed: ``URL``, ``--file``, ``PROGRAM...``."""
        match self.place:
            case "positional":
                return self.name.upper()
            case "several" | "rest":
                return f"{self.name.upper()}..."
            case _:
                return "--" + self.name.rstrip("_").replace("_", "-")

    @property
    def usage(self) -> str:
        """The label as it stands in a usage line, in brackets when it may be left out."""
        value = self.name.rstrip("_").upper()
        text = f"{self.label} {value}" if self.place == "option" else self.label
        return text if self.required else f"[{text}]{'...' if self.repeats else ''}"

    @property
    def base(self) -> Any:
        """The type that is parsed."""
        return self.kind if self.kind in _TYPES else self.kind.__supertype__

    def words(self, words: Sequence[str]) -> int:
        """Return how many of ``words``, at least one, are its value."""
        named = self.kind in _OF_TWO_WORDS and _METHOD.fullmatch(words[0])
        return 2 if named and len(words) > 1 and _TARGET.match(words[1]) else 1

    def parse(self, text: str) -> Any:
        """Return the value that ``text`` stands for.

        Raises:
            UsageError: it is not of the argument's type.
        """
        read, expected = _TYPES[self.base]
        try:
            return read(text)
        except ValueError:
            raise UsageError(f"{self.label} must be {expected}, not {text!r}") from None
