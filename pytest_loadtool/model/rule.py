"""Rules of application state management: what a dynamic value is and where it comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

from pytest_loadtool.model.place import Place


class ProducerKind(Enum):
    """The forms that a value has in the response that gives it out."""

    __hash__ = object.__hash__  # which takes no call in Python

    JSON = "JSON value"
    XML = "XML value"
    CONTROL = "form field"
    META = "meta tag"
    COOKIE = "cookie"
    HEADER = "header"
    LOCATION = "redirect"
    LINK = "link"
    CHOICE = "choice"
    CALL = "call of a script"
    TEXT = "text"


class Role(Enum):
    """The purpose of a value, as far as more than its own rule has to know it."""

    ANTI_FORGERY = "anti-forgery token"
    ACCESS = "access token"
    REFRESH = "refresh token"


#: What a rule may ask for besides names; `correlation.evidence` tells whether it holds.
EVIDENCE_NAMES = (
    *("served", "new", "long", "random", "dynamic", "numbered", "id shaped"),
    *("not typed", "hidden", "carried", "asked for"),
    *("filled in", "submitted form", "created", "created resource", "same path", "same thing"),
    *("new link", "new data", "linked thing", "named link", "named item", "named choice"),
    *("spelled", "changing", "version", "moment", "told alone", "has become", "picked option"),
    *("of oneself", "of one's own"),
)


@lru_cache(1 << 12)
def same_name(name: str) -> str:
    """Return a name as rules compare it: ``X-CSRFToken`` and ``x_csrf_token`` → ``xcsrftoken``."""
    return "".join(filter(str.isalnum, name.lower()))


@dataclass(frozen=True, slots=True)
class NamePatterns:
    """Field names, in which a ``*`` stands for anything.

    Compared as by `same_name`, but for an underscore at the beginning: Laravel's ``_token`` is not
    anybody's ``token``.
    """

    spelled: tuple[str, ...] = ()
    _plain: frozenset[str] = field(init=False, repr=False, compare=False)
    _pattern: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        plain = frozenset(_key(name) for name in self.spelled if "*" not in name)
        split = [one.split("*") for one in self.spelled if "*" in one]
        open_ = [
            # Each part where it stands first: no other place would make the next ones fit.
            _key(first)
            + "".join(f"(?>.*?{same_name(one)})" for one in between)
            + ".*"
            + same_name(last)
            for first, *between, last in split
        ]
        object.__setattr__(self, "_plain", plain)
        object.__setattr__(self, "_pattern", re.compile("|".join(open_)) if open_ else None)

    def __bool__(self) -> bool:
        return bool(self.spelled)

    def __contains__(self, name: str) -> bool:
        name = _key(name)
        return name in self._plain or (
            self._pattern is not None and self._pattern.fullmatch(name) is not None
        )


NO_NAMES = NamePatterns()


def _key(name: str) -> str:
    return ("_" if name.startswith("_") else "") + same_name(name)


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of dynamic value. What is empty asks for nothing.

    * ``kinds``: what the value may be in the response, the preferred first;
    * ``places``: where in the request it stands; ``cookie`` names a cookie of the cookie jar;
    * ``used_as``, ``produced_as``: the field's name in the request, and in the response;
    * ``value``: a regular expression for the whole value;
    * ``pattern``: a regular expression whose group 1 is the value, in the text of a response. It
      becomes the extractor, and is for values that no structure and no randomness shows;
    * ``evidence``: names of `EVIDENCE_NAMES`, all of which must hold;
    * ``variable``: what the variable is called; empty: after its field;
    * ``matches``: up to which occurrence in the response the value is looked for;
    * ``leave``: such a value is left as recorded, whatever the rules after this one say;
    * ``static``: its fields are also looked at in requests for style sheets, scripts and images,
      whose addresses are otherwise sent as recorded;
    * ``reason``: a sentence, with ``{field}`` (where it is used) and ``{producer}`` to fill in;
    * ``unfound``: likewise, of a rule with ``used_as``, when no response holds the value;
    * ``confidence``: between 0 and 1;
    * ``role``: of a token that is known with others: cookies have anti-forgery tokens, too, and a
      transaction that gives out an access token for a refresh token is sent again in time;
    * ``source``: where that is known from: a standard, or the software that does so.
    """

    name: str
    reason: str = "{field} has the value that {producer} gives out."
    confidence: float = 0.9
    kinds: tuple[ProducerKind, ...] = tuple(ProducerKind)
    places: frozenset[Place] = frozenset()
    used_as: NamePatterns = NamePatterns()
    produced_as: NamePatterns = NamePatterns()
    value: str = ""
    pattern: str = ""
    evidence: tuple[str, ...] = ()
    variable: str = ""
    matches: int = 50
    leave: bool = False
    unfound: str = (
        "No response before holds the value of {field}: it is sent as recorded, and the server "
        "will probably refuse it."
    )
    static: bool = False
    role: Role | None = None
    source: str = ""
