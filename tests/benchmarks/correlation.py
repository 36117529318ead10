"""How long it takes to correlate a large recording: ``python -m tests.benchmarks.correlation``.

Prints processor seconds and the size of the responses for 500 to 4,000 transactions: half of them
pages of 49 KB with a form that is submitted (JSON among its fields), half API calls that create and
read things, with the time and an encoded address in their queries. 2,000 of them have 50 MB.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.recording import build_case
from tests.correlation.talk import configure

_SERVER = "http://127.0.0.1:8000"
_HTML = (("Content-Type", "text/html; charset=utf-8"),)
_JSON = (("Content-Type", "application/json"),)
_FORM = (("Content-Type", "application/x-www-form-urlencoded"),)
_BEARER = "Authorization"
#: How many things a page lists.
_ITEMS = 265


def _exchange(
    number: int,
    method: str,
    path: str,
    *,
    sent: tuple[tuple[str, str], ...] = (),
    body: str = "",
    status: int = 200,
    received: tuple[tuple[str, str], ...] = (),
    answer: str = "",
) -> Exchange:
    return Exchange(
        started=number * 0.1, took=0.05, method=method, url=_SERVER + path, http_version="HTTP/1.1",
        request_headers=(("Host", "127.0.0.1:8000"), *sent), request_body=body.encode(),
        status=status, response_headers=received, response_body=answer.encode(),
    )  # fmt: skip


def _page(token: str, stamp: int, items: list[str]) -> str:
    rows = "".join(
        f'<tr class="row"><td><a href="/items/{key}/change/">Item {key[:4]}</a></td>'
        f'<td><input type="checkbox" name="_selected" value="{key}" class="action"></td></tr>\n'
        for key in items
    )
    return (
        "<!doctype html><html><head><title>Items</title>"
        '<link rel="stylesheet" href="/base.css"><script src="/app.js"></script></head>'
        f'<body><table>{rows}</table><form method="post">'
        f'<input type="hidden" name="csrfmiddlewaretoken" value="{token}">'
        f'<input type="hidden" name="stamp" value="{stamp}"><input name="title" value="">'
        "<button>Save</button></form></body></html>"
    )


def _recording(count: int) -> Iterator[Exchange]:
    pick = random.Random(7)

    def token(length: int) -> str:
        return "".join(pick.choices("abcdefghijklmnopqrstuvwxyzABCDEFGH0123456789", k=length))

    access = token(40)
    answer = json.dumps({"access_token": access, "token_type": "Bearer", "expires_in": 60})
    yield _exchange(0, "POST", "/api/token", sent=_JSON, body="{}", received=_JSON, answer=answer)
    bearer = ((_BEARER, f"Bearer {access}"),)
    for number in range(1, count, 4):
        csrf, stamp, reference = token(64), 1_700_000_000_000 + number, token(20)
        keys = [token(16) for _ in range(_ITEMS)]
        yield _exchange(
            number, "GET", "/items/", received=_HTML, answer=_page(csrf, stamp, keys),
            sent=(("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")),
        )  # fmt: skip
        yield _exchange(
            number + 1, "POST", "/items/", sent=_FORM, received=_HTML,
            body=f"csrfmiddlewaretoken={csrf}&stamp={stamp}&title=Title+{number}"
            f"&more=%7B%22csrf%22%3A%22{csrf}%22%2C%22n%22%3A{number}%7D",
            answer=_page(token(64), stamp + 1, keys),
        )  # fmt: skip
        listed = [{"id": one, "name": f"Name {one}", "ref": token(20)} for one in range(20)]
        made = {"id": 1000 + number, "ref": reference, "others": listed}
        yield _exchange(
            number + 2, "POST", "/api/items", sent=(*_JSON, *bearer), status=201, received=_JSON,
            body='{"name": "x", "quantity": 1}', answer=json.dumps(made),
        )  # fmt: skip
        yield _exchange(
            number + 3, "GET",
            f"/api/items/{1000 + number}?ref={reference}&back=%2Fitems%3Fref%3D{reference}"
            f"&_={number * 100}",
            sent=bearer, received=_JSON, answer=json.dumps(made),
        )  # fmt: skip


def main() -> None:
    """Measure and print."""
    for count in (500, 1000, 2000, 4000):
        exchanges = list(_recording(count))
        case = build_case(exchanges, name="large").case
        size = sum(len(one.response_body) for one in exchanges) / 1e6
        started = time.process_time()
        configuration = configure(case, exchanges)
        took = time.process_time() - started
        found = sum(1 for one in configuration.decisions if one.variable)
        print(f"{len(exchanges):5} transactions, {size:5.1f} MB: {took:6.2f} s, {found} variables")


if __name__ == "__main__":
    main()
