"""A server-rendered application: pages, links and forms."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from random import Random
from typing import Any

from tests.synthetic.server import CODES, Server
from tests.synthetic.talk import Talk
from tests.synthetic.words import NOUNS, TYPED, Spelling, Thing, plural

__all__ = ["forms"]

_TOKENS = ("csrf_token", "_token", "authenticity_token", "csrfmiddlewaretoken", "_csrf", "")
_VERSIONS = ("", "", "lock_version", "row_version", "version", "stamp")
#: How addresses are made: ``/tasks/17/edit``, ``/tasks/edit/17``, ``/tasks/edit?id=17``,
#: ``/task.php?action=edit&id=17``.
_ADDRESSES = ("rest", "rest", "action first", "query", "script")
_AFTER = ("thing", "thing", "list", "parent")


class _Site:
    """What one application is like, and a session that uses it."""

    def __init__(self, pick: Random, server: Server, talk: Talk) -> None:
        self.pick, self.server, self.talk = pick, server, talk
        self.spelling = Spelling(pick)
        self.nouns = pick.choice(NOUNS)
        self.names = iter(pick.sample(TYPED, len(TYPED)))
        self.kinds = [self._kind(), self._kind()]
        self.token, self.version = pick.choice(_TOKENS), pick.choice(_VERSIONS)
        self.token_kind = pick.choice(("csrf", "csrf urlsafe", "csrf hex"))
        self.each_page = pick.random() < 0.5
        self.addresses, self.after = pick.choice(_ADDRESSES), pick.choice(_AFTER)
        self.hidden_id = pick.random() < 0.4
        self.now = server.token(self.token_kind)
        self.versions: dict[str, str] = {}
        self.children: list[Thing] = []

    def _kind(self) -> str:
        kinds = (*CODES, "uuid", "object id", "nanoid")
        return "number" if self.pick.random() < 0.6 else self.pick.choice(kinds)

    # --- how things are written --------------------------------------------------------------

    def path(self, noun: str) -> str:
        if self.addresses == "script":
            return f"/{self.spelling.segment(noun)}.php"
        return f"/{self.spelling.segment(plural(noun))}"

    def to(self, thing: Thing, action: str = "") -> str:
        """The address of a thing, or of what is done to it."""
        path = self.path(thing.noun)
        match self.addresses:
            case "action first":
                return f"{path}/{action or 'show'}/{thing.id}"
            case "query":
                return f"{path}/{action or 'show'}?id={thing.id}"
            case "script":
                return f"{path}?action={action or 'show'}&id={thing.id}"
            case _:
                return f"{path}/{thing.id}" + (f"/{action}" if action else "")

    def making(self, noun: str) -> str:
        end = "?action=new" if self.addresses == "script" else "/new"
        return self.path(noun) + end

    def hidden(self) -> str:
        """The token that each form of the page has."""
        return self.field(self.token, self.now) if self.token else ""

    def turn(self) -> None:
        if self.each_page:
            self.now = self.server.token(self.token_kind)

    @staticmethod
    def field(name: str, value: Any, kind: str = "hidden") -> str:
        return f'<input type="{kind}" name="{name}" value="{escape(str(value))}">'

    def form(self, action: str, inside: str, button: str) -> str:
        return (
            f'<form method="post" action="{escape(action)}">{self.hidden()}{inside}'
            f"<button>{button}</button></form>"
        )

    def row(self, thing: Thing) -> str:
        check = self.field("ids[]", thing.id, "checkbox")
        links = (
            f'<td><a href="{escape(self.to(thing))}">{escape(thing.name)}</a></td>'
            f'<td><a href="{escape(self.to(thing, "edit"))}">Edit</a></td>'
        )
        return f"<tr><td>{check}</td>{links}</tr>"

    def others(self, noun: str, own: list[Thing]) -> list[Thing]:
        """One's own among those of others."""
        kind = self.kinds[self.nouns.index(noun)]
        return self.server.among(own, lambda name: Thing(noun, self.server.id(kind, noun), name))

    # --- pages -------------------------------------------------------------------------------

    def list_page(self, noun: str, own: list[Thing]) -> str:
        rows = "".join(map(self.row, self.others(noun, own)))
        acts = '<select name="action"><option value="archive">Archive</option></select>'
        new = f'<a href="{escape(self.making(noun))}">New</a>'
        return new + self.form(f"{self.path(noun)}/bulk", f"{acts}<table>{rows}</table>", "Go")

    def thing_page(self, thing: Thing) -> str:
        inner = self.nouns[1]
        rows = "".join(self.row(one) for one in self.children) if thing.noun != inner else ""
        adding = ""
        if thing.noun != inner:
            name = self.spelling.field(f"{thing.noun} id")
            adding = self.form(
                self.path(inner), self.field(name, thing.id) + self.field("name", "", "text"), "Add"
            )
        return (
            f"<h1>{escape(thing.name)}</h1><table>{rows}</table>{adding}"
            f'<a href="{escape(self.to(thing, "edit"))}">Edit</a>'
            + self.form(self.to(thing, "delete"), "", "Delete")
        )

    # --- what the session does ---------------------------------------------------------------

    def begin(self) -> None:
        """Sign in."""
        account = self.field("username", "", "text") + self.field("password", "", "password")
        self.talk.open("/login", self.form("/login", account, "Sign in"))
        fields = [*self.sent(), ("username", "kim"), ("password", "secret pass")]
        self.talk.submit("/login", fields, to="/")
        self.turn()
        self.talk.open("/", f'<a href="{self.path(self.nouns[0])}">All</a>')

    def sent(self) -> list[tuple[str, Any]]:
        return [(self.token, self.now)] if self.token else []

    def listing(self, noun: str, own: list[Thing], query: str = "") -> None:
        self.turn()
        self.talk.open(self.path(noun) + query, self.list_page(noun, own))

    def show(self, thing: Thing) -> None:
        self.turn()
        self.talk.open(self.to(thing), self.thing_page(thing))

    def created(self, thing: Thing) -> Thing:
        self.versions[thing.name] = self.changed()
        return thing

    def changed(self) -> str:
        match self.version:
            case "row_version":
                return self.server.token("row version")
            case "stamp":
                return self.server.token("stamp")
            case _:
                return str(self.server.number(1, 300))

    def create(self) -> Thing:
        """Fill in the form for a new one; the answer leads to it, or to the list."""
        pick, noun = self.pick, self.nouns[0]
        self.listing(noun, [])
        self.turn()
        types = "".join(f'<option value="{at}">Type {at}</option>' for at in range(1, 4))
        inside = self.field("name", "", "text") + f'<select name="type_id">{types}</select>'
        self.talk.open(self.making(noun), self.form(self.path(noun), inside, "Save"))
        thing = self.created(Thing(noun, self.server.id(self.kinds[0], noun), next(self.names)))
        fields = [*self.sent(), ("name", thing.name), ("type_id", pick.randint(1, 3))]
        listed = self.after == "list"
        to = self.path(noun) if listed else self.to(thing)
        self.talk.submit(self.path(noun), fields, to=to)
        if listed:
            self.listing(noun, [thing])
        self.show(thing)
        return thing

    def add(self, parent: Thing) -> Thing:
        """Add something to it, with the form on its page."""
        inner, name = self.nouns[1], self.spelling.field(f"{parent.noun} id")
        thing = self.created(Thing(inner, self.server.id(self.kinds[1], inner), next(self.names)))
        fields = [*self.sent(), (name, parent.id), ("name", thing.name)]
        self.talk.submit(self.path(inner), fields, to=self.to(parent))
        self.children.append(thing)
        self.show(parent)
        return thing

    def edit(self, thing: Thing) -> None:
        """Open its form, submit that."""
        self.turn()
        fields: list[tuple[str, Any]] = []
        if self.hidden_id:
            fields.append(("id", thing.id))
        if self.version:
            fields.append((self.version, self.versions[thing.name]))
        inside = "".join(self.field(*one) for one in fields)
        inside += self.field("name", thing.name, "text") + self.field("quantity", "1", "number")
        action = self.to(thing, "update")
        self.talk.open(self.to(thing, "edit"), self.form(action, inside, "Save"))
        fields += [("name", thing.name), ("quantity", self.pick.choice(("1", "2", "3")))]
        self.talk.submit(action, self.sent() + fields, to=self.to(thing))
        self.versions[thing.name] = self.changed()
        self.show(thing)

    def bulk(self, things: list[Thing]) -> None:
        """Tick several in the list."""
        noun = things[0].noun
        self.listing(noun, things)
        fields = [*self.sent(), ("action", "archive"), *(("ids[]", one.id) for one in things)]
        self.talk.submit(f"{self.path(noun)}/bulk", fields, to=self.path(noun))
        self.listing(noun, things)

    def grid(self, thing: Thing) -> None:
        """Edit it in a table, of whose cells a script makes fields: all of the row is sent."""
        noun = thing.noun
        rows = "".join(
            f"<tr><td>{one.id}</td><td>{escape(one.name)}</td><td>1</td></tr>"
            for one in self.others(noun, [thing])
        )
        self.turn()
        to = self.path(noun) + ("?action=grid" if self.addresses == "script" else "/grid")
        self.talk.open(to, f"<table>{rows}</table>" + self.form(to, "", "Save"))
        row = [("c1", thing.id), ("c2", thing.name), ("c3", self.pick.choice(("2", "3")))]
        self.talk.submit(to, [*self.sent(), *row], to=to)
        self.listing(noun, [thing])

    def delete(self, thing: Thing) -> None:
        self.show(thing)
        self.talk.submit(self.to(thing, "delete"), self.sent(), to=self.path(thing.noun))
        self.listing(thing.noun, [])


def forms(pick: Random, server: Server, talk: Talk) -> None:
    """Make something, add to it, change both, do things in bulk, delete."""
    site = _Site(pick, server, talk)
    site.begin()
    inner = site.nouns[1]
    first = site.create()
    things = [site.add(first) for _ in range(pick.randint(1, 3))]
    moves: tuple[Callable[[], None], ...] = (
        lambda: site.edit(first),
        lambda: site.edit(things[-1]),
        lambda: site.bulk(pick.sample(things, len(things))),
        lambda: site.listing(
            inner, things, "?page=2&limit=1" if site.addresses != "script" else ""
        ),
        lambda: site.show(things[0]),
    )
    if site.kinds[1] == "number" and pick.random() < 0.5:
        site.grid(things[-1])
    for move in pick.sample(moves, pick.randint(2, len(moves))):
        move()
    site.delete(things[-1])
    site.delete(first)
