"""Each cause of a load test that fails, brought about on a real server, is named first."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool.diagnosis.load.finding import LoadDiagnosis
from pytest_loadtool.load import Summary
from tests import nginx
from tests.diagnosis.load import shop as of
from tests.load import simulation

Told = tuple[Summary, LoadDiagnosis, str]


def told(path: Path) -> Told:
    """What came of it, why, and the block that says so. Each failed request is counted once."""
    summary = of.ran(path)
    failing = summary.failing
    counted = sum(one.iterations + one.consequences for one in failing.groups)
    assert counted + failing.other_iterations + failing.other_consequences == summary.totals.errors
    diagnosis = of.failing(path, summary)
    return summary, diagnosis, of.is_as_wide_as_it_may_be(summary, diagnosis)


@pytest.mark.parametrize("status", [429, 503])
def test_a_rate_limit(tmp_path: Path, status: int) -> None:
    """Eight users and limit_req of nginx, whose own status is 503: the limit is the cause, not what
    follows from pages that did not come."""
    http = f"""
access_log off;
limit_req_zone $binary_remote_addr zone=z:1m rate=40r/s;
limit_req_status {status};
server {{ listen 127.0.0.1:<web>;
  location / {{ limit_req zone=z burst=2 nodelay; root .; }} }}
