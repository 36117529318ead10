"""Many users and many requests on each connection over TLS, against nginx's own books."""

from __future__ import annotations

from collections import Counter

from pytest_loadtool.model.case import Page, TestCase
from pytest_loadtool.model.load import CaseShare, LoadConfiguration
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.replay import compile_case
from tests.nginx import Nginx
from tests.observed import run_load
from tests.transport.texts import get


def test_each_request_goes_out_once_and_meets_its_own_response(nginx: Nginx) -> None:
    """Responses that came twice, or to another request, would fail their validators."""
    greeting, numbers = get("/hello.txt?tls", "Grüße"), get("/big.txt?tls", "0123456789")
    pages = (Page("p", (greeting, numbers, get("/hello.txt?tls=again", "Grüße"))),)
    plan = compile_case(TestCase("c", pages, nginx.https("tls"), tls=TlsSettings(verify=False)))
    configuration = LoadConfiguration(
        name="tls",
        cases=(CaseShare("c.case.toml"),),
        users=8,
        duration=None,
        iterations=5,
        keep_connections=True,
    )
    metrics = run_load(plan, configuration)
    assert metrics.failed_requests == 0
    assert [one.requests for one in metrics.transactions] == [40, 40, 40]
    assert Counter(nginx.log(120, of="?tls")) == {
        "GET /hello.txt?tls HTTP/1.1": 40,
        "GET /big.txt?tls HTTP/1.1": 40,
        "GET /hello.txt?tls=again HTTP/1.1": 40,
    }
