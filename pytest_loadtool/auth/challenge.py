"""Challenges: the WWW-Authenticate and Proxy-Authenticate headers (RFC 9110 §11.6.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_EQUALS = re.compile(r"[ \t]*=[ \t]*")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)(?:"|\\?$)', re.DOTALL)
_UNQUOTED = re.compile(r"[^,]*")
_TOKEN68 = re.compile(r"[ \t]+([0-9A-Za-z._~+/-]+=*)[ \t]*(?=,|$)")
_BETWEEN = re.compile(r"[ \t,]*")
_TO_COMMA = re.compile(r"[^,]*")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Challenge:
    """One scheme that a server offers. Scheme and parameter names are in lower case.

    ``token`` is what stands in the place of parameters in NTLM and Negotiate (token68).
    """

    scheme: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    token: str = ""

    @property
    def realm(self) -> str:
        """The realm as text; empty when the challenge names none."""
        return readable(self.parameters.get("realm", ""))


def parse_challenges(values: Sequence[str]) -> tuple[Challenge, ...]:
    """Return all challenges of the header lines in order: that is the server's preference.

    Several may stand in one line or in several. What cannot be a challenge is passed over; a realm
    without quotes goes up to the next comma, as browsers take it. Of a parameter given twice the
    first counts.
    """
    return tuple(challenge for value in values for challenge in _challenges(value))


def _challenges(line: str) -> Iterator[Challenge]:
    scheme, parameters = "", dict[str, str]()
    at = _end(_BETWEEN, line, 0)
    while at < len(line):
        name = _NAME.match(line, at)
        if name is None:  # no challenge and no parameter
            at = _end(_TO_COMMA, line, at)
        elif scheme and (equals := _EQUALS.match(line, name.end())):
            value, at = _value(line, equals.end())
            parameters.setdefault(name[0].lower(), value)
        else:
            if scheme:
                yield Challenge(scheme, parameters)
            scheme, parameters, at = name[0].lower(), {}, name.end()
            if token := _TOKEN68.match(line, at):
                yield Challenge(scheme, parameters, token[1])
                scheme, at = "", token.end()
        at = _end(_BETWEEN, line, at)
    if scheme:
        yield Challenge(scheme, parameters)


def _value(line: str, start: int) -> tuple[str, int]:
    """Return a parameter's value, and where it ends."""
    if quoted := _QUOTED.match(line, start):
        return _ESCAPED.sub(r"\1", quoted[1]), quoted.end()
    end = _end(_UNQUOTED, line, start)
    return line[start:end].strip(), end


def _end(pattern: re.Pattern[str], line: str, start: int) -> int:
    """Return where the match ends that the pattern always finds, of no characters at the least."""
    match = pattern.match(line, start)
    assert match is not None
    return match.end()


def scheme_name(scheme: str) -> str:
    """Return a scheme as people write it, from its name in lower case."""
    return "NTLM" if scheme == "ntlm" else scheme.capitalize()


def scheme_names(challenges: Iterable[Challenge], joined: str = ", ") -> str:
    """Return the schemes of these challenges, each once: ``Negotiate, NTLM``."""
    return joined.join(dict.fromkeys(scheme_name(one.scheme) for one in challenges))


def octets(value: str) -> bytes:
    """Return the octets of a header value (one character each); text that came decoded as UTF-8."""
    try:
        return value.encode("latin-1")
    except UnicodeEncodeError:
        return value.encode()


def readable(value: str) -> str:
    """Return a header value as text: UTF-8 where it is that, else ISO 8859-1."""
    try:
        return octets(value).decode()
    except UnicodeDecodeError:
        return value
