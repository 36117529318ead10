"""Pages as administrators have them: what is done to a row stands in the query, what is done
to several has to be confirmed, and what was made is offered elsewhere by its name. Judged by the
state of the server."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import parse_qsl

import pytest

from pytest_loadtool.correlation.configuration import asserted_anew
from pytest_loadtool.editing.unique_values import make_unique
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.recording import build_case
from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import Answering, colour, failures, replayed, serving
from tests.correlation.small_servers import HTML, Answer
from tests.correlation.talk import configure


def _as_php(numbers: Sequence[str]) -> str:
    """As `serialize()` writes a list of texts."""
    items = (f'i:{at};s:{len(one)}:"{one}";' for at, one in enumerate(numbers))
    return f"a:{len(numbers)}:{{{''.join(items)}}}"


def _comma(numbers: Sequence[str]) -> str:
    return "[" + ",".join(numbers) + "]"


@dataclass
class Tea:
    name: str
    note: str = ""
    off: bool = False


@dataclass
class Teas:
    """A table of teas. ``write`` says how it writes down which were picked."""

    first: int = 1
    write: Callable[[Sequence[str]], str] = _as_php
    token: str = "__csrf_magic"
    deaf: bool = False
    teas: dict[int, Tea] = field(default_factory=dict)
    tokens: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for at in range(self.first - 1):
            self.teas[at + 1] = Tea(f"Old tea {at}")

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        _, _, query = target.partition("?")
        asked, sent = dict(parse_qsl(query)), dict(parse_qsl(body))
        if method == "GET":
            number = int(asked.get("edit", 0))
            return self._page(self._form(number) if "edit" in asked else self._list())
        if sent.pop(self.token, "") not in self.tokens:
            return 403, HTML, "<html><title>No</title>The token is no good.</html>"
        if "selected" in sent:
            return self._done(re.findall(r"(?<=\")\d+|(?<=[\[,])\d+", sent["selected"]))
        if picked := [one.removeprefix("chk_") for one in sent if one.startswith("chk_")]:
            return self._confirm(picked)
        return self._saved(int(asked.get("edit", 0)), sent)

    def _saved(self, number: int, sent: dict[str, str]) -> Answer:
        if not number:
            self.teas[max(self.teas, default=0) + 1] = Tea(sent["name"])
        elif number not in self.teas:
            return 404, HTML, "<html><title>No</title>There is no such tea.</html>"
        elif not self.deaf:
            self.teas[number].note = sent["note"]
        return 302, {"Location": "/list.php?table=teas"}, ""

    def _confirm(self, picked: Sequence[str]) -> Answer:
        names = "".join(f"<li>{escape(self.teas[int(one)].name)}</li>" for one in picked)
        value = escape(self.write(picked), quote=True)
        return self._page(
            f"<ul>{names}</ul><form method=post action='/list.php?table=teas'>"
            f"<input type='hidden' name='selected' value='{value}'>"
            "<input type='hidden' name='action' value='off'><input type=submit></form>"
        )

    def _done(self, numbers: Sequence[str]) -> Answer:
        for one in numbers:
            self.teas[int(one)].off = not self.deaf
        return 302, {"Location": "/list.php?table=teas"}, ""

    def _list(self) -> str:
        rows = "".join(
            f"<tr><td><input type=checkbox name=chk_{number}></td><td>{escape(one.name)}</td>"
            f"<td>{escape(one.note)}</td><td>{'off' if one.off else 'on'}</td>"
            f'<td><a href="/show.php?id={number}">open</a></td>'
            f'<td><a href="/list.php?table=teas&amp;edit={number}">edit</a></td></tr>'
            for number, one in self.teas.items()
        )
        return f"<form method=post><table>{rows}</table></form>"

    def _form(self, number: int) -> str:
        tea = self.teas.get(number, Tea(""))
        last = max(self.teas, default=0)
        options = "".join(
            f'<option value="{escape(one.name)}"{" selected" if at == last else ""}>'
            f"{escape(one.name)}</option>"
            for at, one in self.teas.items()
        )
        return (
            f'<form method=post><input name=name value="{escape(tea.name)}"><input name=note '
            f'value="{escape(tea.note)}"><select name=like>{options}</select></form>'
        )

    def _page(self, content: str) -> Answer:
        token = f"sid:{secrets.token_hex(20)},{secrets.randbelow(10**6) + 1795 * 10**6}"
        self.tokens.add(token)
        script = f"<script>var csrfMagicToken='{token}';</script>"
        return 200, HTML, f"<html><title>Teas</title>{script}<body>{content}</body></html>"


def _post(client: Client, target: str, page: str, token: str, **sent: str) -> str:
    found = re.search("csrfMagicToken='([^']+)'", page)
    assert found is not None, "each page has one"
    return client.submit(
        "<form></form>", {**sent, token: found[1]}, action=f"/list.php?table=teas{target}"
    )


def _numbers(page: str, *names: str) -> list[str]:
    rows = [re.search(rf"chk_(\d+)></td><td>{one}<", page) for one in names]
    return [one[1] for one in rows if one is not None]


def edits(client: Client, token: str = "__csrf_magic") -> None:
    """Two teas, one of which gets a note."""
    for name in ("Green leaves", "Black leaves"):
        _post(client, "", client.open("/list.php?table=teas&edit=0"), token, name=name)
    (number,) = _numbers(client.open("/list.php?table=teas"), "Green leaves")
    page = client.open(f"/list.php?table=teas&edit={number}")
    _post(client, f"&edit={number}", page, token, name="Green leaves", note="Two minutes")
    client.open("/list.php?table=teas")


def switches(client: Client, token: str = "__csrf_magic") -> None:
    """Three teas, of which two are switched off, which is confirmed."""
    for name in ("Green leaves", "Black leaves", "White leaves"):
        _post(client, "", client.open("/list.php?table=teas&edit=0"), token, name=name)
    page = client.open("/list.php?table=teas")
    one, other = _numbers(page, "Green leaves", "White leaves")
    page = _post(client, "", page, token, **{f"chk_{one}": "on", f"chk_{other}": "on"})
    hidden = re.search("name='selected' value='([^']+)'", page)
    assert hidden is not None, "it asks"
    written = hidden[1].replace("&quot;", '"')
    _post(client, "", page, token, delete_type="2", action="off", selected=written)
    client.open("/list.php?table=teas")


def _recorded(
    office: Answering, session: Callable[[Client], None]
) -> tuple[TestCase, tuple[Any, ...]]:
    with serving(office) as url:
        client = Client(url)
        session(client)
        client.close()
    exchanges = tuple(client.exchanges)
    return configure(build_case(exchanges, name="teas").case, exchanges).case, exchanges


def _made(office: Teas) -> list[Tea]:
    return [one for number, one in office.teas.items() if number >= office.first]


@pytest.mark.parametrize("session", [edits, switches])
@pytest.mark.parametrize("write", [_as_php, _comma])
@pytest.mark.parametrize("token", ["__csrf_magic", "key_of_page"])
def test_rows_are_those_of_the_session(
    session: Callable[[Client, str], None], write: Callable[[Sequence[str]], str], token: str
) -> None:
    """On a new server, and where the ids begin elsewhere, it is done to the teas of the session and
    not to those that have the recorded numbers."""
    recorded = Teas(write=write, token=token)
    case, _ = _recorded(recorded, lambda client: session(client, token))
    for first in (1, 5):
        office = Teas(first, write, token)
        seen = replayed(case, office)
        assert (colour(seen), failures(seen)) == ("GREEN", [])
        assert _made(office) == _made(recorded)
        assert not any(one.note or one.off for one in list(office.teas.values())[: first - 1])


def test_what_is_picked_of_a_few_is_no_id() -> None:
    """``delete_type=2`` is not the number of a row, whose box has a ``type``, too."""
    case, _ = _recorded(Teas(), switches)
    assert any("delete_type=2&" in str(one.request.body) for one in case.transactions())


@pytest.mark.parametrize("session", [edits, switches])
def test_what_is_not_done_is_red(session: Callable[[Client], None]) -> None:
    """The outcome names the change."""
    case, _ = _recorded(Teas(), session)
    assert any("did not take effect" in one for one in failures(replayed(case, Teas(deaf=True))))


def test_what_offers_a_name_of_its_own_follows() -> None:
    """An option has it as its value and its label: a second run with another name is green."""
    case, exchanges = _recorded(Teas(), edits)
    unique = make_unique(case, "Black leaves")
    assert unique is not None, "it was typed"
    own = asserted_anew(unique.case, exchanges).case
    seen = replayed(own, Teas())
    assert (colour(seen), failures(seen)) == ("GREEN", [])


def test_a_switch_in_a_query_is_none() -> None:
    """``/teas/17?edit=1`` says of what it is done, and ``edit`` only that it is."""

    @dataclass
    class Wiki:
        teas: list[str] = field(default_factory=list)

        def answer(self, method: str, target: str, body: str) -> Answer:
            if method == "POST":
                self.teas.append(dict(parse_qsl(body))["name"])
                return 302, {"Location": "/"}, ""
            links = "".join(
                f'<li>{one}<a href="/teas/{at}?edit=1">edit</a></li>'
                for at, one in enumerate(self.teas, 4)
            )
            return 200, HTML, f"<html><title>x</title><form method=post></form>{links}</html>"

    def session(client: Client) -> None:
        client.submit(client.open("/"), {"name": "Green leaves"}, action="/")
        client.open("/teas/4?edit=1")

    case, _ = _recorded(Wiki(), session)
    assert [one.request.target for one in case.transactions()][-1].endswith("?edit=1")


@dataclass
class Directory:
    """Lays its pages out by tables within a table."""

    names: dict[int, str] = field(default_factory=dict)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST":
            sent = dict(parse_qsl(body))
            self.names[int(sent["server_id"])] = sent["new_rdn"]
            return 302, {"Location": f"/cmd.php?cmd=show&server_id={sent['server_id']}"}, ""
        nav = '<a href="/cmd.php?cmd=refresh&amp;server_id=1&amp;x=1">Refresh</a>'
        name = self.names.get(1, "cn=Lou Ladle")
        form = (
            '<form method=post action="/cmd.php"><input type=hidden name=server_id '
            'value="1"><input type=hidden name=cmd value=rename><input name=new_rdn></form>'
        )
        menu = f"<table><tr><td>{nav}</td></tr></table>"
        rows = f"<tr><td>Top</td></tr><tr><td><h3>{name}</h3>{menu}</td></tr>"
        return 200, HTML, f"<html><title>x</title><table>{rows}</table>{form}</html>"


def test_what_stands_in_tables_within_a_row_is_found_there() -> None:
    """A row around both the id and the text is not the row in which the id stands."""

    def session(client: Client) -> None:
        page = client.open("/cmd.php?cmd=show&server_id=1")
        client.submit(page, {"new_rdn": "cn=Lou Spoon"}, action="/cmd.php")

    case, _ = _recorded(Directory(), session)
    office = Directory()
    seen = replayed(case, office)
    assert (colour(seen), failures(seen)) == ("GREEN", [])
    assert office.names == {1: "cn=Lou Spoon"}


@dataclass
class Groups:
    """Has entries in groups, all on one server, whose pages show the entries of all groups."""

    deaf: bool = False
    entries: list[tuple[str, str]] = field(default_factory=list)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        if method == "POST":
            sent = dict(parse_qsl(body))
            self.entries += [] if self.deaf else [(sent["group"], sent["entry"])]
            return 302, {"Location": f"/cmd.php?cmd=show&server_id={sent['server_id']}"}, ""
        shown = "".join(f"<li><b>{group}</b><h3>{one}</h3></li>" for group, one in self.entries)
        form = (
            '<form method=post action="/cmd.php"><input type=hidden name=server_id value="1">'
            "<input name=group><input name=entry></form>"
        )
        link = '<a href="/cmd.php?cmd=show&amp;server_id=1">All</a>'
        return 200, HTML, f"<html><title>Entries</title>{link}<ul>{shown}</ul>{form}</html>"


def test_what_others_have_called_alike_where_all_is_shown() -> None:
    """The page of what was there before the session may have it from them, too."""

    def session(client: Client) -> None:
        page = client.open("/cmd.php?cmd=show&server_id=1")
        sent = {"group": "teahouse", "entry": "cn=Lou Spoon"}
        client.submit(page, sent, action="/cmd.php")

    case, exchanges = _recorded(Groups(), session)
    unique = make_unique(case, "teahouse")
    assert unique is not None, "it was typed"
    own = asserted_anew(unique.case, exchanges).case
    office = Groups()
    colours = [colour(replayed(own, office)) for _ in range(2)]
    assert len(office.entries) == 2
    assert "red" not in colours
    assert colour(replayed(own, Groups(deaf=True))) == "red"
