"""Which file holds what, and how traffic gets from a recording in progress to its place.

A test case ``shop.case.toml`` has its traffic in ``shop.har``. While a recording runs, its traffic
goes to ``shop.recording.har`` (or ``shop.recording-2.har``…, the first name that is free), and only
``save`` moves it to ``shop.har``. So recording never writes over an earlier recording, and what an
interrupted one left behind is recognised by its name.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from pytest_loadtool import CASE_SUFFIX, LOAD_SUFFIX
from pytest_loadtool.casefile import HarWriter, save_dataset
from pytest_loadtool.codec.suffixes import case_name, har_path
from pytest_loadtool.model.dataset import Dataset
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.progress import Told, silent
from pytest_loadtool.workflow.errors import PathError

#: What traffic says about itself whose credentials and tokens are not the recorded ones.
MASKED = "Credentials and tokens are stand-ins."

_RECORDING = re.compile(r"\.recording(?:-\d+)?\.har$")


def as_case_path(path: Path) -> Path:
    """Return the test case file that a person means by ``path``: ``shop`` is ``shop.case.toml``.

    Raises:
        PathError: pytest would not collect a file of that name, or it is a directory.
    """
    return _as_file(path, CASE_SUFFIX, "test case")


def as_load_path(path: Path) -> Path:
    """Return the load configuration that a person means by ``path``: ``rush`` is
    ``rush.load.toml``.

    Raises:
        PathError: as `as_case_path`.
    """
    return _as_file(path, LOAD_SUFFIX, "load configuration")


def _as_file(path: Path, suffix: str, kind: str) -> Path:
    if path.name.endswith(suffix) and path.name != suffix:
        if path.is_dir():
            raise PathError(f"{path} is a directory, not a {kind} file")
        return path
    if not path.name or path.is_dir():
        raise PathError(f"{path} is a directory: name a file, as in {path / ('shop' + suffix)}")
    if path.suffix:
        raise PathError(
            f"{path} is not the name of a {kind}: pytest collects files that end in "
            f"{suffix}, such as {path.with_suffix('').name}{suffix}"
        )
    return path.with_name(path.name + suffix)


def load_path(case_path: Path) -> Path:
    """Return the load configuration beside a test case that is named like it."""
    return case_path.with_name(f"{case_name(case_path)}{LOAD_SUFFIX}")


def load_name(path: Path) -> str:
    """Return what a load configuration is called by its file: ``rush`` for ``rush.load.toml``."""
    return path.name.removesuffix(LOAD_SUFFIX)


def untitled(directory: Path) -> Path:
    """Return a test case file in ``directory`` that does not exist yet, for a console without a
    name."""
    names = (f"recording{'' if n == 1 else f'-{n}'}{CASE_SUFFIX}" for n in count(1))
    paths = (directory / name for name in names)
    return next(path for path in paths if not path.exists() and not har_path(path).exists())


def is_recording(path: Path) -> bool:
    """Return whether a traffic file is one that a recording writes to."""
    return _RECORDING.search(path.name) is not None


def new_recording_path(case_path: Path) -> Path:
    """Return where the next recording for this test case goes: a file that does not exist yet."""
    stem = case_name(case_path)
    names = (f"{stem}.recording{'' if n == 1 else f'-{n}'}.har" for n in count(1))
    return next(path for name in names if not (path := case_path.with_name(name)).exists())


def recordings_left(case_path: Path) -> list[Path]:
    """Return traffic files of recordings for this test case that were never saved."""
    stem = case_name(case_path)
    if not case_path.parent.is_dir():
        return []
    return sorted(
        path
        for path in case_path.parent.iterdir()
        if path.name.startswith(f"{stem}.recording")
        and _RECORDING.fullmatch(path.name.removeprefix(stem))
    )


def place_evidence(source: Path, target: Path) -> None:
    """Bring a traffic file to its place: a recording is moved, anything else is copied.

    The target is replaced at once or not at all.
    """
    if source == target:
        return
    if is_recording(source) and source.parent == target.parent:
        source.replace(target)
        return
    with (
        _replacing(target) as part,
        source.open("rb") as old,
        open(part, "xb", opener=_private) as new,
    ):
        shutil.copyfileobj(old, new)
    if is_recording(source):
        source.unlink()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


def write_evidence(
    exchanges: Sequence[Exchange],
    target: Path,
    comment: str = "",
    troubles: Iterable[str] = (),
    told: Told = silent,
) -> None:
    """Write traffic to a file of its own, which is replaced at once or not at all.

    ``comment`` is what the file says about itself, ``troubles`` what makes it doubtful.

    Raises:
        FileError: it cannot be written.
    """
    with _replacing(target) as part, HarWriter(part, comment) as writer:
        for done, exchange in enumerate(exchanges):
            told(f"Writing {target.name}", done, len(exchanges))
            writer.append(exchange)
        for trouble in troubles:
            writer.trouble(trouble)


@contextmanager
def _replacing(target: Path) -> Iterator[Path]:
    """Yield a file to write, which takes the place of ``target`` when all is written."""
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    try:
        yield part
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def absolute(path: Path) -> Path:
    """Return a path that a person typed, from the root on."""
    return path.expanduser().absolute()


def there(path: Path) -> bool:
    """Return whether there is something of that name."""
    return path.exists()


def write_private_text(path: Path, text: str) -> None:
    """Write a file that its owner alone can read.

    Raises:
        OSError: it cannot be written.
    """
    with open(path, "w", encoding="utf-8", opener=_private) as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(text)


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