"""
    (tmp_path / "form.html").write_text('<form><input name="csrf" value="a1b2c3d4"></form>' * 200)
    with nginx.serving(tmp_path, http, "web") as site:
        pages = of.page("GET /form.html") + of.page("GET /form.html?x=${csrf}", name="Order")
        take = 'extractors = [{ variable = "csrf", regex = \'value="(\\w+)"\' }]\n'
        pages = pages.replace('request = "GET /form.html"\n', f'request = "GET /form.html"\n{take}')
        load = 'users = 8\nduration = "2s"\npacing = "40ms"'
        path = of.written(tmp_path, site.http("web"), pages, load)
        summary, diagnosis, text = told(path)
    assert "rate limit" in diagnosis.findings[0].cause.text, text
    assert summary.failing.groups[0].status == status
    assert diagnosis.findings[0].consequences > 0
    assert text.startswith(f"FIX FIRST  {status}")


def test_errors_that_begin_later(tmp_path: Path) -> None:
    """A server that answers 500 from some second on: that second is named, and what was before."""
    with of.serving(of.Shop(broken_after=3.0)) as shop:
        load = 'users = 4\nduration = "5s"\npacing = "50ms"'
        path = of.written(tmp_path, shop.url, of.page("GET /", "GET /two"), load)
        summary, diagnosis, text = told(path)
    first = diagnosis.findings[0]
    assert "From second 3 on it fails, and went well before" in first.cause.text, text
    assert "The server failed (500)" in first.cause.text
    assert {one.status for one in first.groups} == {500}
    assert all(one.first_s == 3 for one in first.groups)
    assert [one.errors for one in summary.timeline][:3] == [0, 0, 0]


def test_wrong_rows(tmp_path: Path) -> None:
    """Two rows of a dataset have a wrong password: these rows are named, and no others."""
    shop = of.Shop()
    head = of.users(shop, tmp_path, 8, wrong=(3, 7))
    with of.serving(shop):
        pages = of.LOGIN + of.page("GET /account", name="Account")
        load = 'users = 8\nduration = "2s"\npacing = "100ms"'
        path = of.written(tmp_path, shop.url, pages, load, head)
        summary, diagnosis, text = told(path)
    first = diagnosis.findings[0]
    assert "Rows 3 and 7 of users.csv fail each time" in first.cause.text, text
    assert "Wrong user name or password" in text
    [group] = summary.failing.groups
    assert [row for row, _ in group.rows] == [("users", 2), ("users", 6)]
    assert group.consequences == summary.totals.errors - group.iterations > 0


@pytest.mark.slow
def test_wrong_rows_of_two_workers(tmp_path: Path) -> None:
    """Each of two workers has one of the wrong rows: both are named, and no others."""
    shop = of.Shop()
    head = of.users(shop, tmp_path, 8, wrong=(3, 6))
    with of.serving(shop):
        pages = of.LOGIN + of.page("GET /account", name="Account")
        of.written(tmp_path, shop.url, pages, "users = 8\niterations = 32", head)
        command = [sys.executable, "-m", "pytest", "--load", "-n", "2", "-p", "no:cacheprovider"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert "2 workers" in done.stdout, done.stdout
    assert "Rows 3 and 6 of users.csv fail each time; the others do not." in done.stdout
    assert "Wrong user name or password" in done.stdout


def test_sessions_that_expire(tmp_path: Path) -> None:
    """Sessions end after a second, and users think for longer or shorter: the age is named."""
    shop = of.Shop(lifetime=1.0)
    head = of.users(shop, tmp_path, 6)
    load = 'users = 6\nduration = "6s"\nthink_time = { uniform = ["100ms", "2s"] }'
    with of.serving(shop):
        pages = of.LOGIN + of.page("GET /account", name="Account")
        path = of.written(tmp_path, shop.url, pages, load, head)
        _, diagnosis, text = told(path)
    first = diagnosis.findings[0]
    assert first.cause.text.startswith("Sessions expire: after about 1."), text
    assert "--loadtool-think-time none" in text


@pytest.mark.parametrize("collapses", [False, True])
def test_too_much_to_do(tmp_path: Path, collapses: bool) -> None:
    """Good answers get slower with more users, and then some are turned away, or all: the target is
    there, as it takes its time even for that."""
    with of.serving(of.Shop(slots=2, queue=16, collapses=collapses)) as shop:
        load = 'users = 40\nduration = "6s"\nramp_up = "5s"'
        path = of.written(tmp_path, shop.url, of.page("GET /work"), load)
        _, diagnosis, text = told(path)
    first = diagnosis.findings[0]
    assert first.cause.text.startswith("The target is overloaded from about"), text
    assert "good answers took" in text


def test_a_restart(tmp_path: Path) -> None:
    """The target goes away in the middle and comes back without the sessions it had."""
    shop = of.Shop()
    head = of.users(shop, tmp_path, 4)
    found: list[Told] = []
    with of.serving(shop):
        port = int(shop.url.rpartition(":")[2])
        login = of.LOGIN.replace('"Log in"', '"Log in"\nthink_time = "500ms"')
        pages = login + of.page("GET /account", name="Account")
        path = of.written(tmp_path, shop.url, pages, 'users = 4\nduration = "7s"', head)
        run = threading.Thread(target=lambda: found.append(told(path)))
        run.start()
        time.sleep(2.2)
    time.sleep(1.5)
    shop.sessions.clear()
    with of.serving(shop, port):
        run.join()
    [(_, diagnosis, text)] = found
    first = diagnosis.findings[0]
    assert "The target was away from second 2 to" in first.cause.text, text


def test_data_that_are_used_up(tmp_path: Path) -> None:
    """A dataset whose rows may be used once, and there are too few: that ended the run."""
    shop = of.Shop()
    head = of.users(shop, tmp_path, 20) + "reusable = false\n"
    with of.serving(shop):
        load = 'users = 2\nduration = "20s"\npacing = "20ms"'
        path = of.written(tmp_path, shop.url, of.LOGIN, load, head)
        _, diagnosis, text = told(path)
    first = diagnosis.findings[0]
    assert "Dataset users (users.csv) is used up: each of its 20 rows" in first.cause.text, text
    assert "reusable = true" in text


def test_errors_by_chance() -> None:
    """Some requests of many fail, in any second, with any row: neither load nor data nor a restart
    is blamed for it."""
    found = simulation.told(simulation.summary(failing=20)).diagnosis.findings
    assert [one.iterations for one in found] == [11, 4, 3, 1]
    for word in ("overloaded", "away", "expire", "limit", "Row", "on it fails"):
        assert not [one.cause.text for one in found if word in one.cause.text], word


@pytest.mark.parametrize("late", [800.0, 3.0])
def test_the_generator_s_own_limits(late: float) -> None:
    """Requests that had no answer in time, by workers whose clock is late: the machine that makes
    the load is blamed, and not the target; with workers that are in time it is not."""
    summary = simulation.summary(failing=20)
    failing = summary.failing
    groups = tuple(replace(one, status=0, cause="timeout") for one in failing.groups)
    workers = tuple(replace(one, lag_p95=late) for one in summary.workers)
    summary = replace(summary, workers=workers, failing=replace(failing, groups=groups))
    first, *_ = simulation.told(summary).diagnosis.findings
    own = "The machine that makes the load is at its limit, not the target."
    assert (first.cause.text == own) == (late > 500)
    if late > 500:
        assert first.iterations == sum(one.iterations for one in failing.groups)
        assert "event loop late by 800 ms" in " ".join(first.cause.evidence)


def test_what_fails_for_one_user_too(tmp_path: Path) -> None:
    """A page that nobody ever got is not a matter of load, and the block says so."""
    with of.serving(of.Shop()) as shop:
        pages = of.page("GET /", "GET /account")
        path = of.written(tmp_path, shop.url, pages, 'users = 3\nduration = "1s"\npacing = "50ms"')
        _, diagnosis, text = told(path)
    assert "no user ever got a good answer from it: it is not the load" in " ".join(text.split())
    assert diagnosis.findings[0].groups[0].status == 401
