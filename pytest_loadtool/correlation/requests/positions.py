"""Where values stand in a target, form, JSON, XML, GraphQL or multipart text, and what they
mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import islice
from urllib.parse import unquote, unquote_plus

from pytest_loadtool.codec.calls import may_be_call
from pytest_loadtool.codec.entities import unescape
from pytest_loadtool.codec.media import is_json
from pytest_loadtool.codec.multipart import parts_of
from pytest_loadtool.codec.places import query_syntax
from pytest_loadtool.correlation.classify import (
    ids_within,
    is_id_name,
    is_identity_name,
    is_kindless,
    is_path_id,
    is_title_name,
    looks_random,
    may_be_code,
)
from pytest_loadtool.correlation.requests.decoded_view import decoded
from pytest_loadtool.model.place import Place

#: Stands for a placeholder. A Unicode noncharacter, which no text interchanged may contain.
HOLE = "\ufdd0"

#: What is around the id of a call, by which the client knows the answer (JSON-RPC 2.0 §4).
CALL = "JSON-RPC"
#: What is around a further argument of a call: what it means is said by its place alone.
ARGUMENT = "argument"
#: The fields by which a client knows the answer to a call: of JSON-RPC, and of Transmission.
_NUMBERS_OF_CALLS = frozenset({"id", "tag"})
#: What is around a value that stands in the name of a field, as the 17 of ``items[17][note]``.
IN_NAME = "name of a field"
#: What is around a number that stands beside others in one text: ``17_4``.
JOINED = "joined"
#: Start, end, place, name, value (decoded), and of a path segment the path before it, of an
#: argument in GraphQL the field that it is for, of a value in JSON the key of the object it is in.
ValueSpan = tuple[int, int, Place, str, str, str]

_ORIGIN = re.compile(rf"(?:[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*|{HOLE}(?=/|\Z))?")
_SEGMENT = re.compile(r"[^/]+")
#: How many segments of a path, and pieces of a query, are looked at: each segment is known by the
#: path before it, and each value that a link or redirect gives out by all of the address.
MOST_IN_ADDRESS = 200
_MATRIX = re.compile(r";([^=;]*)=([^;]*)")
#: What a resource is known by that has several keys, or whose key is named:
#: ``Lines(order=17,no=2)`` (OData 4.01, part 2 §4.3.1).
_KEYS = re.compile(r"[(,]([A-Za-z_]\w*)='?([^'(),=]+)'?(?=[,)])")
#: Segments of a path within a segment.
_BETWEEN_SLASHES = re.compile(r"(?:^|%2[Ff])((?:(?!%2[Ff]).)+)")
#: A pair, or what has no name. The latter is taken as a whole: each of its characters might begin a
#: name, and looking for the "=" from each would cost quadratic time.
_PAIR = re.compile(r"([^&=]*+)=([^&]*+)|[^&=]++")
#: What a button does, before the id of what it does it to.
_WORD_BEFORE = re.compile(r"[a-z]{3,}[_-](?=.)")
_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[A-Za-z]+")
_LETTERS_AND_DIGITS = re.compile(r"[A-Za-z0-9]+")
#: The name of a field that ends in a number.
_NUMBERED = re.compile(r"[A-Za-z]+[-_](\d+)")
#: In a query, the shortest value that has no name. Without a digit it is a flag's name.
_SHORTEST_BARE = 8
_SCHEME = re.compile(r"(?:Bearer|Token|JWT|ApiKey|Api-Key|GenieKey)[ ]+(?=\S)", re.IGNORECASE)
_JSON_TOKEN = re.compile(
    rf'"((?:[^"\\]++|\\.)*+)"|".*|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([{{}}\[\],:])|[a-z]+|{HOLE}',
    re.DOTALL,
)
#: What stands behind a key.
_COLON = re.compile(r"\s*:")
#: What stands between a name and what it is compared with, in an array of three.
_COMPARED = frozenset({"=", "==", "!=", "<>", "in", "not in", "child_of", "parent_of", "eq", "ne"})
#: Keys that say how the key around them is compared: of MongoDB, Hasura and Prisma.
_OPERATORS = frozenset({"$eq", "$in", "$ne", "_eq", "_in", "equals"})
#: Keys that say what is done to the things of the list around them: of Directus, Prisma and Strapi.
WRITES = frozenset({"add", "connect", "create", "delete", "disconnect", "link", "remove", "set",
                    "unlink", "update", "upsert"})  # fmt: skip
#: Keys of all that a call is given (superjson has the value itself under ``json``).
_WHOLE = frozenset({"args", "arguments", "input", "json", "params", "variables"})
#: How deep JSON is looked into: Python's own reader goes no deeper either.
_MOST_LEVELS = 1000
#: An operation or a fragment, or the braces alone: those of JSON have no name behind them.
_GRAPHQL = re.compile(
    r"(?:\s|#[^\n]*\n)*+(?:(?:query|mutation|subscription|fragment)\b[^{]*\{|\{\s*[A-Za-z_.#])"
)
_GRAPHQL_TOKEN = re.compile(
    r'#[^\n]*|"""(?:\\"""|.)*?(?:"""|\Z)|"(?P<string>(?:[^"\\\n]++|\\.)*+)"|"(?:[^"\\\n]++|\\.)*+'
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\$?(?P<key>[A-Za-z_]\w*)\s*:"
    r"|(?P<mark>[()])|(?P<name>[A-Za-z_]\w*)|\$\w+|\S",
    re.DOTALL,
)
#: What is not closed goes on to the end, and a tag has no "<" outside of quotes: so no text is read
#: more than twice.
_XML_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<[?!][^>]*+"
    r"""|<(/?[\w:.-]++)((?:[^<>"']++|"[^"]*+"|'[^']*+')*+)>""",
    re.DOTALL,
)
#: What elements of lists are called whose items have no name of their own (XML Schema part 2 §3).
_SCALARS = frozenset(
    {
        *("byte", "decimal", "double", "element", "guid", "int", "integer", "item", "long"),
        *("nonnegativeinteger", "positiveinteger", "short", "string", "token", "unsignedint"),
        *("unsignedlong", "uuid", "value"),
    }
)
_WORD = re.compile(
    r"(?:(?<![\w-])([\w-]+)[:=][ \t]*)?(?<![\w-])([\w-]{8,}(?:={1,2}(?=\s|\Z))?)", re.ASCII
)
_COMPARISON = re.compile(
    r"""(?<![\w.])([A-Za-z_][\w.]{0,60}+)["'`\]]?\s*(?:==?|:|\beq\b)\s*"""
    r"""(?:'([^'\n]{1,80})'|"([^"\n]{1,80})"|([\w-]{1,80}+)(?![.:/]))"""
)
#: A resource's IRI in angle brackets, as SPARQL and Turtle have it: its kind, and its id.
_IRI = re.compile(r"<[a-z][\w+.-]{1,20}:[^<>\s]{0,200}?([A-Za-z][A-Za-z_-]{1,30})[:/#](\d{1,19})>")
#: A cell of a line of CSV, without quotes.
_CELL = re.compile(r"[^,;\t\r\n]+")
#: A longer text is a file, and no form that a program has filled in.
_LONGEST_TEXT = 1 << 16
_XML_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""")


def target_spans(text: str) -> Iterator[ValueSpan]:
    """Yield path segments, matrix parameters and query values of a path or URL. A segment is called
    after the nearest one before it that is no id."""
    origin = _ORIGIN.match(text)
    path_start = origin.end() if origin else 0
    fragment = text.find("#", path_start)
    limit = len(text) if fragment < 0 else fragment
    mark = text.find("?", path_start, limit)
    path_end = limit if mark < 0 else mark
    name = ""
    for segment in islice(_SEGMENT.finditer(text, path_start, path_end), MOST_IN_ADDRESS):
        stem_end = text.find(";", segment.start(), segment.end())
        stem_end = segment.end() if stem_end < 0 else stem_end
        stem = text[segment.start() : stem_end]
        before = text[path_start : segment.start()]
        yield segment.start(), stem_end, Place.PATH, name, unquote(stem), before
        for pair in _MATRIX.finditer(text, stem_end, segment.end()):
            yield *pair.span(2), Place.PATH, pair[1], unquote(pair[2]), ""
        last = before.rstrip("/").rpartition("/")[2]
        is_id = HOLE in stem or is_path_id(unquote(stem))
        name = name if is_id or (last == name and is_kindless(stem, last)) else stem
    if mark >= 0:
        syntax = written_query(text)
        for pair in islice(_PAIR.finditer(text, mark + 1, limit), MOST_IN_ADDRESS):
            if pair[2] is not None:
                name, value = unquote_plus(pair[1]), decoded(syntax, pair[2])
                yield *pair.span(2), Place.QUERY, name, value, ""
            elif len(pair[0]) >= _SHORTEST_BARE and _DIGIT.search(pair[0]):
                yield *pair.span(), Place.QUERY, "", decoded(syntax, pair[0]), ""


def written_query(target: str) -> Place:
    """Return how values are written in the query of a masked target: see `query_syntax`."""
    return query_syntax(target.partition("?")[2].replace(HOLE, ""))


def pair_spans(
    text: str, start: int, place: Place, codes: Set[str] = frozenset()
) -> Iterator[ValueSpan]:
    """Yield the values of ``name=value&name=value``, each behind the ids in its name, which may be
    ``codes`` that addresses have."""
    for pair in _PAIR.finditer(text, start):
        if pair[2] is not None:
            # What is in base64 ends like a name.
            if pair[2] or not is_path_id(pair[1]) or _WORD_BEFORE.match(pair[1]):
                yield from _name_spans(pair[1], pair.start(1), place, "", codes)
            yield *pair.span(2), place, unquote_plus(pair[1]), decoded(place, pair[2]), ""


def _name_spans(
    name: str, start: int, place: Place, around: str, codes: Set[str] = frozenset()
) -> Iterator[ValueSpan]:
    """Yield the ids in a name that begins at ``start``, each called after the word before it, or
    after what is ``around`` the name."""
    coded = (one.span() for one in _LETTERS_AND_DIGITS.finditer(name) if one[0] in codes)
    for first, last in (*_ids_in_name(name),) or coded:
        called = _last_word(unquote(name[:first])) or around
        yield start + first, start + last, place, called, name[first:last], IN_NAME


def _ids_in_name(name: str) -> Iterator[tuple[int, int]]:
    """Yield where ids begin and end in a name: all of it, or ``17`` of ``remove_17``."""
    numbered = _NUMBERED.fullmatch(name)  # of a path, ``TEA-123`` is the id
    if numbered is not None:
        yield numbered.span(1)
        return
    within = ids_within(name)
    is_behind = _WORD_BEFORE.match(name) and within
    if (is_path_id(name) or may_be_code(name)) and not is_behind:
        yield 0, len(name)
    yield from within


def word_ids(
    segment: str, name: str, place: Place, before: str
) -> Iterator[tuple[int, int, str, str]]:
    """Yield the ids in a segment of a path that is called ``name``, as where each begins and ends
    in it, what it is called, and what is before it there."""
    if place is Place.PATH and before and HOLE not in segment:
        around = name
        for part in _BETWEEN_SLASHES.finditer(segment) if "%2" in segment else ():
            if part[1] != segment and is_path_id(part[1]):
                yield *part.span(1), around, segment[: part.start(1)]
            around = part[1]
        for pair in _KEYS.finditer(segment) if segment.endswith(")") else ():
            yield *pair.span(2), pair[1], segment[: pair.start()]
        for first, last in ids_within(segment):
            stem = segment[:first]
            yield first, last, _last_word(stem) or name, stem


def _last_word(text: str) -> str:
    """Return the last word of letters; empty if there is none."""
    words = _LETTERS.findall(text)
    return words[-1] if words else ""


def header_spans(text: str, name: str) -> Iterator[ValueSpan]:
    """Yield the value of a header, without the scheme of a token in it."""
    scheme = _SCHEME.match(text)
    start = scheme.end() if scheme else 0
    yield start, len(text), Place.HEADER, name, text[start:], ""


def json_spans(text: str, calls: Sequence[str] = ()) -> Iterator[ValueSpan]:
    """Yield the string and number leaves of a JSON text, placeholders among them, each with the key
    it stands under, and with the key of the object that this is in; and the ids in keys.

    The number of a call has `CALL` there, and an argument of a call behind its first value that is
    no text has `ARGUMENT`. What is compared, ``["shop", "=", 7]``, is called as what it is compared
    with, and the ``value`` of an id as the ``name`` beside it: ``{"name": "shopId", "value": 7}``.
    Of several ``calls``, in a list or under their numbers, arguments are in what is called so. Of
    what is done to the things of a list, ``{"tags": {"delete": [7]}}``, the list is around them.
    """
    is_call = may_be_call(text)
    outside = 1 if calls and text.startswith("[") else 0  # the list of calls
    nth = 0  # which of them it is
    keys: list[str] = [""]  # the current key in each open container
    objects: list[bool] = [False]  # whether that container is an object
    texts: list[list[str]] = [[]]  # the first strings of that container; of an object, its name
    first = 0  # where the first argument of a call begins that is no text
    at_key = False

    def around() -> str:
        if is_call and len(keys) == 2 + outside and keys[-1] in _NUMBERS_OF_CALLS:
            return CALL
        if is_call and len(keys) == 3 + outside and not objects[-1] and 0 < first < token.start():
            return ARGUMENT
        at = max(0, len(keys) - (3 if keys[-1] in _OPERATORS else 2))
        while at > 1 and keys[at] in WRITES:
            at -= 1
        name = keys[at] if objects[-1] or (at < len(keys) - 2 and keys[at] not in WRITES) else ""
        is_whole = (not name or name in _WHOLE or name.isdigit()) and nth < len(calls)
        return calls[nth] if is_whole else name

    def called() -> str:
        if len(texts[-1]) == 2 and not objects[-1] and texts[-1][1] in _COMPARED:
            return texts[-1][0]
        if keys[-1] == "value" and objects[-1] and texts[-1] and is_id_name(texts[-1][0]):
            return texts[-1][0]
        name = keys[-2] if keys[-1] in _OPERATORS and len(keys) > 1 else keys[-1]
        return "params" if calls and (name in _WHOLE or name.isdigit()) else name

    for token in _JSON_TOKEN.finditer(text):
        string, number, mark = token.groups()
        if (
            len(keys) == 3 + outside
            and not (first or objects[-1])
            and (number or mark in ("{", "["))
        ):
            first = token.start()
        if mark in ("{", "["):
            if len(keys) > _MOST_LEVELS:
                return
            keys.append(called())
            texts.append([])
            objects.append(mark == "{")
            at_key = mark == "{"
        elif mark in ("}", "]"):
            if len(keys) > 1:
                keys.pop()
                objects.pop()
                texts.pop()
            at_key = False
        elif mark is not None:
            at_key = mark == "," and objects[-1]
            if outside and len(keys) == 2 and mark == ",":
                nth, first = nth + 1, 0
        elif string is not None and at_key:
            keys[-1] = _json_string(string)
            if calls and len(keys) == 2 and keys[-1].isdigit():
                nth = int(keys[-1])
                continue
            outer = keys[-2] if len(keys) > 1 else ""
            yield from _name_spans(string, token.start(1), Place.JSON_STRING, outer)
        elif string is not None:
            value = _json_string(string)
            yield *token.span(1), Place.JSON_STRING, called(), value, around()
            if len(texts[-1]) < 2 and (not objects[-1] or keys[-1] == "name"):
                texts[-1].append(value)
        elif number is not None or token[0] == HOLE:
            yield *token.span(), Place.JSON, called(), token[0], around()


def json_keys(text: str) -> Iterator[ValueSpan]:
    """Yield the keys of the objects in a JSON text."""
    for token in _JSON_TOKEN.finditer(text):
        if token[1] is not None and _COLON.match(text, token.end()):
            yield (
                *token.span(1),
                Place.JSON_STRING,
                _json_string(token[1]),
                _json_string(token[1]),
                "",
            )


def _json_string(raw: str) -> str:
    return decoded(Place.JSON_STRING, raw) if "\\" in raw else raw


def is_graphql(text: str, name: str) -> bool:
    """Return whether the value of a field of that name is a document in GraphQL (GraphQL over HTTP
    §6)."""
    return name == "query" and _GRAPHQL.match(text) is not None


def graphql_spans(text: str) -> Iterator[ValueSpan]:
    """Yield the strings and numbers among the arguments of a document, as those of its input
    objects and lists (GraphQL §2.6, §2.9). Their escapes are those of JSON; block strings are
    prose."""
    depth, field, key = 0, "", ""
    for token in _GRAPHQL_TOKEN.finditer(text):
        match token.lastgroup:
            case "mark":
                depth += 1 if token["mark"] == "(" else -1
            case "name" if not depth:
                field = token["name"]
            case "key" if depth:
                key = token["key"]
            case "string" if depth:
                value = _json_string(token["string"])
                yield *token.span("string"), Place.JSON_STRING, key, value, field
            case "number" if depth:
                yield *token.span("number"), Place.JSON, key, token["number"], field
            case _:
                pass


def xml_spans(text: str, *, of_lists: bool = False) -> Iterator[ValueSpan]:
    """Yield attributes and the text between two tags, named by the attribute or element.

    With ``of_lists``, elements that are called after a type, ``<ids><int>7</int></ids>``, have the
    name of the element around them.
    """
    element, position = "", 0
    around: list[str] = []
    for tag in _XML_TAG.finditer(text):
        between = text[position : tag.start()] if element else ""
        content = between.strip()
        if content:
            start = position + len(between) - len(between.lstrip())
            listed = of_lists and len(around) > 1 and element.lower() in _SCALARS
            called = around[-2] if listed else element
            yield start, start + len(content), Place.XML, called, unescape(content), ""
        name = tag[1] or ""
        element = "" if name.startswith("/") else name.rpartition(":")[2]
        position = tag.end()
        if name.startswith("/"):
            around[-1:] = []
        elif element and text[position - 2] != "/":
            around.append(element)
        if name.startswith("/") or not tag[2]:
            continue
        for attribute in _XML_ATTRIBUTE.finditer(text, tag.start(2), tag.end(2)):
            group = 2 if attribute[2] is not None else 3
            own = attribute[1].rpartition(":")[2]
            if not attribute[1].startswith("xmlns"):
                yield *attribute.span(group), Place.XML, own, unescape(attribute[group]), ""


def multipart_spans(text: str, content_type: str) -> Iterator[ValueSpan]:
    """Yield the values of parts, and the names of files. Of files only JSON is looked into, which
    is what a script sends so, and tables."""
    for part in parts_of(text, content_type):
        if part.is_file:
            start, end = part.name_start, part.name_end
            name = decoded(Place.FILE_NAME, text[start:end])
            yield start, end, Place.FILE_NAME, f"{part.field}.filename", name, ""
            if part.media == "text/csv" or name.lower().endswith(".csv"):
                yield from shifted(csv_spans(text[part.start : part.end]), part.start)
        if not part.is_file or is_json(part.media):
            yield part.start, part.end, Place.MULTIPART, part.field, text[part.start : part.end], ""


def shifted(spans: Iterator[ValueSpan], by: int) -> Iterator[ValueSpan]:
    """Yield the spans of a text that begins so far behind the start of another one."""
    for start, end, place, name, value, before in spans:
        yield start + by, end + by, place, name, value, before


def comparison_spans(text: str) -> Iterator[ValueSpan]:
    """Yield what is compared with fields for ids in a longer text, and what stands behind their
    names: ``id = 17``, ``order_id eq 'T7'``, ``id: 17``."""
    for found in _COMPARISON.finditer(text) if len(text) <= _LONGEST_TEXT else ():
        name = found[1].rpartition(".")[2]
        group = next(one for one in (2, 3, 4) if found[one] is not None)
        if is_id_name(name) and (group < 4 or is_path_id(found[4])):
            yield *found.span(group), Place.TEXT, name, found[group], ""
    for found in _IRI.finditer(text) if "<" in text and len(text) <= _LONGEST_TEXT else ():
        yield *found.span(2), Place.TEXT, f"{found[1]}_id", found[2], ""


def csv_spans(text: str) -> Iterator[ValueSpan]:
    """Yield the cells of the columns for ids and for what things are called, below a line of names
    (RFC 4180 §2), but for those in quotes."""
    names: list[str] = []
    position = 0
    for line in text.splitlines(keepends=True) if '"' not in text[:_LONGEST_TEXT] else ():
        cells = [*_CELL.finditer(line)]
        names = names or [one[0] for one in cells]
        for name, cell in zip(names, cells, strict=False) if position else ():
            if is_id_name(name) or is_title_name(name) or is_identity_name(name):
                start, end = cell.span()
                yield position + start, position + end, Place.TEXT, name, cell[0], ""
        position += len(line)


def text_spans(text: str) -> Iterator[ValueSpan]:
    """Yield the random words of another text, such as that of a calendar, called after what is
    before them in their line: ``UID:3f2b8c1e-9d47``; and what fields for ids are compared with."""
    if len(text) > _LONGEST_TEXT:
        return
    compared = [*comparison_spans(text)]
    yield from compared
    starts = {one[0] for one in compared}
    for word in _WORD.finditer(text):
        if looks_random(word[2]) and word.start(2) not in starts:
            yield *word.span(2), Place.TEXT, word[1] or "", word[2], ""
