"""The reader of test cases."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_loadtool.casefile import parse_case, parse_load, read_case
from pytest_loadtool.casefile.syntax import json_path
from pytest_loadtool.casefile.toml.schema import FORMAT
from pytest_loadtool.errors import FileError
from pytest_loadtool.extraction.jsonpath import compile_path
from pytest_loadtool.model.authentication import Identity, Proxy
from pytest_loadtool.model.case import (
    Header,
    Kind,
    Page,
    Recorded,
    Request,
    TestCase,
    Transaction,
    Variable,
)
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.validator import StatusCodes, TextValidator
from tests.casefile.models import FILES

TOP = 'format = 1\nname = "Shop"\nserver = "http://127.0.0.1:8000"\n'
HOME = '\n[[page]]\nname = "Home"\n\n[[page.transaction]]\nrequest = "GET /"\n'


@pytest.mark.promise(44)
@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("", ((200, 399),)),
        ("status = 404", ((404, 404),)),
        ('status = "404"', ((404, 404),)),
        ('status = "200-299"', ((200, 299),)),
        ('status = [200, "300 - 399", 404]', ((200, 200), (300, 399), (404, 404))),
    ],
)
def test_the_status_validator_takes_a_code_a_range_or_a_list(
    text: str, ranges: tuple[tuple[int, int], ...]
) -> None:
    """Edited, it accepts what the file says instead of 200 to 399."""
    (transaction,) = parse_case(f"{TOP}{HOME}{text}\n", "x").transactions()
    assert transaction.status == StatusCodes(ranges)


def test_identities_and_the_proxy_have_their_fields() -> None:
    """Texts as written; the domain before the user name; a proxy's method; what is left out."""
    case = parse_case(
        TOP
        + r"""
[[identity]]
username = 'OFFICE\alice'
password = "${PASSWORD}"
ahead = true

[[identity]]
username = "${users.username}"
password = ""
domain = "${users.domain}"
realm = 'the "inner" realm'
host = "[::1]:8443"

[proxy]
url = "http://proxy.example:3128"
username = "bob"
password = "${PASSWORD}"
domain = "OFFICE"
method = "ntlm"

[datasets.users]
file = "users.csv"
"""
        + HOME
        + """
[variables]
PASSWORD = { keyring = "office", username = "alice" }
""",
        "x",
    )
    domain = "${users.domain}"
    assert case.identities == (
        Identity("OFFICE\\alice", "${PASSWORD}", ahead=True),
        Identity("${users.username}", "", domain, 'the "inner" realm', "[::1]:8443"),
    )
    assert case.proxy == Proxy("http://proxy.example:3128", "bob", "${PASSWORD}", "OFFICE", "ntlm")
    assert case.variables["PASSWORD"] == Variable("PASSWORD", keyring="office", username="alice")


@pytest.mark.promise(20)
@pytest.mark.promise(21)
@pytest.mark.promise(22)
def test_pages_and_transactions_have_their_fields() -> None:
    """A page has a name and transactions; a transaction its request and what was recorded."""
    case = parse_case(
        TOP
        + """
[[page]]
name = "Cart"
think_time = "1.5s"

[[page.transaction]]
request = "POST /cart?item=7"
name = "add"
headers = ["Accept: */*", "Host", "X-Empty:", "X-Spaced:  a "]
body = 'a=$${b}'
validators = [{ text = "7", absent = true }]
recorded = { status = 201, kind = "JavaScript", entry = 3, at = 1, took = 0.25, pause = 0.6 }

[[page.transaction]]
request = "PUT http://other.test/x"
body_base64 = "/w =="
""",
        "x",
    )
    assert case == TestCase(
        "Shop",
        (
            Page(
                "Cart",
                (
                    Transaction(
                        Request(
                            "POST",
                            "/cart?item=7",
                            (
                                Header("Accept", "*/*"),
                                Header("Host"),
                                Header("X-Empty", ""),
                                Header("X-Spaced", " a "),
                            ),
                            "a=$${b}",
                        ),
                        "add",
                        validators=(TextValidator("7", absent=True),),
                        recorded=Recorded(201, Kind.JAVASCRIPT, 3, 1.0, 0.25, pause=0.6),
                    ),
                    Transaction(Request("PUT", "http://other.test/x", body=b"\xff")),
                ),
                1.5,
            ),
        ),
        server="http://127.0.0.1:8000",
    )
    assert [one.line for one in case.transactions()] == [9, 17]


