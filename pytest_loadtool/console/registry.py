"""Commands as typed functions: the signature is the argument parser, the docstring is the help.

A command is an asynchronous function whose first parameter is the session. Its other parameters are

* positional arguments: ``url: str``, or ``url: str = ""`` for one that may be left out;
* options, if keyword-only: ``*, file: Path | None = None`` is ``--file FILE``, a ``bool`` a flag,
  a ``tuple[…, ...]`` may be given several times; ``file=FILE`` is another way to write one;
* several words, with options between them: ``*selected: SelectionWord``;
* the rest of the line as it stands: ``*program: str``;
* options that commands share: ``filters: Filters = Filters()``, an `OptionGroup`.

``create_load`` is the command ``create-load``, which may be written as two words, too.

The last paragraph of the docstring is ``Example: `…```: a line that works. Groups of commands, as
``help`` lists them, are the table in `commands`. The completion, ``help`` and the reference in the
documentation are made from the same parameters.
"""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType, NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pytest_loadtool.codec.printable import clip
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.console.arguments import Argument, OptionGroup
from pytest_loadtool.console.errors import UsageError

#: Characters of a word that is no command: a text that was pasted by mistake may be long.
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its name, its function, its arguments in order, and what is said about it."""

    name: str
    function: Callable[..., Awaitable[None]]
    arguments: tuple[Argument, ...]
    help: str
    """Paragraphs with empty lines between, without the example."""
    groups: Mapping[str, type[OptionGroup]] = field(default_factory=dict)
    """The groups of options by the parameters that take them."""
    example: str = ""
    """A line that uses it."""

    @property
    def summary(self) -> str:
        """The first line of the help."""
        return self.help.partition("\n")[0]

    def about(self, label: str) -> str:
        """Return what the help says of an option, in a few words: the clause that it stands in."""
        text = " ".join(self.help.split())
        found = re.search(rf"{re.escape(label)}(?![\w-])(?: [A-Z]+\b)?,?(?: is| are)? ", text)
        if found is None:
            return ""
        return re.split(r"[.;:](?: |$)|,? --", text[found.end() :], maxsplit=1)[0].strip(" ,")

    @property
    def usage(self) -> str:
        """``record [URL] [--port PORT]``."""
        return " ".join((self.name, *(argument.usage for argument in self.arguments)))

    def positionals(self) -> tuple[Argument, ...]:
        """Return the positional arguments in order, those of several words last."""
        places = ("positional", "several", "rest")
        return tuple(one for one in self.arguments if one.place in places)

    def slot(self, position: int) -> Argument | None:
        """Return the positional argument that comes after ``position`` others."""
        slots = self.positionals()
        if position < len(slots):
            return slots[position]
        return slots[-1] if slots and slots[-1].place == "several" else None

    def options(self) -> Mapping[str, Argument]:
        """Return options and flags by their label."""
        return {one.label: one for one in self.arguments if one.place in ("option", "flag")}


@dataclass(frozen=True, slots=True)
class Call:
    """A command line that has been understood."""

    command: Command
    positional: tuple[Any, ...]
    options: Mapping[str, Any]

    async def run(self, session: Any) -> None:
        """Run the command on ``session``."""
        await self.command.function(session, *self.positional, **self.options)


@dataclass(frozen=True, slots=True)
class Registry:
    """The commands of a console by name, in the order that help lists them."""

    commands: Mapping[str, Command]
    groups: Mapping[str, tuple[Command, ...]] = field(default_factory=dict)
    """What belongs together, in the order of a day's work."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Other names that people know, spelled as those of commands, and what they stand for."""

    def command(self, name: str) -> Command:
        """Return the command of that name, of which the last words may be left out.

        Raises:
            UsageError: there is none; the text names the nearest.
        """
        if found := self._named(name):
            return found
        longer = [one for one in self.commands if one.startswith(f"{name}-")]
        hint = (
            f"did you mean {' or '.join(map(repr, longer))}?"
            if longer
            else _nearest(name, [*self.commands, *self.aliases]) or "`help` lists the commands"
        )
        raise UsageError(f"there is no command {clip(name, _SHOWN)!r}; {hint}")

    def _named(self, name: str) -> Command | None:
        longer = [one for one in self.commands if "-" in name and one.startswith(f"{name}-")]
        return self.commands.get(longer[0] if len(longer) == 1 else name)

    def split(self, words: list[str]) -> tuple[Command, list[str]]:
        """Return the command that ``words``, at least one, begin with, in small or capital letters,
        and the words after its name.

        Raises:
            UsageError: there is no such command.
        """
        words = self._written_out(words)
        for length in range(len(words), 1, -1):
            named = "-".join(words[:length]).lower()
            whole = words[0].lower() in self.commands  # then the next word is rather its argument
            if command := self.commands.get(named) if whole else self._named(named):
                return command, words[length:]
        return self.command(words[0].lower()), words[1:]

    def _written_out(self, words: list[str]) -> list[str]:
        """Return the words with what an alias at their beginning, the longest, stands for."""
        for length in range(len(words), 0, -1):
            if meant := self.aliases.get("-".join(words[:length]).lower()):
                return [*split(meant), *words[length:]]
        return words

    def parse(self, line: str) -> Call | None:
        """Return what ``line`` asks for; None for a blank line or a comment (``#``).

        Raises:
            UsageError: no such command, or arguments that it does not take.
        """
        line = line.strip()
        if line.startswith("#"):
            return None
        if line.startswith("!") and (shell := self.commands.get("shell")):
            return Call(shell, (line[1:].strip(),), {})
        words = split(line)
        if not words:
            return None
        command, others = self.split(words)
        try:
            return _arguments(command, others)
        except UsageError as fault:
            raise UsageError(f"{fault}\nusage: {command.usage}") from None


