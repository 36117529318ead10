"""Applications in this process: FastAPI, Flask, Django, and small ones that misbehave."""

from __future__ import annotations

import gc
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_loadtool.engine import running
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.engine.load import LoadRunner
from pytest_loadtool.engine.observers import metrics_for
from pytest_loadtool.engine.running import run
from pytest_loadtool.engine.transport_factory import open_networks
from pytest_loadtool.errors import ReplayError
from pytest_loadtool.load.cluster.share import Share
from pytest_loadtool.model.case import Header, Page, Request, TestCase, Transaction
from pytest_loadtool.model.extractor import Extractor, JsonPath
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.model.result import Failure
from pytest_loadtool.model.validator import JsonValidator, TextValidator
from pytest_loadtool.replay import Plan, compile_case
from pytest_loadtool.replay.user.head import BROKEN_LINE
from pytest_loadtool.transport.inprocess import asgi
from pytest_loadtool.transport.inprocess.apps import load_app
from tests.observed import Observed

FORBIDDEN = {"socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto"}

_watching: list[list[str]] = []


def _audit(event: str, _arguments: tuple[Any, ...]) -> None:
    if event in FORBIDDEN:
        for seen in _watching:
            seen.append(event)


sys.addaudithook(_audit)


@pytest.fixture
def no_network() -> Iterator[None]:
    """Nothing in this process connects, listens or looks a name up.

    uvloop's own connections raise no audit events; the host that the test cases name does not
    exist, so that these would fail.
    """
    seen: list[str] = []
    _watching.append(seen)
    yield
    _watching.remove(seen)
    assert seen == []


@pytest.fixture
def module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Callable[[str], str]:
    """Makes a module of its text; its name."""
    monkeypatch.syspath_prepend(tmp_path)

    def make(text: str) -> str:
        name = re.sub(r"\W", "_", f"app_of_{request.node.name}")
        (tmp_path / f"{name}.py").write_text(text)
        return name

    return make


def replay(app: str, *transactions: Transaction, timeout: float = 60.0) -> Observed:
    observed = Observed()
    replay_once(plan_for(app, *transactions), observer=observed, timeout=timeout)
    return observed


def plan_for(app: str, *transactions: Transaction) -> Plan:
    page, hosts = Page("p", transactions), ("other.invalid",)
    return compile_case(TestCase("c", (page,), "http://app.invalid", hosts=hosts, app=app))


ONE_USER = LoadConfiguration("load", (CaseShare("c.case.toml"),), users=1, duration=None)


def get(target: str, *headers: Header, check: str = "") -> Transaction:
    return Transaction(
        Request("GET", target, headers), validators=(TextValidator(check),) if check else ()
    )


SCENARIO = (
    Transaction(
        Request("POST", "/login", body="name=ann", headers=(
            Header("Content-Type", "application/x-www-form-urlencoded"),
        )),
        extractors=(Extractor("token", JsonPath("$.token")),),
    ),
    Transaction(
        Request("GET", "/me?a=1&a=2", headers=(Header("Authorization", "Bearer ${token}"),)),
        validators=(JsonValidator("$.name", "ann"), JsonValidator("$.session", "s1")),
    ),
    Transaction(Request("GET", "/wo/%C3%BC%20x", ()), validators=(TextValidator("ü x"),)),
)  # fmt: skip

FASTAPI = """
from contextlib import asynccontextmanager
from fastapi import BackgroundTasks, FastAPI, Request
from fastapi.responses import JSONResponse

events = []

@asynccontextmanager
async def lifespan(app):
    events.append("start")
    yield {"token": "t0k3n"}
    events.append("stop")

app = FastAPI(lifespan=lifespan)

@app.post("/login")
async def login(request: Request, tasks: BackgroundTasks):
    assert await request.body() == b"name=ann"
    answer = JSONResponse({"token": request.state.token}, background=tasks)
    tasks.add_task(events.append, "background")
    answer.set_cookie("session", "s1")
    return answer

@app.get("/me")
async def me(request: Request):
    assert request.headers["authorization"] == "Bearer t0k3n"
    assert request.query_params.getlist("a") == ["1", "2"]
    return {"name": "ann", "session": request.cookies["session"]}

@app.get("/wo/{where}")
def where(where: str):  # in a thread of FastAPI's
    return where
"""

