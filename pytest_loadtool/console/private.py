"""Datasets with passwords: for their owner alone, and not for version control."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_loadtool.casefile import save_dataset
from pytest_loadtool.model.dataset import Dataset


def write_private(path: Path, dataset: Dataset) -> None:
    """Write a dataset that its owner alone can read, and name it in the ``.gitignore`` beside it.

    Raises:
        FileError: it cannot be written.
        OSError: likewise.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    os.fchmod(descriptor, 0o600)
    os.close(descriptor)
    save_dataset(path, dataset)
    ignored = path.with_name(".gitignore")
    lines = ignored.read_text(encoding="utf-8").splitlines() if ignored.exists() else []
    if f"/{path.name}" not in lines:
        text = "".join(f"{line}\n" for line in (*lines, f"/{path.name}"))
        ignored.write_text(text, encoding="utf-8")
