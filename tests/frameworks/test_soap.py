"""SOAP between a client and a server that nobody here wrote, zeep and spyne: orders of many people
in one list, at one address."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_loadtool import record
from pytest_loadtool.casefile import read_case
from pytest_loadtool.console.program import recorded_so_far
from pytest_loadtool.editing.unique_values import make_unique
from pytest_loadtool.engine.functional import replay_once
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.model.extractor import XmlPath
from pytest_loadtool.replay import compile_case
from tests.applications.installed import python_environment
from tests.applications.serving import serving
from tests.observed import Observed
from tests.ports import free_port

_SERVED = Path(__file__).parent / "served"
_CUSTOMER = "Tea & Cake House"


@pytest.fixture(scope="module", autouse=True)
def _supported() -> None:
    if sys.version_info >= (3, 12):
        pytest.skip("spyne 2.14 has a copy of six that Python 3.12 cannot import")


def programs() -> Path:
    """The environment that has both."""
    return python_environment("soap", "spyne==2.14.0", "zeep==4.3.3")


@contextmanager
def shop(state: Path) -> Iterator[str]:
    """The service, with orders, ids and versions of its own."""
    state.mkdir(exist_ok=True)
    port = free_port()
    command = (str(programs() / "python"), str(_SERVED / "soap_shop.py"), str(port))
    with serving(command, f"http://127.0.0.1:{port}/?wsdl", state=state) as url:
        yield url


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> TestCase:
    """What zeep did, recorded and configured."""
    folder = tmp_path_factory.mktemp("soap")
    file = folder / "soap.case.toml"
    with shop(folder / "state") as url, record(file) as proxy:
        subprocess.run(
            (programs() / "python", _SERVED / "soap_client.py", url, _CUSTOMER),
            env={**os.environ, **proxy.environment},
            check=True,
            timeout=120,
        )
    recorded_so_far.clear()
    return read_case(file)


def failures(case: TestCase, url: str) -> list[str]:
    """What fails when the case is replayed once."""
    observed = Observed()
    pages = tuple(replace(page, think_time=0.0) for page in case.pages)
    replay_once(compile_case(replace(case, pages=pages), server=url), observer=observed)
    return [str(one) for each in observed.failures for one in each]


def test_the_row_is_the_users_own(case: TestCase, tmp_path: Path) -> None:
    """By the name of the customer: the list has another order each time, on servers where it has
    other rows and ids."""
    found = [one.source for each in case.transactions() for one in each.extractors]
    row = f'//Order[Customer="{_CUSTOMER}"]'
    assert found[:2] == [XmlPath(f"{row}/OrderId"), XmlPath(f"{row}/RowVersion")]
    for number in range(3):
        with shop(tmp_path / str(number)) as url:
            assert failures(case, url) == []
            assert failures(case, url), "the second order of a customer is refused"


def test_each_user_has_its_own(case: TestCase, tmp_path: Path) -> None:
    """On one server, again and again, with a name of each one's own."""
    own = make_unique(case, _CUSTOMER)
    assert own is not None
    with shop(tmp_path / "state") as url:
        for _ in range(5):
            assert failures(own.case, url) == []
