"""HTTP authentication in evidence: who it was stays, and what proves the password goes.

Whoever has a proof can try passwords until one fits. It is replaced where it stands, so that the
rest of the message says what it said.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Callable

#: RFC 7616 §3.4 and §3.5: the hash over the password, of the client and of the server.
_DIGEST = re.compile(r'((?<![\w-])(?:response|rspauth)\s*=\s*"?)([0-9a-f]+)', re.IGNORECASE)
_SIGNATURE = b"NTLMSSP\0"
_AUTHENTICATE = 3
#: [MS-NLMP] §2.2.1.3: where length and offset stand of both responses and of the session key; and
#: of names that stay.
_PROOFS, _NAMES = (12, 20, 52), (28, 36, 44)
#: The message integrity code, where the payload leaves room for one.
_CODE = range(72, 88)


def without_proof(value: str, stand_in: Callable[[str], str]) -> str:
    """Return a header's value with ``stand_in`` of a hash in Digest (RFC 7616), and zeros in NTLM,
    in Negotiate and in a Kerberos ticket (RFC 4559). Other values stay as they are."""
    scheme, _, token = value.partition(" ")
    if scheme.lower() in ("ntlm", "negotiate"):
        return f"{scheme} {_blank(token.strip())}" if token else value
    if scheme.lower() == "digest" or value.lower().startswith("rspauth"):
        return _DIGEST.sub(lambda match: match[1] + stand_in(match[2]), value)
    return value


def _blank(token: str) -> str:
    try:
        data = bytearray(base64.b64decode(token, validate=True))
    except binascii.Error:
        return token
    start = data.find(_SIGNATURE)
    if start < 0:
        data = bytearray(len(data))
    elif len(data) >= start + 64 and data[start + 8] == _AUTHENTICATE:
        _blank_message(data, start)
    return base64.b64encode(data).decode()


def _blank_message(data: bytearray, start: int) -> None:
    spans = {at: _span(data, start, at) for at in (*_PROOFS, *_NAMES)}
    used = [span for span in spans.values() if span]
    for at in _PROOFS:
        _clear(data, spans[at])
    if min((span.start for span in used), default=0) >= start + _CODE.stop:
        _clear(data, range(start + _CODE.start, start + _CODE.stop))
    # Behind it, in the token of Negotiate, is a code over the mechanisms, with the session's key.
    _clear(data, range(max((span.stop for span in used), default=start), len(data)))


def _span(data: bytearray, start: int, at: int) -> range:
    length, _, offset = struct.unpack_from("<HHI", data, start + at)
    return range(min(start + offset, len(data)), min(start + offset + length, len(data)))


def _clear(data: bytearray, span: range) -> None:
    data[span.start : span.stop] = bytes(len(span))
