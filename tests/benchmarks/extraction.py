"""What one extraction costs: ``python -m tests.benchmarks.extraction``.

Prints microseconds of processor time per call, the best of five runs: sources of a 19 KB page, of a
JSON response of 300 bytes, and of the same JSON when another extractor has parsed it already.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from pytest_loadtool.extraction.extract import Readable, compile_source
from pytest_loadtool.model.extractor import (
    Boundary,
    CookieValue,
    FormField,
    HeaderValue,
    JsonPath,
    RegularExpression,
    Source,
)

_ROW = (
    '<tr class="row1"><td class="field-name"><a href="/admin/x/{0}/change/">Name {0}</a>'
    '<input type="checkbox" name="_selected_action" value="{0}" class="name" id="id_name"></td>'
    "</tr>\n"
)
_FIELD = '<form><input type="hidden" name="csrfmiddlewaretoken" value="c7Jq2Xv9Lm4PzR8t">'
_ROWS = [_ROW.format(number) for number in range(103)]
_PAGE = "<html><script>var x;</script>" + "".join((*_ROWS[:60], _FIELD, *_ROWS[60:])) + "</form>"
_DOCUMENT = {
    "access_token": "abcdef" * 8,
    "token_type": "Bearer",
    "user": {"id": 17, "roles": ["a", "b"], "items": [{"id": 1, "n": "x"}, {"id": 2, "n": "y"}]},
    "expires_in": 3600,
    "refresh_token": "z" * 64,
}


@dataclass
class _Response:
    """A response that parses its JSON each time, as the first extractor of a response must."""

    text: str

    def json(self) -> Any:
        return json.loads(self.text)

    def header(self, name: str) -> str | None:
        return "/admin/auth/user/2/change/"

    def header_values(self, name: str) -> list[str]:
        return ["/admin/auth/user/2/change/", "csrftoken=c7Jq2Xv9Lm4PzR8t; Path=/"]


class _Parsed(_Response):
    """The same when another extractor has parsed it."""

    def json(self) -> Any:
        return _DOCUMENT


def _measure(source: Source, response: Readable) -> None:
    extract = compile_source(source)
    count = 2000
    best = float("inf")
    for _ in range(5):
        started = time.process_time()
        for _ in range(count):
            extract(response)
        best = min(best, (time.process_time() - started) / count)
    print(f"{best * 1e6:7.2f} µs  {source}")


def main() -> None:
    """Measure and print."""
    page, document = _Response(_PAGE), _Response(json.dumps(_DOCUMENT))
    print(f"a page of {len(_PAGE):,} characters")
    for source in (
        FormField("csrfmiddlewaretoken"),
        FormField("not-there"),
        RegularExpression('name="csrfmiddlewaretoken" value="([^"]+)"'),
        Boundary('csrfmiddlewaretoken" value="', '"'),
        HeaderValue("Location", r"/user/(\d+)/"),
        CookieValue("csrftoken"),
    ):
        _measure(source, page)
    print(f"JSON of {len(document.text)} characters")
    for path in ("$.access_token", "$.user.items[1].id", "$.user.items[*].id", "$..id"):
        _measure(JsonPath(path), document)
    print("the same, parsed already")
    for path in ("$.access_token", "$.user.items[1].id", "$.user.items[*].id", "$..id"):
        _measure(JsonPath(path), _Parsed(document.text))


if __name__ == "__main__":
    main()
