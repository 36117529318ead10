"""Commands of curl, as browsers copy them (bash form) and as people write them; several at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import quote_plus, urlsplit

from pytest_loadtool.casefile.foreign.bodies import FORM_TYPE, FormEntry, multipart
from pytest_loadtool.casefile.foreign.building import Builder, Foreign, ForeignStep
from pytest_loadtool.casefile.foreign.shell_words import Word, commands
from pytest_loadtool.codec.template import Reference, escape
from pytest_loadtool.errors import FileError

_FROM_CMD = re.compile(r"\bcurl\s+\^\"")

#: By option: what there is to know of it. Letters are those of short options.
_ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "X": "request",
        "H": "header",
        "d": "data",
        "F": "form",
        "u": "user",
        "b": "cookie",
        "A": "user-agent",
        "e": "referer",
        "G": "get",
        "I": "head",
        "T": "upload-file",
        "k": "insecure",
        "x": "proxy",
        "L": "location",
        "E": "cert",
        "m": "max-time",
        "o": "output",
        "w": "write-out",
        "c": "cookie-jar",
        "D": "dump-header",
        "K": "config",
        "s": "silent",
        "S": "show-error",
        "v": "verbose",
        "i": "include",
        "f": "fail",
        "g": "globoff",
        "j": "junk-session-cookies",
        "O": "remote-name",
        "#": "progress-bar",
        "r": "range",
        "C": "continue-at",
        "U": "proxy-user",
        "y": "speed-time",
        "0": "http1.0",
        "Y": "speed-limit",
        "z": "time-cond",
        "N": "no-buffer",
        "J": "remote-header-name",
        "t": "telnet-option",
        "Q": "quote",
        "P": "ftp-port",
        "h": "help",
        "q": "disable",
        "4": "ipv4",
        "6": "ipv6",
        "1": "tlsv1",
        "2": "sslv2",
        "3": "sslv3",
        "R": "remote-time",
        "data-ascii": "data",
        "n": "netrc",
        "Z": "parallel",
        "V": "version",
        "M": "manual",
        "a": "append",
        "B": "use-ascii",
        "l": "list-only",
        "p": "proxytunnel",
    }
)

#: Options that say what curl prints and where to: a test case has no need of them.
_OUTPUT = frozenset(
    {
        *("silent", "show-error", "verbose", "include", "fail", "fail-with-body"),
        *("globoff", "output", "write-out", "progress-bar", "remote-name", "dump-header"),
        *("no-buffer", "no-progress-meter", "trace", "trace-ascii", "stderr"),
        *("remote-header-name", "remote-time"),
    }
)
#: Of all others those that have no argument.
_FLAGS = frozenset(
    {
        *("get", "head", "insecure", "location", "compressed", "silent", "show-error"),
        *("verbose", "include", "fail", "fail-with-body", "globoff", "progress-bar"),
        *("remote-name", "no-buffer", "no-progress-meter", "junk-session-cookies"),
        *("ipv4", "ipv6", "http1.0", "http1.1", "http2", "http2-prior-knowledge"),
        *("http3", "tlsv1", "tlsv1.0", "tlsv1.1", "tlsv1.2", "tlsv1.3", "sslv2", "sslv3"),
        *("remote-header-name", "remote-time", "basic", "digest", "ntlm", "negotiate"),
        *("anyauth", "location-trusted", "path-as-is", "netrc", "parallel"),
        *("tcp-nodelay", "no-keepalive", "post301", "post302", "post303", "append"),
        *("use-ascii", "list-only", "proxytunnel", "disable", "help", "version"),
        *("manual", "compressed-ssh", "ssl", "raw", "create-dirs"),
    }
)
_SCHEMES = frozenset({"digest", "ntlm", "negotiate", "anyauth"})


@dataclass(slots=True)
class _Command:
    """The options of one command."""

    where: str
    builder: Builder
    urls: list[str] = field(default_factory=list)
    method: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    removed: set[str] = field(default_factory=set)
    data: list[str] = field(default_factory=list)
    fields: list[FormEntry] = field(default_factory=list)
    cookies: list[str] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    user: str = ""
    json: bool = False
    upload: str = ""


def read_curl(text: str, path: str, server: str = "") -> Foreign:
    """Return the test case of commands of curl, a page for each.

    Raises:
        FileError: there is no command, or it is not in the form for a POSIX shell.
    """
    if _FROM_CMD.search(text):
        raise FileError(path, 0, "", "this is for Windows' cmd: copy it as cURL (bash)")
    builder = Builder("curl", server)
    for words in commands(text, path):
        if words[0].text.rpartition("/")[2] != "curl":
            builder.leave(f"line {words[0].line}", f"{words[0].text}: not a command of curl")
            continue
        _read(words, builder)
    case = builder.case()
    if case is None:
        raise FileError(path, 0, "", "there is no command of curl with a URL in it")
    return Foreign((case,), tuple(builder.left))


def _read(words: list[Word], builder: Builder) -> None:
    command = _Command(f"line {words[0].line}", builder)
    upcoming = iter(words[1:])
    for word in upcoming:
        for name, value in _options(word.text):
            if name == "url" and value is not None:
                command.urls.append(value)
            elif name in _FLAGS or name.startswith("no-"):
                command.flags.add(name)
            else:
                value = next(upcoming, Word("", word.line)).text if value is None else value
                _option(command, f"line {word.line}", name, value)
    for flag in sorted(command.flags):
        _flag(command, flag)
    for url in command.urls:
        builder.steps.append(_step(command, url))


def _options(word: str) -> Iterator[tuple[str, str | None]]:
    """Yield the options of one word, each with its value if that is in the word, too."""
    if word.startswith("--"):
        name, equals, value = word[2:].partition("=")
        yield _ALIASES.get(name, name), value if equals else None
    elif word.startswith("-") and len(word) > 1:
        letters = word[1:]
        while letters:
            name, letters = _ALIASES.get(letters[0], letters[0]), letters[1:]
            if name in _FLAGS:
                yield name, None
            else:
                yield name, letters or None
                break
    else:
        yield "url", word


def _option(command: _Command, where: str, name: str, value: str) -> None:
    if act := _WITH_VALUE.get(name):
        act(command, value)
    elif name not in _OUTPUT:
        command.builder.leave(where, f"--{name} {value}".strip())


def _flag(command: _Command, name: str) -> None:
    if name == "insecure":
        command.builder.verify = False
    elif name == "compressed":
        if not any(one.lower() == "accept-encoding" for one, _ in command.headers):
            command.headers.append(("Accept-Encoding", "gzip, deflate"))
    elif name in ("location", "location-trusted"):
        what = "what a redirect leads to is a request of its own in a test case"
        command.builder.leave(command.where, f"--{name}: {what}")
    elif name not in _OUTPUT | {"get", "head", "basic", *_SCHEMES}:
        command.builder.leave(command.where, f"--{name}")


def _header(command: _Command, value: str) -> None:
    name, colon, text = value.partition(":")
    if not colon and value.endswith(";"):
        command.headers.append((value[:-1].strip(), ""))
    elif not text.strip():
        command.removed.add(name.strip().lower())
    else:
        command.headers.append((name.strip(), escape(text.strip())))


def _data(command: _Command, value: str) -> None:
    if value.startswith("@"):
        command.builder.leave(command.where, f"--data {value}: its line ends are sent, too")
        command.data.append(str(Reference.to_file(value[1:])))
    else:
        command.data.append(escape(value))


def _binary(command: _Command, value: str) -> None:
    file = value.startswith("@")
    command.data.append(str(Reference.to_file(value[1:])) if file else escape(value))


def _url_encoded(command: _Command, value: str) -> None:
    name, equals, text = value.partition("=")
    if not equals and "@" in value:
        command.builder.leave(command.where, f"--data-urlencode {value}: a file is not encoded")
    elif not equals:
        command.data.append(quote_plus(value))
    else:
        command.data.append(f"{name}=" * bool(name) + quote_plus(text))


def _json(command: _Command, value: str) -> None:
    command.json = True
    _binary(command, value)


def _form(command: _Command, value: str) -> None:
    name, _, text = value.partition("=")
    name = escape(name)
    quoted = re.fullmatch(r'([@<]?)"((?:[^"\\]|\\.)*)"(.*)', text)
    mark, content, rest = quoted.groups() if quoted else ("", *text.partition(";")[::2])
    if not quoted and content.startswith(("@", "<")):
        mark, content = content[0], content[1:]
    given = dict(one.strip().partition("=")[::2] for one in rest.split(";"))
    media = given.get("type", "")
    if mark == "@":
        command.fields.append(FormEntry(name, file=content, media=media))
    else:
        text = str(Reference.to_file(content)) if mark else escape(content)
        command.fields.append(FormEntry(name, text, media=media))


def _cookie(command: _Command, value: str) -> None:
    if "=" not in value:
        command.builder.leave(command.where, f"--cookie {value}: a file of cookies")
    else:
        pairs = (one.strip() for one in escape(value).split(";"))
        command.cookies += [one for one in pairs if one]


_WITH_VALUE: Mapping[str, Callable[[_Command, str], None]] = MappingProxyType(
    {
        "request": lambda command, value: setattr(command, "method", value),
        "header": _header,
        "data": _data,
        "data-raw": lambda command, value: command.data.append(escape(value)),
        "data-binary": _binary,
        "data-urlencode": _url_encoded,
        "json": _json,
        "form": _form,
        "form-string": lambda command, value: command.fields.append(
            FormEntry(*map(escape, value.partition("=")[::2]))
        ),
        "user": lambda command, value: setattr(command, "user", value),
        "cookie": _cookie,
        "user-agent": lambda command, value: command.headers.append(("User-Agent", escape(value))),
        "referer": lambda command, value: command.headers.append(
            ("Referer", escape(value.partition(";")[0]))
        ),
        "range": lambda command, value: command.headers.append(("Range", f"bytes={value}")),
        "url": lambda command, value: command.urls.append(value),
        "oauth2-bearer": lambda command, value: command.headers.append(
            ("Authorization", f"Bearer {escape(value)}")
        ),
        "upload-file": lambda command, value: setattr(command, "upload", value),
        "proxy": lambda command, value: command.builder.leave(
            command.where, f"--proxy {value}: `properties --proxy` is for that"
        ),
    }
)


def _step(command: _Command, url: str) -> ForeignStep:
    url = escape(url)
    step = ForeignStep(command.where, command.method, url, list(command.headers))
    step.cookies = list(command.cookies)
    names = {name.lower() for name, _ in step.headers} | command.removed
    if command.fields:
        kind, step.body = multipart(command.fields)
        step.headers.append(("Content-Type", kind))
    elif command.data and "get" in command.flags:
        step.url = f"{url}{'&' if '?' in url else '?'}{'&'.join(command.data)}"
    elif command.data:
        step.body = ("" if command.json else "&").join(command.data)
        kind = "application/json" if command.json else FORM_TYPE
        step.headers += [("Content-Type", kind)] if "content-type" not in names else []
    elif command.upload:
        step.body = str(Reference.to_file(command.upload))
    usual = "POST" if step.body is not None else "GET"
    usual = "PUT" if command.upload else "HEAD" if "head" in command.flags else usual
    step.method = command.method or usual
    if "accept" not in names:
        step.headers.append(("Accept", "application/json" if command.json else "*/*"))
    _credentials(command, step)
    step.page = f"{step.method} {urlsplit(url).path or '/'}"
    return step


def _credentials(command: _Command, step: ForeignStep) -> None:
    user = command.user or urlsplit(step.url).netloc.rpartition("@")[0]
    if not user:
        return
    if scheme := sorted(_SCHEMES & command.flags):
        what = "`test-case-configuration` says who the users are"
        command.builder.leave(command.where, f"--{scheme[0]} --user: {what}")
        return
    step.headers.append(("Authorization", command.builder.basic(escape(user))))
