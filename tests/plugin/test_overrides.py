"""Which way test cases go: raw or httpx, to a server or to an application in pytest's process."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.plugin.loading import Project, load
from tests.plugin.serving import Server, case, transaction

ROOT = Path(__file__).parents[2]

#: Says at the end whether httpx was imported, and lets nothing connect if told so.
CONFTEST = """
import sys
from pathlib import Path

FORBIDDEN = {"socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto"}

def audit(event, arguments):
    if event in FORBIDDEN:
        Path("network.txt").write_text(event)
        raise PermissionError(f"no network: {event}")

def pytest_collection_finish(session):  # plugins may listen before that
    if Path("offline").exists():
        sys.addaudithook(audit)

def pytest_sessionfinish(session):
    with Path("modules.txt").open("a") as out:
        out.write("httpx\\n" if "httpx" in sys.modules else "no httpx\\n")
"""

FLASK = """
import os
from flask import Flask, jsonify, request

app = Flask(__name__)

@app.post("/login")
def login():
    with open("asked.txt", "a") as out:
        out.write(f"{os.getpid()}\\n")
    answer = jsonify(token="k" + request.form["user"])
    answer.set_cookie("session", "s1")
    return answer

@app.get("/me")
def me():
    assert request.cookies["session"] == "s1"
    return jsonify(token=request.headers["Authorization"])
"""

FASTAPI = """
from contextlib import asynccontextmanager
from fastapi import FastAPI, Request, Response

@asynccontextmanager
async def lifespan(app):
    open("lifespan.txt", "a").write("start\\n")
    yield
    open("lifespan.txt", "a").write("stop\\n")

app = FastAPI(lifespan=lifespan)

@app.post("/login")
async def login(request: Request, response: Response):
    open("asked.txt", "a").write("asked\\n")
    response.set_cookie("session", "s1")
    return {"token": "k" + (await request.body()).decode().removeprefix("user=")}

@app.get("/me")
async def me(request: Request):
    assert request.cookies["session"] == "s1"
    return {"token": request.headers["authorization"]}
"""

#: Log in, and use what came back.
SCENARIO = (
    transaction(
        "POST /login",
        'headers = ["Content-Type: application/x-www-form-urlencoded"]',
        'body = "user=ann"',
        'extractors = [{ variable = "token", json = "$.token" }]',
    ),
    transaction(
        "GET /me",
        'headers = ["Authorization: ${token}"]',
        'validators = [{ json = "$.token", equals = "kann" }]',
    ),
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A folder without any application."""
    made = Project(tmp_path)
    made.write(conftest__py=CONFTEST, pytest__ini="[pytest]\n")
    return made


def succeeds(project: Project, *arguments: str) -> str:
    done = project.run(*arguments)
    assert done.returncode == 0, done.stdout
    return done.stdout


def fails(project: Project, *arguments: str, status: int = 1) -> str:
    done = project.run(*arguments)
    assert done.returncode == status, done.stdout
    return done.stdout


@pytest.mark.parametrize(
    ("head", "arguments", "used"),
    [
        ("", (), "no httpx"),
        ('transport = "raw"', (), "no httpx"),
        ('transport = "httpx"', (), "httpx"),
        ("", ("--loadtool-transport=httpx",), "httpx"),
        ("", ("-o", "loadtool_transport=httpx"), "httpx"),
        ('transport = "httpx"', ("--loadtool-transport=raw",), "no httpx"),
    ],
)
def test_a_test_chooses_its_transport(
    head: str, arguments: tuple[str, ...], used: str, project: Project, server: Server
) -> None:
    """By its own key, else by the option or its twin; httpx is imported only if it is chosen."""
    project.write(shop__case__toml=case(server.url, "GET /", "GET /echo", head=head))
    succeeds(project, *arguments)
    assert server.requests == ["GET /", "GET /echo"]
    assert project.lines("modules.txt") == [used]


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["here", "workers"])
def test_load_over_httpx(workers: tuple[str, ...], project: Project, server: Server) -> None:
    """The same case under load; the report has what the server saw."""
    project.write(
        shop__case__toml=case(server.url, "GET /", "GET /form"),
        shop__load__toml=load("shop.case.toml", duration="60s", more="iterations = 5"),
    )
    succeeds(project, "--load", "--loadtool-transport=httpx", "--load-json", "out.json", *workers)
    report = project.json()
    assert report["verdict"] == "passed"
    assert report["totals"]["requests"] == len(server.requests) == 4 * 5 * 2
    assert report["totals"]["errors"] == 0
    assert "httpx" in project.lines("modules.txt")


def test_a_line_is_for_the_raw_transport(project: Project, server: Server) -> None:
    """The other ways have none. That is told before the start, with what to do; then it works."""
    (project.path / "myapp.py").write_text(FLASK)
    project.write(
        shop__case__toml=case(server.url, "GET /", head='transport = "httpx"'),
        inner__case__toml=case("", "GET /", head='app = "myapp:app"'),
        shop__load__toml=load("shop.case.toml", users=2, more='bandwidth = "LTE"'),
        inner__load__toml=load("inner.case.toml", more='bandwidth = "LTE"'),
    )
    text = fails(project, "--load", "shop.load.toml")
    assert (
        "shop.load.toml:5: bandwidth: shop.case.toml goes over httpx, where users have no lines of "
        'their own: leave bandwidth out, or take the transport raw (transport = "raw" in the test '
        "case, or --loadtool-transport raw)"
    ) in text
    text = fails(project, "--load", "inner.load.toml", "-n", "2")
    assert (
        "inner.load.toml:5: bandwidth: inner.case.toml goes to an application in this process, "
        "where users have no lines of their own: leave bandwidth out, or name a server"
    ) in text
    assert server.requests == []
    text = succeeds(project, "--load", "shop.load.toml", "--loadtool-transport=raw")
    assert "each on an LTE line (12 Mbit/s down, 12 Mbit/s up, 70 ms)" in text.replace("\n", " ")
    succeeds(project, "--load", "inner.load.toml", f"--loadtool-server={server.url}")
    assert server.requests


