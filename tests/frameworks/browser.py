"""A client that records what it does, and finds its way by forms and links as a browser does."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape
from types import MappingProxyType
from urllib.parse import urlencode, urljoin

from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.extraction.tags import attributes, control_value, controls
from tests.correlation.client import Client

__all__ = ["Browser"]

_FORM = "application/x-www-form-urlencoded"


class Browser(Client):
    """``text`` is the page that is open."""

    text = ""

    def go(self, target: str) -> str:
        """Open a page."""
        self.text = self.open(target)
        return self.text

    def click(self, pattern: str) -> str:
        """Follow the first link whose address, as the browser reads it, matches."""
        links = (unescape(one) for one in re.findall(r'<a\s[^>]*href="([^"]*)"', self.text))
        return self.go(self._absolute(next(one for one in links if re.search(pattern, one))))

    def fields(self, form: str = "") -> tuple[str, dict[str, str]]:
        """Where the first form whose tag matches is sent to, and what it sends as it stands."""
        tags = re.finditer(r"<form(?=[\s>]).*?</form>", self.text, re.DOTALL)
        markup = next(one[0] for one in tags if re.search(form, one[0].partition(">")[0]))
        found, _ = attributes(markup, len("<form"))
        sent = {
            control["name"]: control_value(markup, tag, control, end)
            for tag, control, _, end in controls(markup)
            if "name" in control and control.get("type") not in ("submit", "button")
        }
        return self._absolute(found.get("action", "")), sent

    def submit_form(self, changes: Mapping[str, str] = MappingProxyType({}), form: str = "") -> str:
        """Submit the first form whose tag matches, with some fields changed."""
        target, sent = self.fields(form)
        return self.post_form(target, {**sent, **changes})

    def post_form(self, target: str, fields: Mapping[str, str] | Sequence[tuple[str, str]]) -> str:
        """Send fields as a form does, and follow redirects to the page that opens."""
        lines = {
            "Accept": "text/html",
            "Content-Type": _FORM,
            "Origin": self.url,
            "Referer": self.url + self.page,
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Dest": "document",
        }
        response = self.send("POST", target, urlencode(fields).encode(), lines)
        self.text = self._followed(response, target)
        return self.text

    def call_form(self, target: str, fields: Mapping[str, str], **headers: str) -> str:
        """Send fields as a script does."""
        lines = {
            "Accept": "*/*",
            "Content-Type": f"{_FORM}; charset=UTF-8",
            "Origin": self.url,
            "Referer": self.url + self.page,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        return self.send("POST", target, urlencode(fields).encode(), lines).text

    def found(self, pattern: str) -> str:
        """Group 1 in the page, as a script reads it."""
        match = re.search(pattern, self.text)
        assert match is not None, f"{pattern} is not in {self.text}"
        return unescape(match[1])

    def _absolute(self, address: str) -> str:
        return urljoin(self.url + self.page, address).removeprefix(self.url)

    def _followed(self, response: RecordedResponse, target: str) -> str:
        location = response.header("location")
        if location is None:
            self.page = target
            return response.text
        self.page = target
        return self.open(self._absolute(location).partition("#")[0])
