"""Recording from tests: real clients in real pytest runs, and what becomes of their traffic."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from example_suite.server import ShopServer
from pytest_loadtool.casefile import read_case, read_har, save_case
from tests.applications.installed import make_environment, once, pip_install

ROOT = Path(__file__).parents[2]

CONFTEST = '''
import os
import pytest

@pytest.fixture(scope="session")
def shop():
    return os.environ["SHOP"]

def order(client, shop):
    """Order over the API, with a client like httpx's and requests'."""
    login = {"username": "alice", "password": "alice-password"}
    token = client.post(f"{shop}/api/token", json=login).json()["access_token"]
    client.headers["Authorization"] = f"Bearer {token}"
    order = {"product": 1, "quantity": 2, "note": "For the afternoon"}
    placed = client.post(f"{shop}/api/orders", json=order).json()["id"]
    assert client.delete(f"{shop}/api/orders/{placed}").status_code == 204

@pytest.fixture
def place_order(shop):
    return lambda client: order(client, shop)

@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {**browser_type_launch_args, "executable_path": "/usr/bin/chromium",
            "args": ["--no-sandbox"]}
'''

API = """
import httpx
import httpx2
import pytest
import requests

def test_order(place_order, loadtool_recorder):
    with httpx.Client(timeout=60, **loadtool_recorder.httpx) as client:
        place_order(client)

def test_httpx2(place_order, loadtool_recorder):
    with httpx2.Client(timeout=60, **loadtool_recorder.httpx) as client:
        place_order(client)

@pytest.mark.usefixtures("loadtool_recorder_environment")
def test_environment(place_order):
    with requests.Session() as client:
        place_order(client)

def test_past_the_proxy(place_order):
    with httpx.Client(timeout=60) as client:
        place_order(client)

def test_failing(place_order, loadtool_recorder):
    with httpx.Client(timeout=60, **loadtool_recorder.httpx) as client:
        place_order(client)
    raise AssertionError("after the order")
"""

SAME_NAME = """
import requests

def test_order(shop, loadtool_recorder):
    assert requests.get(f"{shop}/", **loadtool_recorder.requests).ok
"""

BROWSERS = """
import pytest

def test_playwright(page, shop):
    page.set_default_timeout(120_000)
    page.goto(f"{shop}/admin/")
    page.fill("#id_username", "admin")
    page.fill("#id_password", "admin-password")
    page.click("input[type=submit]")
    page.click("#logout-form button")
    page.wait_for_selector("text=Logged out")

@pytest.fixture
def driver(loadtool_recorder):
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    options.add_argument("--headless=new")
    options.add_argument("--no-sandbox")
    loadtool_recorder.selenium(options)
    service = webdriver.ChromeService("/usr/bin/chromedriver")
    driver = webdriver.Chrome(options, service)
    yield driver
    driver.quit()

def test_selenium(driver, shop):
    from selenium.webdriver.support.wait import WebDriverWait

    driver.get(f"{shop}/admin/")
    driver.find_element("id", "id_username").send_keys("admin")
    driver.find_element("id", "id_password").send_keys("admin-password")
    driver.find_element("css selector", "input[type=submit]").click()
    # A click may come back before the page does that it leads to.
    waiting = WebDriverWait(driver, 60)
    waiting.until(lambda one: one.find_element("css selector", "#logout-form button")).click()
    waiting.until(lambda one: "Logged out" in one.page_source)
