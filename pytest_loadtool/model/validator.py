"""Validators: what a response must look like. Every transaction has a Status Code validator."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "DEFAULT_STATUS",
    "JsonValidator",
    "RegexValidator",
    "StatusCodes",
    "TextValidator",
    "Validator",
    "expected_text",
]


@dataclass(frozen=True, slots=True)
class StatusCodes:
    """The Status Code validator: inclusive ranges of accepted codes, 200-399 unless edited."""

    ranges: tuple[tuple[int, int], ...] = ((200, 399),)

    def accepts(self, code: int) -> bool:
        """Whether ``code`` lies in one of the ranges."""
        return any(low <= code <= high for low, high in self.ranges)

    def __str__(self) -> str:
        return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in self.ranges)


#: What every transaction expects unless its validator is edited.
DEFAULT_STATUS = StatusCodes()


@dataclass(frozen=True, slots=True)
class TextValidator:
    """The decoded body contains ``text`` (a template); with ``absent``, does not."""

    text: str
    absent: bool = False


@dataclass(frozen=True, slots=True)
class RegexValidator:
    """The decoded body matches ``pattern`` somewhere; with ``absent``, does not."""

    pattern: str
    absent: bool = False


@dataclass(frozen=True, slots=True)
class JsonValidator:
    """The JSON body has a value at ``path`` (a template); with ``equals``, this one.

    ``equals`` is compared as JSON: a string (a template), number, boolean or null (None is "no
    expectation", as TOML has no null).
    """

    path: str
    equals: str | int | float | bool | None = None
    absent: bool = False


Validator = TextValidator | RegexValidator | JsonValidator


def expected_text(validator: Validator) -> str:
    """What the validator holds of placeholders, as one template; empty if it can hold none."""
    match validator:
        case TextValidator(text=text):
            return text
        case JsonValidator(path=path, equals=equals):
            return f"{path} {equals}" if isinstance(equals, str) else path
        case _:
            return ""
