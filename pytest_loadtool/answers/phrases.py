"""What titles and main headings of pages are called that say nothing but that something failed."""

from __future__ import annotations

import re

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
    """Whether a title, or a part of it, says that something failed and nothing else."""
    if not heading or len(heading) > _LONGEST:
        return False
    parts = [heading, *_BETWEEN.split(heading)]
    return any(_ERROR.fullmatch(part.strip(" .!\u2026")) is not None for part in parts)


def asks_to_log_in(heading: str) -> bool:
    """Whether a title or a heading is that of a login page."""
    return len(heading) <= _LONGEST and _LOGIN.search(heading) is not None
