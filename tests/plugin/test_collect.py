"""Test case files as pytest collects them: names, marks, and what is wrong with a bad file."""

from __future__ import annotations

import pytest

from pytest_loadtool.plugin.paths import slug
from tests.plugin.serving import Server, case, write

NOWHERE = "http://127.0.0.1:9"


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("checkout", "checkout"),
        ("v1.2_check-out", "v1.2_check-out"),
        ("check out [admin]", "check-out-admin"),
        ("Bücher", "B-cher"),
        ("購物", "case"),
    ],
)
def test_slug(stem: str, name: str) -> None:
    """Names keep to characters that every part of pytest can handle."""
    assert slug(stem) == name


def test_collect_only(pytester: pytest.Pytester) -> None:
    """A case file holds one test, called after the file; its title is the test's description."""
    pytester.mkdir("cases")
    write(pytester, "cases/check out", case(NOWHERE, "GET /", "GET /x"))
    pytester.makepyfile("def test_python(): pass")
    (pytester.path / "pyproject.toml").write_text("[tool.other]\n")
    (pytester.path / "week.load.toml").write_text("not read")
    result = pytester.runpytest("--collect-only", "-v")
    result.stdout.fnmatch_lines(
        ["*collected 2 items", "*<CaseFile check out.case.toml>", "*<CaseItem check-out>"]
    )
    result.stdout.fnmatch_lines(["*A visit to the shop"])
    result = pytester.runpytest("--collect-only", "-q")
    result.stdout.fnmatch_lines(["cases/check out.case.toml::check-out"])


def test_what_is_uploaded_is_no_test(pytester: pytest.Pytester) -> None:
    """Not a program in the folder beside a test case; in another folder it is."""
    write(pytester, "shop", case(NOWHERE, "GET /"))
    for folder in ("shop.files", "other.files"):
        pytester.mkdir(folder).joinpath("test_it.py").write_text("def test_uploaded(): pass")
    output = pytester.runpytest("--collect-only", "-q").stdout.str()
    assert "other.files/test_it.py::test_uploaded" in output
    assert "shop.files" not in output


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_bad_file(pytester: pytest.Pytester, workers: str) -> None:
    """A wrong file is a collection error that names each mistake and its line; no traceback."""
    bad = case(NOWHERE, "GET /").replace("[[page.transaction]]", "[[page.transaktion]]")
    write(pytester, "bad", 'nmae = "x"\n' + bad)
    write(pytester, "good", case(NOWHERE, "GET /"))
    result = pytester.runpytest_subprocess(workers)
    assert result.parseoutcomes()["errors"] == 1
    assert result.ret != 0
    result.stdout.fnmatch_lines(
        [
            "*ERROR collecting bad.case.toml*",
            "bad.case.toml:1: nmae: *did you mean 'name'?",
            "bad.case.toml:6: page[[]0[]].transaktion: *",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    assert str(pytester.path / "bad.case.toml") not in result.stdout.str()


def test_missing_dataset(pytester: pytest.Pytester) -> None:
    """What a case needs besides itself is looked at when it is collected."""
    head = '[datasets.users]\nfile = "users.csv"\n'
    write(pytester, "shop", case(NOWHERE, "GET /?u=${users.name}", head=head))
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*users.csv*no such file*"])
    assert "Traceback" not in result.stdout.str()


def test_unknown_mark_warns_and_names_the_case(pytester: pytest.Pytester, server: Server) -> None:
    """A mark that nobody registered gives pytest's warning, at the case file."""
    write(pytester, "shop", case(server.url, "GET /", head='marks = ["smoke"]'))
    result = pytester.runpytest_subprocess("-m", "smoke")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(
        [
            "shop.case.toml:*",
            "*shop.case.toml:*: PytestUnknownMarkWarning: Unknown pytest.mark.smoke*",
        ]
    )


def test_unknown_mark_is_an_error_where_marks_are_strict(pytester: pytest.Pytester) -> None:
    """Under --strict-markers it is a collection error with the line, and the nearest known mark."""
    pytester.makeini("[pytest]\nmarkers =\n    smoke: quick\n    slow(reason): not quick")
    write(pytester, "shop", case(NOWHERE, "GET /", head='marks = ["slow", "smok"]'))
    result = pytester.runpytest("--strict-markers")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["shop.case.toml:4: marks: 'smok' not found in `markers` configuration option*smoke*"]
    )
    assert "Traceback" not in result.stdout.str()


def test_random_order_of_python_tests_beside(pytester: pytest.Pytester, server: Server) -> None:
    """Cases and Python tests share a run, its fixtures and its conftest."""
    pytester.makeconftest(
        f"""
        import pytest

        @pytest.fixture(scope="session")
        def shop():
            print("STARTED")
            return "{server.url}"
        """
    )
    pytester.makepyfile("def test_shop(shop): assert shop.startswith('http')")
    write(pytester, "shop", case("", "GET /", head='server_fixture = "shop"'))
    result = pytester.runpytest("-s")
    result.assert_outcomes(passed=2)
    assert result.stdout.str().count("STARTED") == 1
