"""What a value or a field name looks like: random, a time, an id; typed by a person."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from urllib.parse import unquote

from pytest_loadtool.codec.decoding import base64_text
from pytest_loadtool.codec.names import plain, words_of
from pytest_loadtool.model.rule import same_name

_TOKEN_CHARACTERS = re.compile(r"[\w\-.~+/=:|%!]+", re.ASCII)
_LETTER_TO_DIGIT = re.compile(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")
_CASE_CHANGE = re.compile(r"[a-z](?=[A-Z])|[A-Z](?=[a-z])")
_HEXADECIMAL = re.compile(r"[0-9a-f\-]+|[0-9A-F\-]+")
_TIME = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T .]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\d{8}T\d{6}Z?|\d\d:\d\d(?::\d\d(?:\.\d+)?)?"
    r"|1\d{9}(?:\d{3}){0,2}(?:\.\d+)?"  # seconds, ms or µs since 1970, from 2001 to 2033
)
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?"
    r"|1\d{9}(?:\d{3}){0,2}(?:\.\d+)?"
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT"
)
#: An id in base64 may have its padding, and one may be a URI of its own: ``gid://shop/Order/17``.
_CODE = re.compile(
    r"[A-Za-z0-9_-]{4,64}={0,2}|(?!https?:|data:|mailto:|file:)[a-z][a-z0-9+.-]{1,12}:[\w:/.-]{2,100}"
)
_FILE = re.compile(r"([\w-]+)\.([a-z][a-z0-9]{1,5})")
#: What stands between others in a segment of a path, in a name or in a text: a UUID, a number, a
#: word. What is percent-encoded before it is no part of it.
_PIECE = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?<=%[0-9a-fA-F]{2})[A-Za-z0-9]+"
    r"|(?<![%A-Za-z0-9])[A-Za-z0-9]+"
)
_MOST_PIECES = 12
#: What stands in tokens and between no words, and escapes but of brackets, quotes and the like.
_STRANGE = re.compile(r"[!+/|~]|%(?!2[0278C9]|3[AD]|5[BD])", re.IGNORECASE)
_LONGEST_SEGMENT = 200
#: Shorter texts without a digit have no id in them.
_SHORTEST_LETTERS = 16
#: Versions, dates, amounts and ranges, which are of numbers alone.
_NO_ID = re.compile(r"[vV]?[\d.,:_+*-]+|[^/]*\d[.:]\d[^/]*")
#: In which format a resource is asked for, whatever it is called.
_DATA_ENDINGS = frozenset({"csv", "ics", "json", "jsonld", "vcf", "xml"})
#: How short and how long a name of a field is that may be an id.
_CODE_LENGTHS = (8, 40)
_PATH_NUMBER = re.compile(r"\d+|[A-Za-z]{0,6}[-_]?\d{3,}")

_ID_WORDS = frozenset({"id", "ids", "pk", "pks", "uid", "uuid", "guid", "oid"})
#: Words that only end like names of ids (``oldid``, ``topicid``), and the length of shorter ones.
_NO_IDS = frozenset(
    {
        *("android", "avoid", "fluid", "grid", "hybrid", "invalid", "liquid", "madrid", "orchid"),
        *("overpaid", "paid", "plaid", "prepaid", "rapid", "solid", "unpaid", "valid", "void"),
    }
)
_SHORTEST_ID = 4
#: Field names of other shapes that hold ids: the check boxes of the Django admin, and the revisions
#: of wikis.
_ID_NAMES = frozenset({"_selected_action", "diff", "rev", "revision"})

_IDENTITY_NAMES = frozenset(
    {
        *("user", "username", "userid", "login", "loginid", "loginname", "signin", "signinname"),
        *("email", "mail", "emailaddress", "useremail", "account", "accountname", "identifier"),
    }
)

#: Last words of names of ids that are no numbers, where the resource has just been given one.
_CODE_WORDS = frozenset(
    {"code", "handle", "hash", "key", "no", "number", "ref", "reference", "slug", "token"}
)
#: Names of what tells one state of a resource from the next, which whoever changes it sends back.
_VERSION_NAMES = frozenset(
    {
        *("changetoken", "concurrencystamp", "concurrencytoken", "etag", "ifmatch", "lockversion"),
        *("objectversion", "odataetag", "optlock", "resourceversion", "rev", "rowversion"),
        *("version", "versionid", "versionnumber", "versiontag", "xmin"),
    }
)

#: Last words of the names under which a resource has what people call it.
_TITLE_WORDS = frozenset(
    {
        *("body", "caption", "code", "comment", "content", "description", "email", "filename"),
        *("headline", "label", "login", "mail", "message", "name", "reference", "sku", "slug"),
        *("subject", "summary", "text", "title", "username"),
    }
)
#: Of these, what fields have that say more of a resource than what it is called.
_TEXT_WORDS = frozenset({"body", "comment", "content", "description", "message", "summary", "text"})

#: Last words of the names under which a resource has its kind; and words before ``name`` there.
_TYPE_WORDS = frozenset({"classname", "discriminator", "kind", "type", "typename"})
_NAMED_TYPES = frozenset({"class", "kind", "type"})

#: What fields hold that are no more than a choice, whatever they are called.
SWITCHES = frozenset({"", "true", "false", "on", "off", "yes", "no", "1", "0"})

#: What numbers are called that say how much or how many.
AMOUNTS = frozenset(
    {"amount", "count", "page", "price", "qty", "quantity", "rows", "size", "total"}
)

#: Under which key of JSON a list of what there is to choose from has what is sent: the ``value`` of
#: a ``label``.
OPTION_KEYS = frozenset({"key", "val", "value"})
#: From how many digits on two things seldom have one number in common.
LONG_NUMBER = 5

#: From how many characters on a text tells one resource from another, whatever its field is called.
TELLING = 6

#: Longest part of a value that is looked at: ASP.NET view states have hundreds of kilobytes.
_LONGEST_SAMPLE = 400


def looks_random(value: str) -> bool:
    """Return whether no person and no program text writes such a value: a token, a UUID, a long
    number.

    A word, a slug, a version, a date, a path or a URL is none; nor is text for its escapes.
    """
    sample = value[:_LONGEST_SAMPLE]
    if "%" in sample:
        sample = unquote(sample)
    length = len(sample)
    if length < 8 or not _TOKEN_CHARACTERS.fullmatch(sample):
        return False
    is_path = sample.startswith("/") and not value.endswith("=")  # base64 may begin so, too
    if is_path or "://" in sample or _DATE_OR_CLOCK.fullmatch(sample):
        return False
    digits = sum(map(str.isdigit, sample))
    if digits == length:
        return len(set(sample)) > 2
    if _KIND_IN_BASE64.fullmatch(sample) and _KIND.fullmatch(base64_text(sample) or ""):
        return True
    changes = len(_LETTER_TO_DIGIT.findall(sample))
    if digits and _HEXADECIMAL.fullmatch(sample):
        return changes > 0
    if digits and changes >= (2 if length >= 20 else 3):
        return True
    if _LONGER_THAN_WORDS.fullmatch(sample) and len(set(sample)) >= _ALPHABET:
        return True
    letters = _DIGITS.sub("", sample)  # one among letters tells nothing: getAllOfPart2
    if _WORDS.fullmatch(letters) or _is_program_text(letters):
        return False
    return length >= 16 and len(_CASE_CHANGE.findall(letters)) * 4 >= length


def random_part(value: str) -> str | None:
    """Return the first random part of a value that is no token, as it is made of several with ``,``
    or ``;`` between them: ``sid:9f86d081884c7d65,1795888235``. None: there is none."""
    parts = re.split("[:,;]", value) if _PARTED.fullmatch(value) else ()
    return next(filter(looks_random, parts), None)


def _is_program_text(sample: str) -> bool:
    """Return whether it is camelCase with words of three letters and more on average."""
    words = _CAMEL_WORD.findall(sample)
    return "".join(words) == sample and 3 * len(words) <= len(sample)


#: A kind of resource and the id of one, as Relay has global ids: ``Task:17``, by whose first letter
#: base64 begins as it does.
_KIND, _KIND_IN_BASE64 = (
    re.compile(r"[A-Za-z]\w{1,39}:[\w-]{1,40}"),
    re.compile(r"[Q-WY-e][\w+/-]+={0,2}"),
)
#: Letters of one case without an end, and how many different ones are no pattern.
_LONGER_THAN_WORDS, _ALPHABET = re.compile(r"[a-z]{64,}|[A-Z]{64,}"), 12
_DIGITS = re.compile(r"\d+")
_PARTED = re.compile(r"(?=.{9,500}\Z)[\w.~+/=:|!-]+(?:[,;][\w.~+/=:|!-]+){1,9}", re.ASCII)
_CAMEL_WORD = re.compile(r"[A-Z]?[a-z]+")
#: ``Special:MovePage``.
_WORDS = re.compile(r"(?:[A-Z][a-z]{2,}[-_.:/]?)+")
# What looks_random leaves to looks_like_time. Seconds since 1970 are a long number like any other.
_DATE_OR_CLOCK = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].*)?|\d{8}T\d{6}Z?|\d\d:\d\d.*")


def looks_like_time(value: str) -> bool:
    """Return whether it is an ISO 8601 date or time, also ``2026-11-21.05:50:55`` and
    ``20261121T055055Z``, or seconds, milliseconds or microseconds since 1970."""
    return _TIME.fullmatch(value) is not None


def is_moment(value: str) -> bool:
    """Return whether it is a time with its day, as servers write when something was changed: no
    person types it to the second."""
    return _MOMENT.fullmatch(value) is not None


#: Last words of the names of what a program counts and chooses with, or what it is a version of.
_CHOSEN = frozenset(
    {
        *("api", "batch", "count", "day", "dpr", "first", "height", "hl", "lang", "language"),
        *("last", "length", "limit", "locale", "month", "offset", "page", "pages", "pagesize"),
        *("per", "perpage", "quality", "rows", "size", "skip", "start", "step", "take", "timeout"),
        *("timezone", "top", "v", "ver", "version", "width", "year", "zoom"),
    }
)
#: What is a kind of resource only where nothing else is.
_KINDLESS = frozenset(
    {
        *("action", "actions", "detail", "details", "entry", "entries", "record", "records"),
        *("row", "rows"),
    }
)
_BETWEEN_WORDS = re.compile(r"[-_.]")
#: Where an interface begins, and what is behind that is its own.
_ROOT = re.compile(
    r"(?:[a-z]+-)?(?:api|rest|rpc|admin|data|ajax|json)|v\d+(?:\.\d+)?", re.IGNORECASE
)


def is_chosen(name: str) -> bool:
    """Return whether a field of that name has what a program counts or chooses with."""
    return not _CHOSEN.isdisjoint(plain(name).split()[-1:])


def is_kindless(segment: str, before: str) -> bool:
    """Return whether a segment of a path says no more than the one ``before`` it, of what kind of
    resource there is: ``records`` of ``/Order/records/7``, not of ``/orders/17/records/7``. What
    may be a code is no kind of resource."""
    if segment not in _KINDLESS or _ROOT.fullmatch(before):
        return False
    letters = _BETWEEN_WORDS.sub("", before)
    return letters.isalpha() and (
        letters.islower() or letters.isupper() or _is_program_text(letters)
    )


@lru_cache(1 << 12)
def is_path_id(segment: str) -> bool:
    """Return whether a segment of a path looks like an id, and not like what that is the id of."""
    return _PATH_NUMBER.fullmatch(segment) is not None or looks_random(segment)


def id_before_ending(segment: str) -> str:
    """Return the id in a segment of a path that ends as files do: ``17`` of ``17.json``; empty if
    there is none."""
    found = _FILE.fullmatch(segment)
    named = found is not None and (found[2] in _DATA_ENDINGS or is_path_id(found[1]))
    return found[1] if found is not None and named else ""


@lru_cache(1 << 12)
def may_be_code(name: str) -> bool:
    """Return whether no program calls a field so, while an id may be written so: letters of both
    cases in no order (``GSToxJNZCS``), or digits here and there."""
    if not (_CODE_LENGTHS[0] <= len(name) <= _CODE_LENGTHS[1]) or not (
        name.isascii() and name.isalnum()
    ):
        return False
    letters = _DIGITS.sub("", name)
    mixed = not (letters.islower() or letters.isupper() or _is_program_text(letters))
    return mixed or len(_LETTER_TO_DIGIT.findall(name)) > 1


@lru_cache(1 << 12)
def ids_within(segment: str) -> tuple[tuple[int, int], ...]:
    """Return where ids stand in a segment of a path that is none as a whole: ``17`` of ``17.json``,
    ``17-tea-house``, ``Orders(17)``, ``order_17.html`` and ``order,17,edit.html``."""
    return tuple(_ids_within(segment))


def _ids_within(segment: str) -> Iterator[tuple[int, int]]:
    if len(segment) > _LONGEST_SEGMENT:
        return
    if id_ := id_before_ending(segment):
        yield 0, len(id_)
        segment = id_
    if len(segment) < _SHORTEST_LETTERS and not _DIGITS.search(segment):
        return
    if _NO_ID.fullmatch(segment) or _STRANGE.search(segment) or _PATH_NUMBER.fullmatch(segment):
        return
    pieces = [*islice(_PIECE.finditer(segment), _MOST_PIECES)]
    random = looks_random(segment)  # then it is a token, unless all but one of it are words
    words = sum(one[0].isalpha() for one in pieces)
    for piece in pieces if not random or words == len(pieces) - 1 else ():
        if piece[0] != segment and (looks_random(piece[0]) or (piece[0].isdigit() and not random)):
            yield piece.span()


@lru_cache(1 << 12)
def without_ids(name: str) -> str:
    """Return a name with nothing in the place of the ids in it: ``items[][note]``."""
    if is_path_id(name):
        return ""
    text, position = "", 0
    for first, last in ids_within(name):
        text += name[position:first]
        position = max(position, last)
    return text + name[position:]


def is_short_number(value: str) -> bool:
    """Return whether it is a number that many resources have by chance: up to 7 digits."""
    return len(value) <= 7 and value.isascii() and value.isdigit()


@lru_cache(1 << 12)
def is_id_name(name: str) -> bool:
    """Return whether a field of that name holds an id: ``id``, ``item_id``, ``form-0-id``,
    ``oldid``."""
    words = words_of(name)
    return (bool(words) and (words[-1] in _ID_WORDS or ends_in_id(words[-1]))) or name in _ID_NAMES


def is_code_name(name: str) -> bool:
    """Return whether a new resource may have its id in a field of that name: an id, or ``code``,
    ``slug``."""
    words = words_of(name)
    return is_id_name(name) or (bool(words) and words[-1] in _CODE_WORDS)


@lru_cache(1 << 12)
def is_version_name(name: str) -> bool:
    """Return whether a field of that name says in which state a resource was when it was read:
    ``version``, ``rowVersion``, ``_etag``, ``mod_revision``, ``If-Match``."""
    plain = same_name(name)
    return plain in _VERSION_NAMES or plain.endswith("revision")


def is_code(value: str) -> bool:
    """Return whether the value may be an id that is no number: one word of letters and digits."""
    return _CODE.fullmatch(value) is not None and not value.isdigit()


def ends_in_id(word: str) -> bool:
    """Return whether a word is the name of an id or of several, written as one: ``topicid``,
    ``topicids``."""
    one = word.removesuffix("s")
    return one.endswith("id") and len(one) > _SHORTEST_ID and one not in _NO_IDS


def is_identity_name(name: str) -> bool:
    """Return whether a person types who they are into a field of that name."""
    return same_name(name) in _IDENTITY_NAMES


def names_somebody(name: str, value: str) -> bool:
    """Return whether the value is who somebody is, by the field's name: ``login=Login`` is a
    button."""
    return is_identity_name(name) and same_name(value) != same_name(name)


@lru_cache(1 << 12)
def is_title_name(name: str) -> bool:
    """Return whether a field of that name holds what people call a resource: ``title``,
    ``item_name``."""
    words = words_of(name)
    return bool(words) and words[-1] in _TITLE_WORDS and not is_type_name(name)


def is_text_name(name: str) -> bool:
    """Return whether such a field holds what is said of a resource, which may be the same of
    many: ``description``."""
    return not _TEXT_WORDS.isdisjoint(words_of(name)[-1:])


def is_type_name(name: str) -> bool:
    """Return whether a field of that name says of what kind a resource is, as many are: ``type``,
    ``@type``, ``className``, ``__typename``, ``resourceType``."""
    words = words_of(name)
    return bool(words) and (
        words[-1] in _TYPE_WORDS or (words[-1] == "name" and words[-2:][0] in _NAMED_TYPES)
    )


@lru_cache(1 << 12)
def singular(name: str) -> str:
    """Return what one of a path segment's resources is called: ``line-items`` → ``line item``."""
    words = words_of(name)
    if not words:
        return ""
    last = words[-1]
    for plural, ending in _PLURALS:
        if last.endswith(plural):
            last = last.removesuffix(plural) + ending
            break
    return " ".join((*words[:-1], last))


_PLURALS = (
    *(("people", "person"), ("children", "child"), ("women", "woman"), ("criteria", "criterion")),
    *(("indices", "index"), ("matrices", "matrix"), ("vertices", "vertex"), ("caches", "cache")),
    *(("statuses", "status"), ("bonuses", "bonus"), ("campuses", "campus"), ("aliases", "alias")),
    *(("movies", "movie"), ("cookies", "cookie"), ("series", "series"), ("species", "species")),
    *(("analyses", "analysis"), ("quizzes", "quiz"), ("prizes", "prize"), ("sizes", "size")),
    *(("shoes", "shoe"), ("oes", "o"), ("elves", "elf"), ("eaves", "eaf"), ("alves", "alf")),
    *(("ies", "y"), ("sses", "ss"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh")),
    *(("ss", "ss"), ("us", "us"), ("s", "")),
)


def collection_names(name: str) -> frozenset[str]:
    """Return what a path segment's resources may be called, one or many of them."""
    return frozenset({plain(name), singular(name)} - {""})