FLASK = """
from flask import Flask, jsonify, request

app = Flask(__name__)

@app.post("/login")
def login():
    assert request.form.to_dict() == {"name": "ann"}
    answer = jsonify(token="t0k3n")
    answer.set_cookie("session", "s1")
    return answer

@app.get("/me")
def me():
    assert request.headers["Authorization"] == "Bearer t0k3n"
    assert request.args.getlist("a") == ["1", "2"]
    return jsonify(name="ann", session=request.cookies["session"])

@app.get("/wo/<where>")
def where(where):
    return where

def create():
    return app
"""


@pytest.mark.usefixtures("no_network")
def test_fastapi(module: Callable[[str], str]) -> None:
    """Cookies, extraction, queries and paths work, its lifespan runs once around all of it."""
    name = module(FASTAPI)
    observed = replay(f"{name}:app", *SCENARIO)
    assert observed.failures == [(), (), ()]
    assert [one.status for one in observed.responses] == [200, 200, 200]
    assert sorted(sys.modules[name].events) == ["background", "start", "stop"]
    assert sys.modules[name].events[0] == "start"
    assert sys.modules[name].events[-1] == "stop"


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("attribute", ["app", "create()", "app.wsgi_app"])
def test_flask(module: Callable[[str], str], attribute: str) -> None:
    """Likewise, by name, by factory and by attribute."""
    observed = replay(f"{module(FLASK)}:{attribute}", *SCENARIO)
    assert observed.failures == [(), (), ()]


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("kind", ["wsgi", "asgi"])
def test_django(module: Callable[[str], str], kind: str) -> None:
    """Both of Django's doors; its ASGI one knows no lifespan."""
    name = module(f"""
from django.conf import settings
if not settings.configured:
    settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="x", MIDDLEWARE=[])
import django
from django.http import HttpResponse
from django.urls import path
django.setup(set_prefix=False)
def wo(request, where):
    return HttpResponse(where + request.GET["q"])
urlpatterns = [path("wo/<str:where>", wo)]
from django.core.{kind} import get_{kind}_application
settings.ROOT_URLCONF = __name__
application = get_{kind}_application()
""")
    observed = replay(f"{name}:application", get("/wo/%C3%BC?q=1", check="ü1"))
    assert observed.failures == [()]


ASGI = """
import asyncio

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        raise ValueError("what is that?")
    headers = [(b"X-A", b"1"), (b"x-a", b"2")]
    start = {"type": "http.response.start", "status": 200, "headers": headers}
    async def body(text, more=False):
        await send({"type": "http.response.body", "body": text, "more_body": more})
    match scope["path"]:
        case "/scope":
            await send(start)
            await body(repr((scope["raw_path"], scope["query_string"], scope["method"])).encode())
        case "/pieces":
            await send(start)
            await body(b"one ", True)
            await asyncio.sleep(0)
            await body(b"two")
        case "/raises":
            raise ZeroDivisionError
        case "/silent":
            pass
        case "/gives-up":
            raise asyncio.CancelledError
        case "/half":
            await send(start)
            await body(b"half", True)
        case "/splits":
            headers.append((b"set-cookie", b"a=1\\r\\nX-Injected: yes"))
            await send(start)
            await body(b"split")
        case "/hangs":
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(1)
                raise
        case "/waits":
            await send(start)
            await body(b"done")
            await receive()
            seen.append((await receive())["type"])

seen = []
cancelled = []
"""


