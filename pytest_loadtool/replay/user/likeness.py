"""Whether an answer came as recorded, told at next to no cost as long as it does.

`answers.judge` has the judgement. What is here only sees what surely needs none: the same bytes as
an answer that was judged; or its type and title, the same keys, no word that an error would have.
"""

from __future__ import annotations

import re

from pytest_loadtool.answers.documents import ERRORS, spelled
from pytest_loadtool.answers.judge import ExpectedAnswer, Finding, Seen, judge
from pytest_loadtool.answers.shape import (
    LONGEST_READ,
    READ,
    REDIRECTS,
    VAGUE,
    declared,
    kind_now,
    shape_of,
)
from pytest_loadtool.codec.content import BrokenError, ContentError
from pytest_loadtool.codec.media import media_type
from pytest_loadtool.model.case import Kind
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.exchange import Response, asked_of
from pytest_loadtool.replay.user.failures import not_as_recorded

#: The longest body that is kept, to know it again.
_LONGEST_KEPT = 1 << 12
_NO_BODY = b"\0none\0"
#: Finds what the name of each header that tells of an error has; quicker than ``in``.
_error_in = re.compile(b"rror").search
#: Where the title of a page and its main heading begin, in characters.
_LONGEST_HEAD = 1 << 13

#: Each answer that says by its keys or its root that it failed holds one of these.
_SUSPICIOUS = (
    "rror", "RROR", '"err', '"Err', '"ERR', '"fa', '"Fa', '"FA', "xception", "XCEPTION", "ault",
    'uccess":false', 'uccess": false', 'uccess":0', 'uccess": 0', 'ok":false', 'ok": false',
)  # fmt: skip


class Likeness:
    """Compares the answers to one transaction with the recorded one; with ``strict``, each that
    differs has failed."""

    __slots__ = (
        "_body", "_forms", "_heading", "_kind", "_leads", "_length", "_most", "_root", "_status",
        "_strict", "_title", "_types", "_unlike", "_wanted", "_was",
    )  # fmt: skip

    def __init__(self, was: ExpectedAnswer, strict: bool) -> None:
        answer = was.answer
        self._was = was
        self._strict = strict
        self._status = was.recorded.status
        self._kind = was.recorded.kind
        self._length = answer.size
        # JSON: how it begins, what it has to hold (one of two spellings), and what it must not.
        self._forms = {"object": "{", "array": "["}.get(answer.json, "")
        self._wanted: list[tuple[str, str]] = [(f'"{key}"', f'"{key}"') for key in answer.keys]
        for key, said in answer.said:
            if spelled(key) in ERRORS:
                continue
            value = f'"{said}"' if isinstance(said, str) else str(said).lower()
            self._wanted.append((f'"{key}":{value}', f'"{key}": {value}'))
        self._unlike = list(_SUSPICIOUS)
        for key in answer.lists:
            self._unlike += (f'"{key}":[]', f'"{key}": []')
        self._root = answer.root
        self._leads = self._status in REDIRECTS
        # Of those that came as recorded: the last one's type, body, title and heading, and the
        # longest one's length.
        self._types: list[str] = []
        self._body = _NO_BODY
        self._title = ""
        self._heading = ""
        self._most = 0

    def failure(self, response: Response) -> Failure | None:
        """Return the failure of an answer that says that it failed, or that nobody can read. What
        else there is to say of it is noted in its ``not_as_recorded``."""
        if (
            response.status == self._status
            and not self._leads
            and _error_in(response.head) is None
            and (response.body == self._body or self._is_surely_alike(response))
        ):
            return None
        try:
            found = self._finding(response)
        except BrokenError as error:  # a browser would show an error
            return Failure("decoding", str(error))
        if found is None:
            return None
        if found.failed:
            return Failure("answer", found.text)
        if self._strict:
            return not_as_recorded(found.text)
        response.not_as_recorded = found.text
        return None

    def _is_surely_alike(self, response: Response) -> bool:
        if self._was.recorded.answer is None:
            return True
        if response.content_types != self._types:
            return False
        length = len(response.body)
        if not length or response.unkept:
            return not self._length
        if self._kind not in READ:
            return length * 10 > self._length and length < self._length * 10
        if length > LONGEST_READ:
            return False
        try:
            text = response.text
        except ContentError:
            return False
        if self._kind is Kind.JSON:
            return self._has_same_keys(text)
        if self._kind is Kind.HTML:
            return self._is_same_page(text)
        return self._root in text[:_LONGEST_HEAD] and self._is_unsuspicious(text)

    def _has_same_keys(self, text: str) -> bool:
        """Return whether a text without escapes in its names has the same keys; with them it is
        read."""
        if not self._forms or text[:1] != self._forms or len(text) * 10 < self._length:
            return False
        if self._forms == "[" and len(text) < 5:
            return False
        for wanted, other in self._wanted:
            if wanted not in text and other not in text:
                return False
        return self._is_unsuspicious(text)

    def _is_unsuspicious(self, text: str) -> bool:
        for one in self._unlike:  # noqa: SIM110  a generator would be slow here
            if one in text:
                return False
        return True

    def _is_same_page(self, text: str) -> bool:
        """Return whether it is the same page: of a large one the head tells, as long as it is about
        as large as one that was read."""
        length = len(text)
        head = text[:_LONGEST_HEAD]
        if _between(head, "<title", "</title") != self._title:
            return False
        if not self._title and _between(head, "<h1", "</h1") != self._heading:
            return False
        if length > _LONGEST_HEAD and length * 10 > self._most * 9 and length * 9 < self._most * 10:
            return True
        if length > self._most * 2 or length * 2 < self._most:
            return False
        return _between(text, "<h1", "</h1") == self._heading and "assword" not in text

    def _finding(self, response: Response) -> Finding | None:
        """Return what the judgement says, of all that can be known of the answer."""
        types = response.content_types
        media = media_type(types[0] if types else "")
        kind = declared(media)
        size, text = len(response.body), ""
        reads = kind in READ or media in VAGUE or self._kind in READ
        if response.unkept:
            size = max(self._length, 1)  # its size is as much as nobody wanted to keep
        elif size > LONGEST_READ or not reads:
            if size and response.header_values("content-encoding"):
                size = self._length or size
        elif size:
            try:
                text = response.text
            except BrokenError:
                raise
            except ContentError:
                return None
            size = len(text)
            kind = kind_now(media, text)
        location = response.header("location") or "" if response.status in REDIRECTS else ""
        asked = asked_of(response) if location else ""
        seen = Seen(
            response.status,
            kind,
            media,
            shape_of(kind, text, size, location, _head(response), asked),
        )
        found = judge(self._was, seen)
        if found is None and response.status == self._status:
            self._keep(types, response.body, text)
        return found

    def _keep(self, types: list[str], body: bytes, text: str) -> None:
        self._types = types
        self._body = body if len(body) <= _LONGEST_KEPT else _NO_BODY
        self._title = _between(text[:_LONGEST_HEAD], "<title", "</title")
        self._heading = _between(text, "<h1", "</h1")
        self._most = max(self._most, len(text))


def _head(response: Response) -> list[tuple[str, str]]:
    """Return its headers, if one of them may tell of an error."""
    found = response.headers if _error_in(response.head) else []
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in found]


def _between(text: str, left: str, right: str) -> str:
    """Return the first that stands between them, with ``left``; empty if there is none."""
    start = text.find(left)
    if start < 0:
        return ""
    end = text.find(right, start)
    return text[start:end] if end >= 0 else ""
