"""Apache httpd as a server, and as a forward proxy, that wants each scheme of authentication.

Its own modules ask for the credentials and check them: `mod_auth_basic`, `mod_auth_digest`, and for
NTLM `mod_auth_gssapi` with gss-ntlmssp.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import trustme

from tests.authentication.accounts import USERS, Account, write_accounts
from tests.authentication.peer import Peer, ready_folder, running

__all__ = ["PAGE", "PROXIES", "serving"]

#: What every page of the server holds.
PAGE = "text of the page\n" * 60

#: The ports of the forward proxy, by the scheme that it wants.
PROXIES = ("none", "basic", "digest", "negotiate", "ntlm")

_MODULES = (
    "mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic",
    "auth_digest", "auth_gssapi", "headers", "setenvif", "ssl", "socache_shmcb", "proxy",
    "proxy_http", "proxy_connect", "reflector", "rewrite",
)  # fmt: skip

_BASIC = """
AuthType Basic
AuthName {realm}
AuthUserFile {file}
Require valid-user
"""
_DIGEST = """
AuthType Digest
AuthName {realm}
AuthUserFile digest
Require valid-user
"""
# Each nonce is good for one request, whose answer has the next one.
_DIGEST_ONCE = _DIGEST.format(realm="Digest") + "AuthDigestNonceLifetime 0\n"
_NEGOTIATE = """
AuthType GSSAPI
GssapiAllowedMech ntlmssp
GssapiConnectionBound On
Require valid-user
"""
# The module offers Negotiate and NTLM, or nothing: then NTLM alone stands where nothing else does.
_NTLM = (
    _NEGOTIATE
    + """
SetEnvIf Request_Method . gssapi-no-negotiate
Header always set {challenge} NTLM "expr=%{{REQUEST_STATUS}} == {status} && -z resp('{challenge}')"
"""
)

_SERVER = {
    "/basic/one": _BASIC.format(realm="One", file="basic"),
    "/basic/two": _BASIC.format(realm="Two", file="two"),
    "/digest": _DIGEST.format(realm="Digest"),
    "/once": _DIGEST_ONCE,
    "/negotiate": _NEGOTIATE,
    "/ntlm": _NTLM.format(challenge="WWW-Authenticate", status=401),
}
_PROXY = {
    "none": "Require all granted",
    "basic": _BASIC.format(realm="Proxy", file="basic"),
    "digest": _DIGEST.format(realm="Proxy"),
    "negotiate": _NEGOTIATE,
    "ntlm": _NTLM.format(challenge="Proxy-Authenticate", status=407),
}

# One process, with a thread for each user of a load test: short of threads it would close idle
# connections.
_MAIN = """
ServerRoot <folder>
ServerName localhost
PidFile <folder>/pid
DefaultRuntimeDir <folder>
Mutex posixsem
ErrorLog error.log
LogFormat "%{begin:usec}t\\t%{local}p\\t%{remote}p\\t%m\\t%U%q\\t%>s\\t%u\\t%I" entry
CustomLog access.log entry
DocumentRoot <folder>/pages
KeepAliveTimeout 60
MaxKeepAliveRequests 0
ServerLimit 1
ThreadLimit 600
ThreadsPerChild 600
MaxRequestWorkers 600
MinSpareThreads 1
Listen 127.0.0.1:<http>
Listen 127.0.0.1:<https> https
<VirtualHost 127.0.0.1:<https>>
SSLEngine on
SSLProtocol TLSv1.3
SSLCertificateFile server.pem
</VirtualHost>
<LocationMatch /echo$>
SetHandler reflector
</LocationMatch>
RewriteEngine On
"""

# An address with ?first=503 has the first message of NTLM answered by 503, one with ?last=503 what
# shows who asks: as an overloaded server does, or what stands before it, without a look at either.
_BUSY = "".join(
    f"RewriteCond %{{QUERY_STRING}} ^{which}={status}\n"
    f'RewriteCond %{{HTTP:Authorization}} "{message}"\n'
    f"RewriteRule ^ - [R={status}]\n"
    for status in (400, 403, 503)
    for which, message in (("first", " TlRMTVNTUAAB"), ("last", "^\\w+ (?!TlRMTVNTUAAB)"))
)


@contextmanager
def serving(accounts: tuple[Account, ...] = USERS, application: str = "") -> Iterator[Peer]:
    """The server at the ports ``http`` and ``https``, the proxies at ports named for their schemes;
    the proxy ``secured`` wants Digest, and TLS of its clients.

    Free for all is ``/open``; who wants Basic are ``/basic/one`` and ``/basic/two``, each with a
    realm and users of its own; the others are ``/digest``, ``/once``, where Digest takes each nonce
    once, ``/negotiate`` and ``/ntlm``, the last of which offers NTLM alone. Each has a ``page`` for
    GET and POST, and ``echo``, which answers a POST with the body that it got. With ``first=503``
    or ``last=503`` in its query, and so with 400 and 403, a handshake does not get to its end. With
    the URL of a page of an ``application`` each has that, too, and asks it for each request. The
    authority of the certificate is ``ca.pem`` in the folder.
    """
    with ready_folder() as folder:
        write_accounts(folder, accounts)
        _certificate(folder)
        for path in ("/open", *_SERVER):
            place = folder / f"pages{path}"
            place.mkdir(parents=True)
            (place / "page").write_text(PAGE, encoding="utf-8")
        with running(
            folder,
            _configuration(application),
            ("http", "https", *PROXIES, "secured"),
            ["apache2", "-f", f"{folder}/configuration", "-D", "FOREGROUND"],
            user="www-data",
            environment={"NTLM_USER_FILE": f"{folder}/ntlm"},
        ) as peer:
            yield peer


def _configuration(application: str) -> str:
    modules = "".join(
        f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n" for name in _MODULES
    )
    locations = "".join(
        f"<Location {path}>{wanted}</Location>\n" for path, wanted in _SERVER.items()
    )
    proxies = "".join(
        f"Listen 127.0.0.1:<{name}>\n<VirtualHost 127.0.0.1:<{name}>>\nProxyRequests On\n"
        f"AllowCONNECT <https>\n{tls}<Proxy *>\n{wanted}\n</Proxy>\n</VirtualHost>\n"
        for name, wanted, tls in (
            *((name, wanted, "") for name, wanted in _PROXY.items()),
            ("secured", _PROXY["digest"], "SSLEngine on\nSSLCertificateFile server.pem\n"),
        )
    )
    behind = f"ProxyPassMatch /application$ {application}\n" if application else ""
    return modules + _MAIN + behind + _BUSY + locations + proxies


def _certificate(folder: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    server = authority.issue_cert("127.0.0.1", "localhost")
    server.private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
