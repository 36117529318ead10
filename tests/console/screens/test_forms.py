"""Forms: what keys do to them, what they look like, and which commands they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_loadtool.console.commands import COMMANDS
from pytest_loadtool.console.screens.cells import columns_of
from pytest_loadtool.console.screens.editor import Editor, editor_of
from pytest_loadtool.console.screens.editor_moves import MOVES as POLL_INTERVAL
from pytest_loadtool.console.screens.editor_moves import searched
from pytest_loadtool.console.screens.form import (
    KEYS,
    MOVES,
    Blank,
    CheckBox,
    Form,
    Radio,
    clicked,
    drawn,
    entered,
    form_of,
    typed,
)
from pytest_loadtool.console.screens.forms import FORMS
from pytest_loadtool.console.screens.picking import Pick
from pytest_loadtool.console.session import Console
from pytest_loadtool.model.case import Transaction
from pytest_loadtool.model.editing import with_transactions
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
)
from pytest_loadtool.model.validator import (
    HeaderValidator,
    JsonValidator,
    Outcome,
    RegexValidator,
    ResponseValidator,
    StatusCodes,
    TextValidator,
    XmlValidator,
)
from tests.console.listener import do
from tests.console.screens.shop import SHOP
from tests.console.screens.test_editor import SMALL, at


def sample() -> Form:
    """A form with one part of each kind; its command is what is filled in."""
    return form_of(
        "New thing",
        (
            (Radio("kind", "path", "Path"), Blank("path"), Blank("label", "label", width=8)),
            (Radio("kind", "word", "Word"), Blank("word", choices=("tea", "pot"))),
            (Blank("match", "match", of="kind"), CheckBox("all", "all of them")),
        ),
        {"kind": "path", "path": "/a", "match path": "1", "match word": "20"},
        lambda values: f"{values['kind']} {values.get(values['kind'], '')}",
    )


def after(form: Form, *moves: str) -> Form:
    """The form after keys; a move in quotes is typed."""
    for move in moves:
        form = typed(form, move[1:-1]) if move[0] == "'" else MOVES[move](form)
    return form


def screen(form: Form, *said: str, columns: int = 60, rows: int = 5) -> list[str]:
    return [str(line).rstrip() for line in drawn(form, said, columns, rows)]


def test_what_it_looks_like() -> None:
    """Radio buttons and blanks in columns, and below them what the command would do."""
    lines = drawn(sample(), ["recorded  1 match"], 60, 6)
    assert [str(line) for line in lines] == [
        "── New thing ───────────────────────────────────────────────",
        " (o) Path [/a                            ] label [        ] ",
        " ( ) Word [                                              v] ",
        " match [1                                 ] [ ] all of them ",
        " recorded  1 match".ljust(60),
        " " * 60,
    ]
    assert all(columns_of(line) == 60 for line in lines)


def test_typing_chooses_what_the_blank_belongs_to() -> None:
    """A blank has a value for each choice, where they differ."""
    form = after(sample(), "row below", "'tea'")
    assert form.command == "word tea"
    assert "(o) Word" in screen(form)[2]
    assert "match [20" in screen(form)[3]
    assert after(form, "row above", "' '").command == "path /a"


def test_text_is_edited() -> None:
    """Cursor, erasing, and what a blank may take."""
    form = after(sample(), "'b'", "left", "left", "'x'")
    assert form.values["path"] == "/xab"
    assert after(form, "erase before", "erase", "end", "'!'").values["path"] == "/b!"
    assert after(form, "begin", "erase", "erase all", "erase before").values["path"] == ""
    word = after(sample(), "row below", "next part")
    assert [after(word, *["next choice"] * n).command for n in (1, 2, 3)] == [
        "word tea", "word pot", "word tea",
    ]  # fmt: skip
    assert after(word, "choice before").command == "word pot"


def test_boxes_and_radio_buttons() -> None:
    """Space and a click choose; Enter on a radio button goes into its blank."""
    box = sample().moved_to(6)
    assert after(box, "' '").values["all"] == "yes"
    assert after(box, "' '", "' '").values["all"] == ""
    word = after(sample(), "row below")
    assert not word.is_chosen
    assert entered(word).values["kind"] == "word"
    assert entered(word).part == Blank("word", choices=("tea", "pot"))
    assert clicked(sample(), 2, 2, 60).values["kind"] == "word"
    assert clicked(sample(), 45, 3, 60).values["all"] == "yes"
    form = sample()
    assert clicked(form, 0, 9, 60) is form


def test_long_and_wide_texts_are_cut_at_the_cursor() -> None:
    """The end is seen where the cursor is, and a character of two columns takes two."""
    form = after(sample(), "'" + "東京" * 20 + "end'")
    assert {columns_of(line) for line in drawn(form, [], 60, 5)} == {60}
    assert "end" in screen(form)[1]
    assert "end" not in screen(after(form, "begin"))[1]


def test_a_small_screen_shows_where_the_cursor_is() -> None:
    """Rows that have no room are scrolled."""
    assert "match" in screen(after(sample(), "row above"), rows=2)[1]


def test_secrets_are_not_shown() -> None:
    """What is typed into a secret's blank is stars."""
    form = form_of("x", ((Blank("it", secret=True),),), {"it": "geheim"}, lambda _: "")
    assert "******" in screen(form)[1]
    assert "geheim" not in screen(form)[1]


