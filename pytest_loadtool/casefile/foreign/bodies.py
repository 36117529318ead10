"""Bodies of forms, made of their fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote_plus

from pytest_loadtool.codec.template import Reference, Template

FORM_TYPE = "application/x-www-form-urlencoded"

#: What parts of a form are told apart by: no text that anybody sends has it.
_BOUNDARY = "----pytest-loadtool-7MA4YWxkTrZu0gW"


@dataclass(frozen=True, slots=True)
class FormEntry:
    """A field of a form; ``name`` and ``value`` are templates. With ``file`` it is the content of
    the file of that path, of type ``media``."""

    name: str
    value: str = ""
    file: str = ""
    media: str = ""


def multipart(fields: Sequence[FormEntry]) -> tuple[str, str]:
    """Return the content type and the body of a form that is sent in parts."""
    parts = []
    for one in fields:
        head = f'Content-Disposition: form-data; name="{one.name}"'
        value = one.value
        if one.file:
            name = one.file.replace("\\", "/").rpartition("/")[2]
            head += f'; filename="{name}"'
            value = str(Reference.to_file(one.file))
        if one.media or one.file:
            head += f"\r\nContent-Type: {one.media or 'application/octet-stream'}"
        parts.append(f"--{_BOUNDARY}\r\n{head}\r\n\r\n{value}\r\n")
    return f"multipart/form-data; boundary={_BOUNDARY}", f"{''.join(parts)}--{_BOUNDARY}--\r\n"


def url_encoded(fields: Sequence[FormEntry]) -> str:
    """Return the fields as a query or a form has them; values of placeholders are encoded when
    sent."""
    return "&".join(f"{_encoded(one.name)}={_encoded(one.value)}" for one in fields)


def _encoded(text: str) -> str:
    return "".join(
        quote_plus(part) if isinstance(part, str) else str(part)
        for part in Template.parse(text).parts
    )
