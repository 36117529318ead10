"""Two texts that nginx serves, a short one and a long one, and requests for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_loadtool.model.case import Header, Request, Transaction
from pytest_loadtool.model.validator import TextValidator
from tests.nginx import Nginx, self_signed, serving

__all__ = ["get", "serving_texts"]

TEXTS = """
  log_format requests '$request';
  access_log access.log requests;
  gzip on;
  gzip_types text/plain;
  gzip_min_length 1;
  default_type text/plain;
  server {
    listen 127.0.0.1:<plain>;
    listen 127.0.0.1:<tls> ssl;
    ssl_certificate cert.pem;
    ssl_certificate_key key.pem;
    root files;
  }
"""


@contextmanager
def serving_texts(folder: Path) -> Iterator[Nginx]:
    """At the ports ``plain`` and ``tls``; the log has the request lines."""
    (folder / "files").mkdir()
    (folder / "files" / "big.txt").write_text("0123456789abcdef" * 65536)
    (folder / "files" / "hello.txt").write_text("Grüße\n" * 10, encoding="utf-8")
    self_signed(folder)
    with serving(folder, TEXTS, "plain", "tls") as nginx:
        yield nginx


def get(target: str, text: str = "") -> Transaction:
    """Ask for a text, compressed, and look whether ``text`` is in it."""
    headers = (Header("Accept-Encoding", "gzip"),)
    validators = (TextValidator(text),) if text else ()
    return Transaction(Request("GET", target, headers), validators=validators)
