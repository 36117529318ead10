"""Synthesised extractors give back the recorded value, and the new one when the page changes."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import pytest

from pytest_loadtool.correlation.responses.recorded import RecordedResponse
from pytest_loadtool.extraction.extract import compile_source
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import (
    Extractor,
    FormField,
    JsonPath,
    RegularExpression,
    XmlPath,
)
from tests.correlation.exchanges import (
    FORM,
    JSON,
    SERVER,
    answered,
    case_of,
    exchange,
    html,
    json_body,
)
from tests.correlation.talk import call, configure, run, sources

OLD = "c7Jq2Xv9Lm4PzR8tYw3N"
NEW = "Zz9Yy8Xx7Ww6Vv5Uu4Tt"


def synthesised(answer: Exchange) -> Extractor:
    """The extractor for OLD in the answer, when a later form sends it as ``key``."""
    exchanges = [
        answered("GET", "/", answer),
        exchange("POST", f"{SERVER}/x", sent=(FORM,), body=f"key={OLD}".encode()),
    ]
    configured = configure(case_of(*exchanges), exchanges).case
    (found,) = next(configured.transactions()).extractors
    return found


def extracted(extractor: Extractor, answer: Exchange) -> str | None:
    """What the extractor takes from the answer."""
    return compile_source(extractor.source, extractor.match)(RecordedResponse(answer))


def test_a_cookie_named_after_the_port() -> None:
    """As OctoPrint's csrf_token_P5000: the server that is replayed against has another port."""
    path = "Path=/; SameSite=Lax"
    recorded = html(
        "", ("Set-Cookie", "session_P24604=1"), ("Set-Cookie", f"csrf_token_P24604={OLD}; {path}")
    )
    other = html(
        "", ("Set-Cookie", f"csrf_token_P5000={NEW}; {path}"), ("Set-Cookie", "session_P5000=2")
    )
    extractor = synthesised(recorded)
    assert extracted(extractor, recorded) == OLD
    assert extracted(extractor, other) == NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<script>var csrfKey = '{}';</script>", "<script>let csrfKey='{}'</script>"),
        (
            '<script>window.__APP__ = {{"user": 1, "csrfKey": "{}", "n": [1]}};</script>',
            '<script>window.__APP__={{"n":[],"csrfKey":"{}","user":17,"key":"no"}};</script>',
        ),
        ("<script>app.csrfKey='{}'; x = 1</script>", "<script>x = 2; app.csrfKey = '{}'</script>"),
        ('<body data-csrf-key="{}" class=a>', '<body class="b" data-csrf-key="{}">'),
        (
            '<div id="app" data-page="{{&quot;v&quot;:1,&quot;csrfKey&quot;:&quot;{}&quot;}}">',
            '<div data-page="{{&quot;csrfKey&quot;:&quot;{}&quot;,&quot;v&quot;:2}}" id="app">',
        ),
        ("<script>$csrfKey = '{}';</script>", "<script>csrfKey = 'no'; $csrfKey = '{}'</script>"),
    ],
)
def test_named_values(old: str, new: str) -> None:
    """A value is found by its name in a script or an attribute, whatever is around both."""
    extractor = synthesised(html(old.format(OLD)))
    assert isinstance(extractor.source, RegularExpression)
    assert extracted(extractor, html(new.format(NEW))) == NEW


def test_a_number_before_a_value_may_be_another() -> None:
    """A style is none of the value, yet it tells the field from others, which have no name."""
    page = '<form><input value="{}"></form><p><input style="width: {}%" value="{}"></p>'
    extractor = synthesised(html(page.format("more", 40, OLD)))
    assert extractor.match == 1
    assert extracted(extractor, html(page.format("less", 50, NEW))) == NEW


