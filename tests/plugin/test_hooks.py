"""Functions in a conftest.py take part in replays: as docs/hooks.md shows them, against servers
that want what they do."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import parse_qsl, quote

import pytest

from pytest_loadtool.engine.prepare.share import read_test
from pytest_loadtool.errors import LoadToolError
from pytest_loadtool.model.hook import Hook, HookFunction, Hooks
from tests.plugin.loading import Project
from tests.plugin.serving import case, transaction
from tests.served import served

DOCS = (Path(__file__).parents[2] / "docs" / "hooks.md").read_text(encoding="utf-8")
SIGNED, AWS, VALUES, METRICS = re.findall(r"```python\n(# conftest.py\n.*?)```", DOCS, re.DOTALL)
FAILURE = re.findall(r"```text\n(.*?)\n```", DOCS, re.DOTALL)[0]

LOAD = 'format = 1\nname = "Rush"\nusers = 3\niterations = 2\n[[case]]\nfile = "shop.case.toml"\n'

#: Whether a server takes a request: its method, target, headers and body.
Judge = Callable[[str, str, dict[str, str], bytes], bool]


@contextmanager
def strict(judge: Judge) -> Iterator[str]:
    """A server that answers 403 to what does not stand before the judge; else with the body."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.send_response(200 if judge(self.command, self.path, headers, body) else 403)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST  # noqa: N815  http.server calls it so

        def log_message(self, *_: object) -> None:
            pass

    with served(Handler) as url:
        yield url


def signed(method: str, target: str, headers: dict[str, str], body: bytes) -> bool:
    """By HMAC, as the server of the docs wants it; each signature is of its own request."""
    text = f"{method}\n{target}\n{headers.get('x-time', '')}\n".encode() + body
    wanted = hmac.new(b"s3cret", text, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted, headers.get("x-signature", ""))


def signed_for_aws(method: str, target: str, headers: dict[str, str], body: bytes) -> bool:
    """Signature Version 4 as AWS describes it, done by hand: nothing of botocore is in it."""
    found = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8}/[^,]+), SignedHeaders=([^,]+), "
        r"Signature=([0-9a-f]{64})",
        headers.get("authorization", ""),
    )
    if found is None:
        return False
    user, scope, names, signature = found.groups()
    path, _, query = target.partition("?")
    pairs = sorted(
        (quote(name, safe="-_.~"), quote(value, safe="-_.~"))
        for name, value in parse_qsl(query, keep_blank_values=True)
    )
    lines = "".join(f"{name}:{headers[name].strip()}\n" for name in names.split(";"))
    digest = hashlib.sha256(body).hexdigest()
    asked = "&".join(map("=".join, pairs))
    request = f"{method}\n{path}\n{asked}\n{lines}\n{names}\n{digest}"
    hashed = hashlib.sha256(request.encode()).hexdigest()
    text = f"AWS4-HMAC-SHA256\n{headers['x-amz-date']}\n{scope}\n{hashed}"
    key = b"AWS4wJalrXUtnFEMI"
    for part in (*scope.split("/"), text):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    day, *rest = scope.split("/")
    right = rest == ["eu-central-1", "execute-api", "aws4_request"]
    return (
        user == "AKIDEXAMPLE"
        and right
        and headers["x-amz-date"].startswith(day)
        and (hmac.compare_digest(key.hex(), signature))
    )


def shop(url: str) -> str:
    """Values of each user in target and body."""
    order = transaction(
        "POST /orders?for=${who}&b=%C3%A9",
        'headers = ["Content-Type: application/json"]',
        """body = '{"number": "${number}"}'""",
        'extractors = [{ variable = "who", json = "$.number" }]',
    )
    variables = '[variables]\nwho = "a b"\nnumber = "7"\n'
    return case(url, "GET /?z=1&a=2", order, order) + variables


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A load configuration; the keys are in the environment."""
    for name, value in {
        "SHOP_KEY": "s3cret",
        "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI",
    }.items():
        monkeypatch.setenv(name, value)
    project = Project(pytester.path, pytester)
    project.write(rush__load__toml=LOAD)
    return project


def loaded(project: Project, *arguments: str) -> dict[str, object]:
    """The totals and hooks of a load run that passes."""
    done = project.run("--load", "--load-json", "out.json", *arguments)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^hooks +\d", done.stdout, re.MULTILINE)
    data = project.json()
    return {**data["totals"]["status"], "calls": data["hooks"]["calls"]}


@pytest.mark.promise(141)
def test_every_request_is_signed(project: Project) -> None:
    """As the docs show it, in a test, at load and in the console; without it all is refused."""
    with strict(signed) as url:
        project.write(shop__case__toml=shop(url), play__txt="play\nload trial rush.load.toml\n")
        refused = project.run()
        assert "3 of 3 transactions failed" in refused.stdout
        project.write(conftest__py=SIGNED)
        assert project.run("-W", "error").returncode == 0
        assert loaded(project) == {"200": 18, "calls": 18}
        console = project.run("--record", "shop.case.toml", "--record-script", "play.txt")
    assert console.returncode == 0, console.stdout
    assert re.search(r"^hooks +\d", console.stdout, re.MULTILINE)


def test_every_request_is_signed_for_aws(project: Project) -> None:
    """As the docs show it, with botocore; who verifies it knows AWS's description alone."""
    pytest.importorskip("botocore")
    with strict(signed_for_aws) as url:
        project.write(shop__case__toml=shop(url), conftest__py=AWS)
        assert project.run().returncode == 0
        assert loaded(project) == {"200": 18, "calls": 18}
    assert not signed_for_aws("GET", "/", {}, b"")


