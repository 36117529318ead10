"""The judgement: whether an answer says that it failed, and how it differs from the recorded one.

What the recording had as well is never held against a replay. Texts name no values that differ from
user to user, sizes for instance, so that equal findings of many users count as one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from pytest_loadtool.answers.documents import BAD_WORDS, GOOD_WORDS, RESULTS, spelled
from pytest_loadtool.answers.shape import LOGIN_PLACE, LONGEST_READ, REDIRECTS
from pytest_loadtool.model.answer import Answer
from pytest_loadtool.model.case import Kind, Recorded

#: Answers with these differ in how they were asked for, and not in what they are about: a client
#: that has it already, or wants a part.
_SAME = frozenset({200, 206, 304})

#: One body is by so much larger than the other, and at least by so many bytes, that they can hardly
#: be of the same resource.
_ORDER, _AT_LEAST = 10, 1000
#: What holds data may grow with them.
_GROWS = frozenset({Kind.JSON, Kind.XML})
_LONGEST_TITLE = 60
_MOST_KEYS = 3


@dataclass(frozen=True, slots=True)
class Seen:
    """An answer of now. ``media`` is its media type."""

    status: int
    kind: Kind
    media: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class ExpectedAnswer:
    """What was recorded.

    ``words`` are those of the title, or of the heading of a page without, that are not a user's or
    a resource's own; ``is_of_a_resource`` says that the request was for one that a response named,
    which may be called otherwise.
    """

    recorded: Recorded
    words: frozenset[str] = field(default=frozenset())
    is_of_a_resource: bool = False

    @property
    def answer(self) -> Answer:
        """Return what the recorded answer looked like; nothing is known of one without."""
        return self.recorded.answer or Answer()


@dataclass(frozen=True, slots=True)
class Finding:
    """A remark on an answer; ``failed``: the answer itself says that it failed."""

    text: str
    failed: bool = False


_Judge = Callable[[ExpectedAnswer, Seen], str]


def judge(was: ExpectedAnswer, now: Seen) -> Finding | None:
    """Return the first resource that there is to say about an answer; None: it came as recorded."""
    differs = _status(was, now)
    both_succeed = was.recorded.status // 100 == now.status // 100 == 2
    if was.recorded.answer is not None and (both_succeed or was.recorded.status == now.status):
        for tell in _FAILED:
            if text := tell(was, now):
                return Finding(text, failed=True)
    if differs:
        return Finding(differs)
    if was.recorded.status != now.status or was.recorded.answer is None:
        return None
    tells = _DIFFERS if now.answer.size <= LONGEST_READ else _OF_UNREAD
    return next((Finding(text) for tell in tells if (text := tell(was, now))), None)


def words(text: str) -> Iterator[str]:
    """Return the words of a title that do not belong to a day, without numbers and signs."""
    return (one for one in _WORDS.findall(text.lower()) if one not in _DAYS)


def same_status(recorded: int, status: int) -> bool:
    """Return whether both mean the same to a person."""
    return recorded == status or {recorded, status} <= _SAME or {recorded, status} <= REDIRECTS


def _status(was: ExpectedAnswer, now: Seen) -> str:
    recorded = was.recorded.status
    if not recorded or same_status(recorded, now.status):
        return ""
    to = f" -> {now.answer.location}" if now.answer.location else ""
    return f"{now.status}{to} where {recorded} was recorded"


# The answer says itself that it failed.


def _says_it_failed(was: ExpectedAnswer, now: Seen) -> str:
    how = now.answer.failed
    return f"The answer says that it failed: {how}" if how and not was.answer.failed else ""


def _keys_say_it(was: ExpectedAnswer, now: Seen) -> str:
    """Return what the answer's own keys say of how it went; a key that was there before and said
    nothing of the kind is no witness."""
    before = dict(was.answer.said)
    for key, value in now.answer.said:
        if key not in before and key in was.answer.keys:
            continue
        if not was.answer.failed and _is_bad(spelled(key), value, before.get(key), now.answer):
            said = "" if value is True else f" is {_written(value)}"
            return f'The answer says that it failed: "{key}"{said}'
    return ""


def _asks_to_log_in(was: ExpectedAnswer, now: Seen) -> str:
    if now.answer.login != "page" or was.answer.login:
        return ""
    return "The answer asks to log in, which the recorded one did not"


_FAILED: tuple[_Judge, ...] = (_says_it_failed, _keys_say_it, _asks_to_log_in)

_FALSE = frozenset({False, "0", "false", "no"})
_FLAGS = frozenset({"success", "succeeded", "successful", "issuccess", "ok"})
#: Those whose number is a code for nothing else. That of others, ``status``, may be of a resource.
_CODES = frozenset(
    {"code", "statuscode", "errorcode", "errcode", "errno", "ret", "retcode", "returncode"}
    | {"resultcode", "rc"}
)
#: What a number is explained with. A resource with a status has an id.
_EXPLAINS = frozenset({"message", "msg", "error", "errors", "reason", "detail", "info", "errmsg"})


def _is_bad(
    name: str, value: str | int | bool, before: str | int | bool | None, now: Answer
) -> bool:
    """Return whether a field says that it failed, and did not say so before."""
    if name in _FLAGS:
        return value in _FALSE and before not in _FALSE
    if name not in _WORD_OR_CODE:
        return name in RESULTS and value is True and before is not True
    number, ago = _number(value), _number(before)
    if number is not None and ago is not None:
        names = frozenset(map(spelled, now.keys))
        if name not in _CODES and (names.isdisjoint(_EXPLAINS) or "id" in names):
            return False
        return _is_bad_number(number, ago)
    word, earlier = str(value).lower(), None if before is None else str(before).lower()
    return word in BAD_WORDS and (earlier is None or earlier in GOOD_WORDS)


_WORD_OR_CODE = _CODES | {"status", "result", "outcome"}


def _number(value: str | int | bool | None) -> int | None:
    """Return a code that may be written as text."""
    if value is None or isinstance(value, bool):
        return None
    try:
        return int(value)
    except ValueError:
        return None


def _is_bad_number(now: int, before: int) -> bool:
    """Return whether a number says failure where the one before did not: 0, 1 and 200 are what
    programs call success."""
    if 200 <= before <= 299:
        return now >= 400 or now <= 0
    if before == 1:
        return now <= 0
    return before == 0 and now != 0


def _written(value: str | int | bool) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


# It differs from the recorded one.


def _place(was: ExpectedAnswer, now: Seen) -> str:
    before, to = was.answer.location, now.answer.location
    if not before or not to or _leads_alike(before, to):
        return ""
    return f"redirected to {to} where {before} was recorded"


def _leads_alike(before: str, to: str) -> bool:
    """Return whether two paths are of the same page, of one resource or another. Other servers may
    have other names now."""
    if before.startswith("//") or to.startswith("//"):
        return before[:2] == to[:2]
    was, now = before.strip("/").split("/"), to.strip("/").split("/")
    alike = len(was) == len(now) and all(
        "*" in (one, other) or one == other for one, other in zip(was, now, strict=True)
    )
    return alike and (LOGIN_PLACE.search(before) is not None or not LOGIN_PLACE.search(to))


def _empty(was: ExpectedAnswer, now: Seen) -> str:
    return "an empty body" if was.answer.size and not now.answer.size else ""


def _kind(was: ExpectedAnswer, now: Seen) -> str:
    kind = was.recorded.kind
    if kind is now.kind or not was.answer.size or not now.answer.size:
        return ""
    if kind is Kind.OTHER:
        return "HTML where none was recorded" if now.kind is Kind.HTML else ""
    what = now.media or "no content type" if now.kind is Kind.OTHER else now.kind.value
    return f"{what} where {kind.value} was recorded"


def _password(was: ExpectedAnswer, now: Seen) -> str:
    both = was.answer.login, now.answer.login
    return "a field for a password where none was recorded" if both == ("", "field") else ""


def _form(was: ExpectedAnswer, now: Seen) -> str:
    before, form = was.answer.json, now.answer.json
    return (
        f"a JSON {form} where an {before} was recorded"
        if before and form and form != before
        else ""
    )


def _keys(was: ExpectedAnswer, now: Seen) -> str:
    if now.answer.json != "object" or not now.answer.keys:
        return ""
    return _listed((one for one in was.answer.keys if one not in now.answer.keys), "without ")


def _confirms(was: ExpectedAnswer, now: Seen) -> str:
    """Return what the answer to a change no longer says to be true, or the message that shares no
    word with the recorded one: ``You have already voted``."""
    after = dict(now.answer.said)
    for key, value in was.answer.said:
        said = None if spelled(key) in RESULTS else after.get(key)
        if value is True and said is False:
            return f'"{key}" is false where true was recorded'
        if isinstance(value, str) and isinstance(said, str):
            before, told = frozenset(words(value)), frozenset(words(said))
            if before and told and before.isdisjoint(told):
                return f'"{key}" says "{_shown(said)}" where "{_shown(value)}" was recorded'
    return ""


def _lists(was: ExpectedAnswer, now: Seen) -> str:
    """Return which lists are empty now; keys that are not there at all are told elsewhere."""
    if was.answer.lists == ("$",):
        return "an empty list" if not now.answer.lists and now.answer.json == "array" else ""
    kept = frozenset(now.answer.lists)
    return _listed((one for one in was.answer.lists if one not in kept), "an empty list: ")


def _listed(names: Iterable[str], before: str) -> str:
    found = [f'"{one}"' for one in names]
    more = f" and {len(found) - _MOST_KEYS} more" if len(found) > _MOST_KEYS else ""
    return f"{before}{', '.join(found[:_MOST_KEYS])}{more}" if found else ""


def _root(was: ExpectedAnswer, now: Seen) -> str:
    before, root = was.answer.root, now.answer.root
    return f"<{root}> where <{before}> was recorded" if before and root and root != before else ""


def _title(was: ExpectedAnswer, now: Seen) -> str:
    title, before = now.answer.title, was.answer.title
    if now.kind is not Kind.HTML or not was.words or not before or not now.answer.size:
        return ""
    missing = was.words.difference(words(title))
    if not missing or (was.is_of_a_resource and len(missing) < len(was.words)):
        return ""
    what = f'the title "{_shown(title)}"' if title else "no title"
    return f'{what} where "{before}" was recorded'


def _untitled(was: ExpectedAnswer, now: Seen) -> str:
    """Return how a page without a title has become another: it has one now, or it has a heading
    that shares no word with the recorded one."""
    if was.recorded.kind is not Kind.HTML or now.kind is not Kind.HTML or was.answer.title:
        return ""
    if not 0 < was.answer.size <= LONGEST_READ:
        return ""
    if now.answer.title:
        return f'the title "{_shown(now.answer.title)}" where none was recorded'
    heading = now.answer.heading
    if not heading or not was.words or not was.words.isdisjoint(words(heading)):
        return ""
    return f'the heading "{_shown(heading)}" where "{_shown(was.answer.heading)}" was recorded'


def _shown(title: str) -> str:
    return title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1] + "…"


def _size(was: ExpectedAnswer, now: Seen) -> str:
    before, size = was.answer.size, now.answer.size
    if not before or not size or abs(before - size) < _AT_LEAST:
        return ""
    if size * _ORDER <= before:
        return "a body less than a tenth of the recorded one"
    if size >= before * _ORDER and was.recorded.kind not in _GROWS:
        return "a body more than ten times the recorded one"
    return ""


_DIFFERS: tuple[_Judge, ...] = (
    _place, _empty, _kind, _password, _form, _keys, _confirms, _lists, _root, _title, _untitled,
    _size,
)  # fmt: skip
#: Of an answer that is too long to be read.
_OF_UNREAD: tuple[_Judge, ...] = (_place, _kind, _size)

_WORDS = re.compile(r"[^\W\d_]{2,}")
_DAYS = frozenset(
    {
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        *("mon", "tue", "wed", "thu", "fri", "sat", "sun", "jan", "feb", "mar", "apr", "jun"),
        *("jul", "aug", "sep", "oct", "nov", "dec", "january", "february", "march", "april", "may"),
        *("june", "july", "august", "september", "october", "november", "december", "am", "pm"),
        *("today", "yesterday", "tomorrow", "ago", "utc", "gmt"),
    }
)
