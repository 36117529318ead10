"""Responses that nobody's test suite has: odd in what a client does with them once they are read.

Each is played by a test case of its own: it asks for the response, and after that for ``/after``,
with what it has taken from it.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["OWN", "Own", "case_of"]


@dataclass(frozen=True)
class Own:
    """What a server sends, and what a user is told of it.

    ``expects`` are lines of the transaction that gets it, ``after`` of the one that follows, and
    ``top`` of the test case. ``says`` is in the failure; where it is empty, there is none.
    """

    answer: bytes
    says: str = ""
    expects: str = ""
    after: str = ""
    top: str = ""


def _answer(*lines: str, status: str = "200 OK", body: bytes = b"{}") -> bytes:
    head = (f"HTTP/1.1 {status}", *lines, f"Content-Length: {len(body)}", "", "")
    return "\r\n".join(head).encode("latin-1") + body


def _cookies(*cookies: str) -> Own:
    return Own(_answer(*(f"Set-Cookie: {one}" for one in cookies)))


def _text(charset: str, body: bytes = b"caf\xe9 {}") -> Own:
    answer = _answer(f"Content-Type: text/html; charset={charset}", body=body)
    return Own(answer, expects='validators = [{ text = "nothing", absent = true }]')


def _coded(coding: str, body: bytes, says: str) -> Own:
    looked = 'validators = [{ text = "nothing", absent = true }]'
    return Own(_answer(f"Content-Encoding: {coding}", body=body), says, looked)


def _json(body: bytes, says: str = "") -> Own:
    return Own(_answer(body=body), says, 'validators = [{ json = "$.a" }]')


def _taken(after: str, value: str = "\\ud800x") -> Own:
    """A value that an extractor takes, and the request after it holds."""
    taken = 'extractors = [{ variable = "v", json = "$.v" }]'
    return Own(_answer(body=b'{"v": "%b"}' % value.encode()), "", taken, after)


_IDENTITY = """
[[identity]]
username = "ann"
password = "${secret}"

