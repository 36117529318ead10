"""Names of fields and headers that hold secrets."""

from __future__ import annotations

import re
from urllib.parse import unquote_plus

_SECRET_NAME = re.compile(
    r"pass(?:word|wd|phrase|code)(?![a-z])|(?<![a-z])pass(?![a-z])|pwd|secret|credential|api[-_]?key|private[-_]?key"
    r"|(?:access|refresh|id|auth|bearer|session)[-_]?token|card[-_]?number"
    r"|(?<![a-z])(?:pin|otp|cvv|cvc)(?![a-z])",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def is_secret(name: str) -> bool:
    """Whether a field of that name holds a password or something like it."""
    return _SECRET_NAME.search(_CAMEL.sub("_", unquote_plus(name))) is not None
