"""What was recorded over HTTP/2, replayed against the same server."""

from __future__ import annotations

from pathlib import Path

from pytest_loadtool.casefile import read_har
from tests.capture.servers import secure_site
from tests.console.running import recording, run, run_script


def test_recorded_over_http2_replays_green_and_red(tmp_path: Path) -> None:
    """curl talks HTTP/2 to the recorder, and that to nginx. The test case that is saved passes
    there, names cookies and compressed content included, and fails once nginx answers otherwise."""
    site, project = tmp_path / "site", tmp_path / "project"
    site.mkdir()
    project.mkdir()
    with secure_site(site) as nginx:
        pages = f"{nginx.origin}/headers?x=1 {nginx.origin}/gzip {nginx.origin}/"
        client = f"curl -sS -k --fail --http2 --compressed -H 'X-One: 1' -b 'a=1; b=2' {pages}"
        run_script(project, recording(client, "configure", "save"))
        recorded = read_har(project / "shop.har")
        assert [one.http_version for one in recorded] == ["HTTP/2"] * 3
        assert recorded[0].response_body.startswith(b"HTTP/2.0|1|curl/")
        green = run(project, "shop.case.toml")
        assert "1 passed" in green.stdout
        (site / "text").unlink()
        red = run(project, "shop.case.toml", status=1)
    assert "/gzip" in red.stdout
    assert "Status Code is 404, expected 200" in red.stdout