@pytest.mark.parametrize("application", [FLASK, FASTAPI], ids=["Flask", "FastAPI"])
def test_an_application_is_asked_without_a_socket(application: str, project: Project) -> None:
    """A login with its cookie and token, in pytest's own process, which may not connect."""
    (project.path / "myapp.py").write_text(application)
    (project.path / "offline").touch()
    project.write(shop__case__toml=case("", *SCENARIO, head='app = "myapp:app"'))
    text = succeeds(project, "-v")
    assert "POST /login" in text
    assert "GET /me" in text
    assert len(project.lines("asked.txt")) == 1
    assert not project.lines("network.txt")
    if application is FASTAPI:
        assert project.lines("lifespan.txt") == ["start", "stop"]


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["here", "workers"])
@pytest.mark.parametrize("application", [FLASK, FASTAPI], ids=["Flask", "FastAPI"])
def test_load_on_an_application(
    application: str, workers: tuple[str, ...], project: Project
) -> None:
    """Each worker asks an application of its own; it is started once."""
    (project.path / "myapp.py").write_text(application)
    project.write(
        shop__case__toml=case("http://shop.invalid", *SCENARIO, head='app = "myapp:app"'),
        shop__load__toml=load("shop.case.toml", duration="60s", more="iterations = 5"),
    )
    succeeds(project, "--load", "--load-json", "out.json", *workers)
    report = project.json()
    assert report["totals"]["errors"] == 0
    logins = report["transactions"][0]
    assert logins["requests"] == len(project.lines("asked.txt")) == 4 * 5
    if application is FASTAPI:
        assert sorted(project.lines("lifespan.txt")) == sorted(
            ["start", "stop"] * (2 if workers else 1)
        )


@pytest.mark.parametrize("kind", ["wsgi", "asgi"])
def test_the_example_shop_in_process(kind: str, project: Project) -> None:
    """What a browser has recorded against Django's server passes without one."""
    for name in ("admin.case.toml", "admin.har", "api.case.toml", "api.har"):
        shutil.copy(ROOT / "example_suite" / "cases" / name, project.path)
    (project.path / "offline").touch()
    (project.path / "shop.py").write_text(f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})

def make():
    from example_suite.serve import fresh_database
    fresh_database(Path(__file__).parent)
    from django.core.{kind} import get_{kind}_application
    return get_{kind}_application()
""")
    text = succeeds(project, "--loadtool-app=shop:make()", "--loadtool-think-time=none")
    assert "app shop:make()" in text
    assert "2 passed" in text


def test_an_application_that_is_not_there(project: Project) -> None:
    """The file, the line, the key, what was tried and where."""
    project.write(shop__case__toml=case("", "GET /", head='app = "nothing.asgi:app"'))
    text = fails(project)
    assert (
        "shop.case.toml:4: app: cannot import 'nothing.asgi': ModuleNotFoundError: No module named "
        "'nothing'; looked in pytest's rootdir and the rest of sys.path: " + str(project.path)
    ) in text
    project.write(shop__load__toml=load("shop.case.toml"))
    assert "shop.case.toml:4: app: cannot import 'nothing.asgi'" in fails(project, "--load")


def test_a_server_on_the_command_line_comes_first(project: Project, server: Server) -> None:
    """The case that names an application goes to the server: on commit the one, then the other."""
    project.write(shop__case__toml=case("", "GET /", head='app = "nothing.asgi:app"'))
    succeeds(project, f"--loadtool-server={server.url}")
    assert server.requests == ["GET /"]
    project.write(pytest__ini="[pytest]\nloadtool_app = nothing:app\n")
    succeeds(project, f"--loadtool-server={server.url}")
    project.write(
        shop__load__toml=load("shop.case.toml", duration="200ms", more=f'server = "{server.url}"')
    )
    project.write(pytest__ini="[pytest]\n")
    succeeds(project, "--load")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ("--loadtool-app=a:b", "--loadtool-server=http://h"),
            "--loadtool-server and --loadtool-app: requests go to the one or to the other",
        ),
        (
            ("--loadtool-app=myapp",),
            '--loadtool-app: expected "module:attribute" such as "myproject.asgi:application", or '
            '"module:factory()", got "myapp"',
        ),
        (("--loadtool-transport=h3",), '--loadtool-transport: expected "raw" or "httpx", got "h3"'),
        (
            ("-o", "loadtool_transport=h3"),
            '--loadtool-transport: expected "raw" or "httpx", got "h3"',
        ),
    ],
)
def test_what_contradicts_itself(
    arguments: tuple[str, ...], complaint: str, project: Project
) -> None:
    """Refused before anything is collected."""
    project.write(shop__case__toml=case("http://127.0.0.1:9", "GET /"))
    assert complaint in fails(project, *arguments, status=4)


def test_raw_does_not_reach_an_application(project: Project) -> None:
    """Said so, with what can be done."""
    (project.path / "myapp.py").write_text(FLASK)
    project.write(shop__case__toml=case("", *SCENARIO, head='app = "myapp:app"'))
    text = fails(project, "--loadtool-transport=raw")
    assert "shop.case.toml:4: app: --loadtool-transport raw does not reach an application" in text
