"""Writes down a session: each request with its answer, as a recorder would."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from pytest_loadtool.model.exchange import Exchange, HeaderList

__all__ = ["SERVER", "Talk"]

SERVER = "http://shop.test"
_JSON = ("Content-Type", "application/json")
_FORM = ("Content-Type", "application/x-www-form-urlencoded")
_EVENTS = ("Content-Type", "text/event-stream")
_XML = ("Content-Type", "text/xml; charset=utf-8")
_PAGE = ("Content-Type", "text/html; charset=utf-8")
_NAVIGATION = (("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"))


class Talk:
    """The exchanges so far. ``headers`` go with every call of a script."""

    def __init__(self, started: float) -> None:
        self.exchanges: list[Exchange] = []
        self.headers: list[tuple[str, str]] = []
        self.page = ""
        self._clock = started

    def call(
        self,
        method: str,
        target: str,
        body: Any = None,
        *,
        answer: Any = None,
        status: int = 200,
        sent: HeaderList = (),
        received: HeaderList = (),
    ) -> None:
        """What a script asks for: JSON, and JSON comes back."""
        own = (_JSON,) if body is not None else ()
        content = b"" if body is None else json.dumps(body).encode()
        back = b"" if answer is None else json.dumps(answer).encode()
        self._add(
            method, target, (*own, ("Sec-Fetch-Mode", "cors"), *self.headers, *sent), content,
            status, ((_JSON,) if back else ()) + received, back,
        )  # fmt: skip

    def events(self, target: str, body: Any, said: list[Any], *, received: HeaderList = ()) -> None:
        """A call that is answered with events, the last of which has the result."""
        answer = "".join(f"event: step\ndata: {json.dumps(one)}\n\n" for one in said)
        sent = (_JSON, ("Sec-Fetch-Mode", "cors"), *self.headers)
        self._add(
            "POST", target, sent, json.dumps(body).encode(), 200, (_EVENTS, *received),
            answer.encode(),
        )  # fmt: skip

    def soap(self, target: str, body: str, answer: str) -> None:
        """A call whose body is XML."""
        self._add(
            "POST", target, (_XML, *self.headers), body.encode(), 200, (_XML,), answer.encode()
        )

    def fetch(self, target: str) -> None:
        """A script that the page has."""
        received = (("Content-Type", "text/javascript"),)
        self._add("GET", target, (("Sec-Fetch-Dest", "script"),), b"", 200, received, b"go()")

    def open(self, target: str, page: str, *, received: HeaderList = ()) -> None:
        """A page that a person goes to."""
        self._visit("GET", target, (), b"", 200, received, page)

    def submit(
        self, target: str, fields: list[tuple[str, Any]], *, to: str = "", page: str = ""
    ) -> None:
        """A form that a person submits; the answer leads on, or is a page."""
        status, received = (302, (("Location", to),)) if to else (200, ())
        body = urlencode(fields).encode()
        self._visit("POST", target, (_FORM,), body, status, received, page)

    def _visit(
        self, method: str, target: str, own: HeaderList, body: bytes, status: int,
        received: HeaderList, page: str,
    ) -> None:  # fmt: skip
        referer = (("Referer", SERVER + self.page),) if self.page else ()
        sent = (*own, *_NAVIGATION, *referer)
        shown = f"<!doctype html><html><head><title>Shop</title></head><body>{page}</body></html>"
        content = shown.encode() if page else b""
        self._add(method, target, sent, body, status, (_PAGE, *received), content)
        if status == 200:
            self.page = target

    def _add(
        self, method: str, target: str, sent: HeaderList, body: bytes, status: int,
        received: HeaderList, answer: bytes,
    ) -> None:  # fmt: skip
        self._clock += 1.5
        self.exchanges.append(
            Exchange(
                started=self._clock,
                took=0.1,
                method=method,
                url=SERVER + target,
                http_version="HTTP/1.1",
                request_headers=(("Host", "shop.test"), *sent),
                request_body=body,
                status=status,
                response_headers=received,
                response_body=answer,
            )
        )