"""

RECORDED = {
    "api/test_shop.test_environment",
    "api/test_shop.test_httpx2",
    "api/test_shop.test_order",
    "browsers/test_shop.test_playwright-chromium",
    "browsers/test_shop.test_selenium",
    "other/test_shop.test_order",
}


def clients() -> Path:
    """Python with httpx2, requests, Selenium and pytest-playwright, below them all that is here.

    In an environment of their own: pytest imports its plug-ins in every run, those of the other
    tests as well; and httpx2 wants a later h11 than mitmproxy on Python 3.11 lets in.
    """
    alone = (
        *("pytest-playwright", "pytest-base-url", "python-slugify", "text-unidecode"),
        *("httpx2", "httpcore2", "truststore"),
    )

    def install(folder: Path) -> None:
        python = make_environment(folder)
        pip_install(python, "--no-deps", *alone)
        pip_install(python, "requests", "selenium")
        below = Path(sysconfig.get_path("purelib", vars={"base": str(folder)})) / "below.pth"
        below.write_text(sysconfig.get_path("purelib"))

    return (
        once("recorded-clients", sys.version + sys.prefix + str(alone), install) / "bin" / "python"
    )


def run_pytest(folder: Path, *arguments: str, shop: str = "") -> subprocess.CompletedProcess[str]:
    """A pytest run of its own in ``folder``, as a user starts it."""
    return subprocess.run(
        [clients(), "-m", "pytest", "-p", "no:cacheprovider", "--tb=short", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "SHOP": shop, "no_proxy": "localhost,127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tests of an API and of a site."""
    folder = tmp_path_factory.mktemp("project")
    for name, text in {
        "pytest.ini": "[pytest]\naddopts = --import-mode=importlib\n",
        "conftest.py": CONFTEST,
        "api/test_shop.py": API,
        "other/test_shop.py": SAME_NAME,
        "browsers/test_shop.py": BROWSERS,
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The shop that is recorded."""
    with ShopServer(tmp_path_factory.mktemp("first-server")) as running:
        yield running.url


@pytest.fixture(scope="module")
def recorded(project: Path, shop: str) -> str:
    """What pytest says when the project's tests are recorded, on two workers."""
    done = run_pytest(project, "-n", "2", "--record-from-tests", "cases", shop=shop)
    assert re.search(r"\b1 failed, 7 passed\b", done.stdout), done.stdout + done.stderr
    return done.stdout


def cases(folder: Path) -> set[str]:
    """The test cases below the folder, without their suffix."""
    suffix = ".case.toml"
    found = folder.rglob(f"*{suffix}")
    return {path.relative_to(folder).as_posix().removesuffix(suffix) for path in found}


def test_each_passing_test_leaves_a_test_case_behind(project: Path, recorded: str) -> None:
    """Named after the test, with its traffic beside it; a test that sent nothing leaves nothing."""
    assert cases(project / "cases") == RECORDED
    for name in RECORDED:
        case = read_case(project / "cases" / f"{name}.case.toml")
        exchanges = read_har(project / "cases" / f"{name}.har")
        assert len(list(case.transactions())) <= len(exchanges)
        line = rf"^cases/{re.escape(name)}\.case\.toml: {len(case.pages)} pages?, "
        assert re.search(line, recorded, re.MULTILINE), recorded


def test_pages_come_from_navigation(project: Path, recorded: str) -> None:
    """A browser's test has the pages that it showed, by their titles."""
    for name in ("playwright-chromium", "selenium"):
        case = read_case(project / "cases" / "browsers" / f"test_shop.test_{name}.case.toml")
        assert [page.name for page in case.pages] == [
            "Log in | Django site admin",
            "Site administration | Django site admin",
            "Logged out | Django site admin",
        ]
        assert any(rule.rule for rule in case.variables.values())


def test_of_a_test_that_fails_the_traffic_is_kept(project: Path, recorded: str) -> None:
    """No test case is made of it, and the report says where the traffic is."""
    kept = "cases/api/test_shop.test_failing.recording.har"
    assert f"{kept}: the test did not pass" in recorded
    assert [one.status for one in read_har(project / kept)] == [200, 201, 204]


@pytest.mark.promise(3)
def test_they_replay_green_against_a_restarted_server(
    project: Path, recorded: str, tmp_path: Path
) -> None:
    """With another database and secret key, at another address, which the tests' own fixture says:
    it is in the test cases."""
    with ShopServer(tmp_path) as restarted:
        done = run_pytest(project, "cases", shop=restarted.url)
        assert done.returncode == 0, done.stdout
        assert f"{len(RECORDED)} passed" in done.stdout
        requests = restarted.requests()
    files = (project / "cases" / f"{name}.case.toml" for name in RECORDED)
    assert len(requests) == sum(len(list(read_case(file).transactions())) for file in files)


def test_what_exists_is_recorded_anew_only_if_asked_for(
    project: Path, recorded: str, shop: str
) -> None:
    """And what a person has set in the test case stays."""
    name = "cases/api/test_shop.test_order"
    file = project / f"{name}.case.toml"
    case = read_case(file)
    save_case(file, type(case)(case.name, case.pages[:1], case.server, marks=("slow",)))
    edited, traffic = file.read_bytes(), (project / f"{name}.har").read_bytes()
    again = ("api/test_shop.py::test_order", "--record-from-tests", "cases")

    done = run_pytest(project, *again, shop=shop)
    assert f"{name}.case.toml: exists, and was not recorded anew" in done.stdout
    assert (file.read_bytes(), (project / f"{name}.har").read_bytes()) == (edited, traffic)

    done = run_pytest(project, *again, "--record-replace", shop=shop)
    assert f"{name}.case.toml: 3 pages, 3 transactions, 2 dynamic values" in done.stdout
    anew = read_case(file)
    assert (len(anew.pages), anew.marks) == (3, ("slow",))
    assert (project / f"{name}.har").read_bytes() != traffic
    assert not list(project.glob("cases/api/test_shop.test_order.recording*"))


def test_without_the_option_tests_run_as_ever(pytester: pytest.Pytester) -> None:
    """The fixtures change nothing, and nothing of the recorder is imported."""
    pytester.makepyfile(
        """
        import os
        import sys

        def test_it(loadtool_recorder, loadtool_recorder_environment):
            assert not loadtool_recorder
            assert loadtool_recorder.url is loadtool_recorder.ca is None
            for settings in ("playwright", "httpx", "requests", "environment"):
                assert getattr(loadtool_recorder, settings) == {}
            loadtool_recorder.selenium(None)
            assert "LOADTOOL_PROXY" not in os.environ
            assert not {"mitmproxy", "pytest_loadtool.console"} & {*sys.modules}
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1)
    assert "recorded" not in result.stdout.str()


def test_when_nothing_was_sent_it_says_so(pytester: pytest.Pytester) -> None:
    """Whoever asks for recordings and gets none is told what tests need."""
    pytester.makepyfile("def test_it(): pass")
    result = pytester.runpytest("--record-from-tests", "cases")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["nothing: no test sent anything through the proxy *"])
    assert not (pytester.path / "cases").exists()