@pytest.mark.slow
def test_the_workers_of_pytest_xdist_call_them(project: Project) -> None:
    """Each has its conftest.py, and the calls of all are counted."""
    with strict(signed) as url:
        project.write(shop__case__toml=shop(url), conftest__py=SIGNED)
        assert loaded(project, "-n", "2") == {"200": 18, "calls": 18}


@pytest.mark.promise(141)
def test_an_exception_is_told_with_its_place(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File, line and transaction, and no traceback; users of a load test go on to the end."""
    monkeypatch.delenv("SHOP_KEY")
    with strict(signed) as url:
        project.write(shop__case__toml=shop(url), conftest__py=SIGNED)
        done = project.run()
        assert done.returncode == 1
        assert FAILURE in done.stdout
        assert "shop.case.toml:7: page 'Home', transaction 1 'GET /'" in done.stdout
        assert "Traceback" not in done.stdout
        assert project.run("--load", "--load-json", "out.json").returncode == 1
    data = project.json()
    assert data["totals"]["status"] == {"0": 18}
    assert {one["cause"] for one in data["errors"]} == {"hook"}
    assert {one["message"] for one in data["errors"]} == {FAILURE.rpartition(":")[0]}


@pytest.mark.promise(141)
def test_values_of_users(project: Project) -> None:
    """As the docs have them: each iteration has its own number, which its answer must have."""
    told: set[str] = set()

    def judge(_method: str, _target: str, _headers: dict[str, str], body: bytes) -> bool:
        told.add(json.loads(body)["number"])
        return True

    with strict(judge) as url:
        (text,) = re.findall(r"```toml case\n(.*?)```", DOCS, re.DOTALL)
        project.write(
            shop__case__toml=text.replace("http://127.0.0.1:8000", url), conftest__py=VALUES
        )
        assert loaded(project) == {"200": 6, "calls": 12}
    assert told == {f"{user}-{iteration}" for user in range(3) for iteration in range(2)}


@pytest.mark.slow
@pytest.mark.promise(141)
def test_metrics_of_functions(project: Project) -> None:
    """As the docs have them, from two workers: in the report, JSON, CSV and the page, and judged by
    thresholds; a call records as hooks do."""
    thresholds = re.findall(r"```toml options\n(.*?)```", DOCS, re.DOTALL)[0]
    bodies = ('{"items": [1, 2]}', '{"items": []}', '{"items": [7]}')
    posts = [transaction("POST /items", f"body = '{body}'") for body in bodies]
    posts[0] += '\ncall = "steps:counts"'
    with strict(lambda *_: True) as url:
        project.write(
            conftest__py=METRICS,
            steps__py="def counts(user):\n    user.count('calls')\n",
            shop__case__toml=case(url, *posts),
            rush__load__toml=LOAD.replace("[[case]]", f"{thresholds}[[case]]"),
        )
        options = ("--load-json", "out.json", "--load-html", "out.html", "--load-csv", "csv")
        done = project.run("--load", "-n", "2", *options)
        assert project.run().returncode == 0
    assert done.returncode == 0, done.stdout
    found = {one["name"]: one for one in project.json()["metrics"]}
    assert (found["items"]["count"], found["calls"]["count"]) == (18, 6)
    assert (found["something found"]["count"], found["something found"]["share"]) == (18, 0.666667)
    trend = found["items of a page"]
    assert (trend["count"], trend["values"]["mean"], trend["values"]["max"]) == (18, 1.0, 2.0)
    assert all(one["passed"] for one in project.json()["thresholds"])
    assert re.search(r"^something found +66.67 % of 18", done.stdout, re.MULTILINE)
    assert "something found" in (project.path / "out.html").read_text()
    rows = (project.path / "csv" / "metrics.csv").read_text().splitlines()
    assert "Rush,items,counter,18" in rows[2]


def test_a_conftest_counts_for_what_is_below_it(project: Project) -> None:
    """That beside a test case counts in a load test from elsewhere, too; that of others not."""
    with strict(signed) as url:
        for folder in ("shop", "other"):
            (project.path / folder).mkdir()
        project.write(rush__load__toml=LOAD.replace("shop.case", "shop/shop.case"))
        (project.path / "shop" / "shop.case.toml").write_text(shop(url))
        (project.path / "shop" / "conftest.py").write_text(SIGNED)
        (project.path / "other" / "conftest.py").write_text(
            "def pytest_loadtool_request(request):\n    del request.headers['X-Signature']\n"
        )
        (project.path / "other" / "other.case.toml").write_text(shop(url))
        assert loaded(project) == {"200": 18, "calls": 18}
        done = project.run()
    assert "1 failed, 1 passed" in done.stdout
    assert "other/conftest.py:1: pytest_loadtool_request raised KeyError in line 2" in done.stdout


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("def pytest_loadtool_requests(request): ...", "unknown hook 'pytest_loadtool_requests'"),
        ("def pytest_loadtool_request(rquest): ...", "rquest"),
    ],
)
def test_what_pytest_says_of_a_name_that_is_wrong(
    project: Project, function: str, told: str
) -> None:
    """It is known which hooks there are, and which arguments they have."""
    project.write(conftest__py=function, shop__case__toml=case("http://127.0.0.1:9", "GET /"))
    done = project.run()
    assert done.returncode != 0
    assert told in done.stdout


SUMMARY = """
import json
import pathlib


def pytest_loadtool_summary(summary):
    path = pathlib.Path(__file__).with_name("told.json")
    told = json.loads(path.read_text()) if path.exists() else []
    path.write_text(json.dumps([*told, summary]))
    if summary["totals"]["errors"]:
        raise RuntimeError("there are errors")
"""


@pytest.mark.promise(141)
@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_results_are_told(project: Project, workers: tuple[str, ...]) -> None:
    """Once for each load test, whoever made the load: what the JSON has."""
    with strict(lambda *_: True) as url:
        project.write(
            conftest__py=SUMMARY,
            shop__case__toml=shop(url),
            rush__load__toml=LOAD,
            other__load__toml=LOAD.replace("Rush", "Other"),
        )
        done = project.run("--load", "--load-json", "out.json", *workers)
        assert done.returncode == 0, done.stdout
    told = json.loads((project.path / "told.json").read_text())
    assert told == json.loads((project.path / "out.json").read_text())["runs"]
    assert len(told) == 2


def test_what_a_summary_raises_fails_the_session(project: Project) -> None:
    """It says where, and the results are there all the same."""
    with strict(lambda *_: False) as url:
        relaxed = LOAD.replace("iterations", "max_error_rate = '100%'\niterations", 1)
        project.write(conftest__py=SUMMARY, shop__case__toml=shop(url), rush__load__toml=relaxed)
        done = project.run("--load", "--load-json", "out.json")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    assert "conftest.py:6: pytest_loadtool_summary raised RuntimeError in line 11" in done.stdout
    assert (project.path / "out.json").exists()


def test_a_cluster_has_no_conftest(tmp_path: Path) -> None:
    """What cannot be called there is refused, and not left out."""
    pytest.importorskip("distributed")
    from dataclasses import replace

    from pytest_loadtool.fleet.bundle import pack

    Project(tmp_path).write(rush__load__toml=LOAD, shop__case__toml=case("http://h", "GET /"))
    function = HookFunction("x", "conftest.py", 3)
    hooks = Hooks(response=Hook("pytest_loadtool_response", print, (function,)))
    test = replace(read_test(tmp_path / "rush.load.toml"), hooks=(hooks,))
    with pytest.raises(LoadToolError, match=r"conftest.py:3: pytest_loadtool_response cannot be"):
        pack(test, secrets=True)
    calls = Hooks(calls={"steps:sets": Hook("sets", print, (HookFunction("x", "steps.py", 2),))})
    with pytest.raises(LoadToolError, match=r"steps.py:2: sets cannot be called on the machines"):
        pack(replace(test, hooks=(calls,)), secrets=True)
