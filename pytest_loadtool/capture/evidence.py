"""Recorded traffic on its way to the disk."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from pytest_loadtool.casefile import HarWriter
from pytest_loadtool.errors import FileError, RecordingError
from pytest_loadtool.model.exchange import Exchange


@dataclass(slots=True)
class EvidenceWriter:
    """The traffic of one recording: every exchange is in the file before anybody hears of it.

    Response bodies stay in memory as long as ``room`` (bytes) lasts; later ones, and large ones,
    are read from the file when they are asked for. When the file cannot be written any more,
    ``problem`` says why; what came is not lost before the process ends.
    """

    path: Path
    writer: HarWriter
    heard: Callable[[Exchange], None]
    exchanges: list[Exchange] = field(default_factory=list)
    problem: str = ""
    room: int = 32 * 1024 * 1024

    @classmethod
    def into(cls, path: Path, heard: Callable[[Exchange], None], resources: AsyncExitStack) -> Self:
        """Return evidence in a new file, which ``resources`` closes.

        Raises:
            RecordingError: the file cannot be written.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            writer = HarWriter(path)
        except OSError as error:
            raise RecordingError(f"{path} cannot be written: {error.strerror or error}") from None
        except FileError as error:
            raise RecordingError(str(error)) from None
        resources.callback(writer.close)
        return cls(path, writer, heard)

    def trouble(self, text: str) -> None:
        """Keep what can only be put right by recording again."""
        with suppress(FileError):  # `add` has said so
            self.writer.trouble(text)

    def add(self, exchange: Exchange) -> None:
        """Keep ``exchange`` and tell whoever listens."""
        kept = exchange
        try:
            kept = self.writer.keep(exchange)
        except (FileError, OSError) as error:  # the file, or the one that a body was kept in
            self.problem = self.problem or str(error)
        if isinstance(exchange.held_body, bytes) and exchange.response_size <= self.room:
            self.room -= exchange.response_size
            kept = kept.changed(response_body=exchange.held_body)
        self.exchanges.append(kept)
        self.heard(exchange)
