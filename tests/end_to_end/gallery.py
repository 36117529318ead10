"""A picture gallery: Django's forms, CSRF protection and storage, as its documentation has them.

``python -m tests.end_to_end.gallery FOLDER`` prints its URL and serves until its standard input is
closed. The secret key is new in every process, and so are the ids. What is uploaded is in FOLDER.
"""

# Django comes without type information.
# mypy: disable-error-code="untyped-decorator, misc, no-any-return"

from __future__ import annotations

import secrets
import sys
import threading
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template import Context, Engine
from django.template.context_processors import csrf
from django.urls import path

_FORM = """<!doctype html><html><head><meta charset=utf-8><title>{{ title }}</title>
<link rel=icon href="data:,"></head><body><form method=post enctype=multipart/form-data>
{% csrf_token %}<input type=hidden name=draft value="{{ draft }}">{{ form.as_p }}
<button>Upload</button></form></body></html>"""

_PICTURE = """<!doctype html><title>{{ one.title }}</title><link rel=icon href="data:,">
<h1>{{ one.title }}</h1><p id=done>{{ one.names }}</p><a href="/upload/?again={{ id }}">More</a>"""


def main(folder: Path) -> None:
    """Serve until standard input ends."""
    settings.configure(
        ALLOWED_HOSTS=["127.0.0.1"],
        MIDDLEWARE=["django.middleware.csrf.CsrfViewMiddleware"],
        ROOT_URLCONF=__name__,
        SECRET_KEY=secrets.token_hex(32),
        MEDIA_ROOT=str(folder),
        FILE_UPLOAD_MAX_MEMORY_SIZE=100_000,  # larger ones go to a temporary file first
        LOGGING_CONFIG=None,
    )
    django.setup()
    server = ThreadedWSGIServer(("127.0.0.1", 0), _Quiet)
    server.set_app(get_wsgi_application())
    print(f"http://127.0.0.1:{server.server_port}", flush=True)  # noqa: T201
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    sys.stdin.read()


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing."""


_drafts: set[str] = set()
_pictures: dict[str, dict[str, Any]] = {}


def _upload(request: HttpRequest) -> HttpResponse:
    from django import forms
    from django.core.files.storage import default_storage

    class Several(forms.FileInput):
        allow_multiple_selected = True

        def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
            """The last of them, for the field to check."""
            return files.get(name)

    class Upload(forms.Form):
        title = forms.CharField()
        picture = forms.FileField()
        papers = forms.FileField(widget=Several, required=False)
        poster = forms.FileField(required=False)

    again = request.GET.get("again")
    if again is not None and again not in _pictures:
        return HttpResponse("no such picture", status=404)
    form = Upload(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        if request.POST["draft"] not in _drafts:
            return HttpResponse("no such draft", status=409)
        key = secrets.token_hex(8)
        files = [form.cleaned_data["picture"], *request.FILES.getlist("papers")]
        names = [default_storage.save(f"{key}/{one.name}", one) for one in files]
        _pictures[key] = {"title": form.cleaned_data["title"], "names": names}
        return redirect(f"/pictures/{key}/")
    draft = secrets.token_hex(16)
    _drafts.add(draft)
    context = Context({"form": form, "draft": draft, "title": "Upload", **csrf(request)})
    return HttpResponse(Engine().from_string(_FORM).render(context))


def _picture(_request: HttpRequest, key: str) -> HttpResponse:
    if key not in _pictures:
        return HttpResponse("no such picture", status=404)
    context = Context({"one": _pictures[key], "id": key})
    return HttpResponse(Engine().from_string(_PICTURE).render(context))


urlpatterns = [path("upload/", _upload), path("pictures/<key>/", _picture)]

if __name__ == "__main__":
    main(Path(sys.argv[1]))
