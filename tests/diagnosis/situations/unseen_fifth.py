"""A fifth ten of failures that no rule was written for: they were brought about at Django, Django
REST framework, Flask-WTF, FastAPI, Express and PHP before any rule was mended for them. What these
answered is kept here, so that none of them has to be installed."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable

from starlette.requests import Request

from tests.correlation.client import Client
from tests.diagnosis.situations.bench import Situation
from tests.diagnosis.situations.strangers import Told, calls, site

_PAGE = "<!doctype html><html><head><title>{0}</title>{2}</head><body><h1>{0}</h1>{1}</body></html>"


def _page(title: str, body: str = "", head: str = "", status: int = 200, **headers: str) -> Told:
    lines = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Told(_PAGE.format(title, body, head), status, headers=lines)


def _to(path: str, **headers: str) -> Told:
    return _page("", status=302, Location=path, **headers)


# Django.

_TEAS = ("Green tea", "Black tea", "Oolong")
_ITEM = """<form method=post><p><label for="id_title">Title:</label> <input type="text" name="title"
maxlength="40" required id="id_title"></p>{}<p><label for="id_category">Category:</label>
<select name="category" required{} id="id_category"><option value="">---------</option>{}</select>
</p><button>Save</button></form>"""
_NO_CHOICE = """<ul class="errorlist" id="id_category_error"><li>Select a valid choice. That choice
is not one of the available choices.</li></ul>"""
_INVALID = ' aria-invalid="true" aria-describedby="id_category_error"'


def _items(first: int, *, refused: bool = False) -> Told:
    options = "".join(
        f'<option value="{first + 3 * at}">{name}</option>' for at, name in enumerate(_TEAS)
    )
    wrong = (_NO_CHOICE, _INVALID) if refused else ("", "")
    return _page("New item", _ITEM.format(*wrong, options))


def _by_choice(client: Client) -> None:
    page = client.open("/open")
    found = re.search(r'value="(\d+)">Black', page)
    client.submit(page, {"title": "Sencha", "category": found[1] if found else ""})


def _saving(_request: Request, body: str) -> Told:
    return _to("/done") if "category=43" in body else _items(40, refused=True)


_LOGIN = _page(
    "Log in", "<form method=post><input name=username><input type=password name=password></form>"
)
_LOGGED_IN = _to("/", Set_Cookie="sessionid=k3y7w0b1q9z8x5m2; HttpOnly; Path=/; SameSite=Lax")


def _by_pages(client: Client) -> None:
    client.open("/")
    client.open("/checkout")


def _by_rights(client: Client) -> None:
    client.submit(client.open("/login"), {"username": "ann", "password": "correct-horse"})
    client.submit(client.open("/add"), {"title": "Sencha"})


def _adding(_request: Request, _body: str) -> Told:
    token = f'<input type="hidden" name="csrfmiddlewaretoken" value="{secrets.token_hex(32)}">'
    return _page("New item", f'<form method=post>{token}<input name="title"></form>')


# REST framework.


def _booking(name: str, key: str) -> dict[str, str]:
    return {name: key, "room": "Oak", "day": "2026-12-24", "guest": "Ann Archer"}


def _bookings(
    name: str = "key", *, paged: bool = False
) -> dict[str, Callable[[Request, str], Told]]:
    """An API with one booking, whose key is made up when it starts."""
    key = secrets.token_hex(6)

    def listed(_request: Request, _body: str) -> Told:
        every = [_booking(name, key)]
        return Told(
            {"count": 1, "next": None, "previous": None, "results": every} if paged else every
        )

    def one(request: Request, _body: str) -> Told:
        known = request.url.path.rstrip("/").endswith(key)
        return Told(_booking(name, key)) if known else Told({"detail": "Not found."}, 404)

    made = lambda _request, _body: Told(_booking(name, key), 201)  # noqa: E731
    return {"GET /api/bookings": listed, "POST /api/bookings": made, "GET /api/bookings/": one}


def _by_list(client: Client) -> None:
    [found] = client.json("GET", "/api/bookings")
    client.json("GET", f"/api/bookings/{found['key']}")


def _by_booking(client: Client) -> None:
    made = client.json("POST", "/api/bookings", _booking("note", "late"))
    client.json("GET", f"/api/bookings/{made['key']}")


_TWICE = {"non_field_errors": ["The fields room, day must make a unique set."]}

# Flask-WTF, FastAPI, Express, PHP.


def _notes(lifetime: float) -> dict[str, Callable[[Request, str], Told]]:
    """A form whose token lives so many seconds."""
    given: dict[str, float] = {}

    def form(_request: Request, _body: str) -> Told:
        token = f"{secrets.token_hex(20)}.aSe9"
        given[token] = time.monotonic()
        field = f'<input id="csrf_token" name="csrf_token" type="hidden" value="{token}">'
        return _page("New note", f'<form method=post>{field}<input name="title"></form>')

    def sent(_request: Request, body: str) -> Told:
        token = re.search(r"csrf_token=([\w.]+)", body)
        age = time.monotonic() - given.get(token[1] if token else "", 0.0)
        said = "<p>The CSRF token has expired.</p>"
        return _to("/done") if age < lifetime else _page("400 Bad Request", said, status=400)

    return {"GET /new": form, "POST /new": sent, "GET /done": lambda _, __: _page("Done")}


def _by_form(client: Client) -> None:
    client.submit(client.open("/new"), {"title": "Buy tea"})


def _pausing(text: str) -> str:
    name = 'name = "New note"'
    assert name in text
    return text.replace(name, f'{name}\nthink_time = "3500ms"')


def _reports(seconds: float) -> dict[str, Callable[[Request, str], Told]]:
    """A job that takes so long."""
    jobs: dict[str, float] = {}

    def start(_request: Request, _body: str) -> Told:
        jobs[job := secrets.token_hex(8)] = time.monotonic()
        return Told({"job": job}, 202)

    def state(request: Request, _body: str) -> Told:
        job = request.url.path.rpartition("/")[2]
        if time.monotonic() - jobs.get(job, 0.0) < seconds:
            return Told({"job": job, "state": "queued", "result": None})
        return Told({"job": job, "state": "done", "result": {"file": job[::-1]}})

    def file(request: Request, _body: str) -> Told:
        known = request.url.path.rpartition("/")[2][::-1] in jobs
        return Told({"rows": 12}) if known else Told({"detail": "no such file"}, 404)

    return {"POST /reports": start, "GET /reports/": state, "GET /files/": file}


def _by_job(client: Client) -> None:
    job = client.json("POST", "/reports", {"kind": "sales"})["job"]
    file = client.json("GET", f"/reports/{job}")["result"]["file"]
    client.json("GET", f"/files/{file}")


def _orders(*, meta: bool) -> dict[str, Callable[[Request, str], Told]]:
    """A form whose token is in a field, or in the head of the page."""
    tokens: set[str] = set()

    def form(_request: Request, _body: str) -> Told:
        tokens.add(token := secrets.token_hex(16))
        field = "" if meta else f'<input type="hidden" name="_csrf" value="{token}">'
        head = f'<meta name="csrf-token" content="{token}">' if meta else ""
        return _page("New order", f'<form method="post">{field}<input name="title"></form>', head)

    def sent(_request: Request, body: str) -> Told:
        good = any(one in body for one in tokens)
        said = "<pre>ForbiddenError: invalid csrf token<br> &nbsp; &nbsp;at csrf</pre>"
        return _to("/done") if good else _page("Error", said, status=403)

    return {"GET /new": form, "POST /new": sent, "GET /done": lambda _, __: _page("Done")}


_ORDER = {"customer": "Ann", "items": [{"sku": "A1", "qty": 1}, {"sku": "B7", "qty": 5}]}
_ISSUES = {
    "issues": [
        {
            "origin": "number",
            "code": "too_big",
            "maximum": 2,
            "inclusive": True,
            "path": ["items", 1, "qty"],
            "message": "Too big: expected number to be <=2",
        }
    ]
}
_NO_DATABASE = """<div class="exception"><h1 class="exception-title">RuntimeException</h1>
<p class="exception-text">SQLSTATE[HY000] [2002] Connection refused: database orders</p></div>"""

UNSEEN_FIFTH: tuple[Situation, ...] = (
    Situation(
        "Django: the ids of a choice differ",
        site(
            _by_choice,
            {"GET /open": _items(7), "POST /open": _to("/done"), "GET /done": _page("Items")},
            {"GET /open": _items(40), "POST /open": _saving},
        ),
        "POST /open",
        "category = 10 is no choice of 1 GET /open any more: 'Black tea' is 43 now",
    ),
    Situation(
        "Django: a right is gone, which redirects to the login",
        site(
            _by_rights,
            {
                "GET /login": _LOGIN,
                "POST /login": _LOGGED_IN,
                "GET /": _page("Home", "<p>Welcome ann</p>"),
                "GET /add": _adding,
                "POST /add": _to("/"),
            },
            {"GET /add": _to("/login?next=/add")},
        ),
        "GET /add",
        "The user is known and may not do this",
        mended="server",
        outside="(?i)^location: /login",
        promises=(112, 116),
    ),
    Situation(
        "Django REST: a list is paged now",
        site(_by_list, _bookings(), _bookings(paged=True)),
        "GET /api/bookings",
        r"\$\.results\[0\]\.key",
    ),
    Situation(
        "Django REST: one name is another",
        site(_by_booking, _bookings(), _bookings("reference")),
        "POST /api/bookings",
        r"\$\.reference",
    ),
    Situation(
        "Django REST: a room and a day only once",
        site(
            calls(("POST", "/api/bookings", _booking("note", "late"))),
            _bookings(),
            {
                "POST /api/bookings": lambda _, body: (
                    Told(_TWICE, 400) if '"Oak"' in body else Told(_booking("key", "a9"), 201)
                )
            },
        ),
        "POST /api/bookings",
        "room = Oak.*must make a unique set",
        filled={"VALUE": "Elm"},
    ),
    Situation(
        "Flask-WTF: the token of a form expires",
        site(_by_form, _notes(60), _notes(3), _pausing),
        "POST /new",
        "The token csrf_token has expired",
        promises=(112,),
    ),
    Situation(
        "FastAPI: a job that takes longer",
        site(_by_job, _reports(0), _reports(3)),
        "GET /reports/",
        'state is "queued", was "done"',
        filled={"TIME": "4s"},
    ),
    Situation(
        "Express: the token is in the head of the page now",
        site(_by_form, _orders(meta=False), _orders(meta=True)),
        "GET /new",
        "'csrf-token' of the page",
    ),
    Situation(
        "Express with zod: a number in a list is too large",
        site(
            calls(("POST", "/api/orders", _ORDER)),
            {"POST /api/orders": Told({"number": "17"}, 201)},
            {
                "POST /api/orders": lambda _, body: (
                    Told(_ISSUES, 400) if '"qty": 5' in body else Told({"number": "18"}, 201)
                )
            },
        ),
        "POST /api/orders",
        r"qty\[2\] = 5",
        filled={"VALUE": "2"},
    ),
    Situation(
        "PHP: an exception that says why",
        site(
            _by_pages,
            {"GET /": _page("Shop"), "GET /checkout": _page("Paid")},
            {"GET /checkout": _page("Server Error", _NO_DATABASE, status=500)},
        ),
        "GET /checkout",
        r"The server failed \(500\)\. It says: .*database orders",
        mended="server",
        promises=(120,),
    ),
)
