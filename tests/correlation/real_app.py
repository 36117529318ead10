"""A Django application in one file: the stock admin, a page with scripts' requests, a JSON API.

``python -m tests.correlation.real_app DATABASE FIRST_ID`` prints its URL and serves until its
standard input is closed. Secrets are new in every process, and ids start at FIRST_ID: what one
process gave out is worth nothing to the next.
"""

# Django comes without type information.
# mypy: disable-error-code="untyped-decorator, misc, no-any-return"

from __future__ import annotations

import functools
import itertools
import json
import secrets
import sys
import threading
import uuid
from collections.abc import Callable
from typing import Any

import django
from django.conf import settings
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler

DATABASE, FIRST_ID = sys.argv[1], int(sys.argv[2])
settings.configure(
    SECRET_KEY=secrets.token_hex(32),
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=[
        "django.contrib.admin",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ],
            },
        },
    ],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": DATABASE}},
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    STATIC_URL="/static/",
    USE_TZ=True,
    LOGGING_CONFIG=None,
)
django.setup()

from django.contrib import admin  # noqa: E402 (only a configured Django can be imported from)
from django.contrib.auth.models import Group, User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpRequest, HttpResponse, JsonResponse  # noqa: E402
from django.middleware.csrf import get_token  # noqa: E402
from django.shortcuts import redirect  # noqa: E402
from django.urls import path  # noqa: E402
from django.views.decorators.csrf import csrf_exempt  # noqa: E402

access, refresh = {secrets.token_urlsafe(32)}, {secrets.token_urlsafe(32)}
items: dict[int, dict[str, Any]] = {}
ids = itertools.count(FIRST_ID)
cart, board = str(uuid.uuid4()), secrets.token_hex(6)
likes: set[str] = set()


def issue() -> JsonResponse:
    """A new pair of tokens."""
    pair = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    access.add(pair[0])
    refresh.add(pair[1])
    return JsonResponse(
        {
            "access_token": pair[0],
            "token_type": "Bearer",
            "expires_in": 300,
            "refresh_token": pair[1],
        }
    )


@csrf_exempt
def token(request: HttpRequest) -> HttpResponse:
    sent = json.loads(request.body)
    if sent.get("refresh_token") in refresh:
        refresh.remove(sent["refresh_token"])
        return issue()
    if (sent.get("username"), sent.get("password")) == ("admin", "secret pass"):
        return issue()
    return JsonResponse({"error": "no"}, status=401)


def with_token(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    @csrf_exempt
    @functools.wraps(view)
    def checked(request: HttpRequest, **arguments: Any) -> HttpResponse:
        if request.headers.get("Authorization", "").removeprefix("Bearer ") not in access:
            return JsonResponse({"error": "no"}, status=401)
        return view(request, **arguments)

    return checked


@with_token
def item_list(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        number = next(ids)
        items[number] = {**json.loads(request.body), "id": number, "ref": secrets.token_hex(8)}
        return JsonResponse({"data": items[number], "warnings": []}, status=201)
    return JsonResponse({"items": list(items.values())})


@with_token
def item(request: HttpRequest, number: int) -> HttpResponse:
    if number not in items:
        return JsonResponse({"error": "no such item"}, status=404)
    if request.method == "PUT":
        items[number].update(json.loads(request.body))
    return JsonResponse(items[number])


@with_token
def ship(request: HttpRequest) -> HttpResponse:
    sent = json.loads(request.body)
    found = items.get(sent["item_id"])
    if found is None or found["ref"] != sent["ref"]:
        return JsonResponse({"error": "no such item"}, status=404)
    return HttpResponse(status=204)


PAGE = """<!doctype html>
<html><head><title>Board</title><meta name="csrf-token" content="{token}"></head><body>
<script>var board = {{"key": "{board}", "size": 12}};</script>
<a href="/board/{cart}/close/">Close</a>
<form method="post" action="/board/">
<input type=hidden name=csrfmiddlewaretoken value={token}>
<input type='hidden' name='cart' value='{cart}'>
<input type="hidden" name="page_size" value="20"><input type="hidden" name="mode" value="simple">
<input name="title" value="Untitled"><textarea name="note"></textarea>
<select name="color"><option value="red">red<option value="blue">blue</select>
<input type="submit" name="send" value="Send it now"></form></body></html>"""


def show(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        if request.POST["cart"] != cart:
            return HttpResponse("no such cart", status=404)
        return redirect(f"/board/{cart}/?mark={board}")
    return HttpResponse(PAGE.format(token=get_token(request), cart=cart, board=board))


def like(request: HttpRequest) -> HttpResponse:
    sent = json.loads(request.body)
    if sent["board"] != board:
        return JsonResponse({"error": "no such board"}, status=404)
    return JsonResponse({"ok": True})


def cart_page(request: HttpRequest, key: uuid.UUID) -> HttpResponse:
    if str(key) != cart or request.GET.get("mark", board) != board:
        return HttpResponse("no such cart", status=404)
    return HttpResponse(f"<p>Saved on board {board}.</p>")


urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/token", token),
    path("api/items", item_list),
    path("api/items/<int:number>", item),
    path("api/shipments", ship),
    path("board/", show),
    path("board/like", like),
    path("board/<uuid:key>/", cart_page),
    path("board/<uuid:key>/close/", cart_page),
]


class Quiet(WSGIRequestHandler):
    """No log."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing."""


def main() -> None:
    """Serve until standard input ends."""
    call_command("migrate", verbosity=0)
    User.objects.create_superuser("admin", password="secret pass")
    # A sequence that goes on at FIRST_ID: users and groups have ids that another process has not.
    User.objects.create(pk=FIRST_ID, username=f"guest{FIRST_ID}")
    Group.objects.create(pk=FIRST_ID, name=f"guests{FIRST_ID}")
    server = ThreadedWSGIServer(("127.0.0.1", 0), Quiet)
    server.daemon_threads = True
    server.set_app(get_wsgi_application())
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    sys.stdout.write(f"http://127.0.0.1:{server.server_address[1]}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
