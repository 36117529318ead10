"""Traffic of the small application of `tests.plugin.serving`, as a browser would have left it."""

from __future__ import annotations

from pathlib import Path

from pytest_loadtool.casefile import HarWriter
from pytest_loadtool.model.exchange import Exchange, HeaderList

__all__ = ["FORM", "THIRD_PARTY", "exchange", "sign_in", "write_har"]

THIRD_PARTY = "https://metrics.third-party.invalid"
RECORDED_TOKEN = "aB3dE6gH9jK2mN5pQ8"
FORM = "application/x-www-form-urlencoded"


def exchange(
    method: str,
    url: str,
    at: float,
    *headers: tuple[str, str],
    body: str = "",
    content_type: str = "text/html",
    answer: str = "",
    answer_headers: HeaderList = (),
) -> Exchange:
    """One exchange that succeeded, ``at`` seconds after the first."""
    return Exchange(
        started=1_790_000_000 + at,
        took=0.01,
        method=method,
        url=url,
        http_version="HTTP/1.1",
        request_headers=(("Host", url.split("/")[2]), *headers),
        request_body=body.encode(),
        status=200,
        reason="OK",
        response_headers=(("Content-Type", content_type), *answer_headers),
        response_body=answer.encode(),
    )


def sign_in(server: str) -> tuple[Exchange, ...]:
    """A form with a token, a metric for a third party, and the form sent."""
    form = (
        f'<title>Sign in</title><form><input type="hidden" name="token" value="{RECORDED_TOKEN}">'
    )
    form += '<input name="user"><input type="password" name="password"></form>'
    return (
        exchange("GET", f"{server}/form", 0, ("Accept", "text/html"), answer=form),
        exchange("GET", f"{THIRD_PARTY}/pixel", 1, ("Referer", f"{server}/form")),
        exchange(
            "POST",
            f"{server}/login",
            5,
            ("Referer", f"{server}/form"),
            ("Content-Type", FORM),
            body=f"token={RECORDED_TOKEN}&user=ann&password=correct+horse+7",
            answer="<title>Home</title>",
        ),
    )


def write_har(path: Path, *exchanges: Exchange) -> Path:
    """A HAR file with these."""
    with HarWriter(path) as writer:
        for one in exchanges:
            writer.append(one)
    return path
