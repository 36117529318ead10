"""`record`: a stretch of a program becomes a test case."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from pytest_loadtool import record
from pytest_loadtool.capture import RecordingProxy
from pytest_loadtool.casefile import read_case, read_har
from pytest_loadtool.errors import LoadToolError, RecordingError
from pytest_loadtool.workflow.process import RecordingProcess
from pytest_loadtool.workflow.project import Project
from pytest_loadtool.workflow.unattended import End
from tests.nginx import self_signed
from tests.nginx import serving as nginx_serving
from tests.plugin.serving import Server, serving
from tests.unheard import unheard

TLS = """
server {
  listen 127.0.0.1:<tls> ssl;
  ssl_certificate cert.pem;
  ssl_certificate_key key.pem;
  access_log off;
  location / { return 200 hello; }
}
"""


@pytest.fixture(autouse=True)
def not_in_the_report() -> Iterator[None]:
    """What these tests record is not what this session records."""
    with unheard():
        yield


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Something to record."""
    with serving() as running:
        yield running


def test_the_block_becomes_a_test_case(server: Server, tmp_path: Path) -> None:
    """Configured for replay and written when it ends, with the traffic; a summary is said."""
    said: list[str] = []
    file = tmp_path / "new" / "shop.case.toml"
    with (
        record(file, say=said.append) as proxy,
        httpx.Client(base_url=server.url, timeout=60, **proxy.httpx) as client,
    ):
        token = client.get("/form").text.partition('value="')[2].partition('"')[0]
        assert client.post("/login", data={"token": token}).status_code == 200
    case = read_case(file)
    assert [one.request.target for one in case.transactions()] == ["/form", "/login"]
    assert [one.url for one in read_har(file.with_name("shop.har"))] == [
        f"{server.url}/form",
        f"{server.url}/login",
    ]
    assert stat.S_IMODE(file.with_name("shop.har").stat().st_mode) == 0o600
    assert {path.name for path in file.parent.iterdir()} == {"shop.case.toml", "shop.har"}
    assert said == [f"{file}: {len(case.pages)} pages, 2 transactions, {len(case.variables)} "
                    f"dynamic value{'' if len(case.variables) == 1 else 's'}"]  # fmt: skip


def test_https_through_the_proxy(tmp_path: Path) -> None:
    """Clients trust its certificate by the settings they are given; the server's own, which nobody
    trusts, is noted, and the test case accepts it."""
    self_signed(tmp_path)
    said: list[str] = []
    file = tmp_path / "shop.case.toml"
    with (
        nginx_serving(tmp_path, TLS, "tls") as nginx,
        record(file, only=["127.0.0.1"], say=said.append) as proxy,
        httpx.Client(timeout=60, **proxy.httpx) as client,
    ):
        assert client.get(nginx.https("tls")).text == "hello"
        command = ["curl", "--silent", "--show-error", nginx.https("tls")]
        assert subprocess.check_output(command, env=os.environ | proxy.environment) == b"hello"
    case = read_case(file)
    assert [one.status for one in read_har(file.with_name("shop.har"))] == [200, 200]
    assert (len(list(case.transactions())), case.tls.verify) == (2, False)
    assert any("the certificate of 127.0.0.1 is not trusted" in line for line in said)


def test_a_block_that_raises_leaves_its_traffic(server: Server, tmp_path: Path) -> None:
    """No test case is made of half a session; the exception says where the traffic is."""

    def half_a_session() -> None:
        with (
            record(tmp_path / "shop.case.toml") as proxy,
            httpx.Client(timeout=60, **proxy.httpx) as client,
        ):
            client.get(server.url)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        half_a_session()
    kept = tmp_path / "shop.recording.har"
    assert caught.value.__notes__ == [f"loadtool: what was recorded is in {kept}"]
    assert len(read_har(kept)) == 1
    assert not (tmp_path / "shop.case.toml").exists()


def test_nothing_is_written_over(tmp_path: Path) -> None:
    """Neither a test case nor traffic, and no proxy starts in vain."""
    (tmp_path / "shop.har").touch()
    with (
        pytest.raises(RecordingError, match=r"shop\.har exists: record\(…, replace=True\)"),
        record(tmp_path / "shop.case.toml"),
    ):
        raise AssertionError("not reached")
    with pytest.raises(LoadToolError, match="is not the name of a test case"):
        record(tmp_path / "shop.txt").__enter__()


def test_of_nothing_no_test_case_is_made(tmp_path: Path) -> None:
    """A client that went past the proxy is a mistake to be told of."""
    with (
        pytest.raises(RecordingError, match="no client used the proxy"),
        record(tmp_path / "cases" / "shop.case.toml"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_one_proxy_for_many_recordings(server: Server, tmp_path: Path) -> None:
    """Each has its own traffic; what comes between two is in none; and when the recorder is gone,
    what came before is on the disk."""
    with (
        RecordingProcess(Project(tmp_path)) as process,
        httpx.Client(base_url=server.url, timeout=60, **process.proxy.httpx) as client,
    ):
        for name in ("one", "two"):
            process.begin(tmp_path / f"{name}.case.toml")
            client.get(f"/{name}")
            recorded = process.end(End(keep=True))
            assert recorded is not None
            assert (recorded.pages, recorded.transactions, recorded.reason) == (1, 1, "")
            client.get("/between")
        process.begin(tmp_path / "three.case.toml")
        client.get("/three")
        client.get("/after")  # over the same connection: when it is answered, /three is noted
        process._process.kill()
        with pytest.raises(RecordingError, match="the recorder has ended"):
            process.end(End(keep=True))
    for name in ("one", "two"):
        assert [one.url for one in read_har(tmp_path / f"{name}.har")] == [f"{server.url}/{name}"]
    assert read_har(tmp_path / "three.recording.har")[0].url == f"{server.url}/three"


def test_a_late_answer_is_not_taken_for_the_next_one(server: Server, tmp_path: Path) -> None:
    """Ctrl-C while the recorder is asked: it answers later, and what is asked then is answered."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with RecordingProcess(Project(tmp_path)) as process:
            process.begin(tmp_path / "one.case.toml")
            httpx.get(f"{server.url}/", timeout=60, **process.proxy.httpx)
            process._process.send_signal(signal.SIGSTOP)
            main = threading.main_thread().ident
            assert main is not None
            threading.Timer(0.5, signal.pthread_kill, (main, signal.SIGINT)).start()
            with pytest.raises(KeyboardInterrupt):
                process.end(End(keep=False))
            process._process.send_signal(signal.SIGCONT)
            process.begin(tmp_path / "two.case.toml")
            httpx.get(f"{server.url}/", timeout=60, **process.proxy.httpx)
            recorded = process.end(End(keep=True))
            assert recorded is not None
            assert recorded.file.endswith("two.case.toml")
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_recorder_ends_though_others_hold_its_pipe(tmp_path: Path) -> None:
    """A process that the program has forked may outlive the recording: the recorder, with the key
    of its certificate, does not."""
    with RecordingProcess(Project(tmp_path)) as process:
        forked = os.dup(process._requests.fileno())
        certificate = Path(process.proxy.ca or "")
        assert certificate.exists()
    os.close(forked)
    assert process._process.returncode == 0
    assert not certificate.parent.exists()


def test_an_empty_proxy_is_false() -> None:
    """So that a test can ask whether it is recorded."""
    assert not RecordingProxy()
    assert RecordingProxy("http://127.0.0.1:1", "ca.pem")
