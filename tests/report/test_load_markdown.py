"""The results of load tests as Markdown, as it is read and as it is rendered."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from pytest_loadtool.report.load.markdown import load_markdown
from tests.load.simulation import earlier, summary


def rendered(text: str) -> str:
    """HTML, as CI servers show it."""
    html: str = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    return html


def test_passed_run_in_short() -> None:
    """Verdict, load, the main numbers and thresholds stand first; the rest is folded."""
    found = summary()
    text = load_markdown([found])
    first, load, *_ = text.split("\n\n")
    assert first.startswith("### ")
    assert first.endswith(f"Admin and API: {found.verdict.outcome}")
    assert "20 users for 10 s (ramp-up 2 s)" in load
    html = rendered(text)
    assert html.count("<table>") == 3
    assert f"{found.totals.requests:,} in " in html
    assert "<summary>The slowest 10 transactions</summary>" in html


def test_failed_run_says_why_and_what_changed() -> None:
    """Reasons, regressions against the base and the most frequent errors."""
    found = summary(failing=90, baseline=[earlier()])
    text = load_markdown([found, found], page="https://ci.example/report.html")
    assert text.count(f": {found.verdict.outcome}\n") == 2
    for reason in found.verdict.reasons[:1]:
        assert f"<li>{reason[:20]}" in rendered(text).replace("&lt;", "<").replace("&gt;", ">")
    assert "**+" in text
    assert "<summary>Errors</summary>" in text
    assert text.endswith("[The whole report](https://ci.example/report.html)\n")


@pytest.mark.parametrize("name", ["<img src=x>", "a | b", "**bold**", "[x](y)", "`tick`", "a\nb"])
def test_names_are_no_markup(name: str) -> None:
    """What servers and files say is shown as it is."""
    html = rendered(load_markdown([replace(summary(), name=name)]))
    (heading,) = [line for line in html.splitlines() if line.startswith("<h3>")]
    assert "<" not in heading.removeprefix("<h3>").removesuffix("</h3>")
    plain = heading.replace("&lt;", "<").replace("&gt;", ">")
    assert name.replace("\n", " ") in plain


def test_no_load_test() -> None:
    """A session without any says so."""
    assert load_markdown([]) == "No load test was run.\n"