def picking(number: int, text: str) -> Editor:
    """The editor with that text of a response picked."""
    found = searched(at(number, "open"), text, SMALL[0])
    assert found is not None
    return POLL_INTERVAL["pick"](found, *SMALL)


def made(name: str, editor: Editor, columns: tuple[str, ...] = ()) -> Form:
    form = FORMS[name](editor, columns)
    assert form is not None
    return form


def test_extractor_is_filled_in() -> None:
    """Each kind that takes the value has it, the steadiest is chosen, and constants are boxes."""
    form = made("extractor", picking(1, "6CCUccJo"))
    assert form.values["form"] == "csrf"
    assert form.values["regex"].endswith('value="(.+?)"')
    assert form.command.startswith("extract 1 'csrf[")
    assert " --form csrf" in form.command
    other = typed(form.moved_to(form.parts.index(Blank("json"))), "$.token")
    assert " --json '$.token'" in other.command
    assert "--form" not in other.command
    assert COMMANDS.parse(form.command) is not None
    assert COMMANDS.parse(other.command) is not None


def test_an_extractor_is_of_the_place_that_is_picked() -> None:
    """Of two places with one text, the one at the cursor; a kind that cannot tell it from the other
    has nothing filled in, which is said above the blanks."""
    first = picking(1, "password")
    second = POLL_INTERVAL["next word"](POLL_INTERVAL["next word"](first, *SMALL), *SMALL)
    assert (first.picked, second.picked) == ("password", "password")
    forms = [made("extractor", one) for one in (first, second)]
    assert [one.values["regex"] for one in forms] == [
        'input type="(.+?)"',
        '" name="(.+?)"',
    ]
    assert [one.values["match regex"] for one in forms] == ["2", "2"]
    assert [one.note for one in forms] == ["", ""]
    told = "Regex and Boundary: what stands around it there does not tell this place."
    exchanges = list(SHOP.exchanges)
    exchanges[2] = exchanges[2].changed(response_body=b'{"n": "17 17"}')
    tree = editor_of(replace(SHOP, exchanges=tuple(exchanges))).tree.goto(3, SMALL[1])
    lost = made("extractor", Editor(tree, pick=Pick(1, 11, 13)))
    shown = [line.strip() for line in screen(lost, columns=90, rows=12)]
    assert shown[1] == told == lost.note
    assert (lost.values["source"], lost.values.get("regex", "")) == ("regex", "")


