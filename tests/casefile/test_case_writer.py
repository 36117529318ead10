"""The writer of test cases: exact both ways, and pleasant."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given

from pytest_loadtool.casefile import format_case, parse_case
from pytest_loadtool.model.case import Header, Page, Request, TestCase, Transaction
from tests.casefile.models import FILES, cases


@FILES
@given(cases())
def test_a_case_reads_back_as_it_was_written(case: TestCase) -> None:
    """Any test case, whatever characters are in it, is the same after writing and reading. Written
    once more it is the same text, so a save makes no empty diff. A transaction's line is the one of
    its table header, whatever strings stand before it."""
    text = format_case(case)
    read = parse_case(text, "x.case.toml")
    assert read == case
    assert format_case(read) == text
    lines = text.split("\n")
    for transaction in read.transactions():
        assert lines[transaction.line - 1] == "[[page.transaction]]"


def written(**request: object) -> str:
    """The file of a case with one such request, without the first lines."""
    transaction = Transaction(Request(**{"method": "GET", "target": "/", **request}))  # type: ignore[arg-type]
    case = TestCase("x", (Page("p", (transaction,)),), server="http://h")
    return format_case(case).partition("[[page.transaction]]\n")[2]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("a=1", 'body = "a=1"'),
        ("", 'body = ""'),
        ('{"a": 1}', "body = '{\"a\": 1}'"),
        (r"a\b", r"body = 'a\b'"),
        ('it\'s "so"', r'body = "it' + r"'s \"so\"" + '"'),
        ("tab\tand \x07", r'body = "tab\tand \u0007"'),
        ("line end\r\n", r'body = "line end\r\n"'),
        ("two\nlines \\", "body = '''\ntwo\nlines \\'''"),
        ("it's '''\ntwo lines", 'body = """\nit\'s \'\'\'\ntwo lines"""'),
        ('"form"\r\n""two\\"', 'body = """\n"form"\\r\n\\""two\\\\\\""""'),
        ("space at the end \nof a line", r'body = "space at the end \nof a line"'),
        ("right to left \u202e", r'body = "right to left \u202E"'),
        (b"\x00\xff", 'body_base64 = "AP8="'),
    ],
)
def test_a_body_is_written_in_the_form_with_the_fewest_escapes(
    body: str | bytes, line: str
) -> None:
    """Quotes, backslashes and lines of a body stay readable where TOML has a way."""
    text = written(body=body)
    assert text == f'request = "GET /"\n{line}\n'
    key, value = next((k, v) for k, v in tomllib.loads(text).items() if k.startswith("body"))
    assert (key, value) == (("body", body) if isinstance(body, str) else ("body_base64", "AP8="))


def test_short_header_lists_stand_on_one_line_and_long_ones_on_several() -> None:
    """Arrays up to 100 columns are one line; longer ones have a line per header."""
    short = (Header("Accept", "text/html"), Header("Host"), Header("X-Empty", ""))
    assert 'headers = ["Accept: text/html", "Host", "X-Empty:"]\n' in written(headers=short)
    long = (Header("Accept", "a" * 40), Header("Origin", "b" * 40))
    assert written(headers=long) == (
        f'request = "GET /"\nheaders = [\n  "Accept: {"a" * 40}",\n  "Origin: {"b" * 40}",\n]\n'
    )


def test_what_a_transaction_refreshes() -> None:
    """It is written after what the transaction is, and read back."""
    lines = [
        "format = 1",
        'name = "c"',
        'server = "http://h"',
        "",
        "[[page]]",
        'name = "p"',
        "",
        "[[page.transaction]]",
        'request = "POST /token"',
        "extractors = [",
        '  { variable = "token[1]", json = "$.token" },',
        "]",
        "",
        "[[page.transaction]]",
        'request = "POST /refresh"',
        'refreshes = "token[1]"',
        "extractors = [",
        '  { variable = "token[2]", json = "$.token" },',
        "]",
    ]
    text = "\n".join(lines) + "\n"
    case = parse_case(text, "c.case.toml")
    assert [one.refreshes for one in case.transactions()] == ["", "token[1]"]
    assert format_case(case) == text