def test_what_an_asgi_application_may_do(
    module: Callable[[str], str], caplog: pytest.LogCaptureFixture
) -> None:
    """Pieces, repeated headers, mistakes: as with a server."""
    name = module(ASGI)
    observed = replay(
        f"{name}:app",
        get("/scope?a=%20"),
        get("/pieces"),
        get("/raises"),
        get("/silent"),
        get("/gives-up"),
        get("/half"),
        get("/splits"),
        Transaction(Request("HEAD", "/pieces")),
        get("/waits"),
    )
    assert [one.status for one in observed.responses] == [200, 200, 500, 500, 500, 0, 0, 200, 200]
    scope, pieces, raised, silent, _, half, splits, head, _ = observed.responses
    assert scope.text == repr((b"/scope", b"a=%20", "GET"))
    assert pieces.text == "one two"
    assert pieces.header_values("x-a") == ["1", "2"]
    assert pieces.head == b"HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2"
    assert pieces.sent <= pieces.first_byte <= pieces.finished
    assert raised.text == silent.text == "Internal Server Error"
    assert "ZeroDivisionError" in caplog.text
    assert half.failure is not None
    assert half.failure.cause == "reset"
    assert splits.failure == Failure("protocol", f"not HTTP: {BROKEN_LINE}")
    assert head.body == b""
    assert sys.modules[name].seen == ["http.disconnect"]


def test_an_asgi_application_that_hangs(module: Callable[[str], str]) -> None:
    """The request runs out of time, and the application is told by cancellation."""
    name = module(ASGI)
    observed = replay(f"{name}:app", get("/hangs"), get("/pieces"), timeout=2.0)
    [[failure], []] = observed.failures
    assert (failure.cause, failure.message) == ("timeout", "no response in time")
    assert sys.modules[name].cancelled == [1]


def test_the_target_as_it_was_written(module: Callable[[str], str]) -> None:
    """No path is normalised on its way."""
    observed = replay(
        f"{module(ECHO)}:app",
        get("/a/../b//%2F?x"),
    )
    assert observed.responses[0].text == repr((b"/a/../b//%2F", "/a/../b///", b"x"))


ECHO = """
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    await send({"type": "http.response.start", "status": 200})
    text = repr((scope["raw_path"], scope["path"], scope["query_string"]))
    await send({"type": "http.response.body", "body": text.encode()})
"""

WSGI = """
import threading

def app(environ, start_response):
    path = environ["PATH_INFO"]
    if path == "/raises":
        raise ZeroDivisionError
    if path == "/exits":
        raise SystemExit(1)
    if path == "/odd":
        start_response("fine", [])
    if path == "/hangs":
        go.wait(30)
    if path == "/half":
        start_response("200 OK", [])
        def parts():
            yield b"half"
            raise ZeroDivisionError
        return parts()
    if path == "/write":
        start_response("299 Odd", [("X-A", "1"), ("x-a", "\\xfc")])(b"by write, ")
        return [b"and by return"]
    if path == "/closes":
        class Parts:
            def __iter__(self): yield b"x"
            def close(self): closed.append(1)
        start_response("200 OK", [])
        return Parts()
    start_response("200 OK", [])
    keys = ["PATH_INFO", "QUERY_STRING", "HTTP_X_A", "HTTP_COOKIE"]
    keys += ["CONTENT_LENGTH", "CONTENT_TYPE"]
    body = environ["wsgi.input"].read()
    return [repr([*(environ.get(key) for key in keys), body]).encode()]

go = threading.Event()
closed = []
"""


def test_what_a_wsgi_application_may_do(
    module: Callable[[str], str], caplog: pytest.LogCaptureFixture
) -> None:
    """The environment of PEP 3333, and mistakes as with a server."""
    name = module(WSGI)
    post = Transaction(
        Request(
            "POST",
            "/x%C3%BC?q=%20",
            (Header("X-A", "1"), Header("X-A", "ü"), Header("Content-Type", "text/plain")),
            "hé",
        )
    )
    observed = replay(
        f"{name}:app",
        post,
        *map(get, ("/raises", "/half", "/write", "/closes", "/exits", "/odd")),
    )
    echo, raised, half, written, _, exited, odd = observed.responses
    assert exited.status == odd.status == 500
    assert echo.text == repr(
        ["/x\xc3\xbc", "q=%20", "1,\xc3\xbc", None, "3", "text/plain", "hé".encode()]
    )
    assert (raised.status, raised.text) == (500, "Internal Server Error")
    assert caplog.text.count("the application raised") == 4
    assert half.failure is not None
    assert half.failure.cause == "reset"
    assert written.head == b"HTTP/1.1 299 Odd\r\nX-A: 1\r\nx-a: \xfc"
    assert written.body == b"by write, and by return"
    assert sys.modules[name].closed == [1]


