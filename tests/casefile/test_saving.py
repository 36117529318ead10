"""Saving over a file that a person has written in."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.casefile import (
    format_case,
    parse_case,
    read_case,
    read_load,
    save_case,
    save_load,
)
from pytest_loadtool.casefile.toml.positions import scan
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.case import Header, Page, Request, TestCase, Transaction, Variable
from pytest_loadtool.model.extractor import Extractor, FormField
from pytest_loadtool.model.validator import StatusCodes, TextValidator
from tests.casefile.models import FILES, cases

WRITTEN = """\
# The shop, as customers use it.
# Ask Anna before changing it.

format = 1
name = "Shop"
server = "http://127.0.0.1:8000"  # the staging machine

# order matters to the firewall
headers = [  # as Chromium sends them
  "Host",
  # the shop turns others away
  "User-Agent: Mozilla/5.0",
  "Accept",  # differs
]

# ---- arriving ----

[[page]]
name = "Home"
think_time = "2s"  # measured

# polls
[[page.transaction]]
request = "GET /poll"  # one

[[page.transaction]]
request = "GET /poll"  # two
status = 304

# ---- buying ----

[[page]]
name = "Buy"

[[page.transaction]]  # needs stock
request = "POST /buy"
body = "item=7"  # the blue one
extractors = [
  # shown on the page
  { variable = "order", form = "order" },
]
# validators = [{ text = "Thanks" }]

[[page.transaction]]
request = "GET /orders/${order}"

[variables]
# from the wiki
key = "abc"
# nothing below
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A test case file with comments at every kind of place."""
    path = tmp_path / "shop.case.toml"
    path.write_text(WRITTEN)
    return path


def saved(path: Path, edit: Callable[[TestCase], TestCase]) -> str:
    """The text after an edit: it says what the edit says, and saving again does not change it."""
    case = edit(read_case(path))
    save_case(path, case)
    text = path.read_text()
    assert parse_case(text, "x") == case
    save_case(path, case)
    assert path.read_text() == text
    return text


def on_page(number: int, edit: Callable[[Page], Page]) -> Callable[[TestCase], TestCase]:
    """An edit of one page."""

    def whole(case: TestCase) -> TestCase:
        pages = list(case.pages)
        pages[number] = edit(pages[number])
        return replace(case, pages=tuple(pages))

    return whole


def test_saving_without_an_edit_changes_nothing(path: Path) -> None:
    """All comments, and the blank lines around them, stay where they are."""
    assert saved(path, lambda case: case) == WRITTEN


def test_deleting_a_transaction_moves_no_comment_of_others(path: Path) -> None:
    """The second of two like transactions keeps its own; the deleted one's go to what was above."""
    text = saved(path, on_page(0, lambda page: replace(page, transactions=page.transactions[1:])))
    assert text == WRITTEN.replace(
        """\
think_time = "2s"  # measured

# polls
[[page.transaction]]
request = "GET /poll"  # one

[[page.transaction]]
""",
        """\
think_time = "2s"  # measured
# polls
# one

[[page.transaction]]
""",
    )


def test_deleting_a_page_keeps_its_comments(path: Path) -> None:
    """Not into an array of what is above, but below it."""
    text = saved(path, lambda case: replace(case, pages=case.pages[:1]))
    assert (
        """\
request = "GET /poll"  # two
status = 304
# ---- buying ----
# needs stock
# the blue one
# shown on the page
# validators = [{ text = "Thanks" }]

[variables]
"""
        in text
    )


def test_deleting_everything_above_leaves_comments_at_the_end(path: Path) -> None:
    """With nothing above that is still there, comments go to the end of the file."""
    path.write_text(
        '# mine\nserver = "http://h"\nformat = 1\nname = "x"\n[[page]]\nname = "p"\n'
        '[[page.transaction]]\nrequest = "GET http://h/"\n'
    )
    text = saved(path, lambda case: replace(case, server=""))
    assert text.endswith('request = "GET http://h/"\n\n# mine\n')


def test_inserting_moves_no_comment(path: Path) -> None:
    """A new transaction and a new page come without comments and take none."""
    new = Transaction(Request("GET", "/new"))

    def edit(case: TestCase) -> TestCase:
        first, second = case.pages
        first = replace(first, transactions=(new, *first.transactions))
        return replace(case, pages=(Page("New", (new,)), first, second))

    assert saved(path, edit) == WRITTEN.replace(
        "# ---- arriving ----\n",
        '[[page]]\nname = "New"\n\n[[page.transaction]]\nrequest = "GET /new"\n\n'
        "# ---- arriving ----\n",
    ).replace("# polls\n", '[[page.transaction]]\nrequest = "GET /new"\n\n# polls\n')


