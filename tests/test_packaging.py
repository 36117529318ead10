"""What is shipped, and what an installed but idle plugin costs to import."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from configparser import ConfigParser
from email.parser import HeaderParser
from pathlib import Path

import pytest

import pytest_loadtool
from pytest_loadtool.casefile import parse_case, parse_load
from tests.console.running import console_environment
from tests.console.traffic import sign_in, write_har
from tests.plugin.serving import serving

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()

#: What no run without a test case needs. Measured, from 50 to 700 ms each.
HEAVY = {
    *("mitmproxy", "httpx", "prompt_toolkit", "rich", "jsonpath_ng", "h2", "uvloop"),
    "jinja2",
    *("asyncio", "brotli", "brotlicffi", "backports.zstd", "spnego", "tomlkit", "django"),
    "playwright",
}


def run_python(
    program: str, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the program in a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False, env=os.environ | environment,
    )  # fmt: skip


def python(program: str) -> str:
    """What the program prints in a fresh interpreter."""
    run = run_python(program)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def build(directory: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Have the build backend make a wheel of this source tree."""
    program = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    return run_python(program, str(directory), **environment)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """The wheel in pure Python that the build backend makes of this source tree."""
    directory = tmp_path_factory.mktemp("wheel")
    run = build(directory, PYTEST_LOADTOOL_PURE="1")
    assert run.returncode == 0, run.stdout + run.stderr
    (path,) = directory.glob("*-py3-none-any.whl")
    with zipfile.ZipFile(path) as archive:
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


def test_a_wheel_needs_no_checkout(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    """Unpacked elsewhere, it configures by its rules, replays, loads, and writes pages with their
    scripts, and schemas: nothing that it reads is in the checkout alone."""
    wheel.extractall(tmp_path / "site")
    work = tmp_path / "work"
    work.mkdir()
    (work / "shop.load.toml").write_text(
        'format = 1\nname = "One"\nusers = 1\nduration = "1s"\nthink_time = "none"\n'
        '[[case]]\nfile = "shop.case.toml"\n'
    )
    program = "import pytest_loadtool as one; print(one.__file__)"
    script = "schemas\nimport in.har\nconfigure\nsave --secrets keep\nplay --fast\n"
    (work / "script.txt").write_text(f"{script}!'{sys.executable}' -c '{program}'\n")
    environment = console_environment(work) | {"PYTHONPATH": str(tmp_path / "site")}
    with serving() as server:
        server.token = "zY9xW8vU7tS6rQ5pO4"
        write_har(work / "in.har", *sign_in(server.url))
        runs = [
            subprocess.run(
                [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *line.split()],
                cwd=work, env=environment, capture_output=True, text=True, check=False,
            )
            for line in (
                "--record shop.case.toml --record-script script.txt",
                "shop.case.toml --loadtool-think-time none --loadtool-html case.html",
                "--load shop.load.toml --load-html load.html",
            )
        ]  # fmt: skip
    # The page has another title than was recorded, which makes a load test inconclusive.
    assert [one.returncode for one in runs] == [0, 0, 10], runs
    assert f"{tmp_path}/site/pytest_loadtool/__init__.py" in runs[0].stdout
    assert "1 dynamic value configured" in runs[0].stdout
    assert "uPlot" in (work / "load.html").read_text()
    assert "</html>" in (work / "case.html").read_text()
    assert (work / "loadtool-schemas" / "case.schema.json").is_file()


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


def test_without_a_compiler_it_is_pure_python(tmp_path: Path) -> None:
    """The installation does not fail, and says what it could not do."""
    run = build(tmp_path, PYTEST_LOADTOOL_PURE="", CC="no-such-compiler")
    assert run.returncode == 0, run.stdout + run.stderr
    assert [path.name.partition("-py3-")[2] for path in tmp_path.iterdir()] == ["none-any.whl"]
    assert "Not compiled, pure Python instead: " in run.stderr
    assert "no-such-compiler" in run.stderr


@pytest.mark.parametrize(
    ("wish", "complaint"),
    [("0", "cannot be compiled"), ("yes", "expected 1 (pure Python) or 0 (compiled), got 'yes'")],
)
def test_a_wish_that_cannot_be_fulfilled(tmp_path: Path, wish: str, complaint: str) -> None:
    """Who insists on a compiled build is not given another, and a slip is not passed over."""
    run = build(tmp_path, PYTEST_LOADTOOL_PURE=wish, CC="no-such-compiler")
    assert run.returncode != 0
    assert complaint in run.stderr
    assert list(tmp_path.iterdir()) == []


def compiled_modules() -> list[str]:
    """The modules that pyproject.toml has compiled."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    modules = tool["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]["modules"]
    return [str(module) for module in modules]


@pytest.mark.parametrize("module", compiled_modules())
def test_compiled_modules_have_no_coroutines(module: str) -> None:
    """An exception that is thrown into one of mypyc 2.4 makes Python 3.12 and later warn, and an
    ``await`` in ``finally`` raises anew whatever exception the caller is handling."""
    nodes = ast.walk(ast.parse((ROOT / module).read_text()))
    assert not [one.lineno for one in nodes if isinstance(one, ast.AsyncFunctionDef)]


@pytest.mark.parametrize("module", compiled_modules())
def test_compiled_modules_do_nothing_in_the_bounds_of_a_slice(module: str) -> None:
    """With mypyc 2.4 what is called there is called twice; ``len`` may be."""
    nodes = ast.walk(ast.parse((ROOT / module).read_text()))
    bounds = [one for node in nodes if isinstance(node, ast.Slice) for one in ast.walk(node)]
    called = [ast.unparse(one.func) for one in bounds if isinstance(one, ast.Call)]
    assert set(called) <= {"len"}


def test_a_load_test_says_that_the_checkout_is_pure_python(tmp_path: Path) -> None:
    """An editable installation runs the sources, and the head of the report tells."""
    run = run_python(
        "import pytest, sys; sys.exit(pytest.main(['--load', '--rootdir', *sys.argv[1:]]))",
        str(tmp_path), str(tmp_path),
    )  # fmt: skip
    assert "\nloadtool: pure Python\n" in run.stdout


def test_importing_the_plugin_imports_nothing_heavy() -> None:
    """Every pytest run imports the plugin. What only recording and replay need comes later."""
    before = python("import pytest, sys; print('\\n'.join(sys.modules))")
    after = python("import pytest, pytest_loadtool.plugin, sys; print('\\n'.join(sys.modules))")
    added = {name.partition(".")[0] for name in {*after.split()} - {*before.split()}}
    assert "pytest_loadtool" in added
    assert added & HEAVY == set()
    rooms = {name.split(".")[1] for name in after.split() if name.startswith("pytest_loadtool.")}
    assert rooms & {"casefile", "engine", "load", "model", "replay", "report", "transport"} == set()


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