def test_a_wsgi_application_that_hangs(module: Callable[[str], str]) -> None:
    """It holds up neither the time-out nor the end."""
    name = module(WSGI)
    observed = replay(f"{name}:app", get("/hangs"), get("/"), timeout=2.0)
    assert [len(one) for one in observed.failures] == [1, 0]
    sys.modules[name].go.set()


def test_only_the_server_is_replaced(module: Callable[[str], str]) -> None:
    """Requests to others go over the network."""
    observed = replay(f"{module(WSGI)}:app", get("http://other.invalid/"), get("/"))
    assert [[one.cause for one in failures] for failures in observed.failures] == [["dns"], []]


def test_a_start_that_fails(module: Callable[[str], str]) -> None:
    """The application's reason is the error; nothing is asked."""
    name = module("""
async def app(scope, receive, send):
    assert (await receive())["type"] == "lifespan.startup"
    await send({"type": "lifespan.startup.failed", "message": "no database"})
""")
    with pytest.raises(ReplayError, match=r"^the application did not start: no database$"):
        replay(f"{name}:app", get("/"))


def test_a_start_that_fails_and_goes_on(module: Callable[[str], str]) -> None:
    """The application is ended; nothing of it is left on the event loop."""
    name = module("""
import asyncio

async def app(scope, receive, send):
    await send({"type": "lifespan.startup.failed"})
    try:
        await asyncio.Event().wait()
    finally:
        ended.append(1)

ended = []
""")
    with pytest.raises(ReplayError, match=r"^the application did not start: no reason$"):
        replay(f"{name}:app", get("/"))
    assert sys.modules[name].ended == [1]