@pytest.mark.promise(22)
@pytest.mark.parametrize("kind", ["HTML", "image", "CSS", "JavaScript", "JSON", "XML", "other"])
def test_every_kind_has_its_name_in_the_file(kind: str) -> None:
    """The kinds of transactions are written as the tree shows them."""
    text = f'{TOP}{HOME}recorded = {{ status = 200, kind = "{kind}" }}\n'
    (transaction,) = parse_case(text, "x").transactions()
    assert transaction.recorded == Recorded(200, Kind(kind))


@pytest.mark.promise(137)
def test_a_newer_format_is_refused_by_name() -> None:
    """Whatever else a newer file holds, the one thing said is that it is newer."""
    for parse in (parse_case, parse_load):
        with pytest.raises(FileError) as caught:
            parse(f"format = {FORMAT + 1}\nunknown = 1\n", "x.toml")
        assert str(caught.value) == (
            f"x.toml:1: format: format {FORMAT + 1} was made by a newer pytest-loadtool: "
            f"upgrade it (this one reads format {FORMAT})"
        )


def test_datasets_are_read_beside_the_case(tmp_path: Path) -> None:
    """A dataset's file is relative to the case, and its columns are known."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "users.csv").write_text("username\nanna\n")
    path = tmp_path / "x.case.toml"
    path.write_text(
        f"{TOP}\n[datasets.users]\nfile = 'data/users.csv'\nlifespan = 'virtual user'\n"
        f"{HOME}body = '${{users.username}}'\n"
    )
    use = DatasetUse("users", "data/users.csv", "virtual user")
    assert read_case(path).datasets == (use,)


def test_a_column_is_looked_for_only_where_files_are(tmp_path: Path) -> None:
    """Parsing alone opens no file."""
    text = f"{TOP}[datasets.users]\nfile = 'none.csv'\n{HOME}body = '${{users.any}}'\n"
    assert parse_case(text, "x").datasets == (DatasetUse("users", "none.csv"),)


def test_windows_line_ends_mean_the_same() -> None:
    """A file that git gave CRLF line ends is the same case, on the same lines."""
    text = f"{TOP}{HOME}"
    assert parse_case(text.replace("\n", "\r\n"), "x") == parse_case(text, "x")
    with pytest.raises(FileError, match=r"^x:9: page\[0\]\.transaction\[0\]\.request"):
        parse_case(text.replace("GET", "G@T").replace("\n", "\r\n"), "x")


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 5000, "a = " + "1" * 5000, "a." * 3000 + "b = 1", "[" + "a." * 3000 + "b]"],
)
def test_texts_made_to_break_a_parser_are_answered_too(text: str) -> None:
    """Deep nesting and endless numbers end in an error for the user, not in a traceback."""
    with pytest.raises(FileError):
        parse_case(text, "x")


@FILES
@given(st.text(max_size=40) | st.from_regex(r"(\w+ = .*\n|\[{1,2}\w+\]{1,2}\n){1,6}"))
def test_any_text_is_a_case_or_an_error_for_the_user(text: str) -> None:
    """Whatever is in the file: no other exception comes out."""
    with pytest.raises(FileError):
        parse_case(text, "x")


_ANY_TOML = st.recursive(
    st.sampled_from(["1", "true", "1.5", "'x'", "'GET /'", "1979-05-27", "'${x}'", "'1s'", "200"]),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda all_: f"[{', '.join(all_)}]")
        | st.dictionaries(
            st.sampled_from(
                ["name", "request", "text", "json", "regex", "variable", "form", "value", "file"]
            ),
            inner,
            max_size=3,
        ).map(lambda pairs: "{" + ", ".join(f"{k} = {v}" for k, v in pairs.items()) + "}")
    ),
    max_leaves=6,
)
_KEYS = [
    "name",
    "server",
    "server_fixture",
    "fixtures",
    "marks",
    "hosts",
    "tls",
    "headers",
    "datasets",
    "page",
    "variables",
    "transaction",
    "request",
    "body",
    "body_base64",
    "status",
    "extractors",
    "validators",
    "recorded",
    "think_time",
]


@FILES
@given(st.dictionaries(st.sampled_from(_KEYS), _ANY_TOML, max_size=6), st.data())
def test_any_value_anywhere_is_read_or_refused(pairs: dict[str, str], data: st.DataObject) -> None:
    """Values of every type under every key: a case or an error, never a traceback."""
    lines = [f"{key} = {value}" for key, value in pairs.items()]
    place = data.draw(st.integers(0, len(lines)))
    lines[place:place] = data.draw(st.sampled_from([[], ["[[page]]"], HOME.split("\n")]))
    text = "\n".join(["format = 1", *lines])
    with contextlib.suppress(FileError):
        parse_case(text, "x")


_STEPS = st.sampled_from(
    [
        "$",
        ".a",
        ".where",
        ".*",
        "[0]",
        "[*]",
        "['a b']",
        '["]"]',
        "..",
        "[",
        "]",
        "[?(@.a==1)]",
        "[?(@==1)]",
        " ",
    ]
)


@FILES
@given(st.lists(_STEPS, max_size=5).map("".join))
def test_the_reader_accepts_the_json_paths_that_replay_understands(path: str) -> None:
    """Neither is a path refused that would work, nor one accepted that fails on replay."""
    outcomes = []
    for read in (json_path, lambda text: compile_path(text, 1)):
        try:
            read(path)
        except ValueError:
            outcomes.append("refused")
        else:
            outcomes.append("accepted")
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("$[" + "5" * 5000 + "]", "bad JSON path"),
        ("$..[" + "5" * 5000 + "]", "bad JSON path"),
        ("$[?(@.a > " + "5" * 5000 + ")]", "bad JSON path"),
        ("$[?(@.a =~ '(')]", "bad regular expression"),
    ],
)
def test_json_paths_that_cannot_be(path: str, message: str) -> None:
    """Numbers that are too long for Python, and patterns in them that are none."""
    lines = [*CASE, f"extractors = [{{ variable = 'x', json = {json.dumps(path)} }}]"]
    with pytest.raises(FileError, match=rf"extractors\[0\].json: {message}") as caught:
        parse_case("\n".join(lines), "shop.case.toml")
    assert caught.value.line == len(lines)
    with pytest.raises(ValueError, match="is not a JSON path"):
        compile_path(path, 1)


#: Up to the keys of a transaction.
CASE = (
    *("format = 1", 'name = "shop"', 'server = "http://localhost"', "[[page]]", 'name = "p"'),
    *("[[page.transaction]]", 'request = "GET /"'),
)


def test_numbers_of_a_state_in_fields_that_are_too_long() -> None:
    """A field has a number below that of the fields."""
    name = "state" + "5" * 5000
    lines = [*CASE, f"extractors = [{{ variable = 'x', form = '{name}', split = 3 }}]"]
    with pytest.raises(FileError, match="are numbered up to 2"):
        parse_case("\n".join(lines), "shop.case.toml")


def test_importing_the_room_is_cheap() -> None:
    """None of the large libraries is imported before a file needs it."""
    code = "import sys, pytest_loadtool.casefile; print(*sys.modules)"
    output = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    large = {"pytest", "mitmproxy", "httpx", "rich", "prompt_toolkit", "jsonpath_ng", "asyncio"}
    assert large.isdisjoint(output.split())
