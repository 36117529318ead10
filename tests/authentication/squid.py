"""squid as a forward proxy that wants each scheme of authentication.

A connection of a client on which a server wants NTLM is bound to one connection to that server
(``connection-auth``), which Apache as a forward proxy does not do.
"""

from __future__ import annotations

import base64
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import pytest
import spnego

from tests.authentication.accounts import write_accounts
from tests.authentication.apache import PROXIES
from tests.authentication.peer import Peer, ready_folder, running
from tests.listening import listening

__all__ = ["serving"]

#: What squid starts to have NTLM checked: what it writes is passed on to a port, and back.
_RELAY = """\
#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/$1
cat <&3 &
exec cat >&3
"""

_MAIN = """
auth_param basic program /usr/lib/squid/basic_ncsa_auth <folder>/ncsa
auth_param basic realm Proxy
auth_param basic children 5 startup=0
auth_param digest program /usr/lib/squid/digest_file_auth -c <folder>/digest
auth_param digest realm Proxy
auth_param digest children 5 startup=0
auth_param digest nonce_max_count {uses}
auth_param negotiate program <folder>/relay {judge_of_negotiate}
auth_param negotiate children 10 startup=0
auth_param ntlm program <folder>/relay {judge_of_ntlm}
auth_param ntlm children 10 startup=0
{ports}
auth_schemes basic on_basic
auth_schemes digest on_digest
auth_schemes negotiate,ntlm on_negotiate
auth_schemes ntlm on_ntlm
acl known proxy_auth REQUIRED
http_access allow on_none
http_access allow known
http_access deny all
cache deny all
cache_mem 0
netdb_filename none
pinger_enable off
visible_hostname localhost
shutdown_lifetime 0 seconds
pid_filename <folder>/pid
coredump_dir <folder>
cache_log <folder>/cache.log
logformat entry %ts%03tu999	%lp	%>p	%rm	%ru	%>Hs	%un	%>st
access_log stdio:<folder>/access.log entry
"""


@contextmanager
def serving(nonce_uses: int = 50) -> Iterator[Peer]:
    """The proxies at ports named for their schemes.

    squid's own programs check Basic and Digest; a nonce of Digest is stale after so many uses.
    NTLM, for which it has none, is checked by pyspnego.
    """
    with ready_folder() as folder, pytest.MonkeyPatch.context() as patch:
        write_accounts(folder)
        patch.setenv("NTLM_USER_FILE", str(folder / "ntlm"))
        relay = folder / "relay"
        relay.write_text(_RELAY, encoding="utf-8")
        relay.chmod(0o755)
        with listening(_Judge, _judge) as ntlm, listening(_Judge, _judge_spnego) as negotiate:
            configuration = _MAIN.format(
                uses=nonce_uses,
                judge_of_ntlm=ntlm.port,
                judge_of_negotiate=negotiate.port,
                ports="\n".join(
                    f"http_port 127.0.0.1:<{name}>\nacl on_{name} localport <{name}>"
                    for name in PROXIES
                ),
            )
            command = ["squid", "-N", "-f", f"{folder}/configuration"]
            with running(folder, configuration, PROXIES, command, user="proxy") as peer:
                yield peer


@dataclass
class _Judge:
    """Who checks NTLM for squid, at a port."""

    port: int
    connections: int = 0


def _judge(server: _Judge, number: int, connection: socket.socket, token: str = "") -> None:
    """One helper's talk with squid: ``YR`` begins a login, ``KK`` goes on with it; answered with
    ``TT`` (here is the challenge), ``AF`` (it is this user) or ``NA`` (it is not)."""
    with connection.makefile("rw", encoding="ascii") as lines, suppress(OSError):
        for line in lines:
            kind, given = line.split()[:2]
            if kind == "YR":
                context = spnego.server(protocol="ntlm")
            try:
                challenge = context.step(base64.b64decode(given))
            except spnego.exceptions.SpnegoError as error:
                lines.write(f"NA {token}{type(error).__name__}\n")
            else:
                if context.complete:
                    lines.write(f"AF {token}{context.client_principal}\n")
                else:
                    lines.write(f"TT {base64.b64encode(challenge or b'').decode()}\n")
            lines.flush()


def _judge_spnego(server: _Judge, number: int, connection: socket.socket) -> None:
    """Likewise for Negotiate, where an answer may carry a token, for which ``*`` stands."""
    _judge(server, number, connection, "* ")
