"""What DokuWiki 2022-07-31 sent to Chromium: pages cut down to what a request takes from them."""

from __future__ import annotations

from pytest_loadtool.correlation.recorded import RecordedResponse
from pytest_loadtool.extraction.extract import compile_source
from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import FormField, Link
from tests.correlation.exchanges import answered, exchange, html
from tests.correlation.talk import get, made, post, requests, run, sources

SECTOK = "3596d3eb1589b557b6bbb6f6071b70d5"
PICTURE = exchange(received=(("Content-Type", "image/png"),))
EDIT = html(
    '<form id="dw__editform" action="/doku.php?id=tea:kinds&amp;do=edit" method="post">'
    f'<input type="hidden" name="sectok" value="{SECTOK}" />'
    '<input type="hidden" name="id" value="tea:kinds" />'
    '<input type="hidden" name="rev" value="0" />'
    '<input type="hidden" name="date" value="1795307553" />'
    '<input type="hidden" name="prefix" value="." /><input type="hidden" name="suffix" value="" />'
    '<input type="hidden" name="changecheck" value="d593d8fe33cedaba958958c376e43ab2" />'
    '<input type="hidden" name="target" value="section" />'
    '<textarea name="wikitext" id="wiki__text" class="edit">====== Kinds ======</textarea>'
)
SAVED = (
    "id=tea%3Akinds&rev=0&date={date}&prefix=.&suffix=&changecheck=d593d8fe33cedaba958958c376e43ab2"
    "&target=section&wikitext=%3D%3D%3D%3D%3D%3D+Kinds+%3D%3D%3D%3D%3D%3D&do%5Bsave%5D=1&summary="
)


def revisions(old: str, current: str) -> Exchange:
    """The list of revisions, whose links have a bare ampersand."""
    return html(
        f'<form id="page__revisions"><input type="hidden" name="sectok" value="{SECTOK}" />'
        f'<li><input name="rev2[]" type="checkbox" value="{current}" />'
        '<a href="/doku.php?id=start" class="wikilink1">start</a></li>'
        f'<li><input name="rev2[]" type="checkbox" value="{old}" />'
        f'<a href="/doku.php?id=start&rev={old}&do=diff" class="diff_link"></a>'
        f'<a href="/doku.php?id=start&rev={old}" class="wikilink1">start</a></li></form>'
    )


def test_saving() -> None:
    """The token and the time of the last change; the number of the revision is a constant."""
    form = f"sectok={SECTOK}&" + SAVED.format(date="1795307553")
    configuration = run(get("/doku.php?id=tea:kinds&do=edit", EDIT), post("/doku.php", form))
    token, date = sources(configuration)
    assert (token[1], date[1]) == (FormField("sectok"), FormField("date"))
    assert requests(configuration)[1] == (
        f"/doku.php sectok=${{{token[0]}}}&" + SAVED.format(date=f"${{{date[0]}}}")
    )


def test_an_old_revision_is_restored() -> None:
    """Seconds since 1970 are the ids of revisions: from the list, then from the page itself."""
    restore = "/doku.php?id=start&do=revert&rev={}&sectok={}"
    link = restore.format("1795217533", SECTOK)
    configuration = run(
        get("/doku.php?id=start&do=revisions", revisions("1795217533", "1795221133")),
        get(
            "/doku.php?id=start&rev=1795217533",
            html(
                '<form action="/doku.php"><input type="hidden" name="rev" value="1795217533" />'
                f'<a href="{link.replace("&", "&amp;")}" title="Restore">Restore</a></form>'
            ),
        ),
        get(link),
    )
    listed, old, token = sources(configuration)
    assert requests(configuration)[1:] == [
        f"/doku.php?id=start&rev=${{{listed[0]}}}",
        restore.format(f"${{{old[0]}}}", f"${{{token[0]}}}"),
    ]
    answer = RecordedResponse(revisions("1895217533", "1895221133"))
    assert compile_source(listed[1], listed[2])(answer) == "1895217533"


def test_a_picture_is_added() -> None:
    """A token in the address of what a script sends, and a picture's address that is signed."""
    upload = "/lib/exe/ajax.php?do=media&ns=&sectok={}&call=mediaupload&qqfile=leaf.png&ow=true"
    fetch = "/lib/exe/fetch.php?t=1795307563&w=1&h=1&tok={}&media=leaf.png"
    written = fetch.format("55f714").replace("&", "&amp;")
    configuration = run(
        post(
            "/lib/exe/ajax.php",
            "call=medialist&tab_files=upload&do=media&ns=",
            html(f'<form id="dw__upload"><input type="hidden" name="sectok" value="{SECTOK}" />'),
        ),
        answered("POST", upload.format(SECTOK), exchange(), body=b"PNG"),
        post(
            "/lib/exe/ajax.php",
            "call=mediadetails&image=%3Aleaf.png",
            html(
                '<ul class="tabs"></ul><a href="/lib/exe/fetch.php?media=leaf.png">leaf.png</a>'
                f'<a href="{written}"><img src="{written}" alt="" /></a>'
            ),
        ),
        get(fetch.format("55f714"), PICTURE),
    )
    token, signature = sources(configuration)
    assert token[1] == FormField("sectok")
    assert signature[1] == Link("/lib/exe/fetch.php?t=...&w=...&h=...&tok=*&media=...")
    assert requests(configuration)[1] == upload.format(f"${{{token[0]}}}") + " PNG"
    assert requests(configuration)[3] == fetch.format(f"${{{signature[0]}}}")
    assert [one.rule for one in made(configuration)] == ["csrf-form-field", "signed-address"]


def test_logging_out() -> None:
    """The token in a link that every page has."""
    link = "/doku.php?id=start&do=logout&sectok={}"
    page = html(f'<a href="{link.format(SECTOK).replace("&", "&amp;")}">Log Out</a>')
    configuration = run(get("/doku.php?id=start&do=index", page), get(link.format(SECTOK)))
    ((name, _, _),) = sources(configuration)
    assert requests(configuration)[1] == link.format(f"${{{name}}}")
