"""Files with rules: whose come first, and what is said when one is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.casefile import case_rules, package_rules, parse_case, read_rules
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.place import Place
from pytest_loadtool.model.rule import NamePatterns, ProducerKind, Rule

CASE = """\
format = 1
name = "Shop"
server = "http://127.0.0.1:8000"

[asm]
rules = ["own.rules.toml", "../team.rules.toml"]

[[page]]
name = "Home"

[[page.transaction]]
request = "GET /"
"""


def rules_file(path: Path, name: str) -> Path:
    path.write_text(f'format = 1\n\n[[rule]]\nname = "{name}"\nused_as = ["x"]\n')
    return path


@pytest.mark.parametrize("text", ["{", "{}", "{0}", "{field[a]}", "{field.x}", "{other}"])
def test_what_cannot_be_filled_in(tmp_path: Path, text: str) -> None:
    """Whatever is wrong with the braces of a sentence is found when it is read."""
    path = tmp_path / "a.rules.toml"
    path.write_text(f'format = 1\n[[rule]]\nname = "a"\nused_as = ["x"]\nreason = "{text}"\n')
    with pytest.raises(FileError, match=r":5: rule\[0\]\.reason: .*: only {field} and {producer}"):
        read_rules(path)


def test_every_key_of_a_rule(tmp_path: Path) -> None:
    """What the file says is what the rule has; what it leaves out is as usual."""
    path = tmp_path / "all.rules.toml"
    path.write_text(
        'format = 1\n[[rule]]\nname = "a"\nreason = "{field}: {producer}"\nunfound = "{field}"\n'
        'confidence = 1\nused_as = ["x"]\nproduced_as = ["y"]\nvalue = "z+"\npattern = "(z+)"\n'
        'places = ["path segment"]\nkinds = ["link", "text"]\nevidence = ["served"]\n'
        'variable = "v"\nmatches = 2\nleave = true\n[[rule]]\nname = "b"\nvalue = "."\n'
    )
    assert read_rules(path) == (
        Rule(
            "a",
            "{field}: {producer}",
            1.0,
            (ProducerKind.LINK, ProducerKind.TEXT),
            frozenset({Place.PATH}),
            NamePatterns(("x",)),
            NamePatterns(("y",)),
            "z+",
            "(z+)",
            ("served",),
            "v",
            2,
            True,
            "{field}",
        ),
        Rule("b", value="."),
    )


def test_whose_rules_come_first(tmp_path: Path) -> None:
    """Those of the test case in its order, then the project's, then the package's."""
    folder = tmp_path / "cases"
    folder.mkdir()
    rules_file(folder / "own.rules.toml", "own")
    rules_file(tmp_path / "team.rules.toml", "team")
    project = rules_file(tmp_path / "project.rules.toml", "project")
    case = parse_case(CASE, "shop.case.toml")
    rules = case_rules(case, folder / "shop.case.toml", project=[project])
    assert [rule.name for rule in rules[:3]] == ["own", "team", "project"]
    assert rules[3:] == package_rules()


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    """The test case's line is named, and the nearest file."""
    path = tmp_path / "shop.case.toml"
    path.write_text(CASE)
    rules_file(tmp_path / "own.rule.toml", "own")
    with pytest.raises(FileError) as caught:
        case_rules(parse_case(CASE, "x"), path)
    assert str(caught.value) == (
        f"{path}:6: asm.rules: no such file: own.rules.toml: did you mean 'own.rule.toml'?"
    )


def test_the_names_of_fields() -> None:
    """Case, hyphens and underscores do not matter; a star stands for anything."""
    names = NamePatterns(("X-CSRF-Token", "__VIEWSTATE*", "data[_Token][key]"))
    for name in ("x_csrftoken", "__VIEWSTATE", "__VIEWSTATE12", "data[_Token][key]"):
        assert name in names
    for name in ("csrf_token", "VIEW", "my__VIEWSTATE"):
        assert name not in names
    assert not NamePatterns()
