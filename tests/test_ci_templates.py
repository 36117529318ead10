"""The templates of docs/ci.md: each is read as its CI reads it, its shell lines are run by a shell,
and what they have pytest do is done, with the example."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import tree_sitter_groovy
import yaml
from tree_sitter import Language, Parser

from example_suite.server import ShopServer

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")

#: What each CI gives to every job, of what the templates use; and the secret of GitLab's comment.
GIVEN = {
    "GITHUB_STEP_SUMMARY": "summary.md",
    "CI_PROJECT_DIR": ".",
    "CI_API_V4_URL": "http://gitlab.example/api/v4",
    "CI_PROJECT_ID": "1",
    "CI_MERGE_REQUEST_IID": "7",
    "API_TOKEN": "t0ken",
}
#: The values of what the templates define, for a run that takes a moment.
SET = {
    "USERS": "4",
    "DURATION": "1s",
    "SHOP_PASSWORD": "secret1",
    "PULL_REQUEST": "7",
    "GH_TOKEN": "t0ken",
    "PIP_CACHE_DIR": ".cache/pip",
}

FUNCTIONAL = shlex.split(
    "example_suite --base-url URL --loadtool-trace --junitxml=results/functional.xml "
    "--loadtool-html results/functional.html"
)
LOAD = shlex.split(
    "example_suite --load -n 2 --base-url URL --users 4 --duration 1s "
    "--load-save history/runs.json --load-history 10 --junitxml=results/load.xml "
    "--load-json results/load.json --load-html results/load.html --load-summary results/load.md"
)
COMPARED = [*LOAD[:10], "--load-compare", "history/runs.json", *LOAD[10:]]


@dataclass(frozen=True, slots=True)
class Template:
    """The shell lines of a template by job, what it defines for them, and what it keeps."""

    functional: tuple[str, ...]
    load: tuple[str, ...]
    defined: frozenset[str]
    kept: frozenset[str]


def _block(language: str, number: int = 0) -> str:
    return str(re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[number])


def github() -> Template:
    document = yaml.safe_load(_block("yaml"))
    assert set(document[True]) == {"push", "pull_request", "schedule", "workflow_dispatch"}  # on:
    jobs: dict[str, Any] = document["jobs"]
    steps = {name: job["steps"] for name, job in jobs.items()}
    runs = {name: tuple(one["run"] for one in some if "run" in one) for name, some in steps.items()}
    every = [one for some in steps.values() for one in some]
    assert all(("run" in one) != ("uses" in one) for one in every)
    scopes = [document, *jobs.values(), *every]
    return Template(
        runs["functional"],
        runs["load"],
        frozenset(name for one in scopes for name in one.get("env", ())),
        frozenset(
            path
            for one in every
            if "upload-artifact" in one.get("uses", "")
            for path in one["with"]["path"].split()
        ),
    )


def gitlab() -> Template:
    document = yaml.safe_load(_block("yaml", 1))
    jobs = {name: document[name] for name in ("functional", "load")}
    assert {one["stage"] for one in jobs.values()} == {*document["stages"]}
    scripts = {name: (*one["script"], *one.get("after_script", ())) for name, one in jobs.items()}
    kept = [one["artifacts"] for one in jobs.values()]
    return Template(
        ("\n".join(scripts["functional"]),),
        ("\n".join(scripts["load"]),),
        frozenset(document["variables"]),
        frozenset(path for one in kept for path in (*one["paths"], one["reports"]["junit"])),
    )


def jenkins() -> Template:
    text = _block("groovy").encode()
    root = Parser(Language(tree_sitter_groovy.language())).parse(text).root_node
    assert not root.has_error, root
    lines = [one.decode() for one in re.findall(rb"sh '''\n(.*?)'''", text, re.DOTALL)]
    install, functional, load = map(textwrap.dedent, lines)
    defined = re.findall(rb"string\(name: '(\w+)'|^\s+(\w+) = credentials", text, re.MULTILINE)
    kept = re.findall(rb"(?:artifacts|testResults): '([^']+)'", text)
    return Template(
        (install, functional),
        (load,),
        frozenset((one or other).decode() for one, other in defined),
        frozenset(path for one in kept for path in one.decode().split(", ")),
    )


TEMPLATES = {"GitHub": github, "GitLab": gitlab, "Jenkins": jenkins}


@pytest.fixture
def stand_ins(tmp_path: Path) -> Path:
    """A project folder, and programs that only write down how they are called."""
    for folder in (tmp_path / "bin", tmp_path / ".venv" / "bin"):
        folder.mkdir(parents=True)
        for name in ("pytest", "pip", "python3", "gh", "curl"):
            program = folder / name
            program.write_text(
                f'#!{sys.executable}\nimport json, sys\nopen("called", "a").write('
                f'json.dumps(["{name}", *sys.argv[1:]]) + "\\n")\n'
                f'if "{name}" == "pytest" and "--load" in sys.argv: open("results/load.md", "w")\n'
            )
            program.chmod(0o755)
    return tmp_path


def _shell(lines: str, folder: Path, values: dict[str, str]) -> None:
    """As GitHub and GitLab run it; Jenkins with fewer options."""
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", lines],
        cwd=folder,
        env={"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", **values},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr


@pytest.mark.parametrize("name", TEMPLATES)
@pytest.mark.parametrize("is_first", [True, False])
def test_what_a_template_calls(name: str, is_first: bool, stand_ins: Path) -> None:
    """All three have pytest do the same, on the first night and on later ones; no variable of their
    shell lines is undefined, and what they publish is what was written."""
    template = TEMPLATES[name]()
    lines = [*template.functional, *template.load]
    used = {one for text in lines for one in re.findall(r"\$\{?([A-Z]\w*)", text)}
    assert used <= template.defined | set(GIVEN)
    if not is_first:
        (stand_ins / "history").mkdir()
        (stand_ins / "history" / "runs.json").touch()
    values = GIVEN | SET | {"BASE_URL": "URL"}
    for text in lines:
        _shell(text, stand_ins, {name: value for name, value in values.items() if name in used})
    called = [json.loads(line) for line in (stand_ins / "called").read_text().splitlines()]
    assert [one[1:] for one in called if one[0] == "pytest"] == [
        FUNCTIONAL,
        LOAD if is_first else COMPARED,
    ]
    assert any(one[:3] == ["pip", "install", "pytest-loadtool"] for one in called)
    published = [one for one in called if one[0] in ("gh", "curl")]
    assert len(published) == (0 if name == "Jenkins" else 1)
    assert all(any("results/load.md" in word for word in one) for one in published)
    if name == "GitHub":
        assert (stand_ins / "summary.md").exists()
    assert not any(isinstance(one, str) and not one for one in template.kept)
    assert {path.partition("/")[0] for path in template.kept} == {"results", "**"} | (
        {"history"} if name == "Jenkins" else set()
    )


def test_what_they_call_is_done(tmp_path: Path) -> None:
    """The functional gate, the first night and the second one, on the example: JUnit, pages,
    summary, history."""
    shutil.copytree(ROOT / "example_suite", tmp_path / "example_suite")
    shop = tmp_path / "example_suite" / "cases" / "shop.load.toml"
    shop.write_text(
        shop.read_text().replace('ramp_up = "2s"', 'ramp_up = "0s"\nthink_time = "none"')
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\nloadtool_think_time = none\n")
    for name in ("results", "history", "server"):
        (tmp_path / name).mkdir()
    results = tmp_path / "results"
    worse = 0
    with ShopServer(tmp_path / "server") as server:
        for command in (FUNCTIONAL, LOAD, COMPARED):
            arguments = [server.url if one == "URL" else one for one in command]
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
            )
            if command is COMPARED:  # this machine may have become slower since
                load = json.loads((results / "load.json").read_text())["runs"][0]
                worse = int(any(one["regression"] for one in load["comparison"]["changes"]))
            assert done.returncode == worse, done.stdout + done.stderr
        url = server.url
    assert load["comparison"]["baseline"]["runs"] == 1
    assert len(json.loads((tmp_path / "history" / "runs.json").read_text())["runs"]) == 2
    for name, tests in (("functional", 2), ("load", 1)):
        suite = ElementTree.parse(results / f"{name}.xml").getroot()[0]
        assert (suite.get("tests"), suite.get("errors")) == (str(tests), "0")
        assert "</html>" in (results / f"{name}.html").read_text()
    assert url in (results / "load.html").read_text()
    assert (results / "load.md").read_text().startswith("#")
