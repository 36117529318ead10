"""The house: which room may import which, and who may touch the world outside.

Every import statement counts, wherever it stands: at the top, in a function, under TYPE_CHECKING.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = "pytest_loadtool"
ROOT = Path(__file__).parent.parent

#: What each room may import of the package besides itself, lowest room first. The room "" is the
#: package's own ``__init__``, which every pytest run imports: what it offers it imports when it is
#: asked for (tests/test_packaging.py).
ROOMS: dict[str, set[str]] = {
    "": {"workflow.process", "workflow.unattended"},
    "errors": set(),
    "extensions": {"errors"},
    "model": {"errors"},
    "codec": {"errors", "model.exchange", "model.place"},
    **{room: {"errors", "codec", "model"} for room in ("structure", "answers", "load")},
    "auth": {"errors", "extensions", "codec", "model"},
    **{
        room: {"errors", "extensions", "codec", "model", "structure"}
        for room in ("casefile", "extraction")
    },
    "recording": {"errors", "codec", "model", "structure", "answers", "auth"},
    "correlation": {"errors", "codec", "model", "structure", "answers", "extraction"},
    "editing": {"errors", "codec", "model", "structure", "extraction", "correlation"},
    "masking": {"errors", "codec", "model", "extraction", "correlation", "editing", "auth"},
    "diagnosis": {
        "errors",
        "codec",
        "model",
        "structure",
        "auth",
        "load",
        "correlation",
        "masking",
        "answers",
        "extraction",
    },
    "replay": {
        *("errors", "extensions", "codec", "model", "structure"),
        *("answers", "auth", "extraction"),
    },
    "report": {"errors", "codec", "model", "load", "diagnosis", "masking"},
    "transport": {"errors", "codec", "model", "auth", "replay"},
    "telemetry": {"errors", "model", "load"},
    "engine": {
        *("errors", "codec", "model", "casefile", "load", "replay", "transport"),
        *("diagnosis", "masking", "extensions", "structure"),
    },
    "fleet": {"errors", "codec", "model", "structure", "casefile", "load", "replay", "engine"},
    "capture": {"errors", "codec", "model", "casefile", "recording", "replay"},
}
#: What is named everywhere, and is no room.
FILES = {"errors", "extensions"}
MIDDLE = set(ROOMS) - FILES - {"", "transport", "telemetry", "engine", "fleet", "capture"}
ROOMS["workflow"] = {*ROOMS} - {""}
ROOMS["console"] = {*ROOMS} - {""}
ROOMS["plugin"] = {*ROOMS} - {""}

#: The order of the sub-rooms of a room: each may import those before it. Modules that stand in the
#: room itself may stand anywhere between them, as long as there is no circle.
SUBROOMS: dict[str, tuple[str, ...]] = {
    "casefile": ("toml", "case", "load", "har", "foreign"),
    "correlation": (
        *("requests", "responses", "index", "sources", "strategies"),
        *("decisions", "outcomes", "writing"),
    ),
    "recording": ("pages", "filter", "request", "report"),
    "load": ("metrics", "cluster", "pacing", "verdict"),
    "replay": ("user", "compile", "authentication"),
    "transport": ("wire", "proxy", "connections", "inprocess", "httpx"),
    "engine": ("prepare",),
    "diagnosis": ("causes", "load"),
    "report": ("load", "html"),
    "capture": ("browser", "proxy"),
    "console": ("views", "wizards", "screens", "commands", "fullscreen", "repl"),
    "plugin": ("functional", "load", "record"),
}
EDGES = frozenset({"transport", "telemetry", "engine", "fleet", "capture"})
EDGES |= {"workflow", "console", "plugin"}
PLUGIN, CAPTURE = frozenset({"plugin"}), frozenset({"capture"})
CONSOLE, TRANSPORT = frozenset({"console"}), frozenset({"transport"})
TELEMETRY = frozenset({"telemetry"})

#: Modules that only some rooms may import, with everything below them.
ONLY_IN: dict[str, frozenset[str]] = {
    **dict.fromkeys(("pytest", "_pytest", "pluggy", "xdist", "execnet"), PLUGIN),
    "mitmproxy": CAPTURE,
    **dict.fromkeys(("dask", "distributed", "cloudpickle"), frozenset({"fleet"})),
    "prompt_toolkit": CONSOLE,
    "rich": frozenset({"report", "console", "plugin"}),
    **dict.fromkeys(("jinja2", "markupsafe"), frozenset({"report"})),
    **dict.fromkeys(("socket", "uvloop"), TRANSPORT),
    "httpx": TRANSPORT | TELEMETRY,
    **dict.fromkeys(("opentelemetry", "google.protobuf", "cramjam"), TELEMETRY),
    **dict.fromkeys(("asyncio", "ssl", "subprocess", "multiprocessing", "concurrent"), EDGES),
    **dict.fromkeys(("threading", "select", "selectors", "signal", "socketserver"), EDGES),
    **dict.fromkeys(("http.client", "http.server", "urllib.request", "time.sleep"), EDGES),
}

#: The nodes that a rule here is about.
_LOOKED_AT = ast.Import | ast.ImportFrom | ast.Call | ast.Attribute | ast.ClassDef

#: Calls that reach the file system. Of the middle rooms, only casefile makes them.
FILE_CALLS = {"open", "read_text", "write_text", "read_bytes", "write_bytes"}


@cache
def nodes(text: str) -> tuple[ast.AST, ...]:
    """The nodes of a module that a rule may be about; each module is parsed once."""
    return tuple(one for one in ast.walk(ast.parse(text)) if isinstance(one, _LOOKED_AT))


def imported(node: ast.AST, package: list[str]) -> Iterator[tuple[str, str]]:
    """Each thing that the statement imports: its module, and its own full name.

    ``package`` is the importing module's own package, which relative imports start from.
    """
    match node:
        case ast.Import(names=names):
            for alias in names:
                yield alias.name, alias.name
        case ast.ImportFrom(module=module, names=names, level=level):
            above = package[: len(package) + 1 - level] if level else []
            base = ".".join([*above, *([module] if module else [])])
            for alias in names:
                yield base, f"{base}.{alias.name}"
        case ast.Call(
            func=ast.Name(id="__import__" | "import_module")
            | ast.Attribute(attr="import_module" | "__import__"),
            args=[argument, *_],
        ):
            literal = argument.value if isinstance(argument, ast.Constant) else "(computed)"
            yield str(literal), str(literal)
        case ast.Attribute(value=ast.Name(id="time"), attr="sleep"):
            yield "time", "time.sleep"
        case _:
            return


def inside(name: str, module: str) -> bool:
    """Whether ``name`` is ``module`` or something in it."""
    return name == module or name.startswith(f"{module}.")


def wrong_import(root: Path, room: str, module: str, name: str) -> str | None:
    """What is wrong with ``room`` importing ``name`` from ``module``, if anything."""
    who = room or "the package"
    if module == "(computed)":
        return "imports a module whose name is computed, which nobody can check"
    for only, rooms in ONLY_IN.items():
        if inside(name, only) and room not in rooms:
            return f"{who} may not use {only}: only {', '.join(sorted(rooms))} may"
    if not inside(module, PACKAGE):
        return None
    path = root.joinpath(*name.split("."))
    target = name if path.is_dir() or path.with_suffix(".py").exists() else module
    target = target.removeprefix(PACKAGE).removeprefix(".")
    if not target or any(inside(target, allowed) for allowed in {room, *ROOMS[room]}):
        return None
    return f"{who} may not import {target}"


def wrong_order(room: str, who: str, target: str) -> str | None:
    """What is wrong with a module of a sub-room importing another, if anything.

    Both are given without the package's name, as ``load.verdict.summary``.
    """
    order = SUBROOMS.get(room, ())
    here, there = ([*name.split("."), ""][1] for name in (who, target))
    if not inside(target, room) or not {here, there} <= set(order):
        return None
    if order.index(there) <= order.index(here):
        return None
    return f"{room}.{here} may not import {room}.{there}, which stands above it"


def import_graph(root: Path) -> dict[str, set[str]]:
    """For each module of the package below ``root`` the modules of the package that it imports."""
    paths = {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted((root / PACKAGE).rglob("*.py"))
    }
    graph: dict[str, set[str]] = {}
    for module, path in paths.items():
        package = list(path.relative_to(root).parent.parts)
        names = [
            name if name in paths else base
            for node in nodes(path.read_text())
            for base, name in imported(node, package)
        ]
        # Importing a module runs the rooms that it is in. The package tells its version only.
        rooms = {room for name in names for room in _rooms_of(name) if not inside(module, room)}
        graph[module] = {name for name in {*names, *rooms} if name in paths} - {module, PACKAGE}
    return graph


def _rooms_of(module: str) -> Iterator[str]:
    """The packages that a module is in, from the outermost."""
    parts = module.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts)))


def circles(graph: dict[str, set[str]]) -> list[tuple[str, ...]]:
    """A circle among the modules, and one among the parts of each package, where there are any."""
    levels = [graph]
    for package in {module.rpartition(".")[0] for module in graph} - {""}:
        level: dict[str, set[str]] = {}
        for module, targets in graph.items():
            if (part := part_of(module, package)) is not None:
                parts = {part_of(target, package) for target in targets}
                level.setdefault(part, set()).update(name for name in parts if name is not None)
        levels.append({part: targets - {part} for part, targets in level.items()})
    found = set()
    for level in levels:
        try:
            TopologicalSorter(level).prepare()
        except CycleError as circle:
            found.add(tuple(sorted(set(circle.args[1]))))
    return sorted(found)


def part_of(module: str, package: str) -> str | None:
    """The direct part of ``package`` that ``module`` is or is in; None for all else."""
    if not module.startswith(f"{package}."):
        return None
    return f"{package}.{module.removeprefix(f'{package}.').split('.')[0]}"


def opens_a_file(node: ast.AST) -> bool:
    """Whether the node is a call that reads or writes a file."""
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in FILE_CALLS
        case _:
            return False


def reads_the_environment(node: ast.AST) -> bool:
    """Whether the node reads the process's environment."""
    match node:
        case ast.Attribute(value=ast.Name(id="os"), attr="environ" | "getenv"):
            return True
        case ast.ImportFrom(module="os", names=names):
            return any(one.name in ("environ", "getenv") for one in names)
        case _:
            return False


