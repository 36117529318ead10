"""Load tests on a Dask cluster: real schedulers and workers, and a server that counts."""

from __future__ import annotations

import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fleet.clusters import FAST_CLOCK, Cluster, cluster
from tests.plugin.loading import Project, load, wait_until
from tests.plugin.serving import Server, case, serving, transaction


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster for all tests that leave it as it was."""
    with cluster(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that knows what it was asked."""
    with serving() as found:
        yield found


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A folder with a project in it."""
    (tmp_path / "cases").mkdir()
    return Project(tmp_path)


def written(project: Project, server: str, *, users: int = 6, more: str, target: str = "") -> None:
    """A load test whose test case reads a dataset in another folder, a file, and a secret."""
    head = '[variables]\nkey = { env = "SHOP_KEY" }\n[datasets.people]\nfile = "../people.csv"'
    (project.path / "people.csv").write_text(
        "name\n" + "".join(f"p{number}\n" for number in range(users)), encoding="utf-8"
    )
    (project.path / "cases" / "note.txt").write_text("a note", encoding="utf-8")
    sent = transaction("POST /note?as=${people.name}&key=${key}", 'body = "${file:note.txt}"')
    text = case(server, "GET /", target or sent, head=head)
    (project.path / "cases" / "shop.case.toml").write_text(text, encoding="utf-8")
    text = load("shop.case.toml", users=users, duration="30s", more=more)
    (project.path / "cases" / "rush.load.toml").write_text(text, encoding="utf-8")


def test_the_same_totals_here_on_xdist_and_on_dask(
    project: Project, server: Server, two: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Datasets are disjoint over all machines, what cases need travels with them, the server has
    seen what is reported, and nothing is left on the cluster."""
    monkeypatch.setenv("SHOP_KEY", "s3cret")
    written(project, server.url, more="iterations = 4")
    seen = []
    for arguments in ([], ["-n", "2"], ["--load-on", two.url], ["--load-on", two.url]):
        server.requests.clear()
        done = project.run("--load", "--load-json", "out.json", *arguments)
        assert "1 passed" in done.stdout, done.stdout
        totals = project.json()["totals"]
        assert totals["requests"] == len(server.requests) == 6 * 4 * 2
        seen.append(Counter(server.requests))
    assert all(one == seen[0] for one in seen)
    assert seen[0]["POST /note?as=p5&key=s3cret"] == 4
    assert "worker east" in done.stdout
    assert "worker west" in done.stdout
    wait_until(lambda: two.left() == [], 20)


def test_a_killed_worker_makes_it_inconclusive(
    project: Project, server: Server, tmp_path: Path
) -> None:
    """It is named, and what the others measured is kept."""
    written(project, server.url, more="", target="GET /more")
    with cluster(tmp_path) as two:
        with project.running("--load", "--load-json", "out.json", "--load-on", two.url) as running:
            wait_until(lambda: len(server.requests) > 100, 60)
            time.sleep(2)
            two.workers["west"].kill()
            time.sleep(3)
            running.send_signal(signal.SIGINT)
            said, _ = running.communicate(timeout=30)
        assert re.search(r"worker west.* lost", said), said
        assert project.json()["totals"]["requests"] > 100


def test_a_controller_that_dies_ends_the_load(
    project: Project, server: Server, two: Cluster
) -> None:
    """Shares end by themselves, and the cluster can be used again."""
    written(project, server.url, more="", target="GET /more")
    with project.running("--load", "--load-on", two.url) as running:
        wait_until(lambda: len(server.requests) > 100, 60)
        running.kill()
        running.wait()

        def quiet() -> bool:
            before = len(server.requests)
            time.sleep(0.5)
            return len(server.requests) == before

        wait_until(quiet, 30)
    wait_until(lambda: two.left() == [], 30)


def test_a_scheduler_that_dies_is_no_pass(project: Project, server: Server, tmp_path: Path) -> None:
    """What was measured until then is reported, as of workers that were lost."""
    written(project, server.url, more="", target="GET /more")
    with cluster(tmp_path) as two, project.running("--load", "--load-on", two.url) as running:
        wait_until(lambda: len(server.requests) > 100, 60)
        time.sleep(1.5)
        two.scheduler.kill()
        said, _ = running.communicate(timeout=60)
        assert running.returncode == 10
        assert "inconclusive" in said, said
        assert "scheduler is gone" in said or "lost" in said


def test_a_clock_that_is_fast(project: Project, server: Server, tmp_path: Path) -> None:
    """All start at one moment of this machine's clock."""
    (tmp_path / "fast").mkdir()
    (tmp_path / "fast" / "sitecustomize.py").write_text(FAST_CLOCK, encoding="utf-8")
    written(project, server.url, more="iterations = 2", target="GET /more")
    workers = {"east": {}, "west": {"PYTHONPATH": str(tmp_path / "fast")}}
    with cluster(tmp_path, workers) as two:
        done = project.run("--load", "--load-json", "out.json", "--load-on", two.url)
    assert "1 passed" in done.stdout, done.stdout
    assert project.json()["totals"]["duration_s"] < 20
    assert re.search(r"clocks 300\.\d\d\d s apart, start exact to \d+ ms", done.stdout), done.stdout


def test_what_cannot_be_run_is_refused_in_words(
    project: Project, server: Server, two: Cluster, tmp_path: Path
) -> None:
    """No cluster, a target that workers do not reach, and workers without the package."""
    written(project, "http://127.0.0.1:9", more="", target="GET /more")
    for on, text in (
        ("dask://127.0.0.1:9", "no scheduler answers there"),
        ("dask:none", "expected dask:N"),
        (two.url, "127.0.0.1:9 is not reached from here"),
    ):
        done = project.run("--load", "--load-on", on)
        assert text in " ".join(done.stdout.split()), done.stdout
        assert done.returncode == 1
        assert "Traceback" not in done.stdout
    stub = tmp_path / "other" / "pytest_loadtool"
    stub.mkdir(parents=True)
    (stub / "__init__.py").write_text("", encoding="utf-8")
    written(project, server.url, more="", target="GET /more")
    with cluster(tmp_path, {"east": {"PYTHONPATH": str(stub.parent)}}) as one:
        done = project.run("--load", "--load-on", one.url)
    assert "worker east has no pytest-loadtool" in " ".join(done.stdout.split()), done.stdout
    assert not server.requests
