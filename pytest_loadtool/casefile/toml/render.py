"""From lines with their key paths, and comments, to the text of a file.

The writers say what each line is and where it belongs; only here is decided how arrays are laid out
and where comments go. So a comment needs to know nothing but the path it belongs to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pytest_loadtool.casefile.toml.positions import KeyPath, Remark

#: Arrays that would make a longer line are written over several.
WIDTH = 100

_NO_REMARKS: Mapping[KeyPath, Remark] = MappingProxyType({})
_NO_REMARK = Remark()


@dataclass(frozen=True, slots=True)
class KeyedLine:
    """A table header or a key with its value.

    ``text`` is the line as written, or for an array what stands before its ``[``; then ``elements``
    are its elements as written, one per line if ``spread`` or if they do not fit in one. ``gap``: a
    blank line comes before. ``usual``: it only says what holds without it, so it is left out unless
    a person wrote it.
    """

    path: KeyPath
    text: str
    gap: bool = False
    elements: tuple[str, ...] | None = None
    spread: bool = False
    usual: bool = False


def render(
    lines: Iterable[KeyedLine],
    remarks: Mapping[KeyPath, Remark] = _NO_REMARKS,
    *,
    top: tuple[str, ...] = (),
    end: tuple[str, ...] = (),
) -> str:
    """Return the text of a file. ``remarks`` are by the path of a line or of an array's element."""
    text = _Text()
    if top:
        text.add(*top)
        text.blank_due = True
    for line in lines:
        _put(text, line, remarks)
    if end:
        text.blank_due = True
        text.add(*end)
    return "\n".join(text.lines) + "\n"


class _Text:
    """Lines so far, and whether a blank one is due before the next."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.blank_due = False

    def add(self, *lines: str, indent: str = "") -> None:
        for line in lines:
            if self.blank_due and self.lines and self.lines[-1]:
                self.lines.append("")
            self.blank_due = not line
            if line:
                self.lines.append(indent + line)


def _put(text: _Text, line: KeyedLine, remarks: Mapping[KeyPath, Remark]) -> None:
    remark = remarks.get(line.path, _NO_REMARK)
    text.blank_due = text.blank_due or line.gap or "" in remark.above
    text.add(*remark.above)
    if line.elements is None:
        text.add(_with_comment(line.text, remark.behind))
    else:
        _put_array(text, line, line.elements, remarks)
    _put_below(text, remark)


def _put_array(
    text: _Text, line: KeyedLine, elements: tuple[str, ...], remarks: Mapping[KeyPath, Remark]
) -> None:
    behind = remarks.get(line.path, _NO_REMARK).behind
    own = [remarks.get((*line.path, index), _NO_REMARK) for index in range(len(elements))]
    inline = f"{line.text}[{', '.join(elements)}]"
    spread = (line.spread and elements) or len(inline) > WIDTH
    if not spread and not any(remark != _NO_REMARK for remark in own):
        text.add(_with_comment(inline, behind))
        return
    text.add(_with_comment(f"{line.text}[", behind))
    for index, (element, remark) in enumerate(zip(elements, own, strict=True)):
        text.blank_due = text.blank_due or (index > 0 and "" in remark.above)
        text.add(*remark.above, indent="  ")
        text.add(_with_comment(f"{element},", remark.behind), indent="  ")
        _put_below(text, remark, indent="  ")
    text.blank_due = False
    text.add("]")


def _put_below(text: _Text, remark: Remark, indent: str = "") -> None:
    if remark.below:
        text.add(*remark.below, indent=indent)
        text.blank_due = True  # else it would belong to what follows


def _with_comment(code: str, comment: str) -> str:
    return f"{code}  {comment}" if comment else code
