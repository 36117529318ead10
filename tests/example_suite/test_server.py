"""The shop's server and the processes that use it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from example_suite.server import ShopServer
from tests.example_suite.client import Client

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShopServer]:
    """A shop that the tests of this file share."""
    with ShopServer(tmp_path_factory.mktemp("shop")) as running:
        yield running


def test_concurrent_edits_all_succeed_and_are_all_logged(tmp_path: Path) -> None:
    """20 users who edit the same product at once see no error, and the log counts every request."""
    users, edits = 20, 4
    problems: list[str] = []

    def user(url: str, number: int) -> None:
        product = "/admin/shop/product/1/change/"
        with Client(url) as client:
            client.log_in_to_admin()
            for edit in range(edits):
                token = client.get(product).csrf_token
                answer = client.submit(
                    product,
                    csrfmiddlewaretoken=token,
                    name=f"Teapot {number}.{edit}",
                    price="24.50",
                    description="",
                )
                if answer.status != 302 or answer.closing:
                    problems.append(f"{answer.status}, closing: {answer.closing}")

    with ShopServer(tmp_path) as server:
        threads = [
            threading.Thread(target=user, args=(server.url, number)) for number in range(users)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []
        assert len(server.requests()) == users * (2 + 2 * edits)
    assert (tmp_path / "errors.log").read_text() == ""


def test_an_answer_that_was_received_is_in_the_log(server: ShopServer) -> None:
    """Reading the log right after an answer finds its line: the target as sent, and the status."""
    with Client(server.url) as client:
        for number in range(100):
            client.get(f"/products/1/quote?quantity={number}")
            status = 200 if 1 <= number <= 99 else 400
            assert server.requests()[-1] == f"GET /products/1/quote?quantity={number} {status}"


def test_what_is_not_http_is_answered_and_logged(server: ShopServer) -> None:
    """A request that the application never sees is in the log too."""
    address = urlsplit(server.url)
    assert address.hostname is not None
    with socket.create_connection((address.hostname, address.port or 80), timeout=30) as connection:
        connection.sendall(b"GET /one two HTTP/1.1\r\n\r\n")
        assert b"400" in connection.recv(4096)
    assert server.requests()[-1].endswith(" 400")


def test_connections_persist_for_every_kind_of_answer(server: ShopServer) -> None:
    """Pages, static files, errors, empty answers and unmodified files leave the connection open."""
    with Client(server.url) as client:
        style = client.get("/static/shop/shop.css")
        since = {"If-Modified-Since": str(style.headers["Last-Modified"])}
        answers = [
            style,
            client.send("GET", "/static/shop/shop.css", headers=since),
            client.send("HEAD", "/"),
            client.get("/static/admin/css/base.css"),
            client.get("/favicon.ico"),
            client.get("/nowhere"),
            client.get("/orders/"),
            client.send("POST", "/api/orders", "x" * 100_000),
        ]
        assert [answer.status for answer in answers] == [200, 304, 200, 200, 200, 404, 302, 401]
        assert not any(answer.closing for answer in answers)


def test_what_an_earlier_server_gave_is_worth_nothing(tmp_path: Path) -> None:
    """Session, CSRF token, bearer token and order id do not survive a restart."""
    body = '{"username": "alice", "password": "alice-password"}'
    with ShopServer(tmp_path / "one") as first, Client(first.url) as client:
        client.log_in_to_admin()
        token = client.get("/admin/shop/product/1/change/").csrf_token
        answer = client.send("POST", "/api/token", body)
        bearer = {"Authorization": f"Bearer {answer.text.split(chr(34))[3]}"}
        assert client.send("GET", "/api/products", headers=bearer).status == 200
    with ShopServer(tmp_path / "two") as second, Client(second.url) as replay:
        assert replay.send("GET", "/api/products", headers=bearer).status == 401
        form = {"csrfmiddlewaretoken": token, "username": "admin", "password": "admin-password"}
        assert replay.submit("/admin/login/", **form).status == 403
        replay.cookies = client.cookies
        assert replay.get("/admin/shop/product/").status == 302


def test_the_same_home_means_the_same_server(tmp_path: Path) -> None:
    """A second user joins the server, leaves it running, and the last one ends it."""
    with ShopServer(tmp_path) as first:
        with ShopServer(tmp_path) as second, Client(second.url) as client:
            assert second.url == first.url
            assert client.get("/").status == 200
        with Client(first.url) as client:
            assert client.get("/").status == 200
        assert len(first.requests()) == 2
    assert not (tmp_path / "url").exists()
    with ShopServer(tmp_path) as third:
        assert third.requests() == []


def test_no_server_outlives_a_killed_user(tmp_path: Path) -> None:
    """kill -9 of the process that started the server ends the server."""
    program = (
        "import pathlib, signal, sys\n"
        "from example_suite.server import ShopServer\n"
        "with ShopServer(pathlib.Path(sys.argv[1])) as shop:\n"
        "    print(shop.url, flush=True)\n"
        "    signal.pause()\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as user:
        assert user.stdout is not None
        with Client(user.stdout.readline().strip()) as client:
            assert client.get("/").status == 200
            user.send_signal(signal.SIGKILL)
            # The end of the stream comes when the server's process ends.
            assert client.connection.sock.recv(1) == b""
    assert not (tmp_path / "url").exists()


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    """The server's own words are in the error, and the lease is free again."""
    (tmp_path / "access.log").mkdir()
    server = ShopServer(tmp_path)
    with pytest.raises(RuntimeError, match=r"(?s)did not start.*access\.log"):
        server.__enter__()
    (tmp_path / "access.log").rmdir()
    with server:
        assert server.requests() == []


def test_workers_of_one_run_share_the_shop(tmp_path: Path) -> None:
    """Under pytest-xdist the fixture gives every worker the URL of the same server."""
    (tmp_path / "conftest.py").write_text(
        "from example_suite.conftest import shop, shop_server\n__all__ = ['shop', 'shop_server']\n"
    )
    os.mkfifo(tmp_path / "meeting")
    (tmp_path / "test_url.py").write_text(
        "def test_url(shop, worker_id, request):\n"
        "    root = request.config.rootpath\n"
        "    (root / f'{worker_id}.url').write_text(shop)\n"
        "    # Opening waits for the other end: the two workers hold the shop together.\n"
        "    (root / 'meeting').open('r' if worker_id == 'gw0' else 'w').close()\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "2", "--dist", "each", "--rootdir", str(tmp_path),
         "--basetemp", str(tmp_path / "temp"), "-p", "no:cacheprovider", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    first, second = sorted(tmp_path.glob("*.url"))
    assert first.read_text() == second.read_text()
    assert first.read_text().startswith("http://127.0.0.1:")
