"""Values from lists: of the user's own item, by the name it gave it or an id it has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_loadtool.correlation import Configuration
from pytest_loadtool.correlation.configuration import asserted_anew
from pytest_loadtool.correlation.requests.fields import fields_of
from pytest_loadtool.correlation.writing.revert import taken_back
from pytest_loadtool.editing.bulk_edit import with_constant, with_reference
from pytest_loadtool.editing.unique_values import make_unique
from pytest_loadtool.extraction.extract import PlainText, compile_source
from pytest_loadtool.model.case import TestCase, Transaction
from pytest_loadtool.model.editing import with_transactions
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import (
    Decoded,
    Extractor,
    FormField,
    InItem,
    JsonPath,
    Link,
    Source,
    XmlPath,
    with_texts,
)
from tests.correlation.exchanges import answered, exchange, html, json_body
from tests.correlation.talk import (
    TOKEN,
    call,
    configure,
    get,
    made,
    post,
    requests,
    run,
    sources,
)

CREATED = exchange(status=201)


def listed(*names: str, key: str = "name", **more: Any) -> Exchange:
    """Items with ids from 101 on and an etag each."""
    return json_body(
        {
            "items": [
                {"id": 101 + at, key: name, "etag": f"{at}{TOKEN}", **more}
                for at, name in enumerate(names)
            ]
        }
    )


def session(answer: Exchange, name: str = "Teapot", id_: int = 102) -> tuple[Exchange, ...]:
    """An item is created, looked up in the list, and changed."""
    return (
        call("POST", "/api/items", {"name": name, "kind": "kitchen"}, CREATED),
        get("/api/items", answer),
        call("PUT", f"/api/items/{id_}", {"etag": f"{id_ - 101}{TOKEN}"}),
    )


def paths(case: TestCase) -> list[str]:
    """Of all extractors, which are of JSON paths."""
    found = [one.source for each in case.transactions() for one in each.extractors]
    return [one.path for one in found if isinstance(one, JsonPath)]


def test_by_the_name_that_the_user_gave() -> None:
    """Not by the place in the list, which others share; `named-item` is the rule."""
    configuration = run(*session(listed("Milk", "Teapot", "Bread")))
    assert paths(configuration.case) == [
        '$.items[?(@.name=="Teapot")].id',
        '$.items[?(@.name=="Teapot")].etag',
    ]
    assert requests(configuration)[2] == '/api/items/${item_id[1]} {"etag": "${etag[1]}"}'
    assert [one.rule for one in made(configuration)] == ["named-item", "row-version"]
    assert made(configuration)[0].reason.endswith(
        ' It is found by "Teapot" among the others there.'
    )


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        (listed("Milk", "Teapot", key="title"), '$.items[?(@.title=="Teapot")].etag'),
        (listed("Teapot", key="title"), '$.items[?(@.title=="Teapot")].etag'),
        (listed("Milk", "Teapot", kind="kitchen"), '$.items[?(@.name=="Teapot")].etag'),
        (listed("Teapot", "Teapot"), "$.items[1].etag"),
        (listed("Milk", "Bread"), "$.items[1].etag"),
        (listed("Milk", "teapot"), "$.items[1].etag"),
    ],
)
def test_by_what_tells_one_item_from_the_others(answer: Exchange, path: str) -> None:
    """A text that two have, or that nobody sent, tells nothing."""
    last = 100 + answer.response_body.count(b'"id"')
    assert paths(run(*session(answer, id_=last)).case)[-1] == path


def test_by_an_id_that_is_known() -> None:
    """A number is compared as one."""
    _, list_, change = session(listed("Milk", "Teapot"))
    create = call("POST", "/api/items", {"name": "Teapot"}, json_body({"id": 102}))
    configuration = run(create, list_, change)
    assert paths(configuration.case) == ["$.id", "$.items[?(@.id==${item_id[1]})].etag"]
    assert configuration.case.variables["etag[1]"].recorded == f"1{TOKEN}"
    assert 'by "${item_id[1]}" among' in made(configuration)[1].reason


def test_in_lists_of_lists_and_deeper_keys() -> None:
    """As JSON:API has it: ``attributes`` around the name. The rest of the way stays."""
    shelves = [
        {"shelf": 1, "of": []},
        {
            "shelf": 2,
            "of": [
                {"id": "1", "attributes": {"name": "Milk"}, "keys": ["a", "b"]},
                {"id": "2", "attributes": {"name": 'Tea "pot"'}, "keys": [TOKEN, "d"]},
            ],
        },
    ]
    configuration = run(
        call("POST", "/api/items", {"data": {"attributes": {"name": 'Tea "pot"'}}}, CREATED),
        get("/api/shelves", json_body({"data": shelves})),
        call("POST", "/api/open", {"key": TOKEN}),
    )
    assert paths(configuration.case) == [
        """$.data[1].of[?(@.attributes.name=='Tea "pot"')].keys[0]""",
    ]


@pytest.mark.parametrize(
    "sent",
    [
        {"password": "Teapot", "login": "anna"},
        {"count": 102, "on": "true"},
        {"name": "Tea\\pot"},
    ],
)
def test_not_by_secrets_amounts_and_what_no_path_can_say(sent: dict[str, Any]) -> None:
    """The path stays as it was."""
    name = sent.get("name", "Teapot")
    _, list_, change = session(listed("Milk", name, on="true", n=102))
    configuration = run(call("POST", "/api/items", sent, CREATED), list_, change)
    assert paths(configuration.case)[-1] == "$.items[1].etag"


def test_not_by_what_is_sent_later() -> None:
    """The extractor has to know it when the response comes."""
    create, list_, change = session(listed("Milk", "Teapot"))
    assert paths(run(list_, change, create).case) == ["$.items[1].etag"]


def test_configuring_again_changes_nothing() -> None:
    """Nor with what a person has made of the text in between."""
    exchanges = session(listed("Milk", "Teapot", "Bread"))
    once = run(*exchanges).case
    assert configure(once, exchanges).case == once
    unique = make_unique(once, "Teapot")
    assert unique is not None
    assert configure(unique.case, exchanges).case == asserted_anew(unique.case, exchanges).case


def test_unique_texts_are_followed() -> None:
    """The extractors go by what this user sends."""
    unique = make_unique(run(*session(listed("Milk", "Teapot"))).case, "Teapot")
    assert unique is not None
    assert paths(unique.case) == [
        '$.items[?(@.name=="${name[1]}")].id',
        '$.items[?(@.name=="${name[1]}")].etag',
    ]


def test_a_word_of_the_text_is_followed_too() -> None:
    """The rest of the text stays."""
    exchanges = session(listed("Milk", "Blue Teapot"), name="Blue Teapot")
    unique = make_unique(run(*exchanges).case, "Blue")
    assert unique is not None
    assert paths(unique.case)[0] == '$.items[?(@.name=="${name[1]} Teapot")].id'
    assert configure(unique.case, exchanges).case == asserted_anew(unique.case, exchanges).case


def test_datasets_and_constants_are_followed() -> None:
    """What a field is set to is what the extractors behind it go by."""
    exchanges = session(listed("Milk", "Teapot"))
    case = run(*exchanges).case
    name = next(one for one in fields_of(case, 0) if one.name == "name")
    bound = with_reference(case, 0, name, "things.name")
    assert paths(bound)[0] == '$.items[?(@.name=="${things.name}")].id'
    assert configure(bound, exchanges).case == bound
    name = next(one for one in fields_of(bound, 0) if one.name == "name")
    other = with_constant(bound, 0, name, 'a "$${x}')
    assert paths(other)[0] == """$.items[?(@.name=="a "$$${x}")].id"""


def test_undone_with_what_goes_by_it() -> None:
    """The etag that was found by the id does not stay without it, and is found by the name then."""
    _, list_, change = session(listed("Milk", "Teapot"))
    create = call("POST", "/api/items", {"name": "Teapot"}, json_body({"id": 102}))
    exchanges = (create, list_, change)
    undone = taken_back(run(*exchanges).case, exchanges, "item_id[1]")
    assert not undone.variables
    assert undone.asm.ignore == ("PUT /api/items/102: items",)
    assert paths(configure(undone, exchanges).case) == ['$.items[?(@.name=="Teapot")].etag']


def test_an_extractor_of_a_person_keeps_what_it_goes_by() -> None:
    """Its variable is not taken back."""
    _, list_, change = session(listed("Milk", "Teapot"))
    create = call("POST", "/api/items", {"name": "Teapot"}, json_body({"id": 102}))
    exchanges = (create, list_, change)
    case = run(*exchanges).case
    mine = JsonPath("$.items[?(@.id==${item_id[1]})].mine")
    first, second, third = case.transactions()
    second = replace(second, extractors=(Extractor("mine", mine), *second.extractors))
    case = with_transactions(case, (first, second, third))
    assert configure(case, exchanges).case == case
    with pytest.raises(ValueError, match="extractor of yours"):
        taken_back(case, exchanges, "item_id[1]")


MINE = "Tea &amp; 'Cups'"
FORM_BODY = "name=Tea+%26+%27Cups%27"


def tokens(count: int) -> list[str]:
    return [f"{number}8Kq2Xv9Lm4PzR8tYw3N" for number in range(count)]


def table(rows: dict[int, str], row: str = "tr", form: str = "/items/{id}/delete") -> Exchange:
    """A page with a row for each: its name, a link, and a form with a token of its own."""
    return html(
        "".join(
            f'<{row}><p>{name}</p><a href="/items/{id_}/edit">Edit</a>'
            f'<form action="{form.format(id=id_)}" method="post">'
            f'<input type="hidden" name="id" value="{id_}"><input type="hidden" name="key" '
            f'value="{token}"></form></{row}>'
            for (id_, name), token in zip(rows.items(), tokens(9), strict=False)
        )
    )


def deleted(before: dict[int, str], after: dict[int, str], **table_of: str) -> Configuration:
    """The item 17 is created, found in the table, and deleted."""
    token = tokens(9)[list(after).index(17)]
    target = table_of.get("form", "/items/{id}/delete").format(id=17)
    return run(
        get("/items", table(before, **table_of)),
        post("/items", FORM_BODY),
        get("/items", table(after, **table_of)),
        get("/items/17/edit"),
        post(target, f"id=17&key={token}"),
    )


def rows(case: TestCase) -> dict[str, Source]:
    """The sources by variable."""
    found = [one for each in case.transactions() for one in each.extractors]
    assert all(one.match == 1 for one in found)
    return {one.variable: one.source for one in found}


OTHERS = {11: "Milk", 12: "Bread"}


@pytest.mark.parametrize(
    "after", [{**OTHERS, 17: MINE}, {17: MINE, **OTHERS}, {11: "Milk", 17: MINE, 12: "Bread"}]
)
def test_a_form_by_the_id_it_goes_to(after: dict[int, str]) -> None:
    """Wherever its row is; the link by the name in the row."""
    configuration = deleted(OTHERS, after)
    found = rows(configuration.case)
    assert found["key[1]"] == FormField("key", action="/items/${item_id[2]}/delete")
    assert found["item_id[1]"] == InItem(Link("/items/*/edit"), "Tea & 'Cups'")
    assert (
        requests(configuration)[4] == "/items/${item_id[2]}/delete id=${item_id[2]}&key=${key[1]}"
    )


@pytest.mark.parametrize("row", ["tr", "li", "article"])
def test_forms_that_go_to_one_address(row: str) -> None:
    """By the text in the row."""
    configuration = deleted(OTHERS, {**OTHERS, 17: MINE}, row=row, form="/delete")
    inner: dict[str, Source] = {
        "item_id[1]": Link("/items/*/edit"),
        "id[1]": FormField("id"),
        "key[1]": FormField("key"),
    }
    assert rows(configuration.case) == {
        name: InItem(one, "Tea & 'Cups'") for name, one in inner.items()
    }
    unique = make_unique(configuration.case, "Tea & 'Cups'")
    assert unique is not None
    assert rows(unique.case) == {name: InItem(one, "${name[1]}") for name, one in inner.items()}


def test_rows_that_nothing_marks() -> None:
    """Of siblings that are alike, one is a row, whatever it is."""
    configuration = deleted(OTHERS, {**OTHERS, 17: MINE}, row="div", form="/delete")
    found = [one for each in configuration.case.transactions() for one in each.extractors]
    rows = [one.source for one in found if isinstance(one.source, InItem)]
    assert rows
    assert {one.item for one in rows} == {"div"}


def of_mine(source: Source, page: str) -> str | None:
    """What the source takes for the user whose own is called ``Tea-x``."""
    mine = with_texts(source, lambda text: text.replace("${name[1]}", "Tea-x"))
    return compile_source(mine)(PlainText(page))


def cards(resources: dict[int, str]) -> Exchange:
    """As Bootstrap has them: a card for each, in which there are more of these."""
    return html(
        '<div class="container"><div class="row">'
        + "".join(
            f'<div id="item-{id_}" class="card"><div class="card-body"><h3>{name}</h3><p>New</p>'
            f'</div><div class="card-footer"><div><a href="/items/{id_}/edit">Edit</a>'
            f'<form action="/delete" method="post"><input type="hidden" name="id" value="{id_}">'
            f'<input type="hidden" name="key" value="{token}"></form></div></div></div>'
            for (id_, name), token in zip(resources.items(), tokens(9), strict=False)
        )
        + "</div></div>"
    )


@pytest.mark.parametrize("after", [{11: "Milk", 17: MINE}, {17: MINE, 12: "Bread"}])
def test_rows_of_divs(after: dict[int, str]) -> None:
    """By the text in the one with the class that is around both."""
    token = tokens(9)[list(after).index(17)]
    exchanges = (
        get("/items", cards({one: after[one] for one in after if one != 17})),
        post("/items", FORM_BODY),
        get("/items", cards(after)),
        get("/items/17/edit"),
        post("/delete", f"id=17&key={token}"),
    )
    unique = make_unique(run(*exchanges).case, "Tea & 'Cups'")
    assert unique is not None
    found = rows(unique.case)
    assert found == {
        "item_id[1]": InItem(Link("/items/*/edit"), "${name[1]}", "div.card"),
        "id[1]": InItem(FormField("id"), "${name[1]}", "div.card"),
        "key[1]": InItem(FormField("key"), "${name[1]}", "div.card"),
    }
    others = cards({1: "Salt", **OTHERS, 5: "Tea-x", 6: "Oil"}).response_body.decode()
    assert [of_mine(one, others) for one in found.values()] == ["5", "5", tokens(4)[3]]
    assert configure(unique.case, exchanges).case == asserted_anew(unique.case, exchanges).case


def test_one_card() -> None:
    """A page with one form may have the name in its heading: its form is known by its field."""
    exchanges = (
        get("/items", cards({})),
        post("/items", FORM_BODY),
        get("/items", cards({17: MINE})),
        post("/delete", f"id=17&key={tokens(1)[0]}"),
    )
    found = [one for each in run(*exchanges).case.transactions() for one in each.extractors]
    assert [one.source for one in found] == [FormField("id"), FormField("key")]


def test_rows_with_the_same_text() -> None:
    """A text of two rows tells no more than the place does: the user has made both."""
    configuration = deleted(OTHERS, {11: MINE, 17: MINE}, form="/delete")
    found = [one for each in configuration.case.transactions() for one in each.extractors]
    assert [one.match for one in found] == [2, 2]


def test_a_link_by_its_own_text() -> None:
    """Also where it is the first, and `unique` takes it along."""
    links = "".join(
        f'<a href="/items/{id_}"> {name}</a>' for id_, name in {17: MINE, **OTHERS}.items()
    )
    exchanges = (
        get("/items", html("")),
        post("/items", FORM_BODY),
        get("/items", html(links)),
        get("/items/17"),
    )
    unique = make_unique(run(*exchanges).case, "Tea & 'Cups'")
    assert unique is not None
    assert rows(unique.case) == {"item_id[1]": Link("/items/*", "${name[1]}")}
    assert configure(unique.case, exchanges).case == asserted_anew(unique.case, exchanges).case


def test_the_page_of_one_thing_has_no_rows() -> None:
    """Its form is known by what does not change: any id may be in there."""
    token = tokens(1)[0]
    edit = html(
        '<form action="/search"><input name="key"></form>'
        '<form action="/items/17/edit" method="post">'
        f'<input type="hidden" name="key" value="{token}"><input name="name"></form>'
    )
    configuration = run(
        post("/items", FORM_BODY, exchange(status=303, received=(("Location", "/items/17/edit"),))),
        get("/items/17/edit", edit),
        post("/items/17/edit", f"key={token}&name=Cups"),
    )
    assert rows(configuration.case)["key[1]"] == FormField("key", action="/items/.../edit")


def test_an_id_behind_another_path_that_ends_alike() -> None:
    """A page and an API call one thing by one id."""
    configuration = run(
        post("/items", FORM_BODY, exchange(status=303, received=(("Location", "/items/17"),))),
        get("/items/17"),
        call("PUT", "/api/items/17", {"a": "b"}),
        call("PUT", "/api/users/17", {"a": "b"}),
    )
    assert [one.partition(" ")[0] for one in requests(configuration)[2:]] == [
        "/api/items/${item_id[1]}",
        "/api/users/17",
    ]


def test_what_is_decoded_is_followed_too() -> None:
    """Outside and inside."""
    case = run(*session(listed("Milk", "Teapot"))).case

    def packed(source: Source) -> Source:
        return Decoded(source, ("base64",), source)

    def changed(each: Transaction) -> Transaction:
        extractors = (replace(one, source=packed(one.source)) for one in each.extractors)
        return replace(each, extractors=tuple(extractors))

    case = with_transactions(case, map(changed, case.transactions()))
    name = next(one for one in fields_of(case, 0) if one.name == "name")
    bound = with_reference(case, 0, name, "things.name")
    path = JsonPath('$.items[?(@.name=="${things.name}")].id')
    sources = [one.source for each in bound.transactions() for one in each.extractors]
    assert sources[0] == packed(path)


def xml(text: str) -> Exchange:
    return exchange(received=(("Content-Type", "text/xml"),), answer=text.encode())


def orders(*names: str, **more: str) -> Exchange:
    """Orders with ids from 101 on and a version each, as SOAP has them."""
    rows = "".join(
        f'<o:Order key="k{at}"><o:OrderId>{101 + at}</o:OrderId><o:Customer>{name}</o:Customer>'
        + "".join(f"<o:{key}>{value}</o:{key}>" for key, value in more.items())
        + f"<o:Version>{at}{TOKEN}</o:Version></o:Order>"
        for at, name in enumerate(names)
    )
    return xml(
        '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:o="urn:o"><s:Body>'
        f"<o:ListOrdersResponse><o:Orders>{rows}</o:Orders></o:ListOrdersResponse></s:Body>"
        "</s:Envelope>"
    )


def soap(operation: str, answer: Exchange, **fields: str) -> Exchange:
    """A call to the one address that all operations have."""
    inner = "".join(f"<{name}>{value}</{name}>" for name, value in fields.items())
    body = (
        '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>'
        f'<{operation} xmlns="urn:o">{inner}</{operation}></s:Body></s:Envelope>'
    )
    sent = (("Content-Type", "text/xml"), ("SOAPAction", operation))
    return answered("POST", "/soap", answer, sent=sent, body=body.encode())


def soap_session(listed: Exchange, name: str = "Tea House", id_: int = 102) -> Configuration:
    """An order is placed, looked up among those of all, and changed with its version."""
    version = f"{id_ - 101}{TOKEN}"
    return run(
        soap("PlaceOrder", xml("<r><Accepted>true</Accepted></r>"), Customer=name, Item="cup"),
        soap("ListOrders", listed, Page="7"),
        soap("ChangeOrder", xml("<r/>"), OrderId=str(id_), Version=version),
    )


def xml_paths(case: TestCase) -> list[str]:
    """Of all extractors, which are of XML paths."""
    found = [one.source for each in case.transactions() for one in each.extractors]
    return [one.path for one in found if isinstance(one, XmlPath)]


@pytest.mark.parametrize(
    ("listed", "where"),
    [
        (orders("Milk Bar", "Tea House", "Bakery"), '//Order[Customer="Tea House"]'),
        (orders("Milk Bar", "Tea House", Item="cup"), '//Order[Customer="Tea House"]'),
        (orders("Milk Bar", "Tea House", "Tea House"), "//Order[2]"),
        (orders("Milk Bar", "tea house"), "//Order[2]"),
    ],
)
def test_rows_of_xml_by_what_the_user_sent(listed: Exchange, where: str) -> None:
    """In SOAP, where all operations have one address; a text that two rows have tells nothing."""
    configuration = soap_session(listed)
    paths = xml_paths(configuration.case)
    assert paths[-1] == f"{where}/Version"
    if "Customer" in where:
        assert 'found by "Tea House" among' in made(configuration)[-1].reason


def test_an_xml_list_of_one_is_a_list_yet() -> None:
    """By its name: there are more of them on another day."""
    listed = orders("Tea House", Name="Tea House")
    assert xml_paths(soap_session(listed, id_=101).case) == [
        '//Order[Name="Tea House"]/OrderId',
        '//Order[Name="Tea House"]/Version',
    ]


def test_xml_rows_by_an_id_that_is_known() -> None:
    """REST in XML: created, and then among the others; attributes, and texts beside them."""
    listed = xml(
        '<items><item id="101" etag="a"><name>Milk</name></item>'
        f'<item id="102" etag="{TOKEN}"><name lang="en">Tea &amp; Co</name></item></items>'
    )
    change = call("PUT", "/api/items/102", {"etag": TOKEN})
    create = call("POST", "/api/items", {"name": "Tea & Co"}, xml("<item><id>102</id></item>"))
    configuration = run(create, get("/api/items", listed), change)
    assert xml_paths(configuration.case) == ['//item[@id="${item_id[1]}"]/@etag']
    create = call("POST", "/api/items", {"name": "Tea & Co"}, CREATED)
    configuration = run(create, get("/api/items", listed), change)
    assert xml_paths(configuration.case) == [
        '//item[name="Tea & Co"]/@id',
        '//item[name="Tea & Co"]/@etag',
    ]
    assert [one.rule for one in made(configuration)] == ["named-item", "row-version"]
    own = make_unique(configuration.case, "Tea & Co")
    assert own is not None
    assert xml_paths(own.case)[0] == '//item[name="${name[1]}"]/@id'


def test_lists_of_the_same_name_elsewhere() -> None:
    """Then the path begins at the root."""
    rows = "".join(
        f"<Order><Name>{name}</Name><Key>{key}{TOKEN}</Key></Order>"
        for key, name in enumerate(("Milk Bar", "Tea House"))
    )
    listed = xml(f"<r><Old><Order><Name>Tea House</Name></Order></Old><New>{rows}</New></r>")
    configuration = run(
        call("POST", "/api/orders", {"name": "Tea House"}, CREATED),
        get("/api/orders", listed),
        call("POST", "/api/change", {"key": f"1{TOKEN}"}),
    )
    assert xml_paths(configuration.case) == ['/r/New/Order[Name="Tea House"]/Key']


def placed(configuration: Configuration) -> list[str]:
    """The variables that are taken by their place in a list."""
    found = [one for each in configuration.case.transactions() for one in each.extractors]
    names = [one.variable for one in found if one.by_place]
    told = [one for one in configuration.decisions if "by its place in the list" in one.reason]
    assert [one.variable for one in told] == names
    assert all(one.confidence <= 0.4 for one in told)
    return names


@pytest.mark.parametrize("body", [FORM_BODY.replace("name=", "wish="), FORM_BODY])
def test_by_any_telling_text_that_was_sent(body: str) -> None:
    """Whatever its field is called; what something is called comes first."""
    resources = {**OTHERS, 17: f"{MINE}</p><p>Blue China"}
    exchanges = (
        get("/items", table(OTHERS, form="/delete")),
        post("/items", f"{body}&pattern=Blue+China"),
        get("/items", table(resources, form="/delete")),
        post("/delete", f"id=17&key={tokens(3)[2]}"),
    )
    configuration = run(*exchanges)
    assert rows(configuration.case) == {
        "id[1]": InItem(FormField("id"), "Tea & 'Cups'"),
        "key[1]": InItem(FormField("key"), "Tea & 'Cups'"),
    }
    assert placed(configuration) == []
    assert configure(configuration.case, exchanges).case == configuration.case


@pytest.mark.parametrize(
    ("sent", "page"),
    [
        ("wish=Te", ""),  # too short
        ("wish=1234567", ""),  # an amount
        (
            "colour=Turquoise",
            '<select name="colour"><option value="Turquoise">Blue</option></select>',
        ),
    ],
)
def test_by_its_place_where_nothing_tells(sent: str, page: str) -> None:
    """The decision says so: short texts, numbers and what a page had to choose from are others'
    tomorrow."""
    text = sent.partition("=")[2]
    before, after = (
        html(page + table(rows, form="/delete").response_body.decode())
        for rows in (OTHERS, {**OTHERS, 17: text})
    )
    configuration = run(
        get("/items", before),
        post("/items", sent),
        get("/items", after),
        post("/delete", f"id=17&key={tokens(3)[2]}"),
    )
    assert placed(configuration) == ["id[1]", "key[1]"]


def test_a_short_text_that_is_new() -> None:
    """No answer before had it, so that it is no word of the application's."""
    after = table({17: "Cups", **OTHERS}, form="/delete")
    sent = f"id=17&key={tokens(1)[0]}"
    before = get("/items", table(OTHERS, form="/delete"))
    shown = get("/items", html(after.response_body.decode() + "<p>Cups"))
    session = (post("/items", "wish=Cups"), shown, post("/delete", sent))
    assert rows(run(before, *session).case)["key[1]"] == InItem(FormField("key"), "Cups")
    assert placed(run(shown, *session)) == ["id[1]", "key[1]"]


def club(people: dict[int, str], bills: dict[int, str]) -> Exchange:
    """A page with two tables: people, and what was bought, by whom."""
    return html(
        "<table>"
        + "".join(
            f'<tr id="member-{id_}"><td>{name}<form action="/t/members/{id_}/edit"></form></tr>'
            for id_, name in people.items()
        )
        + "</table><table>"
        + "".join(
            f'<tr><td>{what}</td><td>Lou</td><td><a href="/t/edit/{id_}">Edit</a></tr>'
            for id_, what in bills.items()
        )
    )


def test_the_row_of_the_thing_itself() -> None:
    """Another row has the number, too, and the name; that of a member says so."""
    configuration = run(
        get("/t/", club({}, {})),
        post("/t/members/add", "name=Kim"),
        post("/t/members/add", "name=Lou"),
        post("/t/add", "what=Cups+and+pots"),
        get("/t/", club({1: "Kim", 2: "Lou"}, {1: "Sugar", 2: "Cups and pots"})),
        get("/t/members/2/edit"),
    )
    page = club({7: "Old", 9: "Lou"}, {9: "Rice", 7: "Cups and pots"}).response_body.decode()
    (source,) = rows(configuration.case).values()
    assert compile_source(source)(PlainText(page)) == "9"


def test_json_and_xml_by_their_place_are_told() -> None:
    """Of a row that is known nothing is said, nor of what an answer lists of what was sent."""
    assert placed(run(*session(listed("Milk", "Bread")))) == ["etag[1]"]
    assert placed(run(*session(listed("Milk", "Teapot", "Bread")))) == []
    assert placed(soap_session(orders("Milk Bar", "tea house"))) == ["Version[1]"]
    keys = json_body({"keys": [TOKEN, TOKEN[::-1]]})
    assert placed(run(post("/things", "a=b", keys), call("PUT", "/x", {"key": TOKEN}))) == []
    assert placed(run(get("/things", keys), call("PUT", "/x", {"key": TOKEN}))) == ["key[1]"]


def test_forms_of_their_own_are_no_rows() -> None:
    """A page with two forms, each in a place of its own."""
    forms = "".join(
        f'<div class="{name}"><form action="/{name}" method="post"><input type="hidden" name="key" '
        f'value="{token}"></form></div>'
        for name, token in zip(("search", "order"), tokens(2), strict=True)
    )
    assert placed(run(get("/", html(forms)), post("/search", f"key={tokens(2)[0]}"))) == []


def board(
    resources: dict[int, str], row: str = '<li data-id="{id}"><b>{name}</b></li>'
) -> Exchange:
    rows = (row.format(id=id_, name=name) for id_, name in resources.items())
    return html(f"<ul>{''.join(rows)}</ul>")


@pytest.mark.parametrize(
    "row",
    [
        '<li data-id="{id}"><b>{name}</b></li>',
        '<li><b>{name}</b><button data-thing-id="{id}">x</button></li>',
        '<li class="x">{name}<button class="y" data-pk="{id}">x</button> <i>New</i></li>',
        '<li><p>\n<button data-thing-id="{id}">x</button></p><p> {name} </p></li>',
        '<section class="card" data-thing-id="{id}"><div class="of">{name}</div></section>',
        f'<li>{"<i>17</i>" * 30}<b>{{name}}</b><button data-thing-id="{{id}}">x</button></li>',
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_ids_in_data_attributes(row: str, order: int) -> None:
    """Of which a script makes an address; the text may be in front of it or behind."""
    after = dict([*OTHERS.items(), (17, MINE)][::order])
    exchanges = (
        get("/", board(OTHERS, row)),
        post("/things", FORM_BODY),
        get("/", board(after, row)),
        call("PUT", "/api/things/17/done", {"a": "b"}),
    )
    configuration = run(*exchanges)
    assert [one.rule for one in made(configuration)] == ["named-data"]
    name = made(configuration)[0].variable
    assert requests(configuration)[3].startswith(f"/api/things/${{{name}}}/done")
    unique = make_unique(configuration.case, "Tea & 'Cups'")
    assert unique is not None
    (source,) = rows(unique.case).values()
    assert isinstance(source, InItem)
    assert source.text == "${name[1]}"
    others = board({1: "Salt", **OTHERS, 5: "Tea-x", 6: "Oil"}, row).response_body.decode()
    assert of_mine(source, others) == "5"
    assert configure(unique.case, exchanges).case == asserted_anew(unique.case, exchanges).case


def test_a_data_attribute_that_is_new() -> None:
    """Without a text that tells: by its place, and the decision says so. One that was there before,
    or that is about another kind of thing, is none."""

    def decided(before: Exchange, after: Exchange, target: str) -> Configuration:
        return run(
            get("/things", before),
            call("POST", "/things", {"n": "12"}, CREATED),
            get("/things", after),
            call("PUT", target, {"a": "b"}),
        )

    more = board({**OTHERS, 17: "Salt"})
    configuration = decided(board(OTHERS), more, "/api/things/17")
    assert [one.rule for one in made(configuration)] == ["new-data"]
    assert placed(configuration) == ["thing_id[1]"]
    assert not made(decided(more, more, "/api/things/17"))
    assert not made(decided(board(OTHERS), more, "/api/users/17"))


def test_an_id_by_which_a_token_is_found_is_in_its_request() -> None:
    """What a request has from no variable tells nothing of it: the token beside a thing of the
    user's was chosen for another reason."""
    page = html(
        "".join(
            f'<a href="/items/{17 + at}/rate?token={token}">Rate</a>'
            for at, token in enumerate(tokens(2))
        )
    )
    created = exchange(status=303, received=(("Location", "/items/17"),))
    start = (post("/items", FORM_BODY, created), get("/items/17"), get("/home", page))
    token = tokens(1)[0]
    other = run(*start, post("/newsletter", f"token={token}"))
    assert requests(other)[3] == "/newsletter token=${token[1]}"
    assert not any("${" in str(one[1]) for one in sources(other))
    own = run(*start, post("/items/17/rate", f"token={token}"))
    assert requests(own)[3] == "/items/${item_id[1]}/rate token=${token[1]}"
    assert any("/items/${item_id[1]}/rate" in str(one[1]) for one in sources(own))


def test_no_item_is_known_by_what_is_looked_for() -> None:
    """The first shop and the first order have the same number; who knows it need not look."""
    shops = [{"id": 1, "name": "Tea House"}]
    orders = [{"id": 1, "title": "Green tea"}, {"id": 2, "title": "Black tea"}]
    new = [{"title": one["title"], "shop": 1} for one in orders]
    configured = run(
        call("POST", "/shops/insert", {"name": "Tea House"}, json_body({"rows": shops})),
        call("POST", "/orders/insert", {"rows": new}, json_body({"rows": orders})),
        call("POST", "/orders/1/update", {"quantity": 2}),
    )
    found = {name: source for name, source, _ in sources(configured)}
    assert found["order_id[1]"] == JsonPath('$.rows[?(@.title=="Green tea")].id')


@pytest.mark.parametrize(
    "row",
    [
        "<tr><td>{name}</td><td><a href=\"javascript:go('Grid','Delete${at}')\">x</a></td></tr>",
        '<tr><td>{name}</td><td><a href="javascript:go(&#39;Grid&#39;,&#39;Edit${at}&#39;)">'
        'x</a><a href="javascript:go(&#39;Grid&#39;,&#39;Delete${at}&#39;)">x</a></td></tr>',
        "<li><button onclick='run({at}, \"Delete${at}\")'>x</button><b>{name}</b></li>",
    ],
)
def test_arguments_of_calls_in_rows(row: str) -> None:
    """A command of a row has its number: that of the user's own row is another one elsewhere."""

    def grid(*names: str) -> Exchange:
        rows = (row.format(at=at, name=name) for at, name in enumerate(names))
        return html(f"<table>{''.join(rows)}</table>")

    exchanges = (
        get("/orders", grid("Salt", "Milk")),
        post("/orders", FORM_BODY),
        get("/orders", grid("Salt", MINE, "Milk")),
        post("/orders/list", "target=Grid&argument=Delete%241", grid("Salt", "Milk")),
    )
    configuration = run(*exchanges)
    assert [one.rule for one in made(configuration)] == ["named-call"]
    unique = make_unique(configuration.case, "Tea & 'Cups'")
    assert unique is not None
    (source,) = rows(unique.case).values()
    others = grid("Salt", "Tea-x", "Oil", "Milk").response_body.decode()
    assert of_mine(source, others) == "Delete$1"
    others = grid("Oil", "Salt", "Nuts", "Tea-x").response_body.decode()
    assert of_mine(source, others) == "Delete$3"


def test_a_name_comes_before_a_tag_that_stands_nearer() -> None:
    """Others may have that tag; of all that is around the link, the item has one such link."""

    def card(number: int, name: str, tag: str) -> str:
        foot = f'<div class="foot"><b>{tag}</b><a href="/pin?token={number}{TOKEN}">Pin</a></div>'
        return f'<div class="card"><h2>{name}</h2>{foot}</div><hr>'

    cards = card(7, "Water first", "howto") + card(5, "Old cups", "cups")
    page = html(f'<!doctype html><div class="cards"><div>{cards}</div></div>')
    saved = post("/save", "title=Water+first&tags=howto")
    configuration = run(get("/"), saved, get("/notes", page), get(f"/pin?token=7{TOKEN}"))
    ((_, source, _),) = sources(configuration)
    assert source == InItem(Link("/pin?token=*"), "Water first", "div.card")


def test_what_one_row_has_comes_before_a_name_that_others_have_too() -> None:
    """Who has paid is called so in several rows; what was paid for, in one."""

    def bill(number: int, payer: str, what: str) -> str:
        cells = f"<td>{payer}</td><td>{what}</td>"
        return f'<tr>{cells}<td><a href="/drop?token={number}{TOKEN}">x</a></td></tr>'

    bills = bill(7, "Max Weber", "Sugar cubes") + bill(5, "Max Weber", "Bread")
    page = html(f"<!doctype html><table>{bills}</table>")
    named, paid = post("/members", "name=Max+Weber"), post("/bills", "what=Sugar+cubes&payer=1")
    configuration = run(get("/"), named, paid, get("/bills", page), get(f"/drop?token=7{TOKEN}"))
    ((_, source, _),) = sources(configuration)
    assert source == InItem(Link("/drop?token=*"), "Sugar cubes")
