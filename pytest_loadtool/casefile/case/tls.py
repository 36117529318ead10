"""The table ``[tls]`` of a test case: its keys, and whether its files are what they should be.

What only OpenSSL can tell (whether a key belongs to a certificate) is found when the test case is
about to run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pytest_loadtool.casefile.files import read_bytes
from pytest_loadtool.casefile.syntax import shown
from pytest_loadtool.casefile.toml.diagnostics import Problems
from pytest_loadtool.casefile.toml.render import KeyedLine, scalar
from pytest_loadtool.casefile.toml.schema import Key, Node, Table, boolean, filled, parsed
from pytest_loadtool.casefile.toml.shape import shaped
from pytest_loadtool.casefile.trust import Trust, named_path
from pytest_loadtool.errors import FileError
from pytest_loadtool.model.tls import USUAL_TLS, TlsSettings

_HOST = re.compile(r"[\w-]+(\.[\w-]+)*", re.ASCII)
_CERTIFICATE = re.compile(rb"-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----")
_PRIVATE_KEY = re.compile(rb"-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY-----")
#: PKCS #8 says it in its label (RFC 7468 §11), older forms in a header (RFC 1421 §4.6.1.1).
_ENCRYPTED = re.compile(rb"BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED", re.MULTILINE)

#: The keys that name files, and what must be in them.
_FILES = {
    "ca": ("certificate", _CERTIFICATE),
    "client_certificate": ("certificate", _CERTIFICATE),
    "client_key": ("private key", _PRIVATE_KEY),
}


@shaped(lambda describe: describe(TLS))
def tls_settings(node: Node) -> TlsSettings:
    """Return what the table says."""
    settings = TlsSettings(**TLS.read(node))
    for name in ("client_key", "client_key_password_env"):
        if getattr(settings, name) and not settings.client_certificate:
            raise node.child(name, None).wrong(
                'means nothing without a certificate: write client_certificate = "….pem"'
            )
    return settings


def check_tls_files(settings: TlsSettings, path: Path, trust: Trust, problems: Problems) -> None:
    """Add to ``problems`` which files of ``settings``, in the file ``path``, are missing, may not
    be read, or hold something else."""
    contents = {}
    for name, (what, form) in _FILES.items():
        file = getattr(settings, name)
        if not file:
            continue
        try:
            content = read_bytes(named_path(path, file, trust))
        except FileError as error:
            problems.add(("tls", name), f"{file}: {error.message}")
            continue
        if form.search(content):
            contents[name] = content
        else:
            problems.add(("tls", name), _holds_no(file, what))
    key_at = "client_key" if settings.client_key else "client_certificate"
    key = contents.get(key_at)
    if key is None:
        return
    if not _PRIVATE_KEY.search(key):
        problems.add(
            ("tls", key_at),
            f"{_holds_no(settings.key_file, 'private key')}: if the key has a file of its own, "
            'write client_key = "….pem"',
        )
    elif _ENCRYPTED.search(key) and not settings.client_key_password_env:
        problems.add(
            ("tls", key_at),
            f"the key in {settings.key_file} is encrypted: put its password into an environment "
            'variable and write client_key_password_env = "ITS_NAME"',
        )


def _holds_no(file: str, what: str) -> str:
    return f'{file} holds no {what} in PEM form ("-----BEGIN {what.upper()}-----")'


def tls_lines(settings: TlsSettings) -> Iterator[KeyedLine]:
    """Yield the table's lines; none if all is as usual."""
    if settings == USUAL_TLS:
        return
    yield KeyedLine(("tls",), "[tls]", gap=True)
    yield KeyedLine(("tls", "verify"), f"verify = {scalar(settings.verify)}", usual=settings.verify)
    for name in _TEXTS:
        if value := getattr(settings, name):
            yield KeyedLine(("tls", name), f"{name} = {scalar(value)}")


def _server_name(text: str) -> str:
    if not _HOST.fullmatch(text):
        raise ValueError(f'expected a host name such as "shop.example", got {shown(text)}')
    return text


_TEXTS = ("ca", "client_certificate", "client_key", "client_key_password_env", "server_name")

TLS: Table = Table(
    "'tls'",
    {
        "verify": Key(boolean),
        "ca": Key(filled),
        "client_certificate": Key(filled),
        "client_key": Key(filled),
        "client_key_password_env": Key(filled),
        "server_name": Key(parsed(_server_name)),
    },
)