_Function = Callable[..., Awaitable[None]]


def registry(
    groups: Mapping[str, Sequence[_Function]], aliases: Mapping[str, str] = MappingProxyType({})
) -> Registry:
    """Return the registry of these command functions, by groups."""
    made = {name: tuple(map(_command, functions)) for name, functions in groups.items()}
    commands = {one.name: one for group in made.values() for one in group}
    return Registry(MappingProxyType(commands), MappingProxyType(made), aliases)


def split(line: str) -> list[str]:
    """Return the words of a line, with quotes as in a shell.

    Raises:
        UsageError: a quote is not closed.
    """
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError(f"a quotation mark or a backslash is left open ({error})") from None


def _command(function: Callable[..., Awaitable[None]]) -> Command:
    """Read a command off its function. A trailing ``_`` of its name avoids a Python word, any other
    stands for a hyphen."""
    hints = get_type_hints(function)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    groups = {name: kind for name, kind in hints.items() if _is_group(kind)}
    arguments = tuple(
        one for parameter in parameters for one in _read(parameter, hints[parameter.name])
    )
    name: str = getattr(function, "__name__")  # noqa: B009  a Callable need not have one
    name = name.rstrip("_").replace("_", "-")
    text, _, example = (inspect.getdoc(function) or "").partition("\n\nExample: `")
    return Command(name, function, arguments, text, groups, example.rstrip("`"))


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, OptionGroup)


def _read(parameter: inspect.Parameter, hint: Any) -> Iterable[Argument]:
    """Return the argument that a parameter is, or the options that it groups."""
    if not _is_group(hint):
        return [_argument(parameter, hint)]
    return [
        _argument(one, kind)
        for one, kind in zip(
            inspect.signature(hint).parameters.values(), get_type_hints(hint).values(), strict=True
        )
    ]


def _argument(parameter: inspect.Parameter, hint: Any) -> Argument:
    kinds = [kind for kind in get_args(hint) if kind is not NoneType] or [hint]
    required = parameter.default is inspect.Parameter.empty
    match parameter.kind:
        case inspect.Parameter.VAR_POSITIONAL:
            if kinds[0] is not str:
                return Argument(parameter.name, kinds[0], "several")
            return Argument(parameter.name, kinds[0], "rest", required=True)
        case inspect.Parameter.KEYWORD_ONLY:
            place: Literal["flag", "option"] = "flag" if kinds[0] is bool else "option"
            repeats = get_origin(hint) is tuple
            return Argument(parameter.name, kinds[0], place, required, repeats)
        case _:
            return Argument(parameter.name, kinds[0], "positional", required)


def _arguments(command: Command, words: list[str]) -> Call:
    """Sort ``words`` into positional arguments and options.

    Three cases per word: it starts the rest of the line, which is taken as it stands; it is an
    option; it is the next positional argument, perhaps with the word behind it.
    """
    slots, options = command.positionals(), command.options()
    positional: list[Any] = []
    named: dict[str, Any] = {}
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        slot = command.slot(len(positional))
        label, equals, value = word.partition("=")
        if equals and (spelled := "--" + label.replace("_", "-")) in options:
            label = spelled
        if label.startswith("--"):
            option = _option(command, options, label)
            if option.place == "flag":
                if equals:
                    raise UsageError(f"{label} takes no value")
                named[option.name] = True
                continue
            if not equals:
                if position == len(words):
                    raise UsageError(f"{label} needs a value")
                value = words[position]
                position += 1
            parsed = option.parse(value)
            earlier = named.get(option.name, ())
            named[option.name] = (*earlier, parsed) if option.repeats else parsed
        elif equals and _ASSIGNED.fullmatch(label) and (slot is None or slot.base is Path):
            raise UsageError(_no_option(command, options, f"--{label.replace('_', '-')}"))
        elif slot is None:
            valued = [label for label, one in options.items() if one.place == "option"]
            hint = f"; a value goes behind an option: {', '.join(valued[:4])}" if valued else ""
            if not hint and slots and slots[-1].base is str:
                hint = f'; words that belong together go in quotes: "{positional[-1]} {word}"'
            raise UsageError(f"{command.name} takes no further argument: {word!r}{hint}")
        elif slot.place == "rest":
            return Call(command, (*positional, word, *words[position:]), named)
        else:
            more = slot.words(words[position - 1 :]) - 1
            positional.append(slot.parse(" ".join(words[position - 1 : position + more])))
            position += more
    for slot in slots[len(positional) :]:
        if slot.required:
            raise UsageError(f"{command.name} needs {slot.label}")
    for name, group in command.groups.items():
        own = [one.name for one in fields(group) if one.name in named]
        named[name] = group(**{one: named.pop(one) for one in own})
    return Call(command, tuple(positional), named)


def _option(command: Command, options: Mapping[str, Argument], label: str) -> Argument:
    try:
        return options[label]
    except KeyError:
        raise UsageError(_no_option(command, options, label)) from None


#: What stands before the ``=`` of an option. A file called so is written ``./users=5``.
_ASSIGNED = re.compile(r"[A-Za-z][\w-]*")


def _no_option(command: Command, options: Iterable[str], label: str) -> str:
    known = tuple(options)
    longer = [one for one in known if one.startswith(label)]
    hint = f"did you mean {longer[0]!r}?" if len(longer) == 1 else _nearest(label, known)
    return f"{command.name} has no option {label}" + (f"; {hint}" if hint else "")


def _nearest(name: str, known: Iterable[str]) -> str:
    return did_you_mean(name, known).removeprefix(": ")
