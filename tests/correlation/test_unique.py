"""Making a typed text one of each virtual user's own."""

from __future__ import annotations

import pytest

from pytest_loadtool.correlation.unique import make_unique
from pytest_loadtool.model.case import Variable
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.generator import RandomText
from tests.correlation.exchanges import SERVER, case_of, html
from tests.correlation.talk import call, configure, get, post, requests

SESSION: tuple[Exchange, ...] = (
    post("/users/add", "username=carol&email=carol%40example.com&note=caroline"),
    get("/users?q=carol&filters=q%3Dcarol"),
    call("PUT", "/users/carol", {"name": "carol", "files": "home/carol/notes.txt"}),
    get("/users/caroline?page=1", sent=(("Referer", f"{SERVER}/users/carol?q=q%3Dcarol"),)),
)


def test_everywhere_it_stands() -> None:
    """As a value and as a word of one, under the encoding of each place; no other word."""
    unique = make_unique(case_of(*SESSION), "carol")
    assert unique is not None
    assert unique.variable == "username[1]"
    assert unique.transactions == (0, 1, 2, 3)
    name = "${username[1]}"
    assert [one.request.target for one in unique.case.transactions()] == [
        "/users/add", f"/users?q={name}&filters=q%3D{name}", f"/users/{name}",
        "/users/caroline?page=1",
    ]  # fmt: skip
    assert [one.request.body for one in unique.case.transactions()] == [
        f"username={name}&email={name}%40example.com&note=caroline",
        None,
        f'{{"name": "{name}", "files": "home/{name}/notes.txt"}}',
        None,
    ]
    referer = list(unique.case.transactions())[3].request.headers[0]
    assert referer.value == f"{SERVER}/users/{name}?q=q%3D${{username[1]|url}}"
    assert unique.case.variables == {
        "username_end[1]": Variable("username_end[1]", generate=RandomText(6, "alphanumeric")),
        "username[1]": Variable(
            "username[1]", template="carol-${username_end[1]}", recorded="carol"
        ),
    }


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ("notes.txt", Variable("f[1]", template="notes-${f_end[1]}.txt", recorded="notes.txt")),
        ("a b@c.d", Variable("f[1]", template="a b-${f_end[1]}@c.d", recorded="a b@c.d")),
        ("$${", Variable("f[1]", template="-${f_end[1]}$$${", recorded="$${")),
        ("4711", Variable("f[1]", generate=RandomText(4, "digits"), recorded="4711")),
    ],
)
def test_the_end_of_a_name_stays(text: str, variable: Variable) -> None:
    """A file keeps its suffix, an address its host, a number its length."""
    unique = make_unique(case_of(call("POST", "/", {"f": text})), text)
    assert unique is not None
    assert unique.case.variables["f[1]"] == variable


def test_names_do_not_collide() -> None:
    """A second text of the same field has a variable of its own; what no request has, none."""
    case = case_of(post("/a", "name=tea"), post("/b", "name=milk"))
    first = make_unique(case, "tea")
    assert first is not None
    second = make_unique(first.case, "milk")
    assert second is not None
    assert (first.variable, second.variable) == ("name[1]", "name[2]")
    assert make_unique(second.case, "tea") is None


@pytest.mark.parametrize(
    ("exchanges", "text", "wanted"),
    [
        (
            (
                post("/tasks/add", "title=Coffee"),
                get("/tasks/", html('<a href="/tasks/5/">Coffee</a>')),
                get("/tasks/5/"),
            ),
            "Coffee",
            ["/tasks/add title=${title[1]}", "/tasks/", "/tasks/${task_id[1]}/"],
        ),
        (
            (
                get("/?image=leaf.png", html('<img src="/fetch?tok=1bfea3&amp;media=leaf.png">')),
                get("/fetch?tok=1bfea3&media=leaf.png"),
            ),
            "leaf.png",
            ["/?image=${image[1]}", "/fetch?tok=${tok[1]}&media=${image[1]}"],
        ),
    ],
    ids=["the text of a link", "in a link"],
)
def test_configuring_again_leaves_it(
    exchanges: tuple[Exchange, ...], text: str, wanted: list[str]
) -> None:
    """What ASM found by the typed name it finds again."""
    once = configure(case_of(*exchanges), exchanges)
    unique = make_unique(once.case, text)
    assert unique is not None
    again = configure(unique.case, exchanges)
    assert again.case == unique.case
    assert requests(again) == wanted
