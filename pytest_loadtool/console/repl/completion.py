"""Completion at the prompt, from the registry: commands, options, file names, transactions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document as Text

from pytest_loadtool import CASE_SUFFIX, LOAD_SUFFIX
from pytest_loadtool.capture import browsers
from pytest_loadtool.casefile.case.variables import GENERATORS, generator_keys
from pytest_loadtool.casefile.functions import functions_for
from pytest_loadtool.console.arguments import (
    LIFESPANS,
    ORDERS,
    THINK_TIMES,
    Argument,
    BrowserPath,
    CaseFile,
    ColumnName,
    CommandName,
    DatasetColumn,
    DatasetName,
    ExportKind,
    ExtractorName,
    FieldName,
    FlowName,
    FunctionName,
    GeneratorKey,
    GeneratorKind,
    GroupingName,
    HarFile,
    HostName,
    Hostnames,
    KindName,
    LifespanName,
    LoadFile,
    LoadKey,
    OrderName,
    PageName,
    PagePart,
    PageSelection,
    ProxyScheme,
    ReplayName,
    ResultFile,
    RulesFile,
    SearchScope,
    SecretsChoice,
    SelectionWord,
    StatusName,
    ThinkTimes,
    TracedValue,
    TransactionName,
    UserName,
    VariableName,
    YesNo,
)
from pytest_loadtool.console.candidates import candidates, dataset_columns, known_values
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.registry import Command
from pytest_loadtool.console.selection import ALL, transaction_index
from pytest_loadtool.console.session import Console
from pytest_loadtool.editing.parts import PART_NAMES
from pytest_loadtool.model.authentication import PROXY_METHODS
from pytest_loadtool.model.flow import parents_of
from pytest_loadtool.recording import ALGORITHMS, hostnames
from pytest_loadtool.workflow.accounts import accounts
from pytest_loadtool.workflow.document import Document
from pytest_loadtool.workflow.exporting import KINDS as EXPORT_KINDS
from pytest_loadtool.workflow.filtering import OPERATORS
from pytest_loadtool.workflow.finding import SCOPES
from pytest_loadtool.workflow.keeping import kept_replays
from pytest_loadtool.workflow.load_editing import KEYS
from pytest_loadtool.workflow.secrets import SECRETS_CHOICES

_METHOD = re.compile(r"[A-Z]+$")
#: What a word has in quotes alone.
_SPLITS = re.compile(r"[\s'\"\\]")

#: The keys of all kinds, each with what comes behind it.
GENERATOR_KEYS = tuple(
    dict.fromkeys(f"{key}=" for kind in GENERATORS.values() for key in generator_keys(kind))
)


_Completing = Callable[[str], Iterable[Completion]]
"""Yields what a word that has been begun may be."""
_Names = Mapping[str, str] | Iterable[str]
"""Names, with what they mean or without."""


class RegistryCompleter(Completer):
    """Completes the line before the cursor."""

    def __init__(self, session: Console) -> None:
        self._session = session
        self._values: dict[Any, _Completing] = {
            CommandName: self._commands,
            PageName: self._pages,
            PageSelection: self._pages,
            KindName: lambda start: self._known("~k", start),
            HostName: lambda start: self._known("~d", start),
            StatusName: lambda start: self._known("~c", start),
            Hostnames: self._hostnames,
            SecretsChoice: _one_of(SECRETS_CHOICES),
            LoadKey: _one_of(tuple(KEYS)),
            ProxyScheme: _one_of(PROXY_METHODS),
            PagePart: _one_of(tuple(PART_NAMES.values())),
            BrowserPath: _one_of((*browsers(), "none")),
            UserName: self._of_case(lambda it: [one.known.name for one in accounts(it)]),
            VariableName: self._of_case(lambda it: it.case.variables.keys()),
            ExportKind: _one_of(EXPORT_KINDS),
            GeneratorKind: _one_of(tuple(GENERATORS)),
            GeneratorKey: _one_of(GENERATOR_KEYS),
            FlowName: self._of_case(lambda it: parents_of(it.case.flows)),
            FunctionName: self._of_case(
                lambda _: functions_for(session.case_path, session.settings.trust)
            ),
            TracedValue: self._of_case(lambda it: it.case.variables.keys()),
            SearchScope: _one_of(SCOPES),
            ExtractorName: self._of_case(_extractors),
            DatasetName: self._of_case(lambda it: {one.name: one.file for one in it.case.datasets}),
            DatasetColumn: lambda start: _beginning(start, dataset_columns(session)),
            ReplayName: self._replays,
            ThinkTimes: _one_of(THINK_TIMES),
            GroupingName: _one_of(tuple(ALGORITHMS)),
            LifespanName: _one_of(tuple(LIFESPANS)),
            OrderName: _one_of(tuple(ORDERS)),
            YesNo: _one_of(("yes", "no")),
            Path: _files(""),
            HarFile: _files(".har"),
            CaseFile: _files(CASE_SUFFIX),
            LoadFile: _files(LOAD_SUFFIX),
            ResultFile: _files(".json"),
            RulesFile: _files(".toml"),
        }

    def get_completions(
        self,
        document: Text,
        complete_event: CompleteEvent,  # noqa: ARG002  the interface has it
    ) -> Iterator[Completion]:
        """Yield candidates for the word that the cursor is in; a single one with what follows."""
        found = list(self._candidates(document))
        yield from map(_ended, found) if len(found) == 1 else found

    def _candidates(self, document: Text) -> Iterator[Completion]:
        """Yield them by what the word is.

        Cases: the command; an option's name; a value, by the type of its argument.
        """
        before = document.text_before_cursor
        words = before.split()
        current = "" if not words or before[-1].isspace() else words.pop()
        if not words:
            yield from self._commands(current)
            return
        named = "-".join(words).lower()
        if current or named not in self._session.registry.commands:
            yield from self._further_words(named, current)
        try:
            command, words = self._session.registry.split(words)
        except UsageError:
            return
        if current.startswith("--"):
            for label, option in command.options().items():
                if label.startswith(current) and (option.repeats or label not in words):
                    yield Completion(label, -len(current), display_meta=command.about(label))
            return
        method = words.pop() if words and current[:1] == "/" and _METHOD.match(words[-1]) else ""
        argument = _expected(command, words)
        if argument is not None and argument.kind is FieldName:
            yield from self._fields(current, words)
        if argument is not None and argument.kind is ColumnName:
            yield from self._columns(current, words)
        if argument is not None and argument.kind in (TransactionName, SelectionWord):
            operator = OPERATORS.get(words[-1]) if words else None
            if operator is not None and operator.argument:
                yield from self._known(words[-1], current)
                return
            yield from self._selected(current, method, pages=argument.kind is SelectionWord)
        if argument is not None and argument.kind in self._values:
            yield from self._values[argument.kind](current)

    def _commands(self, start: str) -> Iterator[Completion]:
        """Yield commands; where none begins so, what other tools call them."""
        own = {one.name: one.summary for one in self._session.registry.commands.values()}
        for names in (own, self._session.registry.aliases) if start else (own,):
            found = [one for one in names if one.startswith(start.lower())]
            for name in found:
                yield Completion(name, -len(start), display_meta=names[name])
            if found:
                return

    def _further_words(self, words: str, start: str) -> Iterator[Completion]:
        """Yield the rest of the names that begin with these words: `dataset` goes on as `fill`."""
        registry = self._session.registry
        own = {one.name: one.summary for one in registry.commands.values()}
        for name, meaning in {**registry.aliases, **own}.items():
            rest = name.removeprefix(f"{words}-")
            if rest != name and rest.startswith(start.lower()):
                yield Completion(rest.replace("-", " "), -len(start), display_meta=meaning)

    def _known(self, operator: str, start: str) -> Iterator[Completion]:
        """Yield what may stand behind an operator of a filter expression."""
        document = self._session.document
        for text in known_values(document, operator) if document is not None else ():
            if text.casefold().startswith(start.casefold()):
                yield Completion(quote(text), -len(start), display=text)

    def _selected(self, start: str, method: str, *, pages: bool) -> Iterator[Completion]:
        """Yield transactions, and ``pages`` too; behind a ``method`` the paths that it goes to."""
        document = self._session.document
        if document is None:
            return
        for word, meaning in candidates(document, f"{method} {start}".lstrip(), pages=pages):
            text = word.removeprefix(f"{method} ") if method else word
            quoted = text if text.startswith("~") else quote(text)
            yield Completion(quoted, -len(start), display=text, display_meta=meaning)

    def _pages(self, start: str) -> Iterator[Completion]:
        document = self._session.document
        if start and ALL.startswith(start.lower()):
            yield Completion(ALL, -len(start))
        pages = document.case.pages if document else ()
        for page in pages:
            if page.name.casefold().startswith(start.casefold()):
                yield Completion(quote(page.name), -len(start), display=page.name)
        if start:
            numbered = {f"P{number}": page.name for number, page in enumerate(pages, 1)}
            yield from _beginning(start.upper(), numbered)

    def _hostnames(self, start: str) -> Iterator[Completion]:
        *before, current = start.split(",")
        document = self._session.document
        uses = hostnames(document.case, document.exchanges) if document else ()
        left = [one.name for one in uses if one.name not in before and not one.own]
        return _beginning(current, left)

    def _fields(self, start: str, words: list[str]) -> Iterator[Completion]:
        """Yield the fields of the transaction that is named before."""
        document = self._session.document
        if document is None:
            return
        from pytest_loadtool.correlation.requests.fields import fields_of

        try:
            index = transaction_index(document, " ".join(words))
        except UsageError:
            return
        fields = fields_of(document.case, index, empty=True)
        yield from _beginning(start, [one.name for one in fields])

    def _columns(self, start: str, words: list[str]) -> Iterator[Completion]:
        """Yield the columns of the dataset that is named before."""
        split = (one.partition(".") for one in dataset_columns(self._session))
        return _beginning(start, [column for name, _, column in split if name in words])

    def _replays(self, start: str) -> Iterator[Completion]:
        kept = enumerate(kept_replays(self._session.case_path), 1)
        return _beginning(start, {str(number): path.name for number, path in kept})

    def _of_case(self, found: Callable[[Document], _Names]) -> _Completing:
        """Return what completes names of the open test case."""

        def complete(start: str) -> Iterable[Completion]:
            document = self._session.document
            return _beginning(start, found(document)) if document is not None else ()

        return complete


def _beginning(start: str, found: _Names) -> Iterator[Completion]:
    """Yield the names that begin so, quoted where they have to be, with what they mean if that is
    known."""
    meanings = found if isinstance(found, Mapping) else dict.fromkeys(found, "")
    for name, meaning in meanings.items():
        if name.startswith(start):
            text = quote(name) if _SPLITS.search(name) else name
            yield Completion(text, -len(start), display=name, display_meta=meaning)


def _extractors(document: Document) -> _Names:
    every = ((one, at) for at in document.case.transactions() for one in at.extractors)
    return {str(n): f"{one.variable}, {at.title}" for n, (one, at) in enumerate(every, 1)}


def _expected(command: Command, words: list[str]) -> Argument | None:
    """Return the argument that the next word belongs to."""
    options = command.options()
    if words and (last := options.get(words[-1])) is not None and last.place == "option":
        return last
    taken = position = 0
    while position < len(words):
        word = words[position]
        option = options.get(word.partition("=")[0])
        if option is not None:
            position += 2 if option.place == "option" and "=" not in word else 1
            continue
        slot = command.slot(taken)
        position += slot.words(words[position:]) if slot is not None else 1
        taken += 1
    return command.slot(taken)


def _ended(only: Completion) -> Completion:
    """Return the only candidate with the blank that ends its word; a folder goes on."""
    end = "/" if only.display_text.endswith("/") else " "
    meta = only.display_meta
    return Completion(f"{only.text}{end}", only.start_position, only.display, meta)


def _one_of(known: Sequence[str]) -> _Completing:
    return lambda start: _beginning(start, known)


def _files(suffix: str) -> _Completing:
    """Complete folders, and files whose names end so."""
    completer = PathCompleter(
        expanduser=True, file_filter=lambda name: name.endswith(suffix) or Path(name).is_dir()
    )
    asked = CompleteEvent(completion_requested=True)

    def found(start: str) -> Iterator[Completion]:
        for one in completer.get_completions(Text(start), asked):
            quoted = quote(start + one.text) if _SPLITS.search(one.text) else ""
            yield Completion(quoted, -len(start), one.display) if quoted else one

    return found