def violations(root: Path) -> list[str]:
    """What breaks the rules in the package below ``root``, each as ``file:line: what``."""
    found = []
    for path in sorted((root / PACKAGE).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        package = list(parts[:-1])
        room = parts[1] if parts[1] != "__init__" else ""
        where = path.relative_to(root).as_posix()
        if room not in ROOMS:
            found.append(f"{where}:1: there is no room {room}: see CONTRIBUTING.md")
            continue
        text = path.read_text()
        if path.name == "__init__.py" and not ast.get_docstring(ast.parse(text)):
            found.append(f"{where}:1: the room does not say what it is for")
        for node in nodes(text):
            place = f"{where}:{getattr(node, 'lineno', 1)}"
            for module, name in imported(node, package):
                wrong = wrong_import(root, room, module, name) or wrong_order(
                    room, ".".join(parts[1:]), name.removeprefix(f"{PACKAGE}.")
                )
                if wrong:
                    found.append(f"{place}: {wrong}")
            if room in MIDDLE and reads_the_environment(node):
                found.append(f"{place}: {room} may not read the environment")
            if room in MIDDLE and room != "casefile" and opens_a_file(node):
                found.append(f"{place}: {room} may not open files: only casefile may")
    return found


def test_the_house_keeps_its_rules() -> None:
    """No module of the package imports or opens what its room may not."""
    assert violations(ROOT) == []


def test_there_is_no_circle() -> None:
    """No module is imported by what it imports, nor is a sub-room or a room."""
    assert circles(import_graph(ROOT)) == []


#: Distributions by the modules of theirs that are called otherwise.
DISTRIBUTIONS = {
    "xdist": "pytest-xdist", "_pytest": "pytest", "pluggy": "pytest", "spnego": "pyspnego",
    "OpenSSL": "pyOpenSSL", "yaml": "PyYAML", "google": "protobuf", "httpcore2": "httpcore",
    "httpx2": "httpx", "backports": "backports.zstd", "compression": "backports.zstd",
    "jsonpath_ng": "jsonpath-ng", "opentelemetry": "opentelemetry-sdk", "brotli": "Brotli",
    "markupsafe": "MarkupSafe", "pygments": "Pygments",
}  # fmt: skip


def test_each_library_is_told_with_where_it_is_used() -> None:
    """CONTRIBUTING.md has each that the package imports, with all places, and no others."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Libraries")[2]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|", text, re.MULTILINE)
    used: dict[str, set[str]] = {libraries: set() for libraries, _ in rows}
    untold = []
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        where = path.relative_to(ROOT / PACKAGE).as_posix()
        for node in nodes(path.read_text()):
            for _, one in imported(node, list(path.relative_to(ROOT).parent.parts)):
                name = one.removeprefix(f"{PACKAGE}.transport.http_library.").partition(".")[0]
                if name in {PACKAGE, *sys.stdlib_module_names}:
                    continue
                word = re.compile(rf"(?<![\w-]){re.escape(DISTRIBUTIONS.get(name, name))}(?![\w-])")
                told = [(libraries, places) for libraries, places in rows if word.search(libraries)]
                for libraries, _ in told:
                    used[libraries].add(where)
                if not any(where.startswith(one) for _, places in told for one in _paths(places)):
                    untold.append(f"{where} imports {name}")
    assert untold == []
    idle = [
        (libraries, place)
        for libraries, places in rows
        if used[libraries]
        for place in _paths(places)
        if not any(where.startswith(place) for where in used[libraries])
    ]
    assert idle == []


def _paths(places: str) -> list[str]:
    """The files and folders of the package that a cell names."""
    found = re.findall(r"`([\w/.]+)`", places)
    return [one for one in found if (ROOT / PACKAGE / one).exists()]


def test_nothing_private_is_imported() -> None:
    """What begins with an underscore is for its own module."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / PACKAGE).rglob("*.py"))
        for node in nodes(path.read_text())
        if isinstance(node, ast.ImportFrom) and (node.level or inside(node.module or "", PACKAGE))
        if any(one.name.startswith("_") and one.name[:2] != "__" for one in node.names)
    ]
    assert found == []


