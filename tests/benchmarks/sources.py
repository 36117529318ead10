"""What links, forms and choices of a list cost: ``python -m tests.benchmarks.sources``.

Prints microseconds of processor time per call, the best of five runs, beside the regular expression
that says the same, on a page of 50 KB with a list of 100 rows: of the first, the middle and the
last row.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from pytest_loadtool.codec.template import Reference, Template
from pytest_loadtool.extraction.bound import bind_source
from pytest_loadtool.extraction.extract import PlainText
from pytest_loadtool.model.extractor import (
    Choice,
    FormField,
    InItem,
    Link,
    RegularExpression,
    Source,
)

_ROW = (
    '<tr class="row{1}"><td class="field-name">\n<a href="/people/{0}">Person {0}</a></td>'
    '<td class="name">Name {0}</td><td class="price">12.40</td><td><a class="btn btn-sm" '
    'href="/orders/{0}/edit">Edit</a><form method="post" action="/orders/{0}/delete" class="x">'
    '<input type="hidden" name="csrf_token" value="{0}c7Jq2Xv9Lm4PzR8t"><button type="submit" '
    'class="btn btn-danger btn-sm" onclick="return confirm(\'Sure?\')">Delete</button></form></td>'
    '<td class="meta">last changed by somebody on some day, and once more later</td></tr>\n'
)
_OPTIONS = "".join(f'<option value="{100 + at}">Name {at}</option>' for at in range(100))
_PAGE = (
    "<!DOCTYPE html><html><head><title>Orders</title></head><body><table>"
    + "".join(_ROW.format(at, at % 2) for at in range(100))
    + f'</table><form action="/new"><select name="of">{_OPTIONS}</select></form></body></html>'
)
_IN_ROW = r"\s*(?:<(?!/?tr[\s>])[^<]*)*?"
_PAIRS: tuple[tuple[Source, str], ...] = (
    (InItem(Link("/orders/*/edit"), "Name ${n}"),
     rf">\s*Name ${{n}}{_IN_ROW}<[^<>]*?[\"'=]/orders/([^\"'/?#&<>\s]+)/edit"),
    (InItem(FormField("csrf_token"), "Name ${n}"),
     rf'>\s*Name ${{n}}{_IN_ROW}<[^<>]*?name="csrf_token"[^>]*?value="([^"]*)"'),
    (FormField("csrf_token", action="/orders/${n}/delete"),
     r'action="/orders/${n}/delete"[\s\S]*?name="csrf_token"[^>]*?value="([^"]*)"'),
    (Link("/people/*", "Person ${n}"),
     r"[\"'=]/people/([^\"'/?#&<>\s]+)[^<>]*>\s*Person ${n}\s*<"),
    (Link("/orders/*/edit"), r"[\"'=]/orders/([^\"'/?#&<>\s]+)/edit"),
    (Choice("of", "Name ${n}"),
     r'\sname="of"[^<>]*>(?:[^<]*</?opt[^<>]*>)*?[^<]*<option[^<>]*?\svalue="([^"]*)"[^<>]*>'
     r"\s*Name ${n}\s*<"),
)  # fmt: skip


def _fills(template: Template) -> Callable[[Sequence[str]], str]:
    parts = template.parts

    def fill(values: Sequence[str]) -> str:
        return "".join(values[0] if isinstance(one, Reference) else one for one in parts)

    return fill


def _measured(source: Source, number: int) -> tuple[float, str | None]:
    extract, page, values = bind_source(source, 1, _fills), PlainText(_PAGE), (str(number),)
    count, best = 200, float("inf")
    for _ in range(5):
        started = time.process_time()
        for _ in range(count):
            extract(page, values)
        best = min(best, (time.process_time() - started) / count)
    return best * 1e6, extract(page, values)


def main() -> None:
    """Measure and print."""
    print(f"a page of {len(_PAGE):,} characters; row: source / regular expression, in µs")
    for source, pattern in _PAIRS:
        rows = []
        for number in (1, 50, 99):
            (new, value), (old, same) = (
                _measured(one, number) for one in (source, RegularExpression(pattern))
            )
            rows.append(f"{number}: {new:6.1f} /{old:6.1f}{'' if value == same else ' DIFFERS'}")
        print(f"{'   '.join(rows)}   {source}")


if __name__ == "__main__":
    main()
