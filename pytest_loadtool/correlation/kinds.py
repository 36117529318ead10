"""What kind of resource an id is of, and what kinds of resources a request is about: by their
names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import dropwhile
from types import MappingProxyType
from urllib.parse import parse_qsl, urlsplit

from pytest_loadtool.codec.batches import MIXED, BatchedCall, calls_of
from pytest_loadtool.codec.calls import rpc_method_in, soap_operation, xml_rpc_method
from pytest_loadtool.codec.media import FORM, media_type
from pytest_loadtool.codec.names import plain
from pytest_loadtool.correlation.classify import (
    collection_names,
    ends_in_id,
    is_id_name,
    is_kindless,
    is_path_id,
    singular,
)
from pytest_loadtool.correlation.producer import Producer, is_dynamic_key
from pytest_loadtool.correlation.requests.positions import HOLE
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.rule import ProducerKind

#: Keys under which the answer to a call has its result, and which say nothing else of it.
_ANSWERS = frozenset({"", "d", "data", "result", "return", "value"})

_FILE = re.compile(
    r"\.(?:action|ashx|asmx|asp|aspx|cgi|csv|do|html?|ics|jsf|json|jsonld|jsp|php\d?|pl|svc|vcf|xml)$",
    re.IGNORECASE,
)
#: What is done to a resource, in the name of a procedure or in the last segment of a path.
_VERBS = frozenset(
    {
        *("add", "change", "confirm", "create", "delete", "edit", "insert", "new", "save", "store"),
        *("del", "destroy", "erase", "purge", "unlink"),
        *("added", "changed", "created", "inserted", "saved", "set", "updated"),
        *(
            "clone",
            "copy",
            "duplicate",
            "submit",
            "update",
            "upsert",
            "write",
            "bulk",
            "batch",
            "remove",
            "archive",
            "show",
            "display",
            "modify",
            "view",
        ),
    }
)
#: Of these, what leaves less than there was, and other words for that.
_REMOVING = frozenset(
    {
        *("archive", "cancel", "clear", "del", "delete", "destroy", "discard", "drop", "erase"),
        *("purge", "remove", "trash", "unlink"),
    }
)
#: Likewise, what links do, of which the page shows no more than that.
_ACTING = (_VERBS - {"display", "new", "show", "view"}) | {
    *("activate", "approve", "close", "deactivate", "disable", "down", "enable", "follow", "like"),
    *("lock", "mark", "move", "publish", "reject", "reopen", "star", "subscribe", "toggle"),
    *("unfollow", "unlike", "unlock", "unpublish", "unstar", "unsubscribe", "up", "vote"),
}
#: Of these, what few other words begin with.
_LONGER_VERBS = tuple(sorted(one for one in _ACTING if len(one) > 3))
#: Of these, what is no kind of resource either: ``GET /store?near=17`` asks for one.
_CALLING = frozenset(
    {
        *("activate", "add", "approve", "create", "deactivate", "del", "delete", "destroy"),
        *("disable", "enable", "erase", "insert", "publish", "purge", "remove", "reopen", "toggle"),
        *("unfollow", "unlike", "unlink", "unlock", "unpublish", "unstar", "unsubscribe"),
        *("update", "upsert"),
    }
)
#: Likewise, with the resource behind it: ``setRating``.
_CALLING_ON = _CALLING | {"mark", "move", "rename", "save", "set"}
#: Likewise, what makes a thing be as it is sent.
_SETTING = frozenset({"change", "edit", "modify", "put", "replace", "save", "set", "update"})
#: Likewise, where nothing is changed by it.
_READING = frozenset(
    {
        *("count", "describe", "fetch", "filter", "find", "get", "list", "lookup", "query", "read"),
        *("search", "suggest", "tell"),
    }
)
#: What procedures belong to, besides a kind of resource.
_SERVICES = frozenset({"ajax", "api", "controller", "endpoint", "manager", "rpc", "service", "ws"})
#: Which of two resources of a kind an id is of: ``issue_to_id``.
_DIRECTIONS = frozenset({"from", "to"})
#: What is looked up for something else, of whatever kind: ``shop/relation-lookup``.
_OF_OTHERS = frozenset({"choice", "choices", "option", "options", "related", "relation"})
#: What no kind of resource is called.
_DONE = _VERBS | _READING | _SERVICES
#: What the arguments of a call stand under that have no names of their own.
ARGUMENTS = frozenset({"args", "arguments", "params"})
#: Keys around the resource itself in a JSON response.
WRAPPERS = (
    _ANSWERS
    | ARGUMENTS
    | {
        *("attributes", "body", "content", "created", "entity", "item", "items", "list", "node"),
        *(
            "input",
            "json",
            "object",
            "params",
            "payload",
            "record",
            "records",
            "response",
            "results",
        ),
        *("edges", "nodes", "rows", "table", "tables", "values", "variables"),
        *("criteria", "filter", "q", "selector", "where"),
    }
)
#: The last words of the names of fields that say of which type a resource is.
KIND_WORDS = frozenset(
    ["class", "collection", "entity", "index", "kind", "model", "resource", "table", "type"]
)
#: What is asked for who has signed in, and under which names such a person's id stands.
_ONESELF = frozenset(
    {
        *("context", "current user", "me", "myself", "profile", "self", "session", "userinfo"),
        *("viewer", "whoami"),
    }
)
_OWN_IDS = frozenset({"sub", "uid"})
_IN_HEAD = frozenset({ProducerKind.COOKIE, ProducerKind.HEADER})
#: What people are called that have signed in, and in fields.
PEOPLE = frozenset({"account", "customer", "member", "person", "profile", "user"})
_ROLES = PEOPLE | {"author", "creator", "owner", "requester", "sender"}
#: What is before that, where who has signed in is meant: ``current_user_id``, ``X-User-Id``.
_MEANING_ONESELF = frozenset({"auth", "current", "logged", "my", "own", "session", "x"})
#: What is done to something, and what that is then.
_PARTICIPLES: Mapping[str, str] = MappingProxyType(
    {
        "build": "built", "do": "done", "freeze": "frozen", "hide": "hidden", "hold": "held",
        "lose": "lost", "pay": "paid", "read": "read", "sell": "sold", "send": "sent",
        "take": "taken", "undo": "undone", "win": "won", "withdraw": "withdrawn",
        "write": "written",
    }
)  # fmt: skip
_PARTS = re.compile(r"[.:/]")
#: A field of a query that says how it is compared, of Directus, Strapi and JSON:API.
_COMPARED = re.compile(
    r"\w+\[(?:(\w+)\]\[)?([A-Za-z_]\w*)\]\[[$_]?(?:eq|in|is|equals)\](?:\[\d*\])?"
)
#: In which fields one address is told what a request is about, and what is to be done.
ABOUT = frozenset({"component", "controller", "module", "op", "option"})
_TO_DO = frozenset({"act", "action", "method", "subop", "task"})
#: What such fields have.
_ROUTE = re.compile(r"[A-Za-z][\w-]{1,60}")
#: A shorter word is no kind of resource in the name of an attribute.
_SHORTEST_KIND = 3
#: What says of an id how it is written, and not of what it is.
_PLAINLY = frozenset({"bare", "internal", "plain", "raw"})
#: Likewise, where on a page it stands, if two of these say so: ``list_form_pk``.
_ON_PAGES = frozenset(
    {
        *("cell", "dialog", "edit", "editable", "form", "grid", "inline", "list", "modal", "row"),
        "table",
    }
)


def id_stem(name: str) -> str:
    """Return ``item`` of ``item_id``, ``itemId``, ``item_ids``, ``itemids`` and ``item_to_id``;
    empty for a bare ``id``."""
    if not is_id_name(name) or name.startswith("_selected"):
        return ""
    *words, last = plain(name.removeprefix("data-")).split()
    if name.startswith("data-") and words and len(words[0]) < _SHORTEST_KIND:
        words = words[1:]  # ``data-ui-pk``: whose attribute it is
    if len(words) > 1 and words[-1] in _DIRECTIONS:
        words.pop()
    stem = last.removesuffix("s").removesuffix("id")
    words = [*words, stem] if ends_in_id(last) else words
    is_kind = not _PLAINLY.issuperset(words) and not (_ON_PAGES.issuperset(words) and words[1:])
    return " ".join(words) if is_kind else ""


def compared(name: str) -> str:
    """Return ``item`` of ``filter[item][_eq]``, and ``note_id`` of ``filter[note][id][_eq]``; any
    other name as it is."""
    found = _COMPARED.fullmatch(name)
    return name if found is None else "_".join(filter(None, found.groups()))


def is_called(stem: str, resource: str) -> bool:
    """Return whether a field is called after a resource, by all of its words or the last ones:
    ``quote_line_id`` of a line, ``group_id`` of a customer group."""
    return f" {stem}".endswith(f" {resource}") or f" {resource}".endswith(f" {stem}")


def begins_with_a_verb(called: str) -> bool:
    """Return whether something is called after what is done: ``toggleread``, ``mark done``."""
    return called.startswith(_LONGER_VERBS)


def removes(called: str, method: str) -> bool:
    """Return whether a request takes something away, by its method or by what it calls."""
    return method == "DELETE" or not _REMOVING.isdisjoint(words_of(called))


def sets(called: str) -> bool:
    """Return whether a request gives something the values that it sends, by what it calls."""
    return not _SETTING.isdisjoint(words_of(called))


def acts(called: str) -> bool:
    """Return whether a word of a path or of what is called says what is done to something, other
    than to show it."""
    return not (_ACTING | _REMOVING).isdisjoint(words_of(called))


def calls_for(segment: str) -> bool:
    """Return whether a segment of a path is a verb that does something, perhaps with the resource
    behind it, and nothing else: ``destroy``, ``deletePlaylist.view``."""
    words = plain(_FILE.sub("", segment)).split()
    return not (_CALLING if len(words) == 1 else _CALLING_ON).isdisjoint(words[:1])


def is_done(segment: str) -> bool:
    """Return whether a segment of a path says what is done, and not to what."""
    return _DONE.issuperset(plain(segment).split())


@lru_cache(1 << 10)
def done_to(called: str) -> frozenset[str]:
    """Return what a thing may be afterwards, by what a path or a procedure calls: ``published`` of
    ``/reports/2/publish`` and ``report.publish``."""
    return frozenset(
        form for word in plain(_PARTS.split(called)[-1]).split() for form in _done(word)
    )


def _done(verb: str) -> tuple[str, ...]:
    if verb in _PARTICIPLES:
        return (_PARTICIPLES[verb],)
    if verb.endswith("e"):
        return (f"{verb}d",)
    return (f"{verb[:-1]}ied",) if verb.endswith("y") else (f"{verb}ed", f"{verb}{verb[-1:]}ed")


@lru_cache(1 << 12)
def collection(called: str) -> str:
    """Return what a request is about, by its path or by what it calls: ``items`` of ``/api/items``
    and ``/items/17/edit``, ``item`` of ``item.create``, ``ItemService.Update`` and
    ``createItem``; of ``item.move``, too, of which nothing says that it is no kind of resource."""
    found = _noun(called, _DONE) or _noun(called, _VERBS | _SERVICES)  # ``list.create``
    router, dot, last = called.rpartition(".")
    if dot and "/" not in called and found == plain(last) and singular(found) == found:
        return _noun(router, _DONE) or found
    return found


def before_by(called: str) -> str:
    """Return the words of a name without what the resources are sought by: ``teas`` of
    ``teasByGrowerId``."""
    return plain(called).partition(" by ")[0]


def _noun(called: str, done: frozenset[str]) -> str:
    parts = _PARTS.split(_FILE.sub("", called))
    for part, last in zip(reversed(parts), (*reversed(parts[:-1]), ""), strict=True):
        is_id = HOLE in part or is_path_id(part)
        kindless = "/" in called and is_kindless(part, last)
        words = [] if is_id or kindless else before_by(part).split()
        found = [*dropwhile(done.__contains__, words)]
        while found and found[-1] in done:
            found.pop()
        if found and (found == words or not _OF_OTHERS.issuperset(found)):
            return " ".join(found)
    return ""


def reads(called: str) -> bool:
    """Return whether a request asks for something by its name, whatever its method:
    ``/items/search``, ``listItems``. ``/list`` may be a resource."""
    parts = [plain(one).split() for one in _PARTS.split(_FILE.sub("", called)) if one]
    words = parts[-1] if parts else []
    verbs = _READING & {*words[:1], *words[-1:]}
    return bool(verbs - {"list"} or (verbs and _noun(called, _DONE))) and not _VERBS & set(words)


def begins_reading(called: str) -> bool:
    """Return whether a name of several words begins by asking, and says of nothing that is done:
    ``get_posts``, not ``get-and-delete`` nor ``search``."""
    words = plain(called).split()
    return len(words) > 1 and words[0] in _READING and not (_VERBS | _REMOVING) & set(words)


@lru_cache(1 << 12)
def words_of(called: str) -> frozenset[str]:
    """Return the words of a path or of what is called, one of each resource."""
    found: set[str] = set()
    for part in _PARTS.split(called):
        for word in plain(part).split():
            found.update((word, singular(word)))
    return frozenset(found)


def resources_of(producer: Producer, called: str) -> frozenset[str]:
    """Return what the id under that key may be the id of, in the answer to a request: that of
    ``{"facet": {"values": [{"id": 1}]}}`` of a facet value, too."""
    if producer.name == "sub" or (producer.name == "uid" and producer.kind in _IN_HEAD):
        return _ROLES
    stem = id_stem(producer.name)
    if stem:
        words = stem.split()
        return frozenset({stem, words[-1]} if words[0] in _MEANING_ONESELF else {stem})
    keys = (one for one in producer.steps[:-1] if isinstance(one, str) and not is_dynamic_key(one))
    around = [plain(one).removesuffix(" edge") for one in keys]
    inner = [name for name in around if name not in WRAPPERS]
    typed = collection_names(producer.type)
    if typed and len(inner) < 2:  # what a call of GraphQL does tells less
        return typed
    if not inner:
        return _and_people(_of_document(producer, called))
    outer = collection(inner[-1])
    within = {f"{outer} {singular(around[-1])}"} if around[-1] not in inner else set[str]()
    return _and_people(collection_names(outer) | typed | within)


def _of_document(producer: Producer, called: str) -> frozenset[str]:
    """Return what a document is about that does not say so itself: of one in a page, what its
    script calls it, ``currentUser``."""
    named = plain(producer.box.producer.name) if producer.box is not None else ""
    own = frozenset({named, named.split()[-1]} if named else ())
    return own | collection_names(collection(_of_answer(called, producer.value)))


def _and_people(resources: frozenset[str]) -> frozenset[str]:
    """Return the same, and of who has signed in what people are called elsewhere."""
    return resources if resources.isdisjoint(_ONESELF) else resources | _ROLES


def is_of_somebody(names: Iterable[str]) -> bool:
    """Return whether a value under these names is of who has signed in: ``currentUser``, ``id``."""
    words = {word for one in names for word in plain(one).split()}
    return not words.isdisjoint(PEOPLE | _ONESELF | _OWN_IDS)


def is_own_id(name: str) -> bool:
    """Return whether a field of that name has the id of who has signed in (OpenID Connect Core
    §2)."""
    return name in _OWN_IDS


def _of_answer(called: str, id_: str) -> str:
    """Return the part of a path that says of what the answer with that id is: of ``/books``, if
    ``PUT /books/7/topics/2`` is answered with the book 7."""
    parts = called.split("/")
    is_outer = is_path_id(parts[-1]) and id_ != parts[-1] and id_ in parts
    return "/".join(parts[: parts.index(id_)]) if is_outer else called


def words_of_call(called: str) -> frozenset[str]:
    """Return the words of the resource and of what is done to it, of ``model.party.address.write``;
    all words of a path."""
    return words_of(called if "/" in called else ".".join(called.split(".")[-2:]))


def is_in_own_list(producer: Producer) -> bool:
    """Return whether it stands in a list of nothing but such values, which is called after many
    resources: ``{"addresses": [7, 8]}``."""
    steps = producer.steps
    is_listed = steps[-2:-1] == (producer.name,) and isinstance(steps[-1], int)
    return is_listed and singular(producer.name) != producer.name


def is_result(producer: Producer) -> bool:
    """Return whether it is all that the answer to a call says: ``{"result": 7}``, ``{"result": [7,
    8]}``, ``<AddResult>7<``."""
    return sum(isinstance(step, str) for step in producer.steps) <= 1 and (
        producer.name in _ANSWERS or is_result_name(producer.name)
    )


def is_result_name(name: str) -> bool:
    """Return whether an element of that name is what a call has returned."""
    return name.lower().endswith(("result", "return"))


def calls_in(exchange: Exchange) -> tuple[BatchedCall, ...]:
    """Return the calls of a request that has several of its own."""
    media = media_type(exchange.request_header("content-type"))
    body = exchange.request_body if media == MIXED or exchange.request_body[:1] == b"[" else b""
    return calls_of(exchange.url, body.decode("utf-8", "replace"), media)


def called_in(exchange: Exchange) -> tuple[str, ...]:
    """Return what each of them is about."""
    return tuple(collection(one.called) for one in calls_in(exchange))


def routed(exchange: Exchange) -> str:
    """Return what one address for everything is asked for in two fields, as a call:
    ``pref-labels.edit`` of ``/backend.php?op=pref-labels&method=edit``; empty if it is not."""
    try:
        path, query = urlsplit(exchange.url)[2:4]
    except ValueError:  # it is no URL
        return ""
    if path.strip("/") and not _FILE.search(path):
        return ""
    is_form = media_type(exchange.request_header("content-type")) == FORM
    sent = f"{query}&{exchange.request_body.decode('utf-8', 'replace') if is_form else ''}"
    about = to_do = ""
    for name, value in parse_qsl(sent):
        if _ROUTE.fullmatch(value):
            about = about or (value if plain(name) in ABOUT else "")
            to_do = to_do or (value if plain(name) in _TO_DO else "")
    both = f"{about}.{to_do}" if is_done(to_do) else about
    return both if about and to_do else ""


def procedure(exchange: Exchange) -> str:
    """Return what a request calls by name, in JSON-RPC, XML-RPC or SOAP; empty if it does not, or
    by its path alone."""
    body = exchange.request_body
    return rpc_method_in(body) or xml_rpc_method(body) or soap_operation(body)
