"""HTTP authentication: what a challenge means and what answers it.

Every scheme is a `Handshake` that knows neither sockets nor time: it is given the challenges of a
401 or 407, and gives the credentials to send. Only `errors` and `model` are imported here; pyspnego
when the first NTLM token is made.

Header values, challenges and credentials alike, are strings with one character per octet
(ISO 8859-1), as heads are read; what is text in them is UTF-8 (RFC 7617 §2.1, RFC 7616 §4).
"""

from pytest_loadtool.auth.challenge import (
    Challenge,
    parse_challenges,
    scheme_name,
    scheme_names,
)
from pytest_loadtool.auth.credentials import Credentials
from pytest_loadtool.auth.handshake import Handshake, HandshakeState, RequestFacts
from pytest_loadtool.auth.realms import Realms
from pytest_loadtool.auth.schemes import METHODS, start, supported

__all__ = [
    "METHODS",
    "Challenge",
    "Credentials",
    "Handshake",
    "HandshakeState",
    "Realms",
    "RequestFacts",
    "parse_challenges",
    "scheme_name",
    "scheme_names",
    "start",
    "supported",
]
