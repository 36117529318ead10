"""A small recorded session, and the test case that is made of it."""

from __future__ import annotations

from pytest_loadtool.model.case import Header, Kind, Page, Recorded, Request, TestCase, Transaction
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.workflow.document import Document

LOGIN_PAGE = Exchange(
    started=1000.0,
    took=0.012,
    method="GET",
    url="http://127.0.0.1:8000/login",
    http_version="HTTP/1.1",
    request_headers=(("Host", "127.0.0.1:8000"),),
    request_body=b"",
    status=200,
    reason="OK",
    response_headers=(("Content-Type", "text/html; charset=utf-8"),),
    response_body="<title>Grüße</title>".encode() + b"x" * 5000,
)
LOGIN = Exchange(
    started=1003.0,
    took=0.020,
    method="POST",
    url="http://127.0.0.1:8000/login",
    http_version="HTTP/1.1",
    request_headers=(("Content-Type", "application/x-www-form-urlencoded"),),
    request_body=b"user=admin&password=a%20b",
    error="connection closed",
)

DOCUMENT = Document(
    TestCase(
        name="shop",
        server="http://127.0.0.1:8000",
        pages=(
            Page(
                "Log in",
                (
                    Transaction(
                        Request("GET", "/login", (Header("Accept", "text/html"),)),
                        recorded=Recorded(200, Kind.HTML, entry=0),
                    ),
                ),
                think_time=3.2,
            ),
            Page(
                "Home",
                (
                    Transaction(
                        Request("POST", "/login", body="user=admin"),
                        name="log in",
                        recorded=Recorded(302, Kind.OTHER, entry=1),
                    ),
                    Transaction(Request("GET", "/by-hand")),
                ),
            ),
        ),
    ),
    (LOGIN_PAGE, LOGIN),
)
