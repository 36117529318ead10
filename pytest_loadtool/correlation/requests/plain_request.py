"""A request as if it had no placeholders: a number stands in for each of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import count

from pytest_loadtool.codec.template import BUILTIN_NAMES, Reference, Template, escape
from pytest_loadtool.correlation.requests.parts import text_parts, with_part
from pytest_loadtool.model.case import Request, TestCase


def whole_request(case: TestCase, request: Request) -> Request:
    """Return the request with all headers that it sends, shared ones too."""
    return replace(request, headers=case.wire_headers(request))


@dataclass(frozen=True, slots=True)
class Plain:
    """A request in which a number stands in for each placeholder but those of the server."""

    request: Request
    stand_ins: dict[str, Reference]

    @staticmethod
    def of(request: Request) -> Plain:
        """Return the request with numbers that stand nowhere in it."""
        texts = dict(text_parts(request))
        everything = " ".join(texts.values())
        prefix = next(str(number) for number in count(700_700) if str(number) not in everything)
        stand_ins: dict[str, Reference] = {}
        for part, text in texts.items():
            if "${" not in text:
                continue
            plain = ""
            for piece in Template.parse(text).parts:
                if isinstance(piece, str):
                    plain += escape(piece)
                elif piece.name in BUILTIN_NAMES:
                    plain += str(piece)
                else:
                    number = f"{prefix}{len(stand_ins):04}"
                    stand_ins[number] = piece
                    plain += number
            request = with_part(request, part, plain)
        return Plain(request, stand_ins)

    def references(self, text: str) -> list[Reference]:
        """Return the references that a text stands for."""
        return [one for number, one in self.stand_ins.items() if number in text]

    def original(self, text: str) -> str:
        """Return ``text`` with the placeholders themselves."""
        if not self.stand_ins:
            return text
        pattern = "|".join(self.stand_ins)
        return re.sub(pattern, lambda match: str(self.stand_ins[match[0]]), text)