def test_no_rule_is_about_a_room_that_is_not_there() -> None:
    """Each room and sub-room that the tables name stands in the package."""
    rooms = [room for room in ROOMS if not list((ROOT / PACKAGE).glob(f"{room or '__init__'}*"))]
    subrooms = [f"{room}/{sub}" for room, subs in SUBROOMS.items() for sub in subs]
    assert rooms == []
    assert [path for path in subrooms if not (ROOT / PACKAGE / path).is_dir()] == []


def test_a_class_name_stands_for_one_class() -> None:
    """No two classes of the package have the same name."""
    names = Counter(
        node.name
        for path in (ROOT / PACKAGE).rglob("*.py")
        for node in nodes(path.read_text())
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_the_page_shows_the_house_as_it_is() -> None:
    """docs/architecture.md has each room, the sub-rooms in their order, and files that exist."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    picture, table = text.split("## Sub-rooms")
    rooms = [room for room in ROOMS if room and room not in FILES]
    assert [room for room in rooms if f"{room}/" not in picture] == []
    rows = re.findall(r"^\| `(\w+)/` \| (.+) \|$", table, re.MULTILINE)
    shown = {room: tuple(re.findall(r"`(\w+)`", names)) for room, names in rows}
    assert shown == SUBROOMS
    paths = re.findall(r"`((?:\w+/)+\w+\.\w+)`", text)
    assert len(paths) > 15
    missing = [
        path
        for path in paths
        if not (ROOT / PACKAGE / path).exists() and not (ROOT / path).exists()
    ]
    assert [path for path in missing if "NAME" not in path] == []


def test_every_room_says_what_it_is_for() -> None:
    """Each room is a package with a docstring of its own."""
    rooms = [path for path in (ROOT / PACKAGE).iterdir() if any(path.glob("*.py"))]
    assert [room.name for room in rooms if not (room / "__init__.py").exists()] == []


def test_every_room_has_its_tests() -> None:
    """The tests of a room stand in the folder of its name, or below it."""
    rooms = [room for room in ROOMS if (ROOT / PACKAGE / room).is_dir() and room]
    assert [room for room in rooms if not any((ROOT / "tests" / room).rglob("test_*.py"))] == []


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small house that keeps the rules."""
    for room, text in {
        "": "",
        "model": "from pytest_loadtool.errors import Oops\nimport json",
        "correlation": "from ..model import case",
        "replay": "from pytest_loadtool.extraction.extract import x\nimport time\ntime.time()",
        "report": "from pytest_loadtool.load import histogram\nimport http.cookies, urllib.parse",
        "casefile": "from pathlib import Path\nPath('x').read_text()",
        "load": "from pytest_loadtool import __version__",
        "transport": "import asyncio, socket, uvloop\nfrom pytest_loadtool.replay import plan",
        "capture": "import asyncio\nfrom mitmproxy import http",
        "console": "import prompt_toolkit\nfrom pytest_loadtool.capture import recorder",
        "plugin": "import pytest\nfrom pytest_loadtool import console",
    }.items():
        write(tmp_path, room, f'"""What it is for."""\n{text}\n')
    write(tmp_path, "correlation", "", module="extract")
    (tmp_path / PACKAGE / "errors.py").write_text("class Oops(Exception): ...\n")
    return tmp_path


def write(root: Path, room: str, text: str, module: str = "__init__") -> None:
    """Write a module of a room."""
    path = root / PACKAGE / room / f"{module}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_what_is_allowed_passes(house: Path) -> None:
    """The rules forbid nothing that the design allows."""
    assert violations(house) == []


@pytest.mark.parametrize(
    ("room", "text", "complaint"),
    [
        ("", "import pytest_loadtool.errors", "the package may not import errors"),
        ("model", "from pytest_loadtool.load import x", "model may not import load"),
        ("model", "open('x')", "model may not open files"),
        ("load", "from pytest_loadtool.replay import x", "load may not import replay"),
        ("load", "from ..correlation import x", "load may not import correlation"),
        ("load", "from .. import report", "load may not import report"),
        ("load", "from pytest_loadtool import casefile", "load may not import casefile"),
        ("load", "def f():\n    import pytest_loadtool.plugin", "load may not import plugin"),
        (
            "load",
            "if TYPE_CHECKING:\n    from pytest_loadtool.transport import x",
            "load may not import transport",
        ),
        ("load", "import time\ntime.sleep(1)", "load may not use time.sleep"),
        ("load", "from time import sleep", "load may not use time.sleep"),
        ("load", "from importlib import import_module\nimport_module('socket')", "use socket"),
        ("load", "import importlib\nimportlib.import_module(name)", "name is computed"),
        ("load", "async def f():\n    from asyncio.events import x", "may not use asyncio"),
        ("replay", "from pytest_loadtool.correlation import x", "may not import correlation"),
        ("replay", "from pytest_loadtool.correlation.detect import x", "may not import corr"),
        ("replay", "from http import client", "replay may not use http.client"),
        ("replay", "import urllib.request as u", "replay may not use urllib.request"),
        ("report", "from pytest_loadtool.replay import x", "report may not import replay"),
        ("report", "p.write_text('x')", "report may not open files"),
        ("recording", "import threading", "recording may not use threading"),
        ("transport", "import pytest", "transport may not use pytest: only plugin may"),
        ("transport", "from pytest_loadtool.capture import x", "transport may not import capture"),
        ("capture", "import socket", "capture may not use socket: only transport may"),
        ("capture", "from pytest_loadtool.console import x", "capture may not import console"),
        ("console", "from mitmproxy.http import x", "console may not use mitmproxy"),
        ("console", "from pytest_loadtool.plugin import x", "console may not import plugin"),
        ("plugin", "import prompt_toolkit.history", "plugin may not use prompt_toolkit"),
        ("load", "from rich.live import Live", "load may not use rich"),
        ("plugin", "import uvloop", "plugin may not use uvloop"),
        ("attic", "import os", "there is no room attic"),
        ("load", "import os\nos.environ['X']", "load may not read the environment"),
        ("model", "from os import getenv", "model may not read the environment"),
    ],
)
def test_what_is_not_allowed_is_found(house: Path, room: str, text: str, complaint: str) -> None:
    """Each rule can be broken, and the complaint names the file, the line and the rule."""
    first, _, rest = text.rpartition("\n")
    name = "__init__" if not room else "culprit"
    write(house, room, f'"""Text."""\n{text}\n', module=name)
    (found,) = violations(house)
    path = "/".join(part for part in (PACKAGE, room, f"{name}.py") if part)
    line = 1 if room == "attic" else 2 + (first.count("\n") + 1 if first else 0)
    assert found.startswith(f"{path}:{line}: ")
    assert complaint in found
    assert rest


def test_a_room_without_a_docstring_is_found(house: Path) -> None:
    """A room has to say what it is for."""
    write(house, "load", "x = 1\n")
    assert violations(house) == [
        "pytest_loadtool/load/__init__.py:1: the room does not say what it is for"
    ]


def test_a_sub_room_that_imports_one_above_it_is_found(house: Path) -> None:
    """Sub-rooms have an order."""
    for sub in ("metrics", "verdict"):
        write(house, f"load/{sub}", '"""Text."""\n')
    write(house, "load/metrics", "from pytest_loadtool.load.verdict import x\n", module="culprit")
    assert violations(house) == [
        "pytest_loadtool/load/metrics/culprit.py:1: "
        "load.metrics may not import load.verdict, which stands above it"
    ]


def test_circles_are_found(house: Path) -> None:
    """A circle of modules is found, and one of sub-rooms whose modules have none."""
    write(house, "load", "from pytest_loadtool.load import b\n", module="a")
    write(house, "load", "def f():\n    from pytest_loadtool.load import a\n", module="b")
    names = {"report/x": "one", "report/y": "two"}
    for sub in names:
        write(house, sub, '"""Text."""\n')
    write(house, "report/x", "from pytest_loadtool.report.y import two\n", module="one")
    write(house, "report/y", "from pytest_loadtool.report.x import three\n", module="four")
    write(house, "report/y", "", module="two")
    write(house, "report/x", "", module="three")
    assert circles(import_graph(house)) == [
        ("pytest_loadtool.load.a", "pytest_loadtool.load.b"),
        ("pytest_loadtool.report.x", "pytest_loadtool.report.y"),
    ]


def test_a_circle_by_what_a_room_imports_for_all_is_found(house: Path) -> None:
    """Whoever imports a module of a room runs its ``__init__`` first."""
    write(house, "load", '"""Text."""\nfrom pytest_loadtool.load.deep import a\n')
    write(house, "load/deep", "", module="a")
    write(house, "load", "", module="plain")
    write(house, "model", '"""Text."""\nfrom pytest_loadtool.model import low\n')
    write(house, "model", "from pytest_loadtool.load import plain\n", module="low")
    write(house, "load/deep", "from pytest_loadtool.model import other\n", module="a")
    write(house, "model", "", module="other")
    assert ("pytest_loadtool.load", "pytest_loadtool.load.deep.a", "pytest_loadtool.model",
            "pytest_loadtool.model.low") in circles(import_graph(house))  # fmt: skip