@pytest.mark.parametrize("first", ["", "await receive()"], ids=["deaf", "listening"])
def test_a_start_that_does_not_end(
    module: Callable[[str], str], monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """The application is given up, and ended; nothing is asked."""
    name = module(f"""
import asyncio

async def app(scope, receive, send):
    assert scope["type"] == "lifespan"
    {first}
    try:
        await asyncio.Event().wait()
    finally:
        ended.append(1)

ended = []
""")
    monkeypatch.setattr(asgi, "_START_PATIENCE", 0.2)
    with pytest.raises(
        ReplayError, match=r"did not start: nothing came of 'lifespan.startup' within 0.2 s"
    ):
        replay(f"{name}:app", get("/"))
    assert sys.modules[name].ended == [1]


def test_a_start_that_cannot_be_ended(
    module: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even that is waited for without end."""
    name = module("""
import asyncio

async def app(scope, receive, send):
    while not over:
        try:
            await asyncio.sleep(0.1)
        except asyncio.CancelledError:
            cancelled.append(1)

cancelled, over = [], []
""")
    monkeypatch.setattr(asgi, "_START_PATIENCE", 0.2)
    monkeypatch.setattr(asgi, "_PATIENCE", 0.2)
    monkeypatch.setattr(running, "_PATIENCE", 0.2)
    with pytest.raises(ReplayError, match="did not start"):
        replay(f"{name}:app", get("/"))
    assert sys.modules[name].cancelled


INTERRUPTED = """
import asyncio, os, signal

events = []

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        for what in ("startup", "shutdown"):
            await receive()
            events.append(what)
            await send({"type": f"lifespan.{what}.complete"})
        return
    if "request" not in events:
        events.append("request")
        os.kill(os.getpid(), signal.SIGINT)
    await asyncio.Event().wait()
"""


def test_ctrl_c_stops_the_application(module: Callable[[str], str]) -> None:
    """As the end of the replay does."""
    name = module(INTERRUPTED)
    with pytest.raises(KeyboardInterrupt):
        replay(f"{name}:app", get("/"))
    assert sys.modules[name].events == ["startup", "request", "shutdown"]


@pytest.mark.parametrize("raised", [False, True], ids=["heard", "raised"])
def test_ctrl_c_in_a_load_test(module: Callable[[str], str], raised: bool) -> None:
    """The application is stopped, and the collector is what it was, whoever handles the signal."""

    def handle(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    name = module(INTERRUPTED)
    plan = plan_for(f"{name}:app", get("/"))
    gc.unfreeze()  # what is frozen as long as the tests run
    collector = gc.get_threshold(), gc.get_freeze_count()
    previous = signal.signal(signal.SIGINT, handle) if raised else signal.default_int_handler
    try:
        with pytest.raises(KeyboardInterrupt):
            LoadRunner([plan], ONE_USER, Share(), metrics_for([plan])).run(time.time())
    finally:
        signal.signal(signal.SIGINT, previous)
    assert (gc.get_threshold(), gc.get_freeze_count()) == collector
    assert sys.modules[name].events == ["startup", "request", "shutdown"]


def test_a_load_test_that_cannot_begin(module: Callable[[str], str]) -> None:
    """The application that it has started is stopped."""
    name = module(INTERRUPTED)
    plan = plan_for(f"{name}:app", get("/"))
    without_a_plan = replace(ONE_USER, cases=ONE_USER.cases * 2, users=2)
    with pytest.raises(ValueError, match="shorter"):
        LoadRunner([plan], without_a_plan, Share(), metrics_for([plan])).run(time.time())
    assert sys.modules[name].events == ["startup", "shutdown"]


def test_all_applications_are_stopped(module: Callable[[str], str]) -> None:
    """Whatever becomes of one of them."""
    name = module(INTERRUPTED + "\nfirst = app\nasync def second(*a): await app(*a)")

    async def stop_both() -> None:
        networks = await open_networks([plan_for(f"{name}:{one}") for one in ("first", "second")])
        (broken, _), _ = networks._made.values()

        async def fail() -> None:
            raise RuntimeError("broken")

        broken.close = fail  # type: ignore[method-assign]
        with pytest.raises(RuntimeError, match="broken"):
            await networks.close()

    run(stop_both())
    assert sys.modules[name].events.count("shutdown") == 1


MISTAKES = {
    "no_such_module:app": "cannot import 'no_such_module': ModuleNotFoundError: No module named "
    "'no_such_module'; looked in pytest's rootdir and the rest of sys.path: ",
    "{0}.sub:app": "cannot import '{0}.sub': ModuleNotFoundError",
    "{0}:nothing": "has no 'nothing': expected the application's name there",
    "{0}:number": "{0}:number is int, which nobody can call: expected an ASGI or WSGI application",
    "{0}:factory": "perhaps it makes one (then write () after it)",
    "{0}:failing()": "{0}:failing() raised RuntimeError: no configuration",
}


@pytest.mark.parametrize("app", MISTAKES)
def test_a_name_that_leads_nowhere(app: str, module: Callable[[str], str]) -> None:
    """What was tried, what came of it, what to do."""
    name = module(
        "number = 1\ndef factory(): ...\ndef failing(): raise RuntimeError('no configuration')"
    )
    with pytest.raises(ReplayError) as caught:
        load_app(app.format(name))
    assert MISTAKES[app].format(name) in str(caught.value)


def test_a_module_that_does_not_import(module: Callable[[str], str]) -> None:
    """The error is its own, without advice on where modules are looked for."""
    name = module("import no_such_dependency")
    with pytest.raises(ReplayError) as caught:
        load_app(f"{name}:app")
    assert str(caught.value) == (
        f"cannot import {name!r}: ModuleNotFoundError: No module named 'no_such_dependency'"
    )


def test_the_kind_can_be_told(module: Callable[[str], str]) -> None:
    """Where it cannot be seen: ``asgi:`` or ``wsgi:`` before the name."""
    name = module("def hidden(*a): ...\nclass C:\n  async def __call__(s, a, b, c): ...\nc = C()")
    with pytest.raises(ReplayError, match=f'if it is one, write "asgi:{name}:hidden" or "wsgi:'):
        load_app(f"{name}:hidden")
    assert load_app(f"asgi:{name}:hidden").kind == "asgi"
    assert load_app(f"wsgi:{name}:hidden").kind == "wsgi"
    assert load_app(f"{name}:c").kind == "asgi"