def test_moving_takes_comments_along(path: Path) -> None:
    """Pages are known by name, not by place."""
    text = saved(
        path,
        lambda case: replace(
            case,
            pages=case.pages[::-1],
            variables={**case.variables, "order": Variable("order", "1")},
        ),
    )
    assert text.index('# ---- buying ----\n\n[[page]]\nname = "Buy"') < text.index(
        '# ---- arriving ----\n\n[[page]]\nname = "Home"'
    )


def test_renaming_a_page_and_editing_a_request_keeps_their_comments(path: Path) -> None:
    """What was edited is known by its neighbours and by what is left of it."""

    def edit(page: Page) -> Page:
        first, second = page.transactions
        request = replace(first.request, target="/buy?ref=${key}")
        return replace(page, name="Buying", transactions=(replace(first, request=request), second))

    text = saved(path, on_page(1, edit))
    assert text == WRITTEN.replace('"Buy"', '"Buying"').replace("POST /buy", "POST /buy?ref=${key}")


def test_new_extractors_and_validators_leave_comments_in_place(path: Path) -> None:
    """What application state management adds stands between the comments of a person."""

    def edit(page: Page) -> Page:
        first, second = page.transactions
        extractors = (Extractor("token", FormField("token")), *first.extractors)
        validators = (TextValidator("Thanks"),)
        first = replace(first, extractors=extractors, validators=validators)
        return replace(page, transactions=(first, second))

    assert """\
extractors = [
  { variable = "token", form = "token" },
  # shown on the page
  { variable = "order", form = "order" },
]
# validators = [{ text = "Thanks" }]

validators = [
  { text = "Thanks" },
]
""" in saved(path, on_page(1, edit))


def test_header_sets_keep_their_comments(path: Path) -> None:
    """Of the table, of each set and of each header, though values change and sets come."""
    path.write_text(
        """\
format = 1
name = "Shop"
server = "http://127.0.0.1:8000"

# as Chromium sends them
[header_sets]
# pages
navigation = [  # typed or clicked
  "Host",
  "User-Agent: Mozilla/5.0",  # the shop turns others away
]

[[page]]
name = "Home"

[[page.transaction]]
request = "GET /"
header_set = "navigation"  # by link
""",
        encoding="utf-8",
    )
    sets = {
        "navigation": (Header("Host"), Header("Accept"), Header("User-Agent", "curl/8")),
        "calls": (Header("Host"),),
    }
    assert (
        saved(path, lambda case: replace(case, header_sets=sets))
        == """\
format = 1
name = "Shop"
server = "http://127.0.0.1:8000"

# as Chromium sends them
[header_sets]
# pages
navigation = [  # typed or clicked
  "Host",
  "Accept",
  "User-Agent: curl/8",  # the shop turns others away
]
calls = ["Host"]

[[page]]
name = "Home"

[[page.transaction]]
request = "GET /"
header_set = "navigation"  # by link
"""
    )


def test_headers_keep_comments_when_their_values_change(path: Path) -> None:
    """A header is known by its name."""
    headers = (Header("Host"), Header("Accept"), Header("User-Agent", "curl/8"))
    assert """\
headers = [  # as Chromium sends them
  "Host",
  "Accept",  # differs
  # the shop turns others away
  "User-Agent: curl/8",
]
""" in saved(path, lambda case: replace(case, headers=headers))


def test_a_default_that_a_person_wrote_stays(path: Path) -> None:
    """What is as usual is left out of new files, but not taken out of a person's."""
    path.write_text(WRITTEN.replace("status = 304", 'status = "200-399"  # no cache'))
    assert 'status = "200-399"  # no cache\n' in saved(path, lambda case: case)
    fresh = path.with_name("fresh.case.toml")
    save_case(fresh, read_case(path))
    assert "200-399" not in fresh.read_text()


def test_another_layout_becomes_ours_with_all_comments(path: Path) -> None:
    """Comments inside what we write as one line move to that line."""
    path.write_text("""\
format = 1
name = "x"
page = [ # inline
  { name = "p", transaction = [
    { request = "GET http://h/", status = [ # codes
      200, # fine
      404, # also fine
    ] },   # first
  ] },
]
[variables.token]   # secret
# not in git
env = "TOKEN"
""")
    assert (
        saved(path, lambda case: case)
        == """\
format = 1
name = "x"
# inline

[[page]]
name = "p"

[[page.transaction]]  # first
request = "GET http://h/"
status = [  # codes
  200,  # fine
  404,  # also fine
]

[variables]
# not in git
token = { env = "TOKEN" }  # secret
"""
    )


