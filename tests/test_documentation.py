"""The documentation hangs together: its links lead somewhere, and everything is linked."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, get_args

import pytest

from pytest_loadtool.casefile import read_load
from pytest_loadtool.load.cluster import merger
from pytest_loadtool.load.verdict import verdict
from pytest_loadtool.model import kept_replay
from pytest_loadtool.replay import control
from tests.end_to_end.following import steps

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
RUNS = sorted((DOCS / "images" / "runs").glob("*.load.toml"))
PAGES = [*ROOT.glob("*.md"), *DOCS.glob("*.md"), ROOT / "example_suite" / "README.md"]


class Link(NamedTuple):
    """A link to something of this project."""

    is_picture: bool
    text: str
    path: Path
    anchor: str


def prose(page: Path) -> str:
    """The page without its examples, in which ``#`` and brackets mean something else."""
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def links(page: Path) -> Iterator[Link]:
    for mark, text, target in re.findall(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", prose(page)):
        path, _, anchor = target.partition("#")
        if "://" not in target:
            yield Link(bool(mark), text, (page.parent / path).resolve() if path else page, anchor)


def headings(page: Path) -> set[str]:
    """The anchors that GitHub gives to the page's headings."""
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    """To a file that there is, and a heading that it has; and each picture says what it shows."""
    for link in links(page):
        assert link.path.exists(), link
        assert not link.anchor or link.anchor in headings(link.path), link
        assert link.text, link


def test_no_page_has_a_section_twice() -> None:
    """As two people leave behind who edit it at the same time."""
    for page in DOCS.glob("*.md"):
        titles = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
        assert sorted(titles) == sorted(set(titles)), page


def test_the_overview_has_every_page() -> None:
    """docs/index.md links each page of its folder."""
    index = DOCS / "index.md"
    assert {link.path for link in links(index)} >= {*DOCS.glob("*.md")} - {index}


def test_the_contents_of_the_load_page() -> None:
    """All its sections, in their order."""
    page = DOCS / "load.md"
    contents = re.findall(r"^- \[(.*)\]\(#", prose(page), re.MULTILINE)
    assert contents == re.findall(r"^## (.*)$", prose(page), re.MULTILINE)


def test_every_picture_is_shown() -> None:
    """No page shows a picture that no script in docs/images makes, and none is made in vain."""
    scripts = "".join(one.read_text() for one in (DOCS / "images").glob("*.py"))
    made = re.findall(r'^    "(\w+)": (?:Picture|Exchange)\(', scripts, re.MULTILINE)
    tutorial = steps((DOCS / "tutorial.md").read_text(encoding="utf-8"))  # its test makes them
    made += [Path(step.text).stem for step in tutorial if step.kind == "picture"]
    shown = {link.path.stem for page in PAGES for link in links(page) if link.is_picture}
    files = {one for one in (DOCS / "images").iterdir() if one.suffix in (".svg", ".png")}
    assert shown == set(made) == {file.stem for file in files}


def test_the_pictures_of_exchanges_are_as_their_script_makes_them() -> None:
    """Without an edit of one that the other does not have."""
    script = runpy.run_path(str(DOCS / "images" / "exchanges.py"))
    for name, exchange in script["EXCHANGES"].items():
        text = "\n".join(script["drawn"](exchange)) + "\n"
        assert (DOCS / "images" / f"{name}.svg").read_text() == text


@pytest.mark.parametrize("file", RUNS, ids=lambda file: file.stem)
def test_the_load_tests_in_the_pictures_can_be_run(file: Path) -> None:
    """Their files are right, and each is in a picture."""
    assert read_load(file).cases
    assert file.name in (DOCS / "images" / "make.py").read_text()


@pytest.mark.promise(47)
@pytest.mark.parametrize(
    ("of", "states"),
    [
        ("a transaction of a kept replay", get_args(kept_replay.Outcome)),
        ("a kept replay", get_args(kept_replay.Ending)),
        ("a replay under way", get_args(control.State)),
        ("a load test's verdict", get_args(verdict.Outcome)),
        ("a worker of a load test", get_args(merger.WorkerState)),
    ],
)
def test_states(of: str, states: tuple[str, ...]) -> None:
    """The glossary has the states of each object that has some, and no others."""
    page = (DOCS / "glossary.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith(f"| {of} |"))
    told = re.sub(r" \([^()]*\)", "", row.split("|")[2])
    assert tuple(one.strip() for one in told.split(",")) == states
