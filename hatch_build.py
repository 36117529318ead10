"""The build hook of hatchling: compiles the modules of the hot path with mypyc.

The environment variable PYTEST_LOADTOOL_PURE chooses:

- not set: compiled where a C compiler and Python's headers are, else pure Python, with a note;
- ``1``: pure Python, and mypy is not even fetched;
- ``0``: compiled, or the build fails.

Editable installs are pure: the sources are what runs. Which modules are compiled, and what that
takes, is in pyproject.toml.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "PYTEST_LOADTOOL_PURE"

#: What is compiled first: mypyc takes half a minute, and would take it in vain without a compiler.
PROBE = "#include <Python.h>\nPyObject *probe(void) { return PyLong_FromLong(1); }\n"

#: mypy is not to check the project here, and has none of the packages that it imports.
MYPY = ["--config-file=", "--ignore-missing-imports", "--follow-imports=silent"]


class CompiledBuild(BuildHookInterface[Any]):
    """Adds compiled modules to the wheel, beside their sources."""

    _built: TemporaryDirectory[str] | None = None

    def dependencies(self) -> list[str]:
        """What has to be installed to build."""
        return [] if wish() == "1" else list(self.config["requires"])

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and put the results on the list of files.

        Raises:
            SystemExit: compiled modules were asked for, and cannot be made.
        """
        if version == "editable" or wish() == "1":
            return
        self._built = TemporaryDirectory()
        try:
            libraries = compile_modules(self.config["modules"], Path(self._built.name))
        except (Exception, SystemExit) as error:  # whatever the compiler or mypyc stumble over
            if wish() == "0":
                sys.exit(f"{VARIABLE}=0, but the modules cannot be compiled: {error}")
            self.app.display_warning(f"Not compiled, pure Python instead: {error}")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["force_include"].update(libraries)

    def finalize(self, *_: object) -> None:
        """Remove what was compiled: the wheel holds it now."""
        if self._built is not None:
            self._built.cleanup()


def wish() -> str:
    """What was asked for: "1", "0" or nothing.

    Raises:
        SystemExit: it is something else.
    """
    value = os.environ.get(VARIABLE, "")
    if value not in ("", "0", "1"):
        sys.exit(f"{VARIABLE}: expected 1 (pure Python) or 0 (compiled), got {value!r}")
    return value


def compile_modules(modules: list[str], directory: Path) -> dict[str, str]:
    """Each shared library, made in ``directory``, and its place in the wheel.

    Raises:
        Exception, SystemExit: there is no compiler, or it or mypyc does not accept the sources.
    """
    import setuptools  # before mypyc, which looks whether it has been imported
    from mypyc.build import mypycify
    from setuptools.command.build_ext import build_ext

    def build(name: str, extensions: list[setuptools.Extension]) -> Path:
        command = build_ext(setuptools.Distribution({"ext_modules": extensions}))
        command.build_lib = str(directory / name)
        command.build_temp = str(directory / "objects")
        command.ensure_finalized()
        command.run()
        return directory / name

    source = directory / "probe.c"
    source.write_text(PROBE)
    build("probe", [setuptools.Extension("probe", [str(source)])])
    extensions = mypycify(
        [*MYPY, *modules],
        opt_level="3",
        debug_level="0",
        target_dir=str(directory / "c"),
        group_name="pytest_loadtool",
    )
    wheel = build("wheel", extensions)
    return {str(path): str(path.relative_to(wheel)) for path in wheel.rglob("*.*")}
