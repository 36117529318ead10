"""Load tests on a Dask cluster: real schedulers and workers, and a server that counts."""

from __future__ import annotations

import os
import re
import signal
import ssl
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import dask.config
import pytest
import trustme

from pytest_loadtool.casefile import parse_dataset, save_dataset
from pytest_loadtool.fleet import bundle
from pytest_loadtool.fleet import cluster as of_clusters
from pytest_loadtool.load import Share
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.load import LoadConfiguration
from tests.fleet.clusters import FAST_CLOCK, LATE_START, Cluster, Place, cluster
from tests.plugin.loading import Project, load, wait_until
from tests.plugin.serving import Server, case, serving, transaction
from tests.rings import Ring, in_place

#: Of a run that ends early: nobody waits half a minute for a worker here. Whom the process that
#: leads has heard or lost is in files.
IMPATIENT = """
from pathlib import Path

from pytest_loadtool.engine import run

run.SILENCE = 6


def told(function, name):
    def called(self, worker, *fields):
        function(self, worker, *fields)
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(f"{worker}\\n")
    return called


run.LoadRun.lose = told(run.LoadRun.lose, "lost")
run.LoadRun.hear = told(run.LoadRun.hear, "heard")
"""


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
def project(pytester: pytest.Pytester) -> Project:
    """A folder with a project in it."""
    (pytester.path / "cases").mkdir()
    return Project(pytester.path, pytester)


#: Of a test case.
SECRET = '[variables]\nkey = { env = "SHOP_KEY" }\n'


def written(
    project: Project,
    server: str,
    *,
    users: int = 6,
    more: str,
    target: str = "",
    secret: str = SECRET,
    people: str = "people.csv",
) -> None:
    """A load test whose test case reads a dataset in another folder, a file, and a secret."""
    head = f'{secret}[datasets.people]\nfile = "../{people}"'
    rows = tuple((f"p{number}",) for number in range(users))
    save_dataset(project.path / people, Dataset(("name",), rows))
    (project.path / "cases" / "note.txt").write_text("a note", encoding="utf-8")
    sent = transaction("POST /note?as=${people.name}&key=${key}", 'body = "${file:note.txt}"')
    text = case(server, "GET /", target or sent, head=head)
    (project.path / "cases" / "shop.case.toml").write_text(text, encoding="utf-8")
    text = load("shop.case.toml", users=users, duration="60s", more=more)
    (project.path / "cases" / "rush.load.toml").write_text(text, encoding="utf-8")


def is_quiet(server: Server, of: str = "", seconds: float = 0.5) -> bool:
    """Whether nothing is asked of ``server``, of what has ``of`` in it, for so long."""
    before = len([one for one in server.requests if of in one])
    time.sleep(seconds)
    return len([one for one in server.requests if of in one]) == before


#: Values that are made up, a page that is repeated, and two schedules.
MADE = """[variables]
number = { generate = "sequence", start = 1000 }
id = { generate = "uuid" }
colour = { generate = "choice", choices = { red = 1, green = 3 }, seed = 7 }
price = { generate = "number", min = 0.5, max = 99, decimals = 2, seed = 3 }

[flows.often]
repeat = 3
"""
AGAIN = f'[[page]]\nname = "Again"\nflow = "often"\n{transaction("GET /again?n=${number}")}\n'
TOUR = """format = 1
name = "Tour"

[[case]]
file = "made.case.toml"
users = 6
iterations = 4

[[case]]
file = "plain.case.toml"
users = 3
iterations = 5
start = "500ms"
"""


