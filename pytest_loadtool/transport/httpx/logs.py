"""What httpx's libraries log of our requests, with all headers: nothing, at whatever level pytest
(``--log-level``) keeps logs. What others do with them in this process is logged as ever."""

from __future__ import annotations

import logging

from pytest_loadtool.transport.connections.network import ASKING

_LOGGERS = (
    *("httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy"),
    *("hpack.hpack", "hpack.table"),
)


def keep_out_of_logs() -> None:
    """From now on. Once is enough, more often does no harm."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_of_others)


def _of_others(record: logging.LogRecord) -> bool:  # noqa: ARG001 - whatever it says
    return ASKING.get(None) is None
