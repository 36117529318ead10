"""Hypothesis strategies for whole models, odd characters included."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from pytest_loadtool.casefile.load.thresholds import parse_threshold
from pytest_loadtool.codec.decoding import DECODINGS
from pytest_loadtool.codec.filters import FILTERS
from pytest_loadtool.codec.template import Reference, escape
from pytest_loadtool.model.answer import Answer
from pytest_loadtool.model.asm import AsmSettings
from pytest_loadtool.model.authentication import PROXY_METHODS, Identity, Proxy
from pytest_loadtool.model.bandwidth import PROFILES, Bandwidth
from pytest_loadtool.model.case import (
    CaseProfile,
    Header,
    Kind,
    Page,
    Recorded,
    Request,
    TestCase,
    Transaction,
    Variable,
)
from pytest_loadtool.model.dataset import Dataset, DatasetUse
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import (
    Boundary,
    Choice,
    CookieValue,
    Decoded,
    Extractor,
    FormField,
    HeaderValue,
    InItem,
    JsonPath,
    Link,
    RegularExpression,
    Source,
    XmlPath,
)
from pytest_loadtool.model.flow import NOTHING, Choose, NamedFlow, Repeat, Until, When
from pytest_loadtool.model.generator import (
    ALPHABETS,
    ChosenText,
    Date,
    Fake,
    Number,
    RandomText,
    Sequence,
    Timestamp,
    Uuid,
)
from pytest_loadtool.model.load import (
    CaseShare,
    Distribution,
    Fleet,
    LoadConfiguration,
    Schedule,
    Stage,
    ThinkTime,
)
from pytest_loadtool.model.tls import TlsSettings
from pytest_loadtool.model.validator import (
    JSON_TYPES,
    THAN_BEFORE,
    HeaderValidator,
    JsonValidator,
    RegexValidator,
    ResponseValidator,
    StatusCodes,
    TextValidator,
    Validator,
    ValueValidator,
    XmlValidator,
)

__all__ = ["FILES", "cases", "datasets", "exchanges", "loads", "texts"]

#: The same examples in every run.
FILES = settings(
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],  # explaining takes minutes
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

# Any text, and text that is made of what is hard to write down.
_HARD = "' \" ''' \"\"\" \\ # $ ${ } { [ ] = , : \\n \\u é 🙂 a \ufeff \x00 \x1b \x7f".split(" ")  # noqa: SIM905
_hard = st.sampled_from([*_HARD, " ", "\t", "\n", "\r", "\r\n", "\x85", "\u2028"])
texts = st.text(max_size=12) | st.lists(_hard, max_size=8).map("".join)
_filled = texts.filter(bool)
_names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,5}", fullmatch=True).filter(
    lambda name: name not in ("server", "host")
)
_variables = st.builds(
    lambda name, number: f"{name}[{number}]" if number else name, _names, st.integers(0, 12)
)
_tokens = st.from_regex(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}", fullmatch=True)
_paths = st.sampled_from(["$", "$.a", "$.items[0].id", "$['a b']", "$..x", "$.a[*].b", "$.*"])
_xml_paths = st.sampled_from(['//A[B="${server}"]/@id', "/a[c='$${x}'][2]"])
_patterns = st.sampled_from(
    ["", "a", r'id="(\d+)"', r"it's \"(.)\"", "(a)(b)", "\n\t\\\\", "é[^']"]
)
_seconds = st.floats(0, 1e9) | st.integers(0, 10**6).map(lambda ms: ms / 1000)


def _templates(
    names: list[str], literals: st.SearchStrategy[str] = texts
) -> st.SearchStrategy[str]:
    """Text with placeholders of these names."""
    parts = literals.map(escape)
    if names:
        filters = st.lists(st.sampled_from(sorted(FILTERS)), max_size=2)
        written = st.tuples(st.sampled_from(names), filters)
        parts |= written.map(lambda found: str(Reference(found[0], tuple(found[1]))))
    # "$" before a placeholder or brace would change what it means.
    return st.lists(parts, max_size=4).map(
        lambda found: "".join(f"{part}_" if part.endswith("$") else part for part in found)
    )


_in_header = texts.map(lambda text: "".join(c for c in text if c not in "\r\n\0"))
_in_target = texts.map(
    lambda text: "".join(c for c in text if not c.isspace() and c > " " and c != "\x7f")
)


def _headers(names: list[str]) -> st.SearchStrategy[Header]:
    return st.builds(Header, _tokens, st.none() | _templates(names, _in_header))


def _own_headers(names: list[str]) -> st.SearchStrategy[Header]:
    computed = st.sampled_from(["Host", "content-length", "COOKIE"]).map(Header)
    return computed | st.builds(Header, _tokens, _templates(names, _in_header))


def _requests(names: list[str], sets: list[str]) -> st.SearchStrategy[Request]:
    starts = st.sampled_from(["/", "http://h/", "https://[::1]:8443/a?b=", "${server}/"])
    return st.builds(
        Request,
        method=st.sampled_from(["GET", "POST", "PATCH", "patch", "PURGE", "M-SEARCH"]),
        target=st.builds(
            lambda start, rest: f"{start}{rest}", starts, _templates(names, _in_target)
        ),
        headers=st.lists(_own_headers(names), max_size=4).map(tuple),
        body=st.none() | _templates(names) | st.binary(max_size=20),
        header_set=st.sampled_from(["", *sets]),
        charset=st.sampled_from(["", "shift_jis"]),
    ).map(lambda one: one if isinstance(one.body, str) else replace(one, charset=""))


def _in_text(names: list[str]) -> st.SearchStrategy[Source]:
    """Their texts are templates; placeholders may stand in paths, too, and in patterns."""
    paths, patterns, filled = _paths, _patterns, _templates(names).filter(bool)
    if names:
        written = st.sampled_from(names).map(lambda name: f"${{{name}}}")
        paths |= written.map(lambda one: f'$.items[?(@.a.b=="x {one}")].id')
        paths |= written.map(lambda one: f"$['{one}'][?(@.id == {one})]")
        paths |= written.map(lambda one: f'$.names[?(@=="x {one}")]')
        patterns |= written.map(lambda one: rf'/items/{one}/\w+\?t=([^"]*)')
    links = st.sampled_from(["/a/*/b", "/a?b=...&c=*", "/$${x}/*", "/${server}/*", "*"])
    actions = st.sampled_from(["", "/a/.../b", "/a?b=${server}", "x.php"])
    in_page = st.one_of(
        st.builds(FormField, filled, action=actions),
        st.builds(Link, links, st.just("") | filled),
        st.builds(Choice, filled, filled),
        st.builds(RegularExpression, patterns),
        st.builds(Boundary, filled, _templates(names)),
    )
    return st.one_of(
        st.builds(JsonPath, paths),
        st.builds(XmlPath, _xml_paths),
        in_page,
        st.builds(InItem, in_page, filled, st.sampled_from(["", "div.card", "tbody", "add_row()"])),
    )


def _plain_sources(names: list[str]) -> st.SearchStrategy[Source]:
    return st.one_of(
        _in_text(names),
        st.builds(CookieValue, _templates(names).filter(bool)),
        st.builds(HeaderValue, _tokens, st.none() | _patterns),
    )


_decodings = st.lists(st.sampled_from(sorted(DECODINGS)), min_size=1, max_size=2).map(tuple)


def _sources(names: list[str]) -> st.SearchStrategy[Source]:
    plain, in_text = _plain_sources(names), _in_text(names)
    inner = in_text | st.builds(Decoded, in_text, _decodings)
    return (
        plain
        | st.builds(Decoded, plain, _decodings)
        | st.builds(Decoded, plain, st.just(()) | _decodings, inner, st.integers(1, 3))
    )


_of_a_split_state = st.builds(
    Extractor, _variables, st.builds(FormField, st.just("__VIEWSTATE1"), st.integers(2, 9))
)
_scalars = st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
_whole_seconds = st.integers(0, 10**6).map(float)
_codes = st.tuples(st.integers(100, 999), st.integers(100, 999)).map(lambda c: (min(c), max(c)))
_status = st.lists(_codes, min_size=1, max_size=3).map(lambda all_: StatusCodes(tuple(all_)))


def _validators(names: list[str]) -> st.SearchStrategy[Validator]:
    text = _templates(names).filter(bool)
    of_headers = st.sampled_from(["equals", "contains", "matches"]).flatmap(
        lambda key: st.fixed_dictionaries({key: _patterns if key == "matches" else text})
    )
    return st.one_of(
        _comparing(text),
        st.builds(TextValidator, _templates(names).filter(bool), st.booleans()),
        st.builds(TextValidator, _templates(names).filter(bool), unrepeated=st.just(True)),
        st.builds(TextValidator, text, st.booleans(), ahead_of=text),
        st.builds(RegexValidator, _patterns, st.booleans()),
        st.builds(JsonValidator, _paths, st.none() | _templates(names) | _scalars, st.booleans()),
        st.builds(JsonValidator, _paths, unrepeated=st.just(True)),
        st.builds(RegexValidator, _patterns, than_before=st.sampled_from(THAN_BEFORE)),
        st.builds(XmlValidator, _xml_paths, st.none() | text, st.booleans()),
        st.builds(
            lambda name, expected, absent: HeaderValidator(name, absent=absent, **expected),
            _tokens,
            st.just({}) | of_headers,
            st.booleans(),
        ),
    )


def _comparing(text: st.SearchStrategy[str]) -> st.SearchStrategy[Validator]:
    """With each comparison by itself, and with bounds together."""
    bounds = st.fixed_dictionaries({"at_least": st.integers(), "less_than": _whole_seconds})
    of_text = bounds | st.one_of(
        st.fixed_dictionaries({"not_equals": text}),
        st.fixed_dictionaries({"contains": text}),
        st.fixed_dictionaries({"matches": _patterns}),
        st.fixed_dictionaries({"empty": st.booleans()}),
    )
    of_json = of_text | st.one_of(
        st.fixed_dictionaries({"type": st.sampled_from(JSON_TYPES)}),
        st.fixed_dictionaries({"schema": _filled}),
    )
    subjects = st.sampled_from(
        [(RegexValidator, "a"), (XmlValidator, "//a"), (HeaderValidator, "a"), (TextValidator, "a")]
    )
    return st.one_of(
        of_json.map(lambda how: JsonValidator("$.a", **how)),
        st.builds(lambda one, how: one[0](one[1], **how), subjects, of_text).filter(
            lambda one: not isinstance(one, TextValidator)
        ),
        st.builds(lambda one, how: one[0](one[1], counted=True, **how), subjects, bounds),
        st.builds(
            ResponseValidator,
            st.just("duration"),
            at_most=_whole_seconds,
            more_than=st.none() | _whole_seconds,
        ),
        st.integers(0, 999).map(lambda code: ResponseValidator("status", equals=code)),
    )


def _transactions(names: list[str], sets: list[str]) -> st.SearchStrategy[Transaction]:
    return st.builds(
        Transaction,
        request=_requests(names, sets),
        name=texts,
        dangerous=st.booleans(),
        status=st.just(StatusCodes()) | _status,
        extractors=st.lists(
            st.builds(Extractor, _variables, _sources(names), st.integers(1, 3))
            | _of_a_split_state,
            max_size=2,
        ).map(tuple),
        validators=st.lists(_validators(names), max_size=2).map(tuple),
        recorded=st.none()
        | st.builds(
            Recorded,
            status=st.integers(0, 599),
            kind=st.sampled_from(Kind),
            entry=st.none() | st.integers(0, 10**6),
            at=_seconds,
            took=_seconds,
            pause=_seconds,
            negotiation=st.lists(st.integers(0, 99), max_size=2).map(tuple),
            answer=st.none() | _answers,
        ),
    )


_fields = st.lists(_filled, max_size=2).map(tuple)
_answers = st.builds(
    Answer,
    size=st.integers(0, 10**9),
    json=st.sampled_from(["", "object", "array", "value"]),
    keys=_fields,
    lists=_fields,
    said=st.dictionaries(_filled, _filled | st.integers() | st.booleans(), max_size=2).map(
        lambda said: tuple(said.items())
    ),
    root=texts,
    title=texts,
    location=texts,
    login=st.sampled_from(["", "field", "page"]),
    failed=texts,
)


_seeds = st.none() | st.integers(-(10**18), 10**18)
_generators = st.one_of(
    st.builds(Uuid, _seeds),
    st.builds(RandomText, st.integers(1, 100), st.sampled_from(sorted(ALPHABETS)), _seeds),
    st.builds(Sequence, st.integers(-(10**9), 10**9), st.integers(-5, 5)),
    st.builds(
        ChosenText, st.dictionaries(texts, st.integers(1, 9), min_size=1, max_size=3), _seeds
    ),
    st.builds(Number, st.integers(-99, 0), st.floats(0, 99), st.integers(0, 9), _seeds),
    st.builds(
        Date,
        texts.filter(bool),
        st.dictionaries(st.sampled_from(["weeks", "days", "hours"]), st.integers(-9, 9)),
        st.sampled_from(["UTC", "Europe/Berlin"]),
    ),
    st.builds(
        Fake,
        texts.filter(bool),
        texts.filter(bool),
        st.dictionaries(texts, texts | st.booleans() | st.integers(-9, 9), max_size=2),
        _seeds,
    ),
    st.builds(Timestamp, st.sampled_from(["s", "ms", "us", "iso"])),
)
_values: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries({"value": texts}),
    st.fixed_dictionaries({"env": _filled}),
    st.fixed_dictionaries({"keyring": _filled, "username": _filled}),
    st.fixed_dictionaries({"template": _templates([])}),
    st.fixed_dictionaries({"generate": _generators}),
    st.fixed_dictionaries({}),
)


_tls_settings = st.builds(
    TlsSettings,
    verify=st.booleans(),
    ca=texts,
    server_name=st.sampled_from(["", "shop.example"]),
) | st.builds(
    TlsSettings,
    client_certificate=_filled,
    client_key=texts,
    client_key_password_env=texts,
)


def _identities(known: list[str], secret: list[str]) -> st.SearchStrategy[Identity]:
    """``known`` are the names of placeholders, ``secret`` of those that a password may hold."""
    placeholders = [f"${{{name}}}" for name in secret]
    return st.builds(
        Identity,
        username=_templates(known),
        password=st.lists(st.sampled_from(placeholders), max_size=2).map("".join)
        if secret
        else st.just(""),
        domain=_templates(known),
        realm=texts,
        host=st.sampled_from(["", "h", "127.0.0.1:8000", "[::1]:1", "[::1]"]),
        ahead=st.booleans(),
    ).map(lambda one: replace(one, ahead=one.ahead and not one.realm))


def _proxies(known: list[str], secret: list[str]) -> st.SearchStrategy[Proxy]:
    urls = st.sampled_from(["http://127.0.0.1:3128", "http://proxy.example"])
    return st.builds(Proxy, urls) | st.builds(
        lambda url, one, method: Proxy(url, one.username, one.password, one.domain, method),
        urls,
        _identities(known, secret).filter(lambda one: bool(one.username)),
        st.sampled_from(["", *PROXY_METHODS]),
    )


@st.composite
def _flows(
    draw: st.DrawFn, pages: list[Page], names: list[str]
) -> tuple[list[Page], dict[str, NamedFlow]]:
    """Pages and transactions that stand in flows of all kinds, and those flows."""
    when = st.builds(
        lambda text, how: When(ValueValidator(text, **how)),
        _templates(names).filter(bool),
        st.sampled_from([{"equals": "a"}, {"more_than": 0}, {"empty": True}]),
    )
    rules = when | st.tuples(st.integers(1, 9), st.integers(0, 9)).map(
        lambda found: Repeat(found[0], sum(found))
    )
    until = st.builds(Until, _validators(names), _seconds, _seconds.filter(bool))
    flows: dict[str, NamedFlow] = {}
    found = []
    for number, page in enumerate(pages):
        name = f"{draw(_filled)}{number}".strip()
        outer = draw(st.sampled_from(["", f"around {number}"]))
        match draw(st.sampled_from(["none", "transactions", "page", "choice"])):
            case "transactions":
                count = draw(st.integers(1, len(page.transactions)))
                inside = [replace(one, flow=name) for one in page.transactions[:count]]
                page = replace(page, transactions=(*inside, *page.transactions[count:]))
                flows[name] = NamedFlow(name, draw(rules | until), outer)
            case "page":
                page = replace(page, flow=name)
                flows[name] = NamedFlow(name, draw(rules), outer)
            case "choice":
                page = replace(page, flow=name)
                weights = {name: draw(st.integers(1, 9)), NOTHING: draw(st.integers(1, 9))}
                flows["one of"] = NamedFlow("one of", Choose(MappingProxyType(weights)), outer)
            case _:
                outer = ""
        if outer:
            flows[outer] = NamedFlow(outer, draw(rules))
        found.append(page)
        if "one of" in flows:  # it stands where its alternatives stand
            return [*found, *pages[number + 1 :]], flows
    return found, flows


@st.composite
def cases(draw: st.DrawFn) -> TestCase:
    """Test cases in which every placeholder is known."""
    variables = {
        name: Variable(
            name,
            **draw(_values),
            recorded=draw(st.none() | texts),
            set_by=draw(st.sampled_from(["asm", "person"])),
            rule=draw(texts),
        )
        for name in draw(st.lists(_variables, max_size=3, unique=True))
    }
    uses = draw(
        st.lists(
            st.builds(
                DatasetUse,
                _names,
                _filled,
                st.sampled_from(["virtual user", "test case"]),
                st.booleans(),
                st.booleans(),
            ),
            max_size=2,
            unique_by=lambda use: use.name,
        )
    )
    known = ["server", "host", *(f"{use.name}.column-1" for use in uses)]
    known += [one.name for one in variables.values() if not one.needs_extractor]
    secret = [f"{use.name}.column-1" for use in uses]
    secret += [one.name for one in variables.values() if one.env or one.keyring or one.generate]
    headers = st.lists(_headers(known), max_size=4).map(tuple)
    sets = draw(st.dictionaries(_names, headers, max_size=2))
    pages = st.builds(
        Page,
        _filled,
        st.lists(_transactions(known, list(sets)), min_size=1, max_size=2).map(tuple),
        st.just(0.0) | _seconds,
    )
    ways: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
        [
            {"server_fixture": "shop", "transport": "httpx"},
            {"app": "shop.asgi:app", "transport": "httpx"},
            {"app": "wsgi:größe:make()"},
            {"transport": "raw"},
            {},
        ]
    )
    identifiers = st.lists(st.sampled_from(["smoke", "db", "größe"]), max_size=2).map(tuple)
    own = [name for name, one in variables.items() if not one.needs_extractor]
    values = st.dictionaries(st.sampled_from(own), texts, max_size=2) if own else st.just({})
    profiles = st.builds(
        lambda server, found: CaseProfile(
            server, MappingProxyType({name: Variable(name, text) for name, text in found.items()})
        ),
        st.sampled_from(["", "http://10.0.0.1:80"]),
        values,
    )
    straight = draw(st.lists(pages, min_size=1, max_size=2))
    in_flows, flows = draw(_flows(straight, known))
    return TestCase(
        profiles=MappingProxyType(draw(st.dictionaries(_names, profiles, max_size=2))),
        name=draw(_filled),
        pages=tuple(in_flows),
        flows=MappingProxyType(flows),
        server=draw(st.sampled_from(["http://127.0.0.1:8000", "https://[::1]", "http://a-b.c"])),
        **draw(ways),
        fixtures=draw(identifiers),
        marks=draw(identifiers),
        hosts=draw(identifiers),
        recorded_hosts=draw(identifiers),
        tls=draw(_tls_settings),
        asm=AsmSettings(*(draw(st.lists(_filled, max_size=2).map(tuple)) for _ in range(2))),
        headers=draw(headers),
        header_sets=MappingProxyType(sets),
        datasets=tuple(uses),
        variables=MappingProxyType(variables),
        identities=tuple(draw(st.lists(_identities(known, secret), max_size=2))),
        proxy=draw(st.none() | _proxies(known, secret)),
        strict=draw(st.booleans()),
        show_negotiation=draw(st.booleans()),
    )


_thresholds = st.lists(
    st.sampled_from(
        [
            'p95 of page "Sign in" < 800 ms',
            "mean of service time of 'say \"hi\"' <= 0.5 s",
            "throughput > 30 requests/min for 1m30s",
            "p99.9 > 2 s for 30 s: stop",
            "errors >= 100 : stop",
            "  error rate of case 'x  y' < 0.5 %",
        ]
    ).map(parse_threshold),
    max_size=3,
).map(tuple)


_rates = st.floats(1e-3, 1e6) | st.integers(1, 6000).map(lambda number: number / 60)
_drawn = st.one_of(
    st.builds(Distribution, st.sampled_from(["constant", "exponential"]), st.tuples(_seconds)),
    st.builds(Distribution, st.just("normal"), st.tuples(_seconds, _seconds)),
    st.builds(
        lambda one, other: Distribution("uniform", (min(one, other), max(one, other))),
        _seconds,
        _seconds,
    ),
)
_think_times = st.one_of(
    st.builds(ThinkTime, st.floats(0, 10), st.none() | _seconds),
    st.builds(ThinkTime, cap=st.none() | _seconds, drawn=_drawn),
)


def _stages(**level: st.SearchStrategy[float]) -> st.SearchStrategy[tuple[Stage, ...]]:
    """Stages, the first of them with something to do."""
    length = _seconds.filter(bool)
    first = st.builds(Stage, length, st.just(0.0), **level)
    other = st.builds(Stage, length, st.just(0.0), **level)
    ramps = other.map(lambda stage: replace(stage, ramp=stage.duration / 2))
    return st.builds(lambda one, more: (one, *more), first, st.lists(other | ramps, max_size=3))


@st.composite
def _models(draw: st.DrawFn) -> dict[str, Any]:
    """The load: closed or open, with and without stages."""
    users, duration = draw(st.integers(1, 10**6)), draw(_seconds.filter(bool))
    ramp_up = draw(st.just(0.0) | st.floats(0, duration))
    closed: dict[str, Any] = {"pacing": draw(st.none() | _drawn)}
    opened: dict[str, Any] = {
        "users": users,
        "arrivals": draw(st.sampled_from(["even", "poisson"])),
    }
    kind = draw(st.sampled_from(["users", "iterations", "rate", "stages", "stages of rates"]))
    if kind == "stages":
        stages = draw(_stages(users=st.integers(1, 10**6)))
        closed["users"] = max(int(stage.level) for stage in stages)
        return closed | {"stages": stages, "duration": sum(one.duration for one in stages)}
    if kind == "stages of rates":
        stages = draw(_stages(rate=_rates))
        return opened | {"stages": stages, "duration": sum(one.duration for one in stages)}
    if kind == "rate":
        return opened | {"duration": duration, "ramp_up": ramp_up, "rate": draw(_rates)}
    if kind == "iterations":
        closed["iterations"] = draw(st.integers(1, 9))
    unlimited = kind == "iterations" and draw(st.booleans())
    return closed | {
        "users": users,
        "ramp_up": ramp_up,
        "duration": None if unlimited else duration,
    }


_bandwidths = (
    st.none()
    | st.sampled_from(sorted(PROFILES.values(), key=str))
    | st.builds(Bandwidth, st.integers(1, 10**12 - 1), st.integers(1, 10**12 - 1), _seconds)
)


_fleets = st.just(Fleet()) | st.builds(
    Fleet,
    workers=st.lists(_filled, max_size=2).map(tuple),
    resources=st.dictionaries(texts, st.floats(0, 9), max_size=2).map(
        lambda found: tuple(sorted(found.items()))
    ),
    secrets=st.sampled_from(["encrypted", "always", "never"]),
    share=st.sampled_from(["processors", "evenly"]),
)


_shared_cases = st.builds(CaseShare, _filled, st.integers(1, 9))
_own_cases = st.builds(
    lambda file, fields, start: CaseShare(file, schedule=Schedule(**fields, start=start)),
    _filled,
    _models(),
    st.just(0.0) | _seconds,
)


@st.composite
def loads(draw: st.DrawFn) -> LoadConfiguration:
    """Load configurations."""
    cases = draw(st.lists(_shared_cases | _own_cases, min_size=1, max_size=3).map(tuple))
    shared = any(one.schedule is None for one in cases)
    return LoadConfiguration(
        **(draw(_models()) if shared else {"users": 0, "duration": None}),
        name=draw(_filled),
        cases=cases,
        think_time=draw(_think_times),
        on_error=draw(st.sampled_from(["continue", "stop iteration", "stop user"])),
        max_error_rate=draw(st.just(0.0) | st.floats(0, 1)),
        thresholds=draw(_thresholds),
        grace=draw(_seconds),
        timeout=draw(_seconds.filter(bool)),
        body_limit=draw(st.integers(1 << 20, 1 << 40)),
        server=draw(st.sampled_from(["", "http://10.0.0.1:80"])),
        bandwidth=draw(_bandwidths),
        keep_connections=draw(st.booleans()),
        keep_state=draw(st.booleans()),
        percentiles=draw(st.sampled_from([(50.0, 90.0, 95.0, 99.0), (99.9,), (1.0, 50.0, 100.0)])),
        detailed_pages=draw(st.booleans()),
        fleet=draw(_fleets),
    )


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    """Datasets; a column's name is never blank."""
    columns = draw(
        st.lists(texts.filter(str.strip), min_size=1, max_size=3, unique=True).filter(
            lambda names: not names[0].startswith("\ufeff")
        )
    )
    rows = st.lists(st.tuples(*(texts for _ in columns)), max_size=4)
    return Dataset(tuple(columns), tuple(draw(rows)))


_header_lists = st.lists(st.tuples(_tokens, texts), max_size=4).map(tuple)
_microseconds = st.integers(0, 4_000_000_000_000_000).map(lambda count: count / 1_000_000)
_bodies = st.binary(max_size=30) | texts.map(str.encode)

exchanges = st.builds(
    Exchange,
    started=_microseconds,
    took=st.integers(0, 10**10).map(lambda count: count / 1_000_000),
    method=_tokens,
    url=st.just("http://h/a?b=c&d") | texts,
    http_version=st.sampled_from(["HTTP/1.1", "HTTP/2.0", "HTTP/3"]),
    request_headers=_header_lists,
    request_body=_bodies,
    status=st.integers(0, 599),
    reason=texts,
    response_headers=_header_lists,
    response_body=_bodies,
    error=texts,
    note=texts,
)
