"""A page of HTML: its title, its main heading, and whether it asks to log in."""

from __future__ import annotations

import re

from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.model.answer import Answer, LoginForm

LONGEST_TITLE = 200
"""The most characters of a title that are kept, and looked at in a heading."""

#: A login page has no more fields to type into than these besides that for the password: a name,
#: and a code or a search.
_MOST_FIELDS = 2

#: One that is not closed is read once: the second group tells.
_TITLE = re.compile(
    r"<title(?:\s[^<>]*+)?>([^<]*+(?:<(?!/title)[^<]*+)*+)(</title)?", re.IGNORECASE
)
_HEADING = re.compile(r"<h1\b[^<>]*+>", re.IGNORECASE)
_HEADING_END = re.compile(r"</h1", re.IGNORECASE)
_LONGEST_HEADING = 1000  # with its markup
_TAG = re.compile(r"<[^<>]*+>")
_INPUT = re.compile(r"<(input|textarea)\b([^<>]*+)>", re.IGNORECASE)
_TYPE = re.compile(r"""\btype\s*=\s*["']?([a-z-]+)""", re.IGNORECASE)
_TYPED = frozenset({"", "text", "email", "tel", "number", "url", "date"})


def title_of(text: str) -> str:
    """Return the text of a document's ``<title>``: entities decoded, white space collapsed; or
    empty."""
    match = _TITLE.search(_without_comments(text))
    return " ".join(unescape(match[1]).split()) if match and match[2] else ""


def heading_of(text: str) -> str:
    """Return the text of a page's main heading."""
    start = _HEADING.search(text)
    if start is None:
        return ""
    end = _HEADING_END.search(text, start.end(), start.end() + _LONGEST_HEADING)
    return "" if end is None else _plain(text[start.end() : end.start()])


def _plain(markup: str) -> str:
    """Return what is to be read of it."""
    return " ".join(unescape(_TAG.sub(" ", markup)).split())


def page(text: str) -> Answer:
    """Return what a page looks like."""
    title = title_of(text)
    heading = heading_of(text)
    failed = says_error(title) or says_error(heading)
    return Answer(
        title=title if len(title) <= LONGEST_TITLE else "",
        heading="" if title or len(heading) > LONGEST_TITLE else heading,
        login=_login(text, asks_to_log_in(title) or asks_to_log_in(heading)),
        failed="page of an error" if failed else "",
    )


def _login(text: str, is_called_so: bool) -> LoginForm:
    if "password" not in text.lower():
        return ""
    passwords = fields = 0
    for tag in _INPUT.finditer(text):
        type_ = _TYPE.search(tag[2])
        kind = type_[1].lower() if type_ is not None else ""
        if tag[1].lower() == "textarea":
            fields += 1
        elif kind == "password":
            passwords += 1
        elif kind in _TYPED:
            fields += 1
    if not passwords:
        return ""
    is_login = passwords == 1 and (is_called_so or fields <= _MOST_FIELDS)
    return "page" if is_login else "field"


def _without_comments(text: str) -> str:
    """Return ``text`` with ``<!-- -->`` cut out: a title in one is none."""
    result = []
    position = 0
    while (start := text.find("<!--", position)) >= 0:
        result.append(text[position:start])
        end = text.find("-->", start + 4)
        if end < 0:
            return "".join(result)
        position = end + 3
    return "".join(result) + text[position:]


#: What stands between the parts of a title.
_BETWEEN = re.compile(
    r"\s+[-|\u2013\u2014\u00b7\u2022:\u00bb>]\s+|\s*[|\u00b7\u2022\u00bb]\s*|:\s+"
)
_CODE = r"\(?[45]\d\d\)?"
#: Of each of these, the whole part is it: the page of something whose name has the word "error" in
#: it (a ticket, an article, a log) is no page of an error.
_ERRORS = (
    rf"(?:http |status |error |http status |http error )*{_CODE}(?:[ :,-]+[a-z' ]{{1,40}})?",
    rf"(?:an? |the |your )?(?:\w+ ){{0,2}}(?:error|exception)(?: (?:page|{_CODE}))?",
    r"(?:an? |the )?(?:\w+ ){0,2}(?:error|exception)s? (?:has |have )?occurr?ed\b.{0,60}",
    r"(?:(?:the |this )?(?:page|resource|object|record|item|document|file|requested url|url)"
    r"(?: you requested| requested)? )?(?:was |is |could |can)?(?:not|n't)(?: be)? found",
    r"(?:access )?(?:forbidden|denied)|access (?:is |was )?denied|permission denied",
    r"(?:you are )?(?:unauthori[sz]ed|not (?:authori[sz]ed|allowed|permitted))(?: access)?",
    r"(?:bad|invalid) (?:request|gateway|token|session)|method not allowed|too many requests",
    r"(?:service )?(?:temporarily )?unavailable|gateway time-?out|request time-?out",
    r"(?:your |the |this )?(?:page|session|token|form|link)(?: has| is)? (?:expired|timed out)",
    r"(?:oops|whoops|uh oh|sorry)\b.{0,60}|(?:something|what) went wrong.{0,30}",
    r"csrf (?:verification|token|validation).{0,40}|traceback.{0,40}|fatal error.{0,60}",
    r"(?:interner |server)?fehler(?: \d+)?|(?:seite )?nicht gefunden|zugriff verweigert",
    r"erreur(?: \d+| interne.{0,30})?|page (?:non trouv\u00e9e|introuvable)"
    r"|acc\u00e8s (?:refus\u00e9|interdit)",
    r"error (?:interno|del servidor).{0,30}|(?:p\u00e1gina )?no encontrad[ao]|acceso denegado",
)
_ERROR = re.compile("|".join(f"(?:{one})" for one in _ERRORS), re.IGNORECASE)
_LOGIN = re.compile(
    r"\b(?:log ?in|log ?on|sign ?in|login|anmelde\w*|einloggen|connexion|identifi\w+|authenti\w+"
    r"|iniciar sesi\u00f3n|accedi|inloggen)\b",
    re.IGNORECASE,
)
_LONGEST = 200


def says_error(heading: str) -> bool:
    """Return whether a title, or a part of it, says that something failed and nothing else."""
    if not heading or len(heading) > _LONGEST:
        return False
    parts = [heading, *_BETWEEN.split(heading)]
    return any(_ERROR.fullmatch(part.strip(" .!\u2026")) is not None for part in parts)


def asks_to_log_in(heading: str) -> bool:
    """Return whether a title or a heading is that of a login page."""
    return len(heading) <= _LONGEST and _LOGIN.search(heading) is not None
