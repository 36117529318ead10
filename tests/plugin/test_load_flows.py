"""Flows and parts in all that a load test writes: as often as the server was asked."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case
from tests.plugin.test_html import data_of

CASE = """\
format = 1
name = "Reports"
server = "{url}"

[flows.browse]
repeat = "2-3"

[flows.ready]
until = {{ text = "never" }}
every = "10ms"
limit = "25ms"

[flows.lucky]
when = {{ value = "${{luck}}", equals = "yes" }}

[flows.unlucky]
when = {{ value = "${{luck}}", equals = "no" }}

[flows.afterwards]
choose = {{ download = 3, share = 2, nothing = 2 }}

[variables]
luck = "yes"

[[page]]
name = "Log in"
once = "start"
[[page.transaction]]
request = "GET /in"

[[page]]
name = "Browse"
flow = "browse"
[[page.transaction]]
request = "GET /browse"

[[page]]
name = "Wait"
[[page.transaction]]
request = "GET /ready"
flow = "ready"
[[page.transaction]]
request = "GET /lucky"
flow = "lucky"
[[page.transaction]]
request = "GET /unlucky"
flow = "unlucky"

[[page]]
name = "Download"
flow = "download"
[[page.transaction]]
request = "GET /download"

[[page]]
name = "Share"
flow = "share"
[[page.transaction]]
request = "GET /share"

[[page]]
name = "Log out"
once = "end"
[[page.transaction]]
request = "GET /out"
"""
USERS, ITERATIONS = 4, 6


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_as_often_as_the_server_was_asked(
    pytester: pytest.Pytester, server: Server, workers: tuple[str, ...]
) -> None:
    """Rounds, what had not ended within its limit, what was chosen, and what each user did once:
    in the JSON, the tables, the page and the terminal."""
    project = Project(pytester.path, pytester)
    more = f'iterations = {ITERATIONS}\nmax_error_rate = "100%"'
    project.write(
        reports__case__toml=CASE.format(url=server.url),
        rush__load__toml=load("reports.case.toml", users=USERS, duration="60s", more=more),
    )
    done = project.run(
        *("--load", "--load-json", "out.json", "--load-html", "out.html", "--load-csv", "out"),
        *workers,
    )
    run = project.json()
    asked = {name: server.requests.count(f"GET /{name}") for name in _PATHS}
    times = USERS * ITERATIONS
    flows = {one["name"]: one for one in run["flows"]}
    assert [*flows] == [
        *("browse", "ready", "lucky", "unlucky"),
        *("afterwards", "nothing", "download", "share"),
    ]
    begun = {name: one["begun"] for name, one in flows.items()}
    rounds = {name: one["rounds"] for name, one in flows.items()}
    assert {begun[name] for name in ("browse", "ready", "lucky", "unlucky", "afterwards")} == {
        times
    }
    for name in ("browse", "ready", "lucky", "unlucky", "download", "share"):
        assert rounds[name] == asked[name], name
    assert rounds["lucky"] == times
    assert rounds["unlucky"] == 0
    assert begun["download"] + begun["share"] + begun["nothing"] == times
    assert min(begun["download"], begun["share"], begun["nothing"]) > 0
    assert flows["ready"]["limited"] == times == run["totals"]["errors"]
    assert {one["name"] for one in run["flows"] if one["within"] == "afterwards"} == {
        *("download", "share", "nothing")
    }
    assert {one["name"]: one["count"] for one in run["pages"] if one["once"]} == {
        "Log in": USERS,
        "Log out": USERS,
    }
    _shown(run, pytester.path, done.stdout)


_PATHS = ("in", "browse", "ready", "lucky", "unlucky", "download", "share", "out")


def _shown(run: dict[str, Any], folder: Path, text: str) -> None:
    """See that tables, page and terminal have the same."""
    with (folder / "out" / "flows.csv").open(newline="") as file:
        cells = [*csv.DictReader(file)]
    for one, row in zip(run["flows"], cells, strict=True):
        assert {key: row[key] for key in one} == {
            key: str(one[key] or "") or row[key] for key in one
        }
    with (folder / "out" / "pages.csv").open(newline="") as file:
        assert [one["once"] for one in csv.DictReader(file)] == ["start", "", "", "", "", "end"]
    html = (folder / "out.html").read_text()
    for name, one in {one["name"]: one for one in run["flows"]}.items():
        line = next(line for line in text.splitlines() if line.split()[:1] == [name])
        assert f" {one['begun']} " in f"{line} "
        assert f'<td class="number">{one["begun"]}</td>' in html
    assert "  Log in (once, at the start)" in text
    assert f"{run['flows'][1]['limited']} ended by the limit" in text
    rows = data_of(folder / "out.html")["runs"][0]["rows"]
    assert {one["name"] for one in rows if one.get("mark") == "once, at the end"} == {
        "Log out",
        "GET /out",
    }


def test_without_flows_there_is_nothing(pytester: pytest.Pytester, server: Server) -> None:
    """No table, no row."""
    project = Project(pytester.path, pytester)
    project.write(
        plain__case__toml=case(server.url, "GET /"),
        rush__load__toml=load("plain.case.toml", duration="60s", more="iterations = 1"),
    )
    done = project.run("--load", "--load-json", "out.json")
    assert project.json()["flows"] == []
    assert "begun" not in done.stdout
