"""How many requests per second one core drives: pytest-loadtool beside its peers.

    python tests/benchmarks/peers.py [--seconds S] [--rounds N] [--json FILE] [--only NAME ...]

nginx serves on one core, the contenders run on another, in alternation; medians and ratios are
printed. Absolute figures vary from machine to machine and minute to minute; ratios vary less.

Scenario B is a correlated session: log in (token from JSON, session cookie), an API call with the
bearer token and the cookie (text check), a 19 KB page (regular expression extraction), a request
that uses what was extracted. Status codes are checked everywhere and all metrics are on.

Needs nginx (Debian: ``apt-get install nginx-light``). Locust is installed from PyPI into an
environment of its own, ``~/.cache/pytest-loadtool/locust``. Traffic goes to loopback only.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

SERVER_CORE, CLIENT_CORE = "1", "0"
CACHE = Path.home() / ".cache" / "pytest-loadtool"

NGINX = """
worker_processes 1;
daemon off;
pid {root}/nginx.pid;
error_log {root}/error.log;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  default_type text/html;
  server {{
    listen 127.0.0.1:{port} backlog=4096 reuseport;
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
    location ~ ^/item/(?<item>[0-9]+)$ {{
      if ($item != "4711") {{ return 404; }}
      return 200 "item $item\\n";
    }}
  }}
}}
"""

CASE_B = """
format = 1
name = "Correlated session"
server = "{url}"
headers = ["Host", "User-Agent: benchmark", "Accept: */*", "Cookie"]

[[page]]
name = "Session"

[[page.transaction]]
request = "POST /login"
headers = ["Content-Type: application/json"]
body = '{{"username": "alice", "password": "secret"}}'
extractors = [{{ variable = "token", json = "$.access_token" }}]

[[page.transaction]]
request = "GET /api/me"
headers = ["Authorization: Bearer ${{token}}"]
validators = [{{ text = "alice" }}]

[[page.transaction]]
request = "GET /page"
extractors = [{{ variable = "item", regex = 'data-item="(\\d+)"' }}]

[[page.transaction]]
request = "GET /item/${{item}}"
"""

CASE_A = """
format = 1
name = "Plain"
server = "{url}"
[[page]]
name = "Plain"
[[page.transaction]]
request = "GET /plain"
"""

LOAD = """
format = 1
name = "{name}"
users = {users}
duration = "{seconds}s"
grace = "1s"
keep_connections = true
[[case]]
file = "{name}.case.toml"
"""

LOCUST = """
import re
from locust import FastHttpUser, task

ITEM = re.compile(r'data-item="(\\d+)"')


class B(FastHttpUser):
    @task
    def session(self):
        with self.client.post("/login", json={"username": "alice", "password": "secret"}) as r:
            token = r.json()["access_token"]
        headers = {"Authorization": "Bearer " + token}
        with self.client.get("/api/me", headers=headers, catch_response=True) as r:
            if "alice" not in r.text:
                r.failure("text")
        with self.client.get("/page") as r:
            item = ITEM.search(r.text)[1]
        self.client.get("/item/" + item, name="/item")


class A(FastHttpUser):
    @task
    def plain(self):
        self.client.get("/plain")
"""


def main() -> int:
    """Run the contenders in alternation and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="length of each run")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each contender")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="scenarios: A32 B32 B1000")
    options = parser.parse_args()
    locust = install_locust()
    with tempfile.TemporaryDirectory() as root, nginx(Path(root)) as url:
        contenders: dict[str, Callable[[str, int], float]] = {
            "loadtool": lambda name, users: run_loadtool(
                Path(root), url, name, users, options.seconds
            ),
            "locust": lambda name, users: run_locust(
                locust, Path(root), url, name, users, options.seconds
            ),
        }
        rps: dict[str, dict[str, float]] = {}
        for scenario, (name, users) in SCENARIOS.items():
            if options.only and scenario not in options.only:
                continue
            samples: dict[str, list[float]] = {contender: [] for contender in contenders}
            for _ in range(options.rounds):
                for contender, run in contenders.items():
                    samples[contender].append(run(name, users))
            rps[scenario] = {one: statistics.median(values) for one, values in samples.items()}
            print_scenario(scenario, samples)
    result = {
        "ratios": {
            f"{scenario}/{peer}": round(values["loadtool"] / values[peer], 2)
            for scenario, values in rps.items()
            for peer in values
            if peer != "loadtool"
        },
        "rps": {
            scenario: {k: round(v) for k, v in values.items()} for scenario, values in rps.items()
        },
        "us_per_request": {
            scenario: {k: round(1e6 / v, 1) for k, v in values.items()}
            for scenario, values in rps.items()
        },
    }
    print(json.dumps(result, indent=1))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    return 0


