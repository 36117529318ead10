"""A client that records what it does: real HTTP, with cookies, redirects and forms."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from pytest_loadtool.codec.request_coding import uncoded
from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.extraction.tags import control_value, controls
from pytest_loadtool.model.exchange import Exchange

__all__ = ["Client"]


class Client:
    """One connection; ``exchanges`` are what was sent and received on it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.exchanges: list[Exchange] = []
        self.headers: dict[str, str] = {}
        self.page = ""
        self._cookies: dict[str, str] = {}
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def send(
        self,
        method: str,
        target: str,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        *,
        expected: int = 0,
    ) -> RecordedResponse:
        """Send a request and keep the exchange.

        Raises:
            RuntimeError: the server refused with another status than ``expected``, so there is
            nothing worth recording.
        """
        lines = {"Host": urlsplit(self.url).netloc, **self.headers, **(headers or {})}
        if body:
            lines["Content-Length"] = str(len(body))
        if self._cookies:
            lines["Cookie"] = "; ".join(f"{name}={one}" for name, one in self._cookies.items())
        started = time.time()
        self._connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        for name, value in lines.items():
            self._connection.putheader(name, value)
        self._connection.endheaders(body or None)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status >= 400 and answer.status != expected:
            raise RuntimeError(f"{method} {target}: {answer.status} {content.decode()[:2000]}")
        exchange = Exchange(
            started=started,
            took=time.time() - started,
            method=method,
            url=self.url + target,
            http_version="HTTP/1.1",
            request_headers=tuple(lines.items()),
            request_body=uncoded(body, lines.items()),  # as the recorder has it
            status=answer.status,
            reason=answer.reason,
            response_headers=tuple(answer.getheaders()),
            response_body=content,
        )
        self.exchanges.append(exchange)
        response = RecordedResponse(exchange)
        for line in response.header_values("set-cookie"):
            name, _, value = line.partition(";")[0].partition("=")
            self._cookies[name] = value
        return response

    def cookie(self, name: str) -> str:
        """A cookie's value."""
        return self._cookies[name]

    def open(self, target: str) -> str:
        """Fetch a page as a browser does, following redirects. Returns its text."""
        headers = {
            "Accept": "text/html",
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Dest": "document",
        }
        if self.page:
            headers["Referer"] = self.url + self.page
        return self._followed(self.send("GET", target, headers=headers), target)

    def submit(self, text: str, changes: Mapping[str, str], *, action: str = "") -> str:
        """Submit the last form of the page ``text`` with some fields changed; follow redirects."""
        form = text[text.rindex("<form") :]
        fields = {
            found["name"]: control_value(form, tag, found, end)
            for tag, found, _, end in controls(form)
            if "name" in found
            and tag != "meta"
            and found.get("type") not in ("submit", "button", "checkbox", "radio")
            and "multiple" not in found
        }
        headers = {
            "Accept": "text/html",
            "Content-Type": "application/x-www-form-urlencoded",
            "Origin": self.url,
            "Referer": self.url + self.page,
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Dest": "document",
        }
        target = action or self.page
        body = urlencode({**fields, **changes}).encode()
        return self._followed(self.send("POST", target, body, headers), target)

    def json(self, method: str, target: str, value: Any = None, **headers: str) -> Any:
        """Call an API. Returns the parsed answer, None where there is none."""
        body = b"" if value is None else json.dumps(value, ensure_ascii=False).encode()
        lines = {"Accept": "application/json"}
        if body:
            lines["Content-Type"] = "application/json"
        lines |= {name.replace("_", "-"): one for name, one in headers.items()}
        response = self.send(method, target, body, lines)
        return response.json() if response.text else None

    def _followed(self, response: RecordedResponse, target: str) -> str:
        location = response.header("location")
        if location is not None:
            return self.open(location.removeprefix(self.url))
        self.page = target
        return response.text