def test_the_same_totals_here_on_xdist_and_on_dask(
    project: Project, server: Server, two: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Datasets are disjoint over all machines, and so are numbers that are made up; what cases need
    travels with them, the server has seen what is reported, and nothing is left on the cluster. One
    that is made for the session has a pytest of its own."""
    monkeypatch.setenv("SHOP_KEY", "s3cret")
    written(project, server.url, more="iterations = 4")
    made = "GET /made?n=${number}&c=${colour}&p=${price}&id=${id}"
    texts = {
        "made.case": case(server.url, made, head=MADE) + AGAIN,
        "plain.case": case(server.url, "GET /plain"),
        "tour.load": TOUR,
    }
    for name, text in texts.items():
        (project.path / "cases" / f"{name}.toml").write_text(text, encoding="utf-8")
    seen = []
    carriers = [["--load-on", one] for one in ("dask:2", two.url, two.url)]
    for arguments in ([], ["-n", "2"], *carriers):
        server.requests.clear()
        run = Project(project.path).run if "dask:2" in arguments else project.run
        done = run("--load", "--load-json", "out.json", *arguments)
        assert "2 passed" in done.stdout, done.stdout
        requests = [run["totals"]["requests"] for run in project.json()["runs"]]
        assert requests == [6 * 4 * 2, 6 * 4 * (1 + 3) + 3 * 5]
        assert len(server.requests) == sum(requests)
        own = [one.partition("&id=")[::2] for one in server.requests if "&id=" in one]
        assert len({name for _, name in own}) == 6 * 4
        assert {re.findall(r"n=(\d+)", one)[0] for one, _ in own} == _numbers(server, "/again")
        assert Counter(re.findall(r"/again\?n=(\d+)", " ".join(server.requests))) == dict.fromkeys(
            _numbers(server, "/made"), 3
        )
        seen.append(Counter(one.partition("&id=")[0] for one in server.requests))
    assert all(one == seen[0] for one in seen)
    assert seen[0]["POST /note?as=p5&key=s3cret"] == 4
    assert len([one for one in seen[0] if "/made" in one]) == 6 * 4
    assert "worker east" in done.stdout
    assert "worker west" in done.stdout
    wait_until(lambda: two.left() == [], 20)


def _numbers(server: Server, path: str) -> set[str]:
    """The made up numbers that were sent there."""
    return set(re.findall(rf"{path}\?n=(\d+)", " ".join(server.requests)))


def test_a_share_that_stands_still_is_no_pass(
    project: Project, server: Server, two: Cluster
) -> None:
    """It is named, and what the others measured is kept; Ctrl-C need not wait for it. Woken up, it
    makes no load, and its worker can be used again."""
    written(project, server.url, more="", target="GET /more")
    (project.path / "conftest.py").write_text(IMPATIENT, encoding="utf-8")
    with project.running("--load", "--load-json", "out.json", "--load-on", two.url) as running:
        wait_until(lambda: len(server.requests) > 100, 60)
        two.workers["west"].send_signal(signal.SIGSTOP)
        try:
            wait_until(lambda: project.lines("lost") == ["worker west"], 60)
            running.send_signal(signal.SIGINT)
            said, _ = running.communicate(timeout=30)
        finally:
            two.workers["west"].send_signal(signal.SIGCONT)
    assert "worker west was lost" in " ".join(said.split()), said
    assert [one["state"] for one in project.json()["workers"]] == ["final", "lost"]
    wait_until(lambda: two.left() == [] and is_quiet(server), 20)


def test_ctrl_c_stops_all_and_who_comes_late_takes_no_part(
    project: Project, server: Server, two: Cluster
) -> None:
    """Within two seconds nobody makes load any more, and there is a report."""
    written(project, server.url, more="", target="GET /more")
    with project.running("--load", "--load-json", "out.json", "--load-on", two.url) as running:
        wait_until(lambda: len(server.requests) > 100, 60)
        late = two.start("late")
        try:
            two.wait_for(3)
            before = time.monotonic()
            running.send_signal(signal.SIGINT)
            wait_until(lambda: is_quiet(server, seconds=0.1), 20)
            assert time.monotonic() - before < 2 + 0.1
            said, _ = running.communicate(timeout=30)
        finally:
            late.kill()
            late.wait()
    assert running.returncode == 2
    assert [(one["name"], one["state"]) for one in project.json()["workers"]] == [
        ("worker east", "final"),
        ("worker west", "final"),
    ]
    assert project.json()["totals"]["requests"] > 100
    assert "stopped after" in said, said


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_controller_that_is_gone_ends_the_load(
    project: Project, server: Server, two: Cluster, how: signal.Signals
) -> None:
    """Or stands still, and could stop nobody: shares end by themselves, and the cluster can be used
    again."""
    written(project, server.url, more="", target="GET /more")
    brief = "from pytest_loadtool.fleet import carrier\ncarrier.SILENCE = 5\n"
    (project.path / "conftest.py").write_text(brief, encoding="utf-8")
    with project.running("--load", "--load-on", two.url) as running:
        wait_until(lambda: len(server.requests) > 100, 60)
        running.send_signal(how)
        wait_until(lambda: is_quiet(server), 30)
    wait_until(lambda: two.left() == [], 30)


def test_what_dies_is_named(
    project: Project, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker, one that its nanny starts again, one whose nanny dies, the scheduler at last: what
    was measured until then is reported."""
    monkeypatch.setenv("SHOP_KEY", "s3cret")
    written(project, server.url, more="")
    nanny = Place(options=("--nanny", "--worker-port", "0"))
    workers = {"a": Place(), "b": nanny, "c": nanny, "d": Place()}
    more = ("--load", "--load-json", "out.json", "--load-on")
    with cluster(tmp_path, workers) as four, project.running(*more, four.url) as running:
        wait_until(lambda: len(server.requests) > 200, 60)
        # Of six users: a has p0 and p4, b p1 and p5, c p2, d p3.
        four.workers["a"].kill()
        (worker,) = _workers_of(four.workers["b"].pid)
        os.kill(worker, signal.SIGKILL)
        four.workers["c"].kill()
        for user in ("p0", "p1", "p2"):
            wait_until(partial(is_quiet, server, f"as={user}"), 20)
        wait_until(lambda: _workers_of(four.workers["b"].pid) not in ([], [worker]), 20)
        wait_until(lambda: not is_quiet(server, "as=p3"), 20)
        assert is_quiet(server, "as=p1")
        four.scheduler.kill()
        said, _ = running.communicate(timeout=60)
    assert running.returncode == 10, said
    text = " ".join(said.split())
    assert "inconclusive" in text
    assert all(f"worker {name} was lost" in text for name in workers), said
    assert project.json()["totals"]["requests"] > 100


def _workers_of(nanny: int) -> list[int]:
    """The worker processes of a nanny, which starts them in a thread; not what is beside them."""
    return [
        int(one)
        for thread in Path(f"/proc/{nanny}/task").iterdir()
        for one in (thread / "children").read_text(encoding="ascii").split()
        if "spawn_main" in Path(f"/proc/{one}/cmdline").read_text(encoding="utf-8")
    ]


def test_tls_and_a_clock_that_is_fast(
    project: Project, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All start at one moment of this machine's clock, or it is said who is late; without a
    certificate nobody is let in."""
    (tmp_path / "fast").mkdir()
    late = FAST_CLOCK + LATE_START
    (tmp_path / "fast" / "sitecustomize.py").write_text(late, encoding="utf-8")
    monkeypatch.setenv("SHOP_KEY", "s3cret")
    written(project, server.url, more="iterations = 2")
    settings = _certificates(tmp_path)
    tls = {"DASK_DISTRIBUTED__COMM__TLS__" + key.upper(): value for key, value in settings.items()}
    workers = {
        "east": Place(environment=tls),
        "west": Place(environment=tls | {"PYTHONPATH": str(tmp_path / "fast")}),
    }
    mine = {"distributed.comm.tls": _nested(settings)}
    at = Place(options=("--host", "tls://127.0.0.1"), environment=tls)
    with dask.config.set(mine), cluster(tmp_path, workers, at) as two:
        assert two.url.startswith("dask+tls://")
        page = ("--load-html", "out.html")
        done = project.run("--load", "--load-json", "out.json", *page, "--load-on", two.url)
        assert "1 passed" in done.stdout, done.stdout
        assert len(server.requests) == project.json()["totals"]["requests"] == 6 * 2 * 2
        assert project.json()["totals"]["duration_s"] < 20
        exact = (
            r"locks (?:299|300)\.\d{3} s apart, start exact to \d+ ms and not to 20: "
            r"worker west began"
        )
        for said in (done.stdout, (project.path / "out.html").read_text(encoding="utf-8")):
            assert re.search(exact, " ".join(said.split()))
        # They are on one machine, so it is known how far their clocks are apart. What is reported
        # is not further from it than it says, however busy the machine is.
        east, west = project.json()["workers"]
        apart = west["clock_ahead_ms"] - east["clock_ahead_ms"]
        known = [one["start_exact_to_ms"] - one["start_late_ms"] for one in (east, west)]
        assert apart == pytest.approx(300e3, abs=sum(known) + 0.01)
        assert west["start_exact_to_ms"] > west["start_late_ms"] > 500
        assert east["start_late_ms"] >= 0
        monkeypatch.setattr(of_clusters, "_PATIENCE", 1.0)
        with dask.config.set({"distributed.comm.tls": _nested({})}):
            for on in (two.url, two.url.replace("+tls", "")):
                done = project.run("--load", "--load-on", on)
                assert "no scheduler answers there" in " ".join(done.stdout.split()), done.stdout
                assert "Traceback" not in done.stdout


def _certificates(folder: Path) -> dict[str, str]:
    """Files of an authority and of one certificate that all show, as settings of Dask."""
    authority = trustme.CA()
    shown = authority.issue_cert("127.0.0.1")
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    shown.private_key_and_cert_chain_pem.write_to_path(str(folder / "own.pem"))
    own = str(folder / "own.pem")
    roles = ("scheduler", "worker", "client")
    return {"ca_file": str(folder / "ca.pem")} | {
        f"{role}__{kind}": own for role in roles for kind in ("cert", "key")
    }


def _nested(settings: dict[str, str]) -> dict[str, object]:
    """The same, as Dask's configuration in this process has it."""
    roles = {
        role: {kind: settings.get(f"{role}__{kind}") for kind in ("cert", "key")}
        for role in ("scheduler", "worker", "client")
    }
    return {"ca-file": settings.get("ca_file"), **roles} | {
        "ciphers": None,
        "min-version": 1.2,
        "max-version": None,
    }


def test_who_takes_part_with_what(
    project: Project, server: Server, two: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Users are shared by processors, each share gets its rows of a large dataset, and ``[fleet]``
    says who takes part, and that workers have secrets of their own."""
    monkeypatch.setattr(bundle, "_LARGE", 10)
    monkeypatch.setenv("SHOP_KEY", "mine")
    written(project, server.url, users=12, more="iterations = 1", people="people.json")
    # One processor of two, of which each of three processes has a part.
    small = Place(
        ("taskset", "-c", "0"),
        ("--no-nanny", "--resources", "loadtool=1"),
        {"SHOP_KEY": "theirs"},
    )
    third = two.start("small", small)
    try:
        two.wait_for(3)
        done = project.run("--load", "--load-json", "out.json", "--load-on", two.url)
        assert "1 passed" in done.stdout, done.stdout
        users = {one["name"]: one["users"] for one in project.json()["workers"]}
        assert users["worker east"] == users["worker west"] > users["worker small"] > 0
        assert sum(users.values()) == 12
        asked = {one for one in server.requests if one.startswith("POST")}
        assert asked == {f"POST /note?as=p{number}&key=mine" for number in range(12)}

        fleet = '[fleet]\nworkers = ["s*"]\nresources = {loadtool = 1}\nsecrets = "never"\n'
        written(project, server.url, more=f"iterations = 1\n{fleet}")
        done = project.run("--load", "--load-json", "out.json", "--load-on", two.url)
        assert "1 passed" in done.stdout, done.stdout
        assert [one["name"] for one in project.json()["workers"]] == ["worker small"]
        assert "POST /note?as=p5&key=theirs" in server.requests
        written(project, server.url, more='iterations = 1\n[fleet]\nworkers = ["north"]\n')
        done = project.run("--load", "--load-on", two.url)
        assert "no workers that [fleet] takes: there are east, small, west" in " ".join(
            done.stdout.split()
        )
    finally:
        third.kill()
        third.wait()


#: Of a test case all of whose files are beside it.
FILES = """
[tls]
ca = "tls/ca.pem"
client_certificate = "tls/own.pem"
[asm]
rules = ["own.rules.toml"]
"""
SENT = """body = "${file:files/note.txt}"
validators = [{ text = "a note" }, { json = "$", schema = "echo.schema.json" }]"""
WORD = '[variables]\nw = { keyring = "the shop", username = "alice" }'


def test_files_travel(
    project: Project, server: Server, two: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uploads, schemas, the authority and the client's certificate are where workers read them, who
    have nothing else: those of the test case are gone when it is packed. Rules are for configuring,
    and stay at home. The proxy is that of the environment of whoever leads, nobody else knows the
    server of the other test case; its password is of the keyring there."""
    for name in ("no_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("HTTP_PROXY", server.url)
    cases = project.path / "cases"
    for name in ("tls", "files"):
        (cases / name).mkdir()
    _certificates(cases / "tls")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=cases / "tls" / "ca.pem")
    context.load_cert_chain(cases / "tls" / "own.pem")
    context.verify_mode = ssl.CERT_REQUIRED

    def packed(*test: Any, **how: Any) -> Any:
        found = bundle.pack(*test, **how)
        cases.rename(project.path / "gone")
        return found

    monkeypatch.setattr(of_clusters, "pack", packed)
    ring = Ring()
    ring.set_password("the shop", "alice", "sesame")
    with serving(tls=context) as secured, in_place(ring):
        sent = transaction("POST /echo", SENT)
        texts = {
            "files/note.txt": "a note",
            "echo.schema.json": '{ "required": ["headers"] }',
            "own.rules.toml": "format = 1\n",
            "shop.case.toml": case(secured.url, "GET /", sent, head=FILES),
            "other.case.toml": case("http://shop.test", "GET /there?w=${w}", head=WORD),
            "rush.load.toml": load(
                "shop.case.toml", "other.case.toml", duration="60s", more="iterations = 3"
            ),
        }
        for name, text in texts.items():
            (cases / name).write_text(text, encoding="utf-8")
        more = ("--load-json", "out.json", "--proxy-url", "environment")
        done = project.run("--load", *more, "--load-on", two.url)
    assert "1 passed" in done.stdout, done.stdout
    assert not cases.exists()
    first, second = project.json()["cases"]
    assert Counter(secured.requests) == {"GET /": 2 * 3, "POST /echo": 2 * 3}
    assert Counter(server.requests) == {"GET http://shop.test/there?w=sesame": 2 * 3}
    assert (first["iterations"], second["iterations"]) == (2 * 3, 2 * 3)


def test_a_share_gets_its_rows_only() -> None:
    """The others are empty, and keep their places."""
    rows = tuple((f"user{number}", "secret") for number in range(4))
    use = DatasetUse("people", "people.csv", lifespan="virtual user")
    columns = ("name", "word")
    large = bundle.LargeDataset("people.csv", Dataset(columns, rows), (use,))
    load = LoadConfiguration("x", (), 4, None)
    assert large.part(Share(1, 2), load) == b'name,word\n"",""\nuser1,secret\n"",""\nuser3,secret\n'
    part = replace(large, name="people.jsonl").part(Share(1, 2), load).decode()
    kept = tuple(row if number % 2 else ("", "") for number, row in enumerate(rows))
    assert parse_dataset(part, "people.jsonl") == Dataset(columns, kept)


#: Files with a function, what a transaction has to call it, and how it is named.
FUNCTIONS = [
    ("cases/steps.py", "\ndef told(user): pass\n", 'call = "steps:told"', "cases/steps.py:2: told"),
    (
        "conftest.py",
        "def pytest_loadtool_response(response): pass\n",
        "",
        "conftest.py:1: pytest_loadtool_response",
    ),
]


def test_what_cannot_be_run_is_refused_in_words(
    project: Project, server: Server, two: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No cluster, a scheduler or a worker that does not answer, a target that workers do not reach,
    a worker without the package, and functions of the project, with what to do in their place."""
    monkeypatch.setattr(of_clusters, "_PATIENCE", 2.0)
    written(project, "http://127.0.0.1:9", more="", target="GET /more")

    def refused(on: str) -> str:
        done = project.run("--load", "--load-on", on)
        assert done.returncode == 1
        assert "Traceback" not in done.stdout
        assert "worker worker" not in done.stdout
        return " ".join(done.stdout.split())

    assert "no scheduler answers there" in refused("dask://127.0.0.1:9")
    two.scheduler.send_signal(signal.SIGSTOP)
    try:
        assert "no scheduler answers there (time-out)" in refused(two.url)
    finally:
        two.scheduler.send_signal(signal.SIGCONT)
    assert "expected dask:N" in refused("dask:none")
    assert "worker east: 127.0.0.1:9 is not reached from here" in refused(two.url)
    stub = tmp_path / "other" / "pytest_loadtool"
    stub.mkdir(parents=True)
    (stub / "__init__.py").write_text("", encoding="utf-8")
    remedy = "on the machines of a cluster: make the load with pytest -n, or take the function away"
    for name, text, more, where in FUNCTIONS:
        called = transaction("GET /more", more)
        written(project, server.url, more="", target=called)
        (project.path / name).write_text(text, encoding="utf-8")
        assert f"{where} cannot be called {remedy}" in refused(two.url)
        (project.path / name).unlink()
    written(project, server.url, more="", target="GET /more")
    other = two.start("other", Place(environment={"PYTHONPATH": str(stub.parent)}))
    try:
        two.wait_for(3)
        assert "worker other has no pytest-loadtool" in refused(two.url)
        other.send_signal(signal.SIGSTOP)
        assert "worker other did not answer within 2 s" in refused(two.url)
    finally:
        other.kill()
        other.wait()
    assert not server.requests