def test_validator_is_filled_in() -> None:
    """A JSON value, or a text; a header and a status of one's own."""
    form = made("validator", picking(3, "tea"))
    assert form.command == "validate 3 --json '$.orders[0].name' --equals Tea"
    assert form.part == Blank("json")
    text = entered(form.moved_to(0))
    assert text.command == "validate 3 --text Tea"
    header = typed(text.moved_to(text.parts.index(Blank("header"))), "Content-Type")
    header = after(header, "next part", "next choice", "next part", "'json'")
    assert header.command == "validate 3 --header Content-Type --contains json"
    measure = header.moved_to(header.parts.index(Radio("kind", "response", "Measure")))
    size = after(entered(measure), "next part", "next part", "'50000'")
    assert size.command == "validate 3 --response size --at-most 50000"
    less = after(size, "part before", "next choice")
    assert less.command == "validate 3 --response size --less-than 50000"
    slow = after(less, "part before", "next choice", "row below", "row above")
    assert slow.command == "validate 3 --response duration --less-than 50000"
    status = typed(header.moved_to(header.parts.index(Blank("status"))), "404,500-599")
    assert status.command == "status 3 404,500-599"
    absent = typed(text.moved_to(text.parts.index(CheckBox("absent", "the opposite"))), " ")
    assert absent.command == "validate 3 --text Tea --absent"


EXTRACTORS = (
    Extractor("a", JsonPath("$.items[0].id"), 2),
    Extractor("b", Boundary("<b>", "</b>")),
    Extractor("c", Link("/orders/*/edit", "Edit it")),
    Extractor("d", InItem(Choice("size", "Large"), "Tea", "div.card")),
    Extractor("e", HeaderValue("Location", "/orders/([^/]+)")),
    Extractor("f", Decoded(CookieValue("state"), ("url", "base64"), JsonPath("$.id"), 2)),
    Extractor("g", FormField("__VIEWSTATE", 3)),
    Extractor("h[1]", RegularExpression("it's (.+?)<"), by_place=True),
)
VALIDATORS = (
    TextValidator("Tea's", row="Pot"),
    RegexValidator("a+", absent=True),
    TextValidator("Tea", unrepeated=True),
    TextValidator("Tea", ahead_of="Pot's"),
    JsonValidator("$.id", "17"),
    JsonValidator("$.done", True, outcome=Outcome("it is done")),
    JsonValidator("$.price", 1.5, outcome=Outcome("price is 1.5", "POST /items")),
    JsonValidator("$.state", "open", outcome=Outcome("it is open", "POST /items", edited=True)),
    XmlValidator("/a/b", "x y"),
    HeaderValidator("Location", contains="/orders"),
    HeaderValidator("ETag"),
    HeaderValidator("Age", at_most=60.0, more_than=1.0),
    RegexValidator("page (.+?) of", equals="17"),
    RegexValidator("<li>", counted=True, at_least=2),
    JsonValidator("$.code", contains="17"),
    JsonValidator("$.total", at_least=100, less_than=200),
    ResponseValidator("size", less_than=50000),
    ResponseValidator("duration", at_most=0.8),
)


def acting(transaction: Transaction, index: int) -> Editor:
    """The editor with the cursor on an actor of a transaction."""
    others = list(SHOP.case.transactions())[1:]
    case = with_transactions(SHOP.case, [transaction, *others])
    editor = editor_of(replace(SHOP, case=case))
    editor = Editor(editor.tree.goto(1, SMALL[1]))
    for move in ("tab 4", "open", *["down"] * index):
        editor = POLL_INTERVAL[move](editor, *SMALL)
    return editor


@pytest.mark.parametrize("extractor", EXTRACTORS, ids=lambda one: one.variable)
def test_an_extractor_that_there_is_is_filled_in(extractor: Extractor, session: Console) -> None:
    """The form has all of it: its command, unchanged, makes the same."""
    first = next(iter(SHOP.case.transactions()))
    editor = acting(replace(first, extractors=(extractor,)), 1)
    session.document = editor.tree.document
    do(session, made("actor", editor).command + " --anyway")
    assert next(iter(session.opened().case.transactions())).extractors == (extractor,)


