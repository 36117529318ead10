"""Reading a text file and replacing one at once; their errors are for the user."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from pytest_loadtool.codec.suggestions import did_you_mean
from pytest_loadtool.errors import FileError

_DIRECTORY = "expected a file, but this is a directory"


@contextlib.contextmanager
def file_errors(path: Path, doing: str) -> Iterator[None]:
    """Raise each `OSError` in here as a `FileError` about ``path``: "cannot ``doing`` it: no space
    left"."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(str(path), 0, "", f"cannot {doing} it: {reason}") from None


def read_bytes(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        FileError: it does not exist (the message names the nearest that does), is a directory, or
            cannot be read.
    """
    with _reading(path):
        return path.read_bytes()


def check_file(path: Path) -> None:
    """Make sure that there is a file that can be read, without reading it.

    Raises:
        FileError: as `read_bytes`.
    """
    with _reading(path):
        path.open("rb").close()


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    with file_errors(path, "read"):
        try:
            yield
        except (FileNotFoundError, NotADirectoryError):
            raise FileError(str(path), 0, "", f"no such file{_nearest(path)}") from None
        except IsADirectoryError:
            raise FileError(str(path), 0, "", _DIRECTORY) from None


def read_text(path: Path) -> str:
    """Return the content of a UTF-8 file, without a byte order mark; line ends as they are.

    Raises:
        FileError: as `read_bytes`, or it is not UTF-8 (with the line of the first wrong byte).
    """
    content = read_bytes(path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileError(
            str(path),
            line,
            "",
            f"expected UTF-8, but byte 0x{content[error.start]:02x} is not: "
            "save the file as UTF-8 in your editor",
        ) from None


def replace_file(
    path: Path, content: bytes, *, durable: bool = True, private: bool = False
) -> None:
    """Write ``content`` to ``path``: at no moment is there half a file, even if the machine fails.

    An existing file keeps its permissions; a symbolic link stays one and its target is replaced.
    Not ``durable``: a machine that fails may leave nothing, but nobody waits for the disk.
    ``private``: a new file is for its owner alone.

    Raises:
        FileError: it cannot be written.
    """
    if path.is_dir():
        raise FileError(str(path), 0, "", _DIRECTORY)
    target = Path(os.path.realpath(path))
    # In the same directory: a rename is at once only within one file system.
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    with file_errors(path, "write"):
        try:
            with open(
                temporary, "xb", opener=partial(os.open, mode=0o600 if private else 0o666)
            ) as file:
                file.write(content)
                file.flush()
                with contextlib.suppress(FileNotFoundError):  # a new file gets the usual mode
                    os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
                if durable:
                    os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        if durable:
            _sync_directory(target.parent)


def make_private_folder(folder: Path, of: str) -> None:
    """Make a folder for its owner alone, which git leaves out; messages call what is in it ``of``.

    Raises:
        FileError: it cannot be made, or is elsewhere.
    """
    if folder.is_symlink():
        raise FileError(str(folder), 0, "", f"this is a link: {of} go nowhere else")
    with file_errors(folder, "make"):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        ignored = folder / ".gitignore"
        if not ignored.exists():
            ignored.write_text("*\n", encoding="utf-8")


def _sync_directory(directory: Path) -> None:
    """Make the rename itself durable, where the file system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _nearest(path: Path) -> str:
    try:
        names = [one.name for one in path.parent.iterdir()]
    except OSError:
        return ""
    return did_you_mean(path.name, names)