SCENARIOS = {"A32": ("A", 32), "B32": ("B", 32), "B1000": ("B", 1000)}


def print_scenario(scenario: str, samples: dict[str, list[float]]) -> None:
    """One line per contender."""
    ours = statistics.median(samples["loadtool"])
    for contender, values in samples.items():
        median = statistics.median(values)
        spread = " ".join(f"{value:,.0f}" for value in values)
        print(
            f"{scenario:6} {contender:9} {median:9,.0f}/s   x{ours / median:5.2f}   ({spread})",
            flush=True,
        )


def run_loadtool(root: Path, url: str, name: str, users: int, seconds: float) -> float:
    """Requests per second of one run of ours, as a user would start it."""
    (root / f"{name}.case.toml").write_text({"A": CASE_A, "B": CASE_B}[name].format(url=url))
    (root / f"{name}.load.toml").write_text(LOAD.format(name=name, users=users, seconds=seconds))
    (root / "pytest.ini").write_text("[pytest]\n")
    result = root / "result.json"
    command = ["taskset", "-c", CLIENT_CORE, sys.executable, "-m", "pytest", "-q", "--load",
               "--load-json", str(result), f"{name}.load.toml"]  # fmt: skip
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    totals = json.loads(result.read_text())["totals"]
    if totals["errors"]:
        raise SystemExit(f"errors in our own run:\n{done.stdout}")
    return float(totals["throughput_rps"])


def run_locust(locust: Path, root: Path, url: str, name: str, users: int, seconds: float) -> float:
    """Requests per second of one run of Locust's FastHttpUser."""
    (root / "locustfile.py").write_text(LOCUST)
    for old in root.glob("stats_*.csv"):
        old.unlink()
    command = ["taskset", "-c", CLIENT_CORE, str(locust), "-f", "locustfile.py", name, "--headless",
               "-u", str(users), "-r", str(users), "-t", f"{seconds:.0f}s", "-H", url,
               "--csv", "stats", "--only-summary"]  # fmt: skip
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    with (root / "stats_stats.csv").open() as file:
        total = next(row for row in csv.DictReader(file) if row["Name"] == "Aggregated")
    if int(total["Failure Count"]) or not int(total["Request Count"]):
        raise SystemExit(f"errors in Locust's run:\n{done.stdout}{done.stderr}")
    return float(total["Requests/s"])


@contextlib.contextmanager
def nginx(root: Path) -> Iterator[str]:
    """A server on a free loopback port, pinned to its own core."""
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    if not Path(program).exists():
        raise SystemExit("nginx is needed: apt-get install nginx-light")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    filler = "".join(f"<li>Product number {i} with a description</li>\n" for i in range(380))
    page = (
        f'<html><head><title>Shop</title></head><ul>{filler}</ul><a data-item="4711">x</a></html>'
    )
    (root / "page.html").write_text(page[:19456] if len(page) < 19000 else page)
    (root / "nginx.conf").write_text(NGINX.format(root=root, port=port))
    root.chmod(0o755)
    process = subprocess.Popen(
        [
            "taskset",
            "-c",
            SERVER_CORE,
            program,
            "-e",
            f"{root}/error.log",
            "-c",
            f"{root}/nginx.conf",
        ]
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(100):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{url}/plain"):
                break
            time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait()


def install_locust() -> Path:
    """Locust's command, installed on first use."""
    home = Path(os.environ.get("LOCUST_VENV", CACHE / "locust"))
    program = home / "bin" / "locust"
    if not program.exists():
        venv.create(home, with_pip=True)
        subprocess.run([home / "bin" / "pip", "install", "-q", "locust"], check=True)
    return program


if __name__ == "__main__":
    sys.exit(main())