@pytest.mark.parametrize("number", range(1, len(VALIDATORS) + 1))
def test_a_validator_that_there_is_is_filled_in(number: int, session: Console) -> None:
    """Its command, unchanged, puts the same in its place; the opposite is another."""
    first = next(iter(SHOP.case.transactions()))
    editor = acting(replace(first, validators=VALIDATORS), number)
    form = made("actor", editor)
    session.document = editor.tree.document
    do(session, form.command + " --anyway")
    assert next(iter(session.opened().case.transactions())).validators == VALIDATORS
    once = getattr(VALIDATORS[number - 1], "unrepeated", False)
    way = ("unrepeated", "no second time") if once else ("absent", "the opposite")
    box = form.moved_to(form.parts.index(CheckBox(*way)))
    do(session, typed(box, " ").command + " --anyway")
    now = next(iter(session.opened().case.transactions())).validators
    differing = [at for at, one in enumerate(VALIDATORS, 1) if now[at - 1] != one]
    assert differing == [number]


def test_the_status_code_validator_is_edited_and_actors_are_removed() -> None:
    """Enter on it asks for codes; d has a command for each kind of actor."""
    first = replace(
        next(iter(SHOP.case.transactions())),
        status=StatusCodes(((200, 299), (404, 404))),
        validators=VALIDATORS,
        extractors=EXTRACTORS,
    )
    form = made("actor", acting(first, 0))
    assert form.command == "status 1 200-299,404"
    assert after(form, "erase all").command == "status 1 200-399"
    indexes = (0, 2, 99)
    removals = [acting(first, index).places["removal"] for index in indexes]
    assert removals == ["status 1 200-399", "remove-validator 1 2", "remove-extractor 1 'h[1]'"]
    assert all(COMMANDS.parse(str(line)) is not None for line in removals)


def test_actors_are_made_of_nothing() -> None:
    """Without a value that is picked, the blanks are empty."""
    assert made("validator", at(3)).command == "validate 3"
    assert made("extractor", at(3)).command == "extract 3 'value[1]'"


def field(name: str) -> Editor:
    """The editor with the cursor on a field of the login."""
    editor = at(2, "tab 3", "open")
    index = next(i for i, row in enumerate(editor.fields) if row.field.name == name)
    return replace(editor, at=index)


@pytest.mark.parametrize(
    ("key", "keys", "command"),
    [
        ("field", ("'e'",), "set-field 2 user --dataset users.usernamee"),
        ("field", ("erase all", "next choice"), "set-field 2 user --dataset users.username"),
        ("field from a variable", ("'me'",), "set-field 2 user --variable me"),
        ("field", ("row above", "'Ann Lee'"), "set-field 2 user --constant 'Ann Lee'"),
        ("field", ("row below", "row below", "'csrf[1]'"),
         "set-field 2 user --extractor 'csrf[1]'"),
        ("field", ("row below", "row below", "row below", "' '"),
         "set-field 2 user --server-authentication"),
    ],
)  # fmt: skip
def test_field_gets_each_datasource(key: str, keys: tuple[str, ...], command: str) -> None:
    """It begins with the one it has, and what is chosen is a line of `set-field`."""
    form = made(key, field("user"), ("users.username", "users.name"))
    assert after(form, *keys).command == command
    assert COMMANDS.parse(command) is not None


def test_all_with_the_same_value() -> None:
    """A box is there where others send it; a password is not in the line that it begins with."""
    with_others = next(
        (n, row)
        for n in range(1, 6)
        for row in at(n, "tab 3", "open").fields
        if row.others and row.field.slot is not None
    )
    number, row = with_others
    editor = at(number, "tab 3", "open")
    form = made("field", replace(editor, at=editor.fields.index(row)))
    box = after(form, "part before") if isinstance(form.part, Radio) else form
    box = box.moved_to(len(box.parts) - 1)
    assert isinstance(box.part, CheckBox)
    assert "same value in" in box.part.label
    assert after(box, "' '").command.endswith(" --all")
    assert made("field", field("password")).values["constant"] == ""


def test_nothing_to_fill_in() -> None:
    """Where no field, or no actor, is at the cursor, there is no form."""
    assert FORMS["actor"](at(1), ()) is None
    assert FORMS["field"](at(1), ()) is None


def test_each_key_has_a_function_or_types() -> None:
    """And those that run and cancel are the view's own."""
    own = {"ok", "cancel", ""}
    assert all(key.move in own or key.move in MOVES for key in KEYS)
    assert SHOP.case.pages
