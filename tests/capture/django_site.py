"""A small Django site to record: a login that forwards, pages with resources, a frame, a script.

Run as a program it serves on a free loopback port, and prints its URL first.
"""

from __future__ import annotations

from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.template import Context, Engine
from django.template.context_processors import csrf
from django.urls import path

_LOGIN = """<!doctype html><title>Log in &mdash; Desk</title><link rel=icon href="data:,">
<form method=post action="/login/?next={{ next|urlencode:"" }}">{% csrf_token %}
<input name=user><input name=password type=password><button>Log in</button></form>"""

_DESK = """<!doctype html><title>Desk of
  {{ user }}</title><link rel=icon href="data:,"><link rel=stylesheet href=/style.css>
<iframe src=/frame/></iframe><ul id=list></ul>
<script>fetch("/api/notes").then(r => r.json()).then(notes => {
  for (const note of notes) {
    const item = document.createElement("li")
    item.innerHTML = `<a href=/notes/${note.id}/>${note.title}</a>`
    document.querySelector("#list").append(item)
  }
})</script>"""

_NOTES = {7: "Buy milk", 8: "Call Bob"}


def _login(request: HttpRequest) -> HttpResponse:
    following = request.GET.get("next", "/")
    if request.method == "POST":
        response = redirect(following)
        response.set_signed_cookie("user", request.POST["user"])
        return response
    context = Context({"next": request.build_absolute_uri(following), **csrf(request)})
    return HttpResponse(Engine().from_string(_LOGIN).render(context))


def _desk(request: HttpRequest) -> HttpResponse:
    user = request.get_signed_cookie("user", "")
    if not user:
        return redirect("/login/?next=/")
    return HttpResponse(Engine().from_string(_DESK).render(Context({"user": user})))


def _style(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("ul { color: black }", content_type="text/css")


def _frame(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("<!doctype html><title>News</title><img src=/photo.gif>")


def _photo(_request: HttpRequest) -> HttpResponse:
    return HttpResponse(b"GIF89a", content_type="image/gif")


def _notes(_request: HttpRequest) -> JsonResponse:
    return JsonResponse([{"id": one, "title": title} for one, title in _NOTES.items()], safe=False)


def _note(_request: HttpRequest, one: int) -> HttpResponse:
    body = f'<!doctype html><link rel=icon href="data:,"><p>{_NOTES[one]}<img src=/missing.png>'
    return HttpResponse(body)


urlpatterns = [
    path("", _desk),
    path("login/", _login),
    path("style.css", _style),
    path("frame/", _frame),
    path("photo.gif", _photo),
    path("api/notes", _notes),
    path("notes/<int:one>/", _note),
]


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def main() -> None:
    """Serve until killed."""
    settings.configure(
        ALLOWED_HOSTS=["127.0.0.1"],
        MIDDLEWARE=[
            "django.middleware.gzip.GZipMiddleware",
            # It gives each response a length: Chromium hangs up on an image that is none, which
            # is before the end of a response that ends with the connection.
            "django.middleware.common.CommonMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
        ],
        ROOT_URLCONF=__name__,
        SECRET_KEY="not a secret",
    )
    django.setup()
    server = make_server("127.0.0.1", 0, get_wsgi_application(), _Server, _Quiet)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)  # noqa: T201
    server.serve_forever()


if __name__ == "__main__":
    main()