def test_address_with_another_correlated_value_in_it() -> None:
    """A name that the server gave is another one on replay, wherever it stands; no number tells."""
    exchanges = [
        exchange(
            "POST", f"{SERVER}/files", status=201, received=(("Location", "/files/New%20Folder"),)
        ),
        exchange(
            "POST",
            f"{SERVER}/files/New%20Folder",
            status=201,
            received=(("Location", "/files/New%20Folder/new.txt"),),
        ),
        exchange("PUT", f"{SERVER}/files/New%20Folder/new.txt"),
        exchange(
            "PATCH",
            f"{SERVER}/files/New%20Folder/new.txt",
            sent=(JSON,),
            body=b'{"path": "New Folder/tea.txt", "type": "text/plain"}',
        ),
    ]
    configured = configure(case_of(*exchanges), exchanges).case
    _, second, third, fourth = configured.transactions()
    (file,) = second.extractors
    now = exchange(received=(("Location", "/files/New%20Folder%202/new.txt"),))
    assert file.variable == "new_folder_id[1]"
    assert extracted(file, now) == "new.txt"
    assert third.request.target == f"/files/${{file_id[1]|unurl}}/${{{file.variable}}}"
    assert fourth.request.body == ('{"path": "${file_id[1]|unurl}/tea.txt", "type": "text/plain"}')


def test_variable_is_called_as_in_the_script() -> None:
    """Where the request has no better name: a segment of the path."""
    exchanges = [
        answered("GET", "/", html(f"<script>const channelKey = '{OLD}'</script>")),
        exchange("GET", f"{SERVER}/subscribe/{OLD}"),
    ]
    configured = configure(case_of(*exchanges), exchanges).case
    assert [one.request.target for one in configured.transactions()][1] == (
        "/subscribe/${channelKey[1]}"
    )


@pytest.mark.parametrize(
    "template",
    [
        '<form><input name="key" value="{}" type="hidden"></form>',
        "<form><input type=hidden value={} name=key></form>",
        '<form><input name="key" type="hidden" value="no"></form><input value="{}" name="key">',
        '<meta content="{}" name="app-key">',
        "<script>window.key = '{}';</script>",
        '<script>var o = {{"a": 17, "key":"{}","b":"x"}};</script>',
        '<div data-key="{}" class="c17">text</div>',
        "<td>Key</td><td>{}</td>",
        "<p>Your key: {}</p>",
        '<a href="/x/12/{}/y?z=1">go</a>',
        '<b>one</b>\n<b id="k">{}</b>\n',
    ],
)
def test_pages(template: str) -> None:
    """The value of a later page is found, although other parts of that page differ too."""
    old = html(f"<html><body><p>Visit 1 of 9</p>{template.format(OLD)}<i>1</i></body>")
    new = html(f"<html><body><p>Visit 203 of 9</p>{template.format(NEW)}<i>2</i></body>")
    extractor = synthesised(old)
    assert extracted(extractor, old) == OLD
    assert extracted(extractor, new) == NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"key": OLD}, {"more": 1, "key": NEW}),
        ({"a": [{"b": OLD}]}, {"a": [{"b": NEW}, {"b": "x"}], "c": 1}),
        ({"odd key": {"it's": OLD}}, {"odd key": {"it's": NEW}}),
        ([1, [OLD]], [2, [NEW]]),
        ({"html": f'<i id="{OLD}">'}, {"html": f'<i id="{NEW}">'}),
    ],
)
def test_json(old: object, new: object) -> None:
    """A JSON path, or where the value is inside a string, boundaries."""
    extractor = synthesised(json_body(old))
    assert extracted(extractor, json_body(old)) == OLD
    assert extracted(extractor, json_body(new)) == NEW


@pytest.mark.parametrize("name", ["Location", "X-Thing", "ETag", "Set-Cookie"])
def test_headers(name: str) -> None:
    """Headers, cookies and redirects."""
    form = {"Location": "/a/12/{}/b?c=1", "Set-Cookie": "thing={}; Path=/"}.get(name, "{}")
    old, new = (html("", (name, re.sub("12", str(number), form).format(value)))
                for number, value in ((12, OLD), (3456, NEW)))  # fmt: skip
    extractor = synthesised(old)
    assert extracted(extractor, old) == OLD
    assert extracted(extractor, new) == NEW


@pytest.mark.parametrize(
    "address",
    [
        "{0}/cb?code={2}&state=x&iss={1}%2Foidc",
        "{0}/cb?iss={0}/oidc&code={2}",
        "{0}/cb?iss={1}%2Foidc&code={2}",
    ],
)
def test_the_server_within_an_address_may_be_another(address: str) -> None:
    """A redirect that names the server in its query, as ``iss`` (RFC 9207), before or after."""
    old, new = (
        html("", ("Location", address.format(server, quote(server, safe=""), value)))
        for server, value in ((SERVER, OLD), ("https://staging.example", NEW))
    )
    extractor = synthesised(old)
    assert extracted(extractor, old) == OLD
    assert extracted(extractor, new) == NEW


