"""A single-page application over a REST API."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import quote

from pytest_loadtool.model.exchange import HeaderList
from tests.synthetic.server import CODES, IDS, Server
from tests.synthetic.talk import Talk
from tests.synthetic.words import NOUNS, TYPED, Spelling, Thing, plural

__all__ = ["rest"]

_BASES = ("/api", "/api/v1", "/v2", "/rest/api/2", "")
_ID_NAMES = ("id", "id", "id", "_id", "uid", "pk", "uuid")
_CODE_NAMES = ("id", "id", "code", "key", "slug", "number")
_ENVELOPES = ("", "", "", "data", "result", "thing")
_LISTS = ("", "data", "items", "results", "things")
_CREATED = ("body", "body", "body", "location", "both", "listed", "only id", "events")
_VERSIONS = ("", "", "ETag", "version", "rowVersion", "concurrencyStamp", "_rev", "lock_version")
#: Where the id of what something belongs to stands when it is created.
_PARENTS = (
    *("path", "path", "thing id", "thing", "object", "parent id", "type", "bare type", "query"),
)
_BULK = (
    *("ids", "keys", "array", "commas", "repeated", "brackets", "objects", "thing ids", "path"),
    *("comma body", "single array"),
)


class _Api:
    """What one application is like, and a session that uses it."""

    def __init__(self, pick: Random, server: Server, talk: Talk) -> None:
        self.pick, self.server, self.talk = pick, server, talk
        self.spelling = Spelling(pick)
        self.base = pick.choice(_BASES)
        self.names = iter(pick.sample(TYPED, len(TYPED)))
        self.kinds = [self._kind(), self._kind()]
        self.id_name = pick.choice(_CODE_NAMES if set(self.kinds) <= set(CODES) else _ID_NAMES)
        self.envelope, self.list_key = pick.choice(_ENVELOPES), pick.choice(_LISTS)
        self.created = pick.choice(_CREATED)
        self.version = pick.choice(_VERSIONS)
        self.parents = pick.choice(_PARENTS)
        self.nouns = pick.choice(NOUNS)
        self.echoes = pick.random() < 0.8
        self.ending = pick.choice(("", "", "", "", ".json"))
        self.versions: dict[str, Any] = {}

    def _kind(self) -> str:
        return "number" if self.pick.random() < 0.5 else self.pick.choice(tuple(IDS))

    # --- how things are written --------------------------------------------------------------

    def path(self, noun: str) -> str:
        return f"{self.base}/{self.spelling.segment(plural(noun))}"

    def to(self, thing: Thing) -> str:
        return self.at(thing) + self.ending

    def at(self, thing: Thing) -> str:
        """Its address without an ending."""
        above = thing.parent
        if above is not None and self.parents == "path":
            return f"{self.at(above)}/{self.spelling.segment(plural(thing.noun))}/{thing.id}"
        return f"{self.path(thing.noun)}/{thing.id}"

    def written(self, thing: Thing) -> dict[str, Any]:
        """A thing as the server writes it."""
        title = self.spelling.field("display name") if self.id_name == "uuid" else "name"
        found = {self.id_name: thing.id, title: thing.name, **thing.more}
        if self.version and self.version != "ETag":
            found[self.version] = self.versions[thing.name]
        return found

    def wrapped(self, noun: str, what: Any) -> Any:
        key = self.spelling.field(noun) if self.envelope == "thing" else self.envelope
        return {key: what} if key else what

    def changed(self, thing: Thing) -> HeaderList:
        """Gives a thing another version; what goes with the answer."""
        kinds = {
            "version": None, "lock_version": None, "rowVersion": "row version",
            "concurrencyStamp": "stamp", "_rev": "revision", "ETag": self.etag,
        }  # fmt: skip
        kind = kinds.get(self.version)
        self.versions[thing.name] = self.server.token(kind) if kind else self.server.number(1, 400)
        if self.version == "ETag":
            self.versions[thing.name] = f'{self.weak}"{self.versions[thing.name]}"'
            return (("ETag", self.versions[thing.name]),)
        return ()

    # --- what the session does ---------------------------------------------------------------

    def begin(self) -> None:
        """Open the application and sign in."""
        pick, talk = self.pick, self.talk
        self.etag = pick.choice(("etag", "short etag"))
        self.weak = pick.choice(("", "W/"))
        build = f"{pick.getrandbits(32):08x}"
        script = f'<div id="root"></div><script src="/assets/index-{build}.js"></script>'
        talk.open("/", script)
        talk.fetch(f"/assets/index-{build}.js")
        if pick.random() < 0.5:
            talk.headers.append(("X-App-Version", f"4.{pick.randint(0, 20)}.{pick.randint(0, 9)}"))
        token = self.server.token(pick.choice(("bearer", "bearer hex")))
        name = pick.choice(("token", "access_token", "accessToken", "jwt"))
        user = {"id": self.server.id("number", "user"), "name": "Kim"}
        answer = {name: token, "user": user}
        talk.call("POST", f"{self.base}/login", {"username": "kim", "password": "secret pass"},
                  answer=answer)  # fmt: skip
        talk.headers.append(("Authorization", f"Bearer {token}"))
        if pick.random() < 0.3:
            talk.call("GET", f"{self.base}/users/{user['id']}", answer=user)
        types = [{"id": at, "name": one} for at, one in enumerate(("Small", "Large", "Odd"), 1)]
        talk.call("GET", f"{self.base}/types", answer=types)

    def listing(self, noun: str, own: list[Thing], query: str = "") -> None:
        """Look at the list, which has the things of others, too."""
        kind = self.kinds[self.nouns.index(noun)]

        def other(name: str) -> dict[str, Any]:
            thing = Thing(noun, self.server.id(kind, noun), name)
            self.changed(thing)
            return self.written(thing)

        rows = self.server.among([self.written(one) for one in own], other)
        key = self.spelling.field(plural(noun)) if self.list_key == "things" else self.list_key
        answer = {key: rows, "total": len(rows), "page": 1} if key else rows
        self.talk.call("GET", f"{self.path(noun)}?{query or 'page=1&size=20'}", answer=answer)

    def create(self, noun: str, parent: Thing | None = None) -> Thing:
        """Create one, alone or in another."""
        pick = self.pick
        thing = Thing(noun, self.server.id(self.kinds[self.nouns.index(noun)], noun),
                      next(self.names), parent)  # fmt: skip
        body: dict[str, Any] = {"name": thing.name}
        if pick.random() < 0.6:
            body |= {"quantity": pick.choice((1, 1, 2, 3)), "priority": pick.randint(1, 5)}
        if pick.random() < 0.4:
            body[self.spelling.field("type id")] = pick.randint(1, 3)
        if pick.random() < 0.3:
            body["sku"] = f"{thing.name[:3].upper().strip()}-{pick.randint(1000, 9999)}"
        target = self.path(noun)
        if parent is not None:
            target = self._belongs(parent, body, target, noun)
        if self.echoes:
            thing.more |= {key: body[key] for key in ("quantity", "sku") if key in body}
        received = self.changed(thing)
        plain = self.to(thing)
        thing_steps = self.server.number(1, 4)
        match self.created:
            case "location":
                located: HeaderList = (("Location", plain),)
                self.talk.call("POST", target, body, status=201, received=(*located, *received))
                if self.version:
                    self.read(thing)
            case "listed":
                self.talk.call("POST", target, body, status=200, answer={"ok": True})
                self.listing(noun, [thing])
                self.read(thing)
            case "events":
                said = {"step": "made", self.spelling.field(noun): self.written(thing)}
                steps = [{"step": "begun", "progress": 10 * at} for at in range(thing_steps)]
                self.talk.events(target, body, [*steps, said], received=received)
            case "only id":
                name = pick.choice((self.id_name, self.spelling.field(f"{noun} id")))
                self.talk.call("POST", target, body, answer={name: thing.id}, received=received)
                if self.version:
                    self.read(thing)
            case how:
                located = (("Location", plain),) * (how == "both")
                answer = self.wrapped(noun, self.written(thing))
                self.talk.call("POST", target, body, status=201, answer=answer,
                               received=(*located, *received))  # fmt: skip
        return thing

    def _belongs(self, parent: Thing, body: dict[str, Any], target: str, noun: str) -> str:
        """Put the parent's id where this application has it; the address to send to."""
        field = self.spelling.field
        match self.parents:
            case "path":
                return f"{self.at(parent)}/{self.spelling.segment(plural(noun))}"
            case "thing id":
                body[field(f"{parent.noun} id")] = parent.id
            case "thing":
                body[field(parent.noun)] = parent.id
            case "object":
                body[field(parent.noun)] = {self.id_name: parent.id}
            case "parent id":
                body[field("parent id")] = parent.id
                body[field("parent type")] = parent.noun
            case "type":
                body |= {field("object id"): parent.id, field("object type"): parent.noun}
            case "bare type":
                body["about"] = {"type": parent.noun, self.id_name: parent.id}
            case "query":
                return f"{target}?{field(f'{parent.noun} id')}={parent.id}"
        return target

    def read(self, thing: Thing) -> None:
        received = (("ETag", self.versions[thing.name]),) if self.version == "ETag" else ()
        answer = self.wrapped(thing.noun, self.written(thing))
        self.talk.call("GET", self.to(thing), answer=answer, received=received)

    def update(self, thing: Thing) -> None:
        """Change it, with what the server wants back of its version, perhaps with its id."""
        pick = self.pick
        body: dict[str, Any] = {"quantity": pick.choice((1, 2, 3, 7)), "note": "seen by Kim"}
        if pick.random() < 0.4:
            body[self.id_name] = thing.id
        sent: HeaderList = ()
        if self.version == "ETag":
            sent = (("If-Match", self.versions[thing.name]),)
        elif self.version:
            body[self.version] = self.versions[thing.name]
        received = self.changed(thing)
        thing.more["quantity"] = body["quantity"]
        answer = self.wrapped(thing.noun, self.written(thing))
        method = pick.choice(("PUT", "PATCH"))
        self.talk.call(method, self.to(thing), body, answer=answer, sent=sent, received=received)

    def bulk(self, things: list[Thing]) -> None:
        """Do something with several at once."""
        pick, noun = self.pick, things[0].noun
        ids = [one.id for one in things]
        target = f"{self.path(noun)}/{pick.choice(('bulk', 'archive', 'batch-delete', 'order'))}"
        commas = ",".join(map(str, ids))
        match pick.choice(_BULK):
            case "ids" | "keys" as name:
                self.talk.call("POST", target, {name: ids}, answer={"changed": len(ids)})
            case "thing ids":
                body = {self.spelling.field(f"{noun} ids"): ids, "status": 2}
                self.talk.call("PUT", target, body, answer={"changed": len(ids)})
            case "array":
                self.talk.call("POST", target, ids, answer={"ok": True})
            case "single array":
                self.talk.call("POST", target, ids[:1], answer={"ok": True})
            case "objects":
                rows = [{self.id_name: one, "position": at} for at, one in enumerate(ids)]
                self.talk.call("POST", target, {"items": rows}, answer={"ok": True})
            case "commas":
                self.talk.call("DELETE", f"{self.path(noun)}?ids={commas}", status=204)
            case "comma body":
                self.talk.call("POST", target, {"ids": commas}, answer={"ok": True})
            case "repeated":
                query = "&".join(f"id={one}" for one in ids)
                self.talk.call("DELETE", f"{self.path(noun)}?{query}", status=204)
            case "brackets":
                query = "&".join(f"ids[]={one}" for one in ids)
                self.talk.call("GET", f"{self.path(noun)}?{query}", answer=[])
            case "path":
                self.talk.call("DELETE", f"{self.path(noun)}/{commas}", status=204)

    def search(self, noun: str, thing: Thing) -> None:
        """Ask with POST: that reads."""
        kind = self.kinds[self.nouns.index(noun)]

        def other(name: str) -> dict[str, Any]:
            return {self.id_name: self.server.id(kind, noun), "name": name}

        rows = self.server.among([{self.id_name: thing.id, "name": thing.name}], other)
        body = {"text": thing.name.split()[0], "page": 1, "limit": 10}
        self.talk.call("POST", f"{self.path(noun)}/search", body, answer=self.wrapped(noun, rows))


def rest(pick: Random, server: Server, talk: Talk) -> None:
    """Make some things and what belongs to them, look, change, do things in bulk, delete."""
    api = _Api(pick, server, talk)
    api.begin()
    outer, inner = api.nouns
    if pick.random() < 0.6:
        api.listing(outer, [])
    first = api.create(outer)
    if pick.random() < 0.5:
        api.read(first)
    things = [api.create(inner, first) for _ in range(pick.randint(1, 3))]
    last = things[-1]
    moves: tuple[Callable[[], None], ...] = (
        lambda: api.update(last),
        lambda: api.update(first),
        lambda: api.read(last),
        lambda: api.bulk(pick.sample(things, len(things))),
        lambda: api.listing(inner, things, f"sort={quote('-name')}&page=2&limit=1"),
        lambda: api.search(inner, last),
        lambda: api.update(last),
    )
    for move in pick.sample(moves, pick.randint(3, len(moves))):
        move()
    talk.call("DELETE", api.to(last), status=204)
    talk.call("DELETE", api.to(first), status=204)
