"""Completion at the prompt, from the registry: commands, options, file names, transactions."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document as Text

from pytest_loadtool.console.arguments import (
    Argument,
    ColumnName,
    CommandName,
    DatasetName,
    FieldName,
    Hostnames,
    PageName,
    ProxyScheme,
    SecretsWay,
    TransactionNumber,
    UserName,
    VariableName,
)
from pytest_loadtool.console.errors import UsageError
from pytest_loadtool.console.registry import Command
from pytest_loadtool.console.session import Console
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.model.authentication import PROXY_METHODS
from pytest_loadtool.recording import hostnames
from pytest_loadtool.workflow.accounts import accounts
from pytest_loadtool.workflow.datasets import open_dataset
from pytest_loadtool.workflow.secrets import WAYS


class RegistryCompleter(Completer):
    """Completes the line before the cursor."""

    def __init__(self, session: Console) -> None:
        self._session = session
        self._values: dict[Any, Callable[[str], Iterable[Completion]]] = {
            CommandName: self._commands,
            TransactionNumber: self._transactions,
            PageName: self._pages,
            Hostnames: self._hostnames,
            SecretsWay: _one_of(WAYS),
            ProxyScheme: _one_of(PROXY_METHODS),
            UserName: self._users,
            VariableName: self._variables,
            DatasetName: self._datasets,
            Path: _paths,
        }

    def get_completions(
        self,
        document: Text,
        complete_event: CompleteEvent,  # noqa: ARG002  the interface has it
    ) -> Iterator[Completion]:
        """Candidates for the word that the cursor is in.

        Cases: the command; an option's name; a value, by the type of its argument.
        """
        before = document.text_before_cursor
        words = before.split()
        current = "" if not words or before[-1].isspace() else words.pop()
        if not words:
            yield from self._commands(current)
            return
        try:
            command, words = self._session.registry.split(words)
        except UsageError:
            return
        if current.startswith("--"):
            for label, option in command.options().items():
                if label.startswith(current) and (option.repeats or label not in words):
                    yield Completion(label, -len(current), display_meta=option.place)
            return
        argument = _expected(command, words)
        if argument is not None and argument.kind is FieldName:
            yield from self._fields(current, words)
        if argument is not None and argument.kind is ColumnName:
            yield from self._columns(current, words)
        if argument is not None and argument.kind in self._values:
            yield from self._values[argument.kind](current)

    def _commands(self, start: str) -> Iterator[Completion]:
        for command in self._session.registry.commands.values():
            if command.name.startswith(start):
                yield Completion(command.name, -len(start), display_meta=command.summary)

    def _transactions(self, start: str) -> Iterator[Completion]:
        document = self._session.document
        for number, one in enumerate(document.case.transactions() if document else (), 1):
            if str(number).startswith(start):
                yield Completion(str(number), -len(start), display_meta=one.title)

    def _pages(self, start: str) -> Iterator[Completion]:
        document = self._session.document
        for page in document.case.pages if document else ():
            if page.name.startswith(start):
                yield Completion(shlex.quote(page.name), -len(start), display=page.name)

    def _hostnames(self, start: str) -> Iterator[Completion]:
        document = self._session.document
        *before, current = start.split(",")
        for use in hostnames(document.case, document.exchanges) if document else ():
            if use.name.startswith(current) and use.name not in before and not use.own:
                yield Completion(use.name, -len(current))

    def _fields(self, start: str, words: list[str]) -> Iterator[Completion]:
        """The fields of the transaction whose number stands before."""
        document = self._session.document
        number = next((int(word) for word in words if word.isdigit()), 0)
        transactions = list(document.case.transactions()) if document else []
        if document is None or not 1 <= number <= len(transactions):
            return
        from pytest_loadtool.correlation.requests.fields import fields_of

        for one in fields_of(document.case, number - 1):
            if one.name.startswith(start):
                yield Completion(shlex.quote(one.name), -len(start), display=one.name)

    def _users(self, start: str) -> Iterator[Completion]:
        document = self._session.document
        for account in accounts(document) if document else ():
            name = account.known.name
            if name.startswith(start):
                yield Completion(shlex.quote(name), -len(start), display=name)

    def _datasets(self, start: str) -> Iterator[Completion]:
        document = self._session.document
        for one in document.case.datasets if document else ():
            if one.name.startswith(start):
                yield Completion(one.name, -len(start), display_meta=one.file)

    def _columns(self, start: str, words: list[str]) -> Iterator[Completion]:
        """The columns of the dataset that is named before."""
        document = self._session.document
        for use in document.case.datasets if document else ():
            if use.name not in words:
                continue
            with suppress(LoadToolError):
                session = self._session
                found = open_dataset(session.settings, session.case_path, use).content
                for one in found.columns:
                    if one.startswith(start):
                        yield Completion(one, -len(start))

    def _variables(self, start: str) -> Iterator[Completion]:
        document = self._session.document
        for name in document.case.variables if document else ():
            if name.startswith(start):
                yield Completion(name, -len(start))


def _expected(command: Command, words: list[str]) -> Argument | None:
    """The argument that the next word belongs to."""
    options = command.options()
    if words and (last := options.get(words[-1])) is not None and last.place == "option":
        return last
    taken = 0
    after_option = False
    for word in words:
        option = options.get(word.partition("=")[0])
        if option is None and not after_option:
            taken += 1
        after_option = option is not None and option.place == "option" and "=" not in word
    slots = command.positionals()
    return slots[taken] if taken < len(slots) else None


def _one_of(known: Sequence[str]) -> Callable[[str], Iterable[Completion]]:
    return lambda start: (Completion(one, -len(start)) for one in known if one.startswith(start))


def _paths(start: str) -> Iterator[Completion]:
    completer = PathCompleter(expanduser=True)
    yield from completer.get_completions(Text(start), CompleteEvent(completion_requested=True))