def test_the_right_one_of_many() -> None:
    """Among equal fields the one with the recorded value is taken, by its ordinal."""
    rows = "".join(f'<input type="hidden" name="key" value="{number}">' for number in range(4))
    old = html(f"<form>{rows}</form><form><input name=key value={OLD}></form>")
    extractor = synthesised(old)
    assert extractor.match == 5
    assert extracted(extractor, old) == OLD


def test_the_form_of_a_thing_among_others() -> None:
    """A form is known by where it submits to, with whatever id, if no other submits there."""
    form = '<form action="{}"><input type="hidden" name="key" value="{}"></form>'
    old = html(form.format("/likes/3", "x") + form.format("/posts/17/comments", OLD))
    new = html(
        "".join(form.format(f"/likes/{n}", n) for n in range(3))
        + form.format("/posts/4711/comments", NEW)
    )
    assert extracted(synthesised(old), new) == NEW
    several = html(
        "".join(form.format(f"/posts/{n}", n) for n in range(3)) + form.format("/posts/17", OLD)
    )
    assert synthesised(several) == Extractor("key[1]", FormField("key"), 4, by_place=True)


def test_a_changed_extractor_finds_something_else() -> None:
    """The check that an extractor reproduces the value can fail: another ordinal does not."""
    old = html(f"<input name=key value=x><input name=key value={OLD}>")
    extractor = synthesised(old)
    for match in (1, 3):
        assert extracted(Extractor("key[1]", extractor.source, match), old) != OLD


@pytest.mark.parametrize(
    ("location", "encoded"),
    [
        ("/next?a=1&key={}&b=2", False),
        ("https://id.test/login?return=%2Fcallback%3Fa%3D1%26key%3D{}%26b%3D2&x=5", False),
        ("/login?to=%2Forders%2F{}%2Fedit&n=17", False),
        ("/next?a=1&key={}", True),
        ("/login?to=%2Fcallback%3Fkey%3D{}&x=1", True),
    ],
)
def test_redirects(location: str, encoded: bool) -> None:
    """A value in the query of a redirect, or in an address in there; what is encoded is decoded."""
    values = ("a+b/c7Jq2Xv9Lm4PzR8t==", "d+e/Zz9Yy8Xx7Ww6Vv5U==") if encoded else (OLD, NEW)
    depth = 1 + ("=%2F" in location)
    written = list(values)
    for _ in range(depth if encoded else 0):
        written = [quote(one, safe="") for one in written]
    old, new = (
        exchange(status=302, received=(("Location", location.format(one)),)) for one in written
    )
    exchanges = [
        answered("GET", "/", old),
        exchange(
            "POST", f"{SERVER}/x", sent=(FORM,), body=f"key={quote(values[0], safe='')}".encode()
        ),
    ]
    configured = configure(case_of(*exchanges), exchanges).case
    (extractor,) = next(configured.transactions()).extractors
    assert [extracted(extractor, one) for one in (old, new)] == written
    filters = "|unurl" * depth  # base64 by its looks, the next one may be encoded
    assert list(configured.transactions())[1].request.body == f"key=${{key[1]{filters}}}"


@pytest.mark.parametrize(
    "template",
    [
        "<r><a>1</a><key>{}</key></r>",
        '<s:E xmlns:s="urn:s"><s:Body><x:key x:type="t">\n {} \n</x:key></s:Body></s:E>',
        '<r><thing n="1" key="{}" m="2"/></r>',
    ],
)
@pytest.mark.parametrize("media", ["text/xml; charset=utf-8", "application/soap+xml"])
def test_xml(template: str, media: str) -> None:
    """Elements and attributes by their names; character references are decoded."""
    received = (("Content-Type", media),)
    for old, new, filters in ((OLD, NEW, ""), ("a&b1c2d3e4f5g6", "h&j1k2l3m4n5o6", "|unhtml")):
        answers = [
            exchange(received=received, answer=template.format(one.replace("&", "&amp;")).encode())
            for one in (old, new)
        ]
        sent = f"csrf={quote(old, safe='')}".encode()
        exchanges = [
            answered("GET", "/", answers[0]),
            exchange("POST", f"{SERVER}/x", sent=(FORM,), body=sent),
        ]
        configured = configure(case_of(*exchanges), exchanges).case
        (extractor,) = next(configured.transactions()).extractors
        assert isinstance(extractor.source, RegularExpression)
        written = [one.replace("&", "&amp;") for one in (old, new)]
        assert [extracted(extractor, one) for one in answers] == written
        request = list(configured.transactions())[1].request
        assert request.body == f"csrf=${{csrf_token[1]{filters}}}"


