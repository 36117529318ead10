"""What is in a page cannot break out of it, and a page fetches nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pytest_loadtool.report.html.cases import cases_page
from tests.report.html.browsers import BROWSERS, opened

#: What a hostile server, or a file from elsewhere, might put into any text.
ATTACKS = (
    "</script><script>window.hacked = 1</script>",
    "<!--<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    '"><svg onload="window.hacked = 1">',
    "'+alert(1)+'",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:window.hacked=1",
    "\u2028\u2029\x00\x1b[2J\ud800",
    "</style><style>*{display:none}</style>",
    "&lt;script&gt;window.hacked=1&lt;/script&gt;",
)


def step(text: str) -> dict[str, object]:
    return {
        "page": text, "title": text, "status": 500, "milliseconds": 12.0, "failure": text,
        "negotiations": 0, "index": 0, "at": 0.0, "waited": 5.0, "not_as_recorded": "",
    }  # fmt: skip


def remedy(text: str) -> dict[str, object]:
    return {"text": text, "place": text, "line": text, "commands": [text]}


def diagnosis(text: str) -> dict[str, object]:
    one = {"number": 1, "page": text, "title": text, "result": text, "said": text, "place": text}
    return {
        "mend": one, "broke": one, "of": text, "otherwise": text, "cause": text,
        "meaning": text, "because": [text],
        "confirm": text, "remedies": [remedy(text)], "others": [text], "possible": [text],
        "ruled_out": [text], "steps": [[text, text]], "later": [one | {"needs": [text]}],
    }  # fmt: skip


def hostile() -> bytes:
    """A page whose every text is an attack."""
    tests = [
        {
            "test": text, "name": text, "outcome": "failed", "seconds": 1.0, "text": text,
            "before": [text], "pages": [[text, [text]]], "steps": [step(text)],
            "diagnosis": diagnosis(text), "trace": "",
        }
        for text in ATTACKS
    ]  # fmt: skip
    return cases_page(tests, started="now", seconds=1.0)


def test_data_stays_in_its_element() -> None:
    """Between the tags stands JSON and nothing that HTML or an old script would read as more; read
    again it is what it was, but for a surrogate that no file can hold."""
    text = hostile().decode()
    [block] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert not re.search("[<>&\u2028\u2029]", block)
    titles = [one["pages"][0][1][0][1] for one in json.loads(block)["tests"]]
    assert titles == [one.replace("\ud800", "?") for one in ATTACKS]


@pytest.mark.parametrize("browser", BROWSERS)
def test_nothing_hostile_runs(browser: str, tmp_path: Path) -> None:
    """Every text is shown as it is: no script of it runs, no element of it is made."""
    file = tmp_path / "page.html"
    file.write_bytes(hostile())
    with opened(browser, file) as page:
        assert page.run("return typeof window.hacked") == "undefined"
        assert page.run("return document.querySelectorAll('img').length") == 0
        assert page.run("return document.querySelectorAll('script').length") == 3
        shown = page.run("return [...document.querySelectorAll('.tx .name')].map(x => x.innerText)")
        assert shown[0] == ATTACKS[0]
        assert "49" not in shown[5]


def test_the_policy_forbids_what_is_not_of_the_page(tmp_path: Path) -> None:
    """A script that got in all the same would not run: the policy names those of the page by their
    hash."""
    file = tmp_path / "page.html"
    broken = hostile().replace(b"</body>", b"<script>window.hacked = 1</script></body>")
    file.write_bytes(broken)
    with opened("chromium", file) as page:
        assert page.run("return typeof window.hacked") == "undefined"
        assert page.run("return document.querySelectorAll('.tx').length") > 0
