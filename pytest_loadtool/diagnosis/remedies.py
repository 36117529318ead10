"""Remedies that several causes share: commands that work as they are printed.

Words in capitals, such as PASSWORD, stand for what only a person knows.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from pytest_loadtool.codec.curl import curl_command
from pytest_loadtool.codec.names import is_password
from pytest_loadtool.codec.template import Reference, Template, TemplateError
from pytest_loadtool.correlation.classify import is_identity_name
from pytest_loadtool.correlation.requests.fields import CONSTANT, Field
from pytest_loadtool.diagnosis.finding import Cause, Remedy
from pytest_loadtool.diagnosis.outcome import StepOutcome
from pytest_loadtool.diagnosis.situation import Situation
from pytest_loadtool.diagnosis.subject import Subject, place_of

#: A longer request is shown in the console.
_LONGEST_CURL = 400
#: Headers that make no difference to whether a server fails.
_NOISE = re.compile(r"host|accept.*|sec-.*|user-agent|referer|origin|upgrade.*|dnt|priority|cookie")
#: The environment variable that a password is taken from.
PASSWORD = "LOADTOOL_PASSWORD"  # noqa: S105  its name
#: Who asks, in an address.
_USER = re.compile(r"://[^/?#\s']*@")
_ROW = re.compile(r"\brow (\d+) of ")


def edited(text: str, *commands: str, place: str = "") -> Remedy:
    """Return what is done in the console, and saved."""
    return Remedy(text, commands=(*commands, "save"), place=place)


def place_of_failed(situation: Situation) -> str:
    """Return the file and line of the transaction that failed."""
    return place_of(situation.subject.path, situation.failed)


def seen_outside(
    situation: Situation, cause: Cause, outcome: StepOutcome | None = None, *options: str
) -> Cause:
    """Return ``cause`` with the request as a command of curl, which shows the failure outside of
    this tool: as a command for a shell, or, of one that holds secrets, for the console."""
    found = outcome or situation.failed
    command = _curl(situation, found, options)
    if command:
        return replace(cause, confirm=command)
    return replace(
        cause,
        confirm=f"{situation.replay_command} --loadtool-keep-replay",
        confirm_in=(f"curl {found.index + 1} --replayed --secrets",),
    )


def _curl(situation: Situation, outcome: StepOutcome, options: Sequence[str]) -> str:
    """Return the request in one line; empty if it holds a secret, or is too long."""
    subject = situation.of(outcome)
    line, *others = subject.request_head
    method, _, rest = line.partition(" ")
    target = rest.rpartition(" ")[0] or outcome.transaction.request.target
    lines = [one.partition(": ")[::2] for one in others]
    body = outcome.response.request.partition(b"\r\n\r\n")[2]
    url = target if "://" in target else f"{outcome.origin}{target}"
    proxy = subject.case.proxy
    if "${" in url or (proxy is not None and proxy.username):
        return ""
    mask = subject.mask
    shown = [(name, mask.header(name, value)) for name, value in lines]
    secret = shown != lines or any(name.lower() == "cookie" for name, _ in lines)
    if secret or mask.text(url) != url or mask.text(subject.request_body) != subject.request_body:
        return ""
    own = outcome.origin
    telling = tuple(
        (name, value)
        for name, value in lines
        if not _NOISE.fullmatch(name.lower()) or (name.lower() == "origin" and value != own)
    )
    every = [*_route(subject, url), *options]
    command = curl_command(method or "GET", url, telling, body, proxied=every, include=True)
    command = command.replace(" \\\n  ", " ").replace(" --globoff", "")
    for added in ("User-Agent", "Accept"):
        command = command.replace(f" --header {added}:", "")
    if mask.known(command) != command or _USER.search(command):
        return ""
    return command if len(command) <= _LONGEST_CURL and "\n" not in command else ""


def _route(subject: Subject, url: str) -> list[str]:
    """Return the options of curl for a proxy and for certificates."""
    case, found = subject.case, []
    if case.proxy is not None and case.proxy.url:
        found.append(f"--proxy {shlex.quote(case.proxy.url)}")
    if urlsplit(url).scheme == "https" and case.tls.ca:
        found.append(f"--cacert {shlex.quote(case.tls.ca)}")
    if urlsplit(url).scheme == "https" and not case.tls.verify:
        found.append("--insecure")
    return found


def compared(situation: Situation, text: str, outcome: StepOutcome | None = None) -> Remedy:
    """Return how a transaction is compared with its recorded one, which needs a replay that is
    kept."""
    found = outcome or situation.failed
    keep = f"{situation.replay_command} --loadtool-keep-replay"
    if situation.of(found).exchange is None:
        text = "investigate: see what was sent and what came"
        look = f"response {found.index + 1} --sent"
    else:
        look = f"diff {found.index + 1}"
    return Remedy(text, command=keep, commands=(look,))


def as_recorded(
    situation: Situation, text: str, outcome: StepOutcome | None = None, field: str = ""
) -> Remedy:
    """Return how a transaction gets its recorded request back, or one ``field`` of it, connected
    again."""
    found = outcome or situation.failed
    again = "application-state" if situation.subject.case.configured else "configure"
    place = place_of(situation.subject.path, found)
    which = f" {shlex.quote(field)}" if field else ""
    return edited(text, f"restore {found.index + 1}{which}", again, place=place)


def recorded_server(situation: Situation) -> Remedy | None:
    """Return how to replay against the server that was recorded; None: it is that one."""
    exchange = situation.subject.exchange
    if exchange is None:
        return None
    parts = urlsplit(exchange.url)
    recorded = f"{parts.scheme}://{parts.netloc}"
    if recorded == situation.failed.origin:
        return None
    return Remedy(
        "replay against the server that was recorded, or write the right one into `server`",
        command=f"{situation.replay_command} --loadtool-server {recorded}",
    )


def references(text: str) -> tuple[Reference, ...]:
    """Return the placeholders of a template; none of a text that only looks like one."""
    try:
        return Template.parse(text).references
    except TemplateError:
        return ()


def new_password(situation: Situation, login: StepOutcome, typed: Sequence[Field]) -> Remedy:
    """Return how the right password gets into a login: into the row of the dataset, out of the
    column of one that is at hand, into the environment, or out of the test case."""
    case = situation.subject.case
    fields = [one for one in typed if is_password(one.wire_name)]
    names = [one for field in fields for one in references(field.value)]
    if found := _of_row(situation, names, "") or _of_column(situation, login, typed):
        return found
    for one in names:
        variable = case.variables.get(one.name)
        if variable is not None and variable.env:
            return Remedy(
                "put the password that the server knows now into the environment variable "
                f"{variable.env}"
            )
    number = login.index + 1
    place = place_of(situation.subject.path, login)
    what = f"take the password from the environment variable {PASSWORD}, and set that"
    if any(one.datasource == CONSTANT for one in fields):
        command = f"user-identity {number} --field password --password-env {PASSWORD}"
        return edited(what, command, place=place)
    return edited("say who logs in", f"user-identity {number}", place=place)


def new_credentials(situation: Situation, said: str) -> tuple[Remedy, ...]:
    """Return how the right credentials get to who was asked by HTTP authentication; ``said`` is the
    failure, which names the row."""
    case = situation.subject.case
    row = _ROW.search(said)
    proxied = "proxy" in said or "its URL" in said
    proxy = case.proxy
    texts = [one.password for one in case.identities] if not proxied else []
    texts += [proxy.password] if proxied and proxy is not None else []
    names = [one for text in texts for one in references(text)]
    number = row[1] if row else ""
    if found := _of_row(situation, names, number):
        return (found,)
    kept = [case.variables[one.name].env for one in names if one.name in case.variables]
    if any(kept):
        text = "put the password that is right now into the environment variable"
        return (Remedy(f"{text} {', '.join(filter(None, kept))}"),)
    if proxied:
        return (proxy_login(situation),)
    return (
        edited(
            f"give the user, and set the environment variable {PASSWORD}",
            f"user-identity --share USERNAME --password-env {PASSWORD}",
        ),
    )


def proxy_login(situation: Situation) -> Remedy:
    """Return how the test case gets a user for its proxy."""
    proxy = situation.subject.case.proxy
    address = _plain(proxy.url) if proxy is not None and proxy.url else "http://PROXY:PORT"
    return edited(
        "tell the test case who the virtual users are to the proxy, and set the environment "
        "variable PROXY_PASSWORD",
        f"properties --proxy {address} --proxy-username USERNAME --proxy-password-env "
        "PROXY_PASSWORD",
    )


def _plain(url: str) -> str:
    """Return an address without its user and password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _of_column(situation: Situation, login: StepOutcome, typed: Sequence[Field]) -> Remedy | None:
    """Return how a login whose password is a constant takes it from a dataset: the one that its
    user is from, or else one that has both."""
    taken = {one.dataset for field in typed for one in references(field.value)}
    fields = [one for one in typed if one.datasource == CONSTANT]
    if not any(is_password(one.wire_name) for one in fields):
        return None
    known = situation.subject.evidence.columns
    for name in sorted(known, key=lambda one: one not in taken):
        columns = [_column_for(one, known[name]) for one in fields]
        if all(columns):
            commands = (
                f"set-field {login.index + 1} {shlex.quote(field.name)} --dataset {name}.{column}"
                for field, column in zip(fields, columns, strict=True)
            )
            what = " and ".join(one.name for one in fields)
            text = f"take {what} from the dataset {name}{', too' if name in taken else ''}"
            return edited(text, *commands, place=place_of(situation.subject.path, login))
    return None


def _column_for(field: Field, columns: Sequence[str]) -> str:
    """Return the column that says what a field of a login does; empty if none does."""
    same = is_password if is_password(field.wire_name) else is_identity_name
    named = sorted(filter(same, columns), key=lambda one: one != field.wire_name)
    return named[0] if named else ""


def _of_row(situation: Situation, names: Sequence[Reference], number: str) -> Remedy | None:
    """Return how a row of a dataset gets its password; ``number`` is the row, from 1, if it is
    known."""
    files = {one.name: one.file for one in situation.subject.case.datasets}
    for one in names:
        if one.dataset in files:
            had = situation.subject.evidence.rows.get(one.dataset)
            row, column = number or str(had or 1), one.name.partition(".")[2]
            file = files[one.dataset]
            return Remedy(
                "write the password that is right now into the row that was used, the first of a "
                "replay"
                if row == "1" and not had
                else "write the password that is right now into the row that was used",
                commands=(f"dataset-set {one.dataset} {row} {column} PASSWORD",),
                place=f"{file}:{int(row) + 1}",
            )
    return None
