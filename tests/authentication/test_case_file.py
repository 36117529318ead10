"""A test case with identities and a proxy, as a file, run by pytest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.authentication.accounts import DOMAIN, USERS
from tests.authentication.peer import Peer
from tests.plugin.loading import Project

(ALICE, PASSWORD), (BOB, BOBS) = USERS


@pytest.mark.promise(33, 78, 80, 95)
def test_through_a_proxy_over_tls(
    apache: Peer, squid: Peer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NTLM at an HTTPS server, through a proxy that wants NTLM of somebody else, whose password is
    in the environment."""
    monkeypatch.setenv("PROXY_PASSWORD", BOBS)
    run = Project(tmp_path)
    run.write(
        users__csv=f"username,password,domain\n{ALICE},{PASSWORD},{DOMAIN}\\{ALICE}\n",
        page__case__toml=f"""\
format = 1
name = "Page"
server = "{apache.url("https", "https")}"

[datasets.users]
file = "users.csv"
lifespan = "virtual user"
sharable = false

[[identity]]
username = "${{users.username}}"
password = "${{users.password}}"
domain = "${{users.domain}}"

[[page]]
name = "Page"

[[page.transaction]]
request = "GET /ntlm/page"

[[page.transaction]]
request = "POST /ntlm/echo"
body = "name=${{users.username}}"

[proxy]
url = "{squid.url("ntlm")}"
username = "{BOB}"
password = "${{PROXY_PASSWORD}}"
domain = "{DOMAIN}"

[tls]
ca = "{apache.folder}/ca.pem"

[variables]
PROXY_PASSWORD = {{ env = "PROXY_PASSWORD" }}
""",
    )
    at_server, at_proxy = apache.log.mark(), squid.log.mark()
    done = run.run("-v", f"-oloadtool_outside_paths={apache.folder}")
    assert done.returncode == 0, done.stdout
    assert [(one.status, one.user) for one in apache.log.since(at_server, 4)] == [
        (401, ""), (401, ""), (200, rf"{DOMAIN}\{ALICE}"), (200, rf"{DOMAIN}\{ALICE}"),
    ]  # fmt: skip
    assert [(one.method, one.status) for one in squid.log.since(at_proxy, 3)] == [
        ("CONNECT", 407), ("CONNECT", 407), ("CONNECT", 200),
    ]  # fmt: skip