[variables]
secret = { generate = "uuid" }
"""


def _asked(*challenges: str, says: str = "wrong user name or password") -> Own:
    lines = (f"WWW-Authenticate: {one}" for one in challenges)
    return Own(_answer(*lines, status="401 Who"), says, top=_IDENTITY)


_NESTED = b'{"a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
_BOMB = gzip.compress(bytes(70_000_000), 9)
_REQUEST = "POST /after"
_FORM = f'request = "{_REQUEST}"\nheaders = ["Content-Type: application/x-www-form-urlencoded"]\n'
_PART = '--B\\r\\nContent-Disposition: form-data; name=\\"a\\"\\r\\n\\r\\n${v}\\r\\n--B--\\r\\n'

OWN = {
    # Cookies (RFC 6265).
    "max-age with two signs": _cookies("a=1; Max-Age=--5"),
    "max-age superscript": _cookies("a=1; Max-Age=\xb2"),
    "max-age empty": _cookies("a=1; Max-Age="),
    "max-age of 30 digits": _cookies(f"a=1; Max-Age={'9' * 30}", f"b=1; Max-Age=-{'9' * 30}"),
    "expires in the year 10021": _cookies("a=1; Expires=Wed, 09 Jun 10021 10:18:14 GMT"),
    "expires in a year of 20 digits": _cookies(f"a=1; Expires=Wed, 09 Jun {'9' * 20} 10:18:14 GMT"),
    "expires on day 99": _cookies("a=1; Expires=Wed, 99 Jun 2021 99:99:99 GMT"),
    "expires never": _cookies("a=1; Expires=", "b=1; Expires=never", "c=1; Expires"),
    "cookies without a name": _cookies("", ";", "=", "=a", " = ;=", ";;;;"),
    "cookies of elsewhere": _cookies("a=1; Domain=other.example", "b=1; Domain=.", "c=1; Domain="),
    "cookies for odd paths": _cookies("a=1; Path=x", "b=1; Path=", "c=1; Path=/../..//?#"),
    "a cookie of 60 KB": _cookies(f"a={'x' * 60_000}"),
    "a cookie of other bytes": _cookies("a=\xe9\xff\x80\x01"),
    "2,000 cookies": _cookies(*(f"c{number}=1" for number in range(2000))),
    "a cookie that hides a header": _cookies("a=1\nX-Injected: yes"),
    "a cookie with CR": Own(_answer("Set-Cookie: a=1\rX-Injected: yes"), "not HTTP"),
    "a cookie with NUL": Own(_answer("Set-Cookie: a=1\0"), "not HTTP"),
    # Character sets.
    "charset undefined": _text("undefined"),
    "charset idna": _text("idna"),
    "charset punycode": _text("punycode"),
    "charset rot13": _text("rot13"),
    "charset hex": _text("hex", b"zz"),
    "charset zlib": _text("zlib"),
    "charset unicode-escape": _text("unicode_escape", b"\\ud800 \\N{x} \\"),
    "charset UTF-16 of three bytes": _text("utf-16", b"\xff\xfea"),
    "charset UTF-7": _text("utf-7", b"+AAA-+"),
    "charset of nothing": _text('""'),
    "charset of 1,000 letters": _text("x" * 1000),
    "type of signs": Own(_answer("Content-Type: ;;=;/;charset=;charset", body=b"\xe9")),
    # JSON.
    "deep JSON, looked into": _json(_NESTED, "JSON path $.a: not found"),
    "deep JSON, taken from": Own(
        _answer(body=_NESTED), "$.a", 'extractors = [{ variable = "v", json = "$.a[0]" }]'
    ),
    "a number of 5,000 digits": _json(b'{"a": %b}' % (b"9" * 5000), "JSON path $.a: not found"),
    "a number beyond all": _json(b'{"a": 1e999999}'),
    "not a number": _json(b'{"a": NaN}'),
    "JSON behind a mark": _json(b'\xef\xbb\xbf{"a": 1}'),  # RFC 8259 §8.1
    "JSON twice": _json(b'{"a": 1}{"a": 1}', "JSON path $.a: not found"),
    "JSON of odd bytes": _json(b'{"a": "\xff"}'),
    # Values that are taken, and sent.
    "a surrogate in a header": _taken('headers = ["X: ${v}"]'),
    "a surrogate in a cookie": _taken('cookies = ["c=${v}"]'),
    "a surrogate in a target": _taken('request = "GET /after?v=${v}"'),
    "a surrogate in text": _taken(f'request = "{_REQUEST}"\nbody = "${{v}}"'),
    "a surrogate in JSON": _taken(f'request = "{_REQUEST}"\nbody = \'{{"a": "${{v}}"}}\''),
    "a surrogate in a form": _taken(f'{_FORM}body = "a=${{v}}"'),
    "a surrogate in a part": _taken(
        f'request = "{_REQUEST}"\n'
        f'headers = ["Content-Type: multipart/form-data; boundary=B"]\nbody = "{_PART}"'
    ),
    "lines in a header": _taken('headers = ["X: ${v}"]', "a\\r\\nX-Injected: yes"),
    # Challenges (RFC 9110 §11).
    "Digest for half a URL": _asked('Digest realm="a", nonce="b", domain="http://[x"'),
    "Digest without a nonce": _asked('Digest realm="a"'),
    "Digest of an unknown kind": _asked(
        'Digest realm="a", nonce="b", algorithm=X, qop=none', says="the algorithm"
    ),
    "Digest that is always stale": _asked('Digest realm="a", nonce="b", stale=true'),
    "Digest with lines": _asked('Digest realm="a", nonce="n\nX-Injected: yes"'),
    "challenges of signs": _asked("", "=", ",,,", 'Basic realm="', "Basic =,=", '"'),
    "Negotiate with garbage": _asked("Negotiate !!!", says="the server refuses NTLM"),
    "NTLM with garbage": _asked("NTLM TlRMTVNTUAACAAAA", says="challenge is malformed"),
    # Content codings.
    "gzip that is none": _coded("gzip", b"hello", "gzip"),
    "gzip cut off": _coded("gzip", gzip.compress(b"hello" * 99)[:-9], "gzip"),
    "a bomb": _coded("gzip", _BOMB, "64 MB"),
    "br that is none": _coded("br", b"\xff" * 99, "br"),
    "zstd that is none": _coded("zstd", b"\x28\xb5\x2f\xfd\xff", "zstd"),
    "ten codings": _coded(", ".join(["gzip"] * 10), b"hello", "coding"),
    "no coding": _coded(";,=", b"hello", "coding"),
    # The rest.
    "a redirect to half a URL": Own(_answer("Location: http://[x", status="302 Found")),
    "10,000 headers": Own(_answer(*(f"X-{number}: 1" for number in range(10_000)))),
    "a body of NUL": Own(
        _answer(body=bytes(100_000)), expects="validators = [{ regex = 'a', absent = true }]"
    ),
    "markup without end": Own(
        _answer("Content-Type: text/html", body=b"<form><input name=" * 20_000),
        "Extractor found nothing for ${v}",
        'extractors = [{ variable = "v", form = "v" }]',
    ),
}


def case_of(name: str, server: str) -> str:
    """The test case for one of them, whose response the server gives at ``/NUMBER``."""
    own = OWN[name]
    number = list(OWN).index(name)
    return "\n".join(
        (
            "format = 1",
            f"name = {json.dumps(name)}",
            f'server = "{server}"',
            *_page("Odd", f"/{number}", own.expects),
            *_page("After", "/after", own.after),
            own.top,
        )
    )


def _page(title: str, target: str, lines: str) -> Iterator[str]:
    yield f'[[page]]\nname = "{title}"\n[[page.transaction]]'
    if "request =" not in lines:
        yield f'request = "GET {target}"'
    yield lines
