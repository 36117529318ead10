"""Rules of a user's own: what they find, what they leave, and that they come first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.casefile import package_rules, parse_rules
from pytest_loadtool.correlation import Configuration
from pytest_loadtool.correlation import configure as configure_by
from pytest_loadtool.errors import SlowPatternError
from pytest_loadtool.model.asm import AsmSettings
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import FormField, HeaderValue, JsonPath, RegularExpression
from pytest_loadtool.model.rule import NamePatterns
from tests.correlation.exchanges import case_of, html, json_body
from tests.correlation.talk import (
    TOKEN,
    UUID,
    call,
    configure,
    get,
    made,
    post,
    requests,
    run,
    sources,
)


def ruled(rules: str, *exchanges: Exchange) -> Configuration:
    """Configure a case of these exchanges by these rules before the package's."""
    own = parse_rules(f"format = 1\n{rules}", "my.rules.toml")
    return configure_by(case_of(*exchanges), exchanges, rules=(*own, *package_rules()))


def test_a_name_is_enough() -> None:
    """A field of that name takes its value from wherever it stands, random or not."""
    exchanges = [get("/seats", json_body({"lock_id": "row-b"})), post("/book", "seat=4&lock=row-b")]
    assert made(run(*exchanges)) == []
    rule = '[[rule]]\nname = "seat-lock"\nused_as = ["lock"]\nproduced_as = ["lock*"]\n'
    configuration = ruled(rule, *exchanges)
    assert requests(configuration)[1] == "/book seat=4&lock=${lock[1]}"
    assert sources(configuration) == [("lock[1]", JsonPath("$.lock_id"), 1)]
    (decision,) = made(configuration)
    assert decision.rule == "seat-lock"
    assert decision.reason == f'lock has the value that "{decision.producer}" gives out.'


def test_a_pattern_is_the_extractor() -> None:
    """A short value in a script is found by the rule's pattern, by the right one of its matches,
    and only for the fields that the rule names."""
    page = html("<script>wizard.start('a7'); wizard.start('b8')</script>")
    exchanges = [get("/wizard", page), get("/wizard/next?step=b8&other=b8")]
    rule = (
        "[[rule]]\nname = \"wizard\"\nused_as = [\"step\"]\npattern = '''start\\('(\\w+)'\\)'''\n"
    )
    configuration = ruled(rule, *exchanges)
    assert requests(configuration)[1] == "/wizard/next?step=${step[1]}&other=b8"
    source = RegularExpression(r"start\('(\w+)'\)")
    assert sources(configuration) == [("step[1]", source, 2)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule",
    ["used_as = ['p']\npattern = 'n(-(?:1|7|17)+)$'", "value = 'n-(?:1|7|17)+$'"],
)
def test_a_pattern_that_takes_too_long(rule: str) -> None:
    """The command ends, and says which it is."""
    value = "n-" + "17" * 50 + "x"
    exchanges = [
        get("/", html(f'<input name="x" value="{value}">\n{value}')),
        get(f"/a?p={value}"),
    ]
    with pytest.raises(SlowPatternError, match=r"Regular expression took longer than 1 s .*7\)"):
        ruled(f"[[rule]]\nname = 'number'\n{rule}\n", *exchanges)


def test_names_with_many_stars() -> None:
    """They are told at once not to be that of a field."""
    names = NamePatterns(("*a" * 30 + "*b", "csrf*token*"))
    assert "a" * 5000 not in names
    assert "a" * 5000 + "b" in names
    assert "csrf_x_token" in names
    assert "csrf_token_x" in names
    assert "csrf_tok" not in names


def test_a_value_by_its_form() -> None:
    """``value`` must fit the whole of it; ``kinds`` are where it is looked for, the first first."""
    exchanges = [
        get("/", html('<input name="x" value="n-17">', ("X-Number", "n-17"))),
        get("/a?p=n-17&q=n-17x"),
    ]
    rule = '[[rule]]\nname = "number"\nvalue = "n-\\\\d+"\nkinds = ["header", "form field"]\n'
    configuration = ruled(rule, *exchanges)
    assert requests(configuration)[1] == "/a?p=${p[1]}&q=n-17x"
    assert sources(configuration) == [("p[1]", HeaderValue("X-Number"), 1)]


def test_own_rules_come_first() -> None:
    """One that names a field otherwise, or leaves it, wins over the package's."""
    exchanges = [
        get("/", html(f'<input type="hidden" name="csrf" value="{TOKEN}">')),
        post("/", f"csrf={TOKEN}"),
    ]
    named = '[[rule]]\nname = "mine"\nused_as = ["CSRF"]\nvariable = "anti_forgery"\n'
    assert sources(ruled(named, *exchanges)) == [("anti_forgery[1]", FormField("csrf"), 1)]
    left = '[[rule]]\nname = "mine"\nused_as = ["CSRF"]\nleave = true\n'
    configuration = ruled(f'{left}reason = "{{field}} is a joke."\n', *exchanges)
    assert made(configuration) == []
    told = [one for one in configuration.decisions if one.rule != "no-outcome"]
    assert [(one.rule, one.reason) for one in told] == [("mine", "csrf is a joke.")]


@pytest.mark.parametrize("name", ["cart", "CART", "ca*"])
def test_ignored_names(name: str) -> None:
    """What the test case ignores is never correlated, whatever rule would; other names are."""
    exchanges = [
        get("/", json_body({"cart": UUID, "list": TOKEN})),
        call("POST", "/save", {"cart": UUID, "list": TOKEN}, sent=(("X-Cart", UUID),)),
    ]
    case = replace(case_of(*exchanges), asm=AsmSettings(ignore=(name,)))
    configuration = configure(case, exchanges)
    sent = f'/save ${{cart[1]}} {{"cart": "{UUID}", "list": "${{list[1]}}"}}'
    assert requests(configuration)[1] == sent
    ignored = [one for one in configuration.decisions if one.rule == "ignored"]
    assert [(one.value, one.variable) for one in ignored] == [(UUID, "")]
    assert "cart is to be ignored" in ignored[0].reason
    assert configure(configuration.case, exchanges) == configuration
