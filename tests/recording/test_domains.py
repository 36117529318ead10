"""Only record domain, and domain blocking."""

from __future__ import annotations

import pytest

from pytest_loadtool.recording import TRACKERS, DomainFilter, build_case
from pytest_loadtool.recording.filter.domains import BLOCKED, OUTSIDE, Domain
from pytest_loadtool.recording.notes import FILTERED
from tests.recording.samples import call, load, visit


def domains(*names: str) -> tuple[Domain, ...]:
    """The domains of these names."""
    return tuple(map(Domain.parse, names))


@pytest.mark.promise(9)
@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("shop.example", ["shop.example", "api.shop.example", "SHOP.example."], ["myshop.example"]),
        ("*.shop.example", ["shop.example", "a.b.shop.example"], ["example", "shop.example.org"]),
        ("Bücher.example", ["xn--bcher-kva.example", "bücher.example"], ["bucher.example"]),
        ("127.0.0.1", ["127.0.0.1"], ["127.0.0.2", "1.127.0.0.1"]),
        ("::1", ["::1"], ["::2"]),
    ],
)
def test_a_domain_holds_its_subdomains(name: str, inside: list[str], outside: list[str]) -> None:
    """In any spelling; neither what only ends alike nor what has an address for its end."""
    (domain,) = domains(f"[{name}]" if ":" in name else name)
    only = DomainFilter(only=(domain,))
    assert [only.records(host, 443) for host in inside] == [True] * len(inside)
    assert [only.records(host, 443) for host in outside] == [False] * len(outside)


def test_a_port_can_be_named() -> None:
    """On one development machine only ports tell servers apart; the schemes' own are implied."""
    only = DomainFilter(only=domains("localhost:8000", "shop.example:443"))
    assert [only.records("localhost", port) for port in (8000, 9000)] == [True, False]
    kept = [
        not only.kept(call("GET", url, 0)).note
        for url in ("https://shop.example/a", "http://shop.example/a", "http://localhost:8000/")
    ]
    assert kept == [True, False, True]


@pytest.mark.parametrize("text", ["", "*", "https://shop.example/", "a b", "shop.example/x", "a:b"])
def test_what_is_no_domain_is_refused(text: str) -> None:
    """A URL, above all, which would never match."""
    with pytest.raises(ValueError, match="domain"):
        Domain.parse(text)


@pytest.mark.promise(9)
@pytest.mark.promise(10)
def test_what_is_kept_out_is_counted_and_says_nothing() -> None:
    """No query, header or body of it is in the evidence; blocking goes before recording."""
    wanted = DomainFilter(only=domains("shop.example"), block=domains("stats.shop.example"))
    exchanges = [
        visit("http://shop.example/", 0, "<title>Shop"),
        load("http://cdn.example/a.js?user=ann", 0.1, "text/javascript", b"secret"),
        load("http://stats.shop.example/hit", 0.2, "image/gif", b"GIF"),
        load("http://shop.example/a.css", 0.3, "text/css"),
    ]
    kept = [wanted.kept(one) for one in exchanges]
    assert (kept[0], kept[3]) == (exchanges[0], exchanges[3])
    assert [one.note for one in kept] == ["", OUTSIDE, BLOCKED, ""]
    assert kept[1].url == "http://cdn.example/a.js"
    assert [(one.request_headers, one.response_body, one.status) for one in kept[1:3]] == [
        ((), b"", 0), ((), b"", 0),
    ]  # fmt: skip
    recording = build_case(kept, name="shop")
    targets = [one.request.target for one in recording.case.transactions()]
    assert targets == ["/", "/a.css"]
    assert [(note.kind, note.subject, note.message) for note in recording.notes] == [
        (FILTERED, "cdn.example", OUTSIDE),
        (FILTERED, "stats.shop.example", BLOCKED),
    ]


def test_without_a_filter_everything_is_recorded() -> None:
    """Also what is no HTTP at all."""
    odd = load("data:text/plain,/x", 0, "")
    assert DomainFilter().kept(odd) is odd


@pytest.mark.promise(10)
def test_the_list_of_trackers_is_a_list_of_domains() -> None:
    """Each is as a person could have written it, none is below another, and all are small
    letters."""
    assert all(Domain.parse(str(one)) == one for one in TRACKERS)
    wanted = [DomainFilter(block=tuple(set(TRACKERS) - {one})) for one in TRACKERS]
    assert [one.host for one, rest in zip(TRACKERS, wanted, strict=True)
            if rest.blocks(one.host, None)] == []  # fmt: skip
    blocked = DomainFilter(block=TRACKERS)
    assert blocked.blocks("www.google-analytics.com", 443)
    assert blocked.blocks("stats.g.doubleclick.net", 443)
    for needed in ("www.google.com", "fonts.googleapis.com", "js.stripe.com", "cdn.jsdelivr.net"):
        assert not blocked.blocks(needed, 443)
