"""The server of the benchmarks: nginx, one process, on a core of its own."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.environments import program

__all__ = ["CLIENT_CORE", "SERVER_CORE", "Site", "serve"]

SERVER_CORE, CLIENT_CORE = "1", "0"

#: Whatever is asked for is a few constants, so that the server is never what is measured.
_CONFIGURATION = """
worker_processes 1;
worker_rlimit_nofile {files};
daemon off;
pid {root}/nginx.pid;
error_log {root}/error.log;
events {{ worker_connections {files}; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  keepalive_timeout 600;
  default_type text/html;
  client_body_temp_path {root}/body;
  proxy_temp_path {root}/proxy;
  fastcgi_temp_path {root}/fastcgi;
  uwsgi_temp_path {root}/uwsgi;
  scgi_temp_path {root}/scgi;
  ssl_certificate {root}/certificate.pem;
  ssl_certificate_key {root}/key.pem;
  ssl_protocols TLSv1.3;
  server {{
    listen 127.0.0.1:{port} backlog=4096 reuseport;
    listen 127.0.0.1:{tls_port} ssl backlog=4096 reuseport;
    location = /plain {{ return 200 "hello world\\n"; }}
    location = /login {{
      default_type application/json;
      add_header Set-Cookie "sessionid=8f14e45fceea167a5a36dedd4bea2543; Path=/; HttpOnly";
      return 200 '{{"access_token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIi", "token_type": "Bearer"}}';
    }}
    location = /api/me {{
      default_type application/json;
      if ($http_authorization !~ "^Bearer eyJ") {{ return 401; }}
      if ($cookie_sessionid = "") {{ return 401; }}
      return 200 '{{"name": "alice", "role": "customer", "orders": 3}}';
    }}
    location = /page {{ alias {root}/page.html; }}
    location ~ ^/static/[0-9]+.css$ {{ default_type text/css; alias {root}/static.css; }}
    location ~ ^/item/(?<item>[0-9]+)$ {{
      if ($item != "4711") {{ return 404; }}
      return 200 "item $item\\n";
    }}
    location = /unlike {{ add_header Content-Encoding "x-$request_id"; return 200 "unlike\\n"; }}
  }}
}}
"""

_ROW = "<li>Product number {0} with a description</li>\n"
_RULE = ".product-{0} {{ margin: 0 {0}px; }}\n"


@dataclass(frozen=True, slots=True)
class Site:
    """Where the server answers."""

    url: str
    tls_url: str


@contextlib.contextmanager
def serve(root: Path, open_files: int) -> Iterator[Site]:
    """Serve on free loopback ports, for so many connections, until the block ends."""
    root.chmod(0o755)  # nginx's worker is another user than root
    rows = "".join(_ROW.format(number) for number in range(410))
    page = f'<html><head><title>Shop</title></head><ul>{rows}</ul><a data-item="4711">x</a></html>'
    (root / "page.html").write_text(page)
    (root / "static.css").write_text("".join(_RULE.format(number) for number in range(60)))
    _make_certificate(root)
    port, tls_port = _free_ports(2)
    configuration = root / "nginx.conf"
    configuration.write_text(
        _CONFIGURATION.format(root=root, port=port, tls_port=tls_port, files=open_files)
    )
    command = [program("nginx"), "-e", f"{root}/error.log", "-c", str(configuration)]
    process = subprocess.Popen([program("taskset"), "-c", SERVER_CORE, *command])
    try:
        _wait_for(port, process)
        yield Site(f"http://127.0.0.1:{port}", f"https://127.0.0.1:{tls_port}")
    finally:
        process.terminate()
        process.wait()


def _make_certificate(root: Path) -> None:
    subprocess.run(
        [program("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", root / "key.pem", "-out", root / "certificate.pem"],
        check=True, capture_output=True,
    )  # fmt: skip


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        if process.poll() is not None:
            raise SystemExit("nginx did not start")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    raise SystemExit("nginx does not answer")