def test_xml_lists() -> None:
    """By a path, which reads character references itself."""
    old, new = "a&b1c2d3e4f5g6", "h&j1k2l3m4n5o6"
    answers = [
        exchange(
            received=(("Content-Type", "text/xml"),),
            answer=f"<r><key>other</key><key>{one.replace('&', '&amp;')}</key></r>".encode(),
        )
        for one in (old, new)
    ]
    exchanges = [
        answered("GET", "/", answers[0]),
        exchange("POST", f"{SERVER}/x", sent=(FORM,), body=b"csrf=" + quote(old).encode()),
    ]
    configured = configure(case_of(*exchanges), exchanges).case
    (extractor,) = next(configured.transactions()).extractors
    assert extractor.source == XmlPath("//key[2]")
    assert [extracted(extractor, one) for one in answers] == [old, new]
    assert list(configured.transactions())[1].request.body == "csrf=${csrf_token[1]}"


def test_event_streams() -> None:
    """A value in the JSON of an event is taken by its name there, whichever event has it."""
    received = (("Content-Type", "text/event-stream"),)

    def stream(value: str, *before: str) -> Exchange:
        events = (*before, f'{{"type": "start", "conversation_id": "{value}"}}', "[DONE]")
        text = "".join(f"event: delta\ndata: {one}\n\n" for one in events)
        return exchange(received=received, answer=text.encode())

    exchanges = [
        answered("POST", "/chat", stream(OLD)),
        exchange("POST", f"{SERVER}/chat", sent=(FORM,), body=f"conversation={OLD}".encode()),
    ]
    configured = configure(case_of(*exchanges), exchanges).case
    (extractor,) = next(configured.transactions()).extractors
    assert extracted(extractor, stream(NEW, '{"type": "hello"}')) == NEW
    body = list(configured.transactions())[1].request.body
    assert body == "conversation=${conversation[1]}"


def events(*said: object) -> Exchange:
    text = "".join(f"event: step\ndata: {json.dumps(one)}\n\n" for one in said)
    received = (("Content-Type", "text/event-stream"),)
    return exchange(received=received, answer=text.encode())


def test_numbers_in_event_streams() -> None:
    """An id is one there, too: that of the first event which has such a value."""
    said = ({"progress": 40}, {"progress": 100, "order": {"id": 7}}, "done")
    exchanges = [
        answered("POST", "/orders", events(*said), sent=(JSON,), body=b'{"lines": 1}'),
        answered("GET", "/orders/7", exchange()),
    ]
    configured = configure(case_of(*exchanges), exchanges).case
    (extractor,) = next(configured.transactions()).extractors
    assert extractor.source == JsonPath("$[*].data.order.id")
    assert not extractor.by_place
    assert list(configured.transactions())[1].request.target == "/orders/${order_id[1]}"
    other = events({"progress": 1}, {"progress": 2}, {"order": {"id": 8}})
    assert extracted(extractor, other) == "8"


def test_rows_of_event_streams() -> None:
    """Where several events have such a value, one's own is found by what one has sent."""
    rows = [{"id": 6, "name": "Ida's tea"}, {"id": 7, "name": "Tea House"}]
    exchanges = [
        answered("POST", "/orders", events(*rows), sent=(JSON,), body=b'{"name": "Tea House"}'),
        answered("GET", "/orders/7", exchange()),
    ]
    configured = configure(case_of(*exchanges), exchanges).case
    (extractor,) = next(configured.transactions()).extractors
    assert extractor.source == JsonPath('$[?(@.data.name=="Tea House")].data.id')
    assert extracted(extractor, events(rows[1] | {"id": 9}, rows[0])) == "9"


def test_nothing_is_looked_for_behind_the_recorded_server() -> None:
    """Another server has another address."""
    url = f"{SERVER}/123456789012/tea"
    given = json_body({"QueueUrl": url})
    configured = run(
        call("POST", "/", {"Queue": "tea"}, given),
        call("POST", "/", {"QueueUrl": url, "Text": "Tea House"}),
    )
    assert not any(SERVER in str(source) for _, source, _ in sources(configured))
