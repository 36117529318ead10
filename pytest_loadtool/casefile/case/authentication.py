"""The tables ``[[identity]]`` and ``[proxy]`` of a test case: who a virtual user is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pytest_loadtool.casefile.syntax import base_url, shown, template
from pytest_loadtool.casefile.toml.positions import KeyPath
from pytest_loadtool.casefile.toml.render import KeyedLine, scalar
from pytest_loadtool.casefile.toml.schema import Key, Node, Table, boolean, filled, parsed
from pytest_loadtool.casefile.toml.shape import shaped
from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.codec.template import Template
from pytest_loadtool.model.authentication import PROXY_METHODS, Identity, Proxy
from pytest_loadtool.model.case import Variable
from pytest_loadtool.structure.uses import used_names

_HOST = re.compile(
    r"(?:\[[0-9a-f:.]+\]|[\w-]+(?:\.[\w-]+)*)(?::\d{1,5})?", re.ASCII | re.IGNORECASE
)

_WHOLE_HOST = (
    "credentials that go ahead unasked go to all of the host, whose realms are not known yet: "
    "leave out realm, or leave out ahead (they then go ahead within the realm once it has asked)"
)

_NO_SECRETS = (
    "a test case holds no passwords: write a dataset's column, ${users.password}, or a variable, "
    '${PASSWORD}, with PASSWORD = { env = "PASSWORD" } in [variables]'
)


@shaped(lambda describe: describe(IDENTITY))
def identity(node: Node) -> Identity:
    """Return what one table says."""
    found = Identity(**IDENTITY.read(node))
    if found.ahead and found.realm:
        raise node.child("ahead", None).wrong(_WHOLE_HOST)
    return found


@shaped(lambda describe: describe(PROXY))
def proxy(node: Node) -> Proxy:
    """Return what the table says."""
    settings = Proxy(**PROXY.read(node))
    for name in ("password", "domain", "method"):
        if getattr(settings, name) and not settings.username:
            raise node.child(name, None).wrong('means nothing without a user: write username = "…"')
    return settings


def literal_password(password: str, variables: Mapping[str, Variable]) -> str:
    """Return what is wrong with a password that the file holds, in whichever way; "" for
    nothing."""
    if any(isinstance(part, str) for part in Template.parse(password).parts):
        return _NO_SECRETS
    for name in sorted(used_names((password,), variables)):
        known = variables.get(name)
        if known is not None and (known.value or Template.parse(known.template or "").literal):
            return (
                f'the file holds the value of ${{{name}}}: write {name} = {{ env = "…" }} to '
                "take it from the environment, or use a dataset's column"
            )
    return ""


def identity_lines(identities: tuple[Identity, ...]) -> Iterator[KeyedLine]:
    """Yield the tables' lines."""
    for index, one in enumerate(identities):
        at: KeyPath = ("identity", index)
        yield KeyedLine(at, "[[identity]]", gap=True)
        yield KeyedLine((*at, "username"), f"username = {scalar(one.username)}")
        yield KeyedLine((*at, "password"), f"password = {scalar(one.password)}")
        for name in ("domain", "realm", "host"):
            if value := getattr(one, name):
                yield KeyedLine((*at, name), f"{name} = {scalar(value)}")
        yield KeyedLine((*at, "ahead"), f"ahead = {scalar(one.ahead)}", usual=not one.ahead)


def proxy_lines(settings: Proxy | None) -> Iterator[KeyedLine]:
    """Yield the table's lines; none if there is no proxy."""
    if settings is None:
        return
    yield KeyedLine(("proxy",), "[proxy]", gap=True)
    for name in PROXY.keys:
        if value := getattr(settings, name):
            yield KeyedLine(("proxy", name), f"{name} = {scalar(value)}")


def _host(text: str) -> str:
    if not _HOST.fullmatch(text):
        raise ValueError(
            f'expected a host such as "shop.example" or "shop.example:8443", got {shown(text)}'
        )
    return text


def _proxy_url(text: str) -> str:
    if "@" in text:  # what stands before it is not to be shown
        raise ValueError("leave out the user and the password: write username and password instead")
    return base_url(text)


def _method(text: str) -> str:
    if text in PROXY_METHODS:
        return text
    near = did_you_mean(text, PROXY_METHODS) or f": expected one of {', '.join(PROXY_METHODS)}"
    if text.lower() in ("kerberos", "spnego"):
        near = ': Kerberos is not supported; "negotiate" is answered with NTLM'
    raise ValueError(f"{shown(text)} is not known{near}")


IDENTITY: Table = Table(
    "an identity",
    {
        "username": Key(parsed(template), 'username = "…"'),
        "password": Key(parsed(template), 'password = "${…}"'),
        "domain": Key(parsed(template)),
        "realm": Key(filled),
        "host": Key(parsed(_host)),
        "ahead": Key(boolean),
    },
)

PROXY: Table = Table(
    "'proxy'",
    {
        "url": Key(parsed(_proxy_url), 'url = "http://…"'),
        "username": Key(parsed(template)),
        "password": Key(parsed(template)),
        "domain": Key(parsed(template)),
        "method": Key(parsed(_method)),
    },
)
