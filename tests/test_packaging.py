"""What is shipped, and what an installed but idle plugin costs to import."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from configparser import ConfigParser
from email.parser import HeaderParser
from pathlib import Path

import pytest

import pytest_loadtool
from pytest_loadtool.casefile import parse_case, parse_load

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()

#: What no run without a test case needs. Measured, from 50 to 700 ms each.
HEAVY = {
    *("mitmproxy", "httpx", "prompt_toolkit", "rich", "jsonpath_ng", "httptools", "uvloop"),
    *("asyncio", "brotli", "zstandard", "tomlkit", "playwright", "django"),
}


def python(program: str, *arguments: str) -> str:
    """What the program prints in a fresh interpreter."""
    run = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """The wheel that the build backend makes of this source tree."""
    directory = tmp_path_factory.mktemp("wheel")
    name = python(
        "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))",
        str(directory),
    )
    with zipfile.ZipFile(directory / name.splitlines()[-1]) as archive:
        yield archive


def metadata(wheel: zipfile.ZipFile, file: str) -> str:
    """A file of the wheel's ``.dist-info``."""
    (path,) = (name for name in wheel.namelist() if name.endswith(f".dist-info/{file}"))
    return wheel.read(path).decode()


def test_the_wheel_holds_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    """Every module and the typing marker are in it; tests and the example are not."""
    shipped = {name for name in wheel.namelist() if ".dist-info/" not in name}
    sources = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "pytest_loadtool").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert shipped == sources
    assert "pytest_loadtool/py.typed" in shipped


def test_the_wheel_registers_the_plugin(wheel: zipfile.ZipFile) -> None:
    """pytest finds the plugin by its entry point, under the name that ``-p no:loadtool`` takes."""
    entry_points = ConfigParser()
    entry_points.read_string(metadata(wheel, "entry_points.txt"))
    assert dict(entry_points["pytest11"]) == {"loadtool": "pytest_loadtool.plugin"}


def test_the_version_is_the_packages_own(wheel: zipfile.ZipFile) -> None:
    """The distribution and ``pytest_loadtool.__version__`` cannot disagree."""
    headers = HeaderParser().parsestr(metadata(wheel, "METADATA"))
    assert headers["Version"] == pytest_loadtool.__version__
    assert headers["Requires-Python"] == ">=3.11"


def test_recording_is_an_extra(wheel: zipfile.ZipFile) -> None:
    """A load generator installs neither the recorder nor the console."""
    headers = HeaderParser().parsestr(metadata(wheel, "METADATA"))
    requirements = headers.get_all("Requires-Dist") or []
    base = [one for one in requirements if "extra ==" not in one]
    assert any(one.startswith("pytest>=") for one in base)
    assert not any(one.startswith(("mitmproxy", "prompt")) for one in base)
    assert {"record", "dev"} <= set(headers.get_all("Provides-Extra") or [])


def test_importing_the_plugin_imports_nothing_heavy() -> None:
    """Every pytest run imports the plugin. What only recording and replay need comes later."""
    before = python("import pytest, sys; print('\\n'.join(sys.modules))")
    after = python("import pytest, pytest_loadtool.plugin, sys; print('\\n'.join(sys.modules))")
    added = {name.partition(".")[0] for name in {*after.split()} - {*before.split()}}
    assert "pytest_loadtool" in added
    assert added & HEAVY == set()


def test_the_readme_sets_everything_up_with_two_commands() -> None:
    """Two shell blocks of one line each, and continuous integration runs the second as written."""
    blocks = re.findall(r"```bash\n(.*?)```", README, re.DOTALL)
    assert blocks == ["bash example_suite/run.sh\n", "bash tests/run.sh\n"]
    assert all((ROOT / block.split()[1]).is_file() for block in blocks)
    (line,) = [one for one in (ROOT / ".ci/run").read_text().splitlines() if "README.md" in one]
    assert blocks[1].strip() in line


def test_the_readmes_files_are_right() -> None:
    """The test case and the load configuration shown there can be used as they stand."""
    case, load = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    assert len(case.splitlines()) <= 10
    (transaction,) = parse_case(case, "quote.case.toml").transactions()
    assert transaction.title == "GET /products/1/quote"
    assert transaction.validators
    configuration = parse_load(load, "shop.load.toml")
    assert (configuration.users, configuration.duration) == (20, 60)


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")],
    ids=lambda page: page.stem,
)  # fmt: skip
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    """Every relative link of the documentation names a file or a directory that exists."""
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []
