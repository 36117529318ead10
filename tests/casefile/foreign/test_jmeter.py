"""Plans of JMeter as test cases and load configurations."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import pytest

from pytest_loadtool.casefile import format_case, format_load, parse_case, parse_load
from pytest_loadtool.casefile.foreign.building import Foreign
from pytest_loadtool.casefile.foreign.jmeter import read_jmeter
from pytest_loadtool.errors import FileError
from tests.casefile.foreign.replaying import echo_server, imported_and_replayed


def element(kind: str, name: str, *below: str, **properties: Any) -> str:
    """An element of a plan with what stands below it. Keys have ``__`` for a dot."""
    enabled = properties.pop("enabled", True)
    inner = "".join(_property(key.replace("__", "."), one) for key, one in properties.items())
    head = f'<{kind} testclass="{kind}" testname="{escape(name)}" enabled="{str(enabled).lower()}">'
    return f"{head}\n{inner}</{kind}>\n<hashTree>{''.join(below)}</hashTree>\n"


def _property(name: str, value: Any) -> str:
    if isinstance(value, list):
        inner = "".join(
            f"<elementProp>{''.join(_property(k, v) for k, v in one.items())}</elementProp>"
            if isinstance(one, dict)
            else f"<stringProp>{escape(one)}</stringProp>"
            for one in value
        )
        return f'<collectionProp name="{name}">{inner}</collectionProp>\n'
    if isinstance(value, dict):
        inner = "".join(_property(key, one) for key, one in value.items())
        return f'<elementProp name="{name}">{inner}</elementProp>\n'
    return f'<stringProp name="{name}">{escape(str(value))}</stringProp>\n'


def plan(*below: str) -> str:
    """A plan of these elements."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<jmeterTestPlan version="1.2">\n<hashTree>'
        f"{element('TestPlan', 'Plan', *below)}</hashTree></jmeterTestPlan>"
    )


def group(*below: str, **properties: Any) -> str:
    """A thread group."""
    usual = {
        "ThreadGroup__num_threads": 5,
        "ThreadGroup__ramp_time": 2,
        "ThreadGroup__main_controller": {"LoopController.loops": "3"},
    }
    return element("ThreadGroup", "Users", *below, **{**usual, **properties})


def sampler(name: str, method: str, path: str, *below: str, **more: Any) -> str:
    """An HTTP request; ``fields`` are its arguments."""
    fields = [
        {"Argument.name": key, "Argument.value": one} for key, one in more.pop("fields", {}).items()
    ]
    return element(
        "HTTPSamplerProxy",
        name,
        *below,
        HTTPSampler__method=method,
        HTTPSampler__path=path,
        **({"HTTPsampler__Arguments": {"Arguments.arguments": fields}} if fields else {}),
        **more,
    )


def header(name: str, value: str) -> str:
    """A header manager of one header."""
    return element(
        "HeaderManager",
        "H",
        HeaderManager__headers=[{"Header.name": name, "Header.value": value}],
    )


SHOP = plan(
    element(
        "Arguments",
        "V",
        Arguments__arguments=[{"Argument.name": "host", "Argument.value": "shop.example"}],
    ),
    element(
        "ConfigTestElement",
        "D",
        HTTPSampler__domain="${host}",
        HTTPSampler__port="${__P(port,8080)}",
        HTTPSampler__protocol="http",
    ),
    header("X-All", "a"),
    element(
        "CSVDataSet",
        "C",
        filename="people.txt",
        variableNames="login,pin",
        delimiter=";",
        shareMode="shareMode.all",
        recycle="true",
    ),
    group(
        element("ConstantTimer", "T", ConstantTimer__delay="500"),
        element(
            "OnceOnlyController",
            "Once",
            sampler(
                "Log in",
                "POST",
                "/login",
                element(
                    "RegexExtractor",
                    "R",
                    RegexExtractor__refname="method",
                    RegexExtractor__regex='"method": "(\\w+)"',
                    RegexExtractor__template="$1$",
                ),
                element(
                    "JSONPostProcessor",
                    "J",
                    JSONPostProcessor__referenceNames="user;kind",
                    JSONPostProcessor__jsonPathExprs="$.form.user;$.headers['content-type']",
                ),
                element(
                    "BoundaryExtractor",
                    "B",
                    BoundaryExtractor__refname="pin2",
                    BoundaryExtractor__lboundary='"pin": "',
                    BoundaryExtractor__rboundary='"',
                ),
                fields={"user": "${login}", "pin": "${pin}"},
            ),
        ),
        element(
            "TransactionController",
            "Shop",
            sampler("Look", "GET", "/items?a=b", fields={"q": "tea & ${user}"}),
            sampler(
                "Order",
                "POST",
                "/orders/${pin2}",
                header("X-All", "own ${__UUID()}"),
                header("Content-Type", "application/json"),
                element(
                    "ResponseAssertion",
                    "A",
                    Asserion__test_strings=["200"],
                    Assertion__test_field="Assertion.response_code",
                    Assertion__test_type="8",
                ),
                element(
                    "ResponseAssertion",
                    "A",
                    Asserion__test_strings=["tea"],
                    Assertion__test_field="Assertion.response_data",
                    Assertion__test_type="20",
                ),
                element(
                    "JSONPathAssertion",
                    "A",
                    JSON_PATH="$.json.n",
                    EXPECTED_VALUE="7",
                    JSONVALIDATION="true",
                    ISREGEX="false",
                ),
                HTTPSampler__postBodyRaw="true",
                fields={"": '{"n": 7, "by": "${method}"}'},
            ),
        ),
    ),
)


def test_a_plan_is_replayed_and_its_assertions_hold(tmp_path: Path) -> None:
    """Defaults, headers of the nearest manager, data sets, extractors, assertions and scopes are
    those of JMeter, by what a server was asked."""
    (tmp_path / "shop.jmx").write_text(SHOP)
    (tmp_path / "people.txt").write_text("ann;1234\nbo;5678\n")
    with echo_server() as echo:
        outcome = imported_and_replayed(tmp_path / "shop.jmx", tmp_path / "out", echo)
        login, look, order = echo.requests
    assert (outcome.problem, outcome.failures, outcome.left) == ("", {}, ())
    assert outcome.is_green
    assert login["form"] == {"user": "ann", "pin": "1234"}
    assert look["args"] == {"a": "b", "q": "tea & ann"}
    assert look["headers"]["x-all"] == "a"
    assert len(order["headers"]["x-all"]) == len("own ") + 36
    assert order["url"].endswith("/orders/1234")
    assert order["json"] == {"n": 7, "by": "POST"}
    assert (tmp_path / "out" / "people.csv").read_text() == "login,pin\nann,1234\nbo,5678\n"


def read(text: str) -> Foreign:
    """What a plan gives, as its files would be read."""
    foreign = read_jmeter(text, "x.jmx")
    for case in foreign.cases:
        assert parse_case(format_case(case), "x") == case
    return foreign


def test_thread_groups_are_load_configurations() -> None:
    """Users, ramp-up, loops, duration, and what an error does; pages and pauses are those of the
    plan."""
    forever = {
        "ThreadGroup__main_controller": {"LoopController.loops": "-1"},
        "ThreadGroup__scheduler": "true",
        "ThreadGroup__duration": "${__P(length,90)}",
        "ThreadGroup__on_sample_error": "startnextloop",
    }
    foreign = read(
        SHOP.replace("</hashTree></jmeterTestPlan>", "").removesuffix("</hashTree>\n")
        + group(sampler("One", "GET", "http://other.example/"), **forever)
        + "</hashTree></hashTree></jmeterTestPlan>"
    )
    first, second = foreign.cases
    assert [(page.name, page.once, page.think_time) for page in first.pages] == [
        ("Log in", "start", 0.5),
        ("Shop", None, 1.0),
    ]
    assert (first.server, second.server) == ("http://shop.example:8080", "http://other.example")
    loads = [foreign.loads[one.name] for one in foreign.cases]
    assert [(one.users, one.ramp_up, one.iterations, one.duration) for one in loads] == [
        (5, 2.0, 3, None),
        (5, 2.0, None, 90.0),
    ]
    assert [one.on_error for one in loads] == ["continue", "stop iteration"]
    for one in loads:
        assert parse_load(format_load(one), "x") == one


@pytest.mark.parametrize(
    ("below", "told"),
    [
        (element("JSR223PreProcessor", "S"), "JSR223PreProcessor 'S': there is nothing like it"),
        (element("ResultCollector", "Tree"), "ResultCollector 'Tree': a listener"),
        (element("HTTPSamplerProxy", "Off", enabled=False), "HTTPSamplerProxy 'Off': switched off"),
        (
            element("WhileController", "W", sampler("", "GET", ""), WhileController__condition="x"),
            "WhileController 'W': what is in it is done once, in each iteration (x)",
        ),
        (element("IncludeController", "I"), "IncludeController 'I': the plan that it includes"),
        (
            element("UniformRandomTimer", "U", ConstantTimer__delay=100, RandomTimer__range=200),
            "UniformRandomTimer 'U': a pause drawn at random: 0.2s, its mean",
        ),
        (
            sampler("b", "GET", "/b?x=${__groovy(1)}"),
            "HTTPSamplerProxy 'b': the function ${__groovy(1)}",
        ),
        (
            sampler("b", "GET", "/b", HTTPSampler__follow_redirects="true"),
            "HTTPSamplerProxy 'b': follow redirects",
        ),
        (
            element("RegexExtractor", "R", RegexExtractor__template="$1$$2$"),
            "RegexExtractor 'R': the template $1$$2$: a test case takes group 1",
        ),
        (
            element(
                "RegexExtractor",
                "R",
                RegexExtractor__template="$1$",
                RegexExtractor__refname="x",
                RegexExtractor__regex="(?>a",
            ),
            "HTTPSamplerProxy 'a': variable = 'x', regex = '(?>a': ",
        ),
        (element("CookieManager", "C", CookieManager__cookies=[{"a": "b"}]), "CookieManager 'C': "),
    ],
)  # fmt: skip
def test_what_is_left_out_is_told_by_its_line(below: str, told: str) -> None:
    """With the line that it begins on, its kind and its name."""
    text = plan(group(sampler("a", "GET", "http://a/"), below))
    (left,) = {str(one) for one in read(text).left if "comes from the environment" not in str(one)}
    line, _, what = left.partition(", ")
    assert what.startswith(told)
    assert told.split()[0] in text.splitlines()[int(line.removeprefix("line ")) - 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<jmeterTestPlan>", "x.jmx:1: not valid XML"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><jmeterTestPlan/>', "it declares entities"),
        ("<plan/>", "expected a <jmeterTestPlan>, got <plan>"),
        (plan(group(element("JavaSampler", "J"))), "there is no HTTP request in it to send"),
        (f"<jmeterTestPlan>{'<a>' * 500}", "nested too deeply"),
    ],
)
def test_what_is_no_plan_is_an_error(text: str, message: str) -> None:
    """It says where, and what was expected."""
    with pytest.raises(FileError) as caught:
        read_jmeter(text, "x.jmx")
    assert message in str(caught.value)