def test_of_transactions_that_mean_the_same_each_keeps_its_comments(tmp_path: Path) -> None:
    """What is as usual, written out in only one of them, does not make them change places."""
    path = tmp_path / "x.case.toml"
    text = (
        'format = 1\nname = "x"\n\n[[page]]\nname = "p"\n\n'
        '# one\n[[page.transaction]]\nrequest = "GET http://h/"\n\n'
        '# two\n[[page.transaction]]\nrequest = "GET http://h/"\nstatus = "200-399"\n'
    )
    path.write_text(text)
    assert saved(path, lambda case: case) == text


@FILES
@given(cases(), st.randoms(use_true_random=False))
def test_no_comment_is_ever_lost(case: TestCase, chance: random.Random) -> None:
    """Whatever is commented and whatever is then edited: each comment is there once."""
    text, count = commented(format_case(case), chance)
    after = edited(parse_case(text, "x"), chance)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "x.case.toml"
        path.write_text(text)
        save_case(path, after)
        once = path.read_text()
        save_case(path, after)
        twice = path.read_text()
    assert parse_case(once, "x") == after
    assert [once.count(f"# comment {index}.") for index in range(count)] == [1] * count
    assert twice == once


def commented(text: str, chance: random.Random) -> tuple[str, int]:
    """The text with comments, some with a blank line after them, above keys; and how many."""
    lines = text.split("\n")
    count = 0
    for number in sorted(set(scan(text).lines.values()), reverse=True):
        if chance.random() < 0.5:
            lines[number - 1 : number - 1] = [f"# comment {count}.", *[""] * chance.randint(0, 1)]
            count += 1
    return "\n".join(lines), count


def edited(case: TestCase, chance: random.Random) -> TestCase:
    """Pages and transactions deleted, repeated, renamed and shuffled at random, outside of flows:
    what stands in those would no longer stand together."""
    pages = []
    for page in case.pages:
        transactions = [one for one in page.transactions if chance.random() < 0.8]
        transactions += [one for one in page.transactions if chance.random() < 0.2]
        if chance.random() < 0.3:
            transactions = [replace(one, status=StatusCodes()) for one in transactions]
        if chance.random() < 0.3:
            transactions = [replace(one, extractors=one.extractors[1:]) for one in transactions]
        name = page.name if chance.random() < 0.7 else f"{page.name}!"
        pages.append(replace(page, name=name, transactions=tuple(transactions)))
    pages = [page for page in pages if page.transactions] or list(case.pages)
    for at, page in enumerate(pages):
        straight = tuple(replace(one, flow="") for one in page.transactions)
        pages[at] = replace(page, flow="", transactions=straight)
    chance.shuffle(pages)
    headers = [one for one in case.headers if chance.random() < 0.7]
    return replace(case, flows={}, pages=tuple(pages), headers=tuple(headers))


def test_a_load_configuration_keeps_comments_too(tmp_path: Path) -> None:
    """Cases of a load configuration are known by their file."""
    (tmp_path / "a.case.toml").touch()
    (tmp_path / "b.case.toml").touch()
    path = tmp_path / "x.load.toml"
    text = (
        'format = 1\nname = "x"\nusers = 5  # as in March\nduration = "10s"\n'
        '\n# most visitors\n[[case]]\nfile = "a.case.toml"\n'
        '\n[[case]]\nfile = "b.case.toml"  # rare\n'
    )
    path.write_text(text)
    load = read_load(path)
    save_load(path, replace(load, users=7, cases=load.cases[1:]))
    assert path.read_text() == (
        'format = 1\nname = "x"\nusers = 7  # as in March\nduration = "10s"\n# most visitors\n'
        '\n[[case]]\nfile = "b.case.toml"  # rare\n'
    )


def test_a_file_that_is_no_longer_toml_is_not_overwritten(path: Path) -> None:
    """A person is in the middle of an edit: their text is safe, and they are told where it is."""
    case = read_case(path)
    path.write_text(WRITTEN.replace('name = "Shop"', 'name = "Shop'))
    broken = path.read_bytes()
    with pytest.raises(FileError, match=r"shop\.case\.toml:5: not saved: .* not valid TOML"):
        save_case(path, case)
    assert path.read_bytes() == broken
