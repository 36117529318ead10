"""A failure at DokuWiki, as Debian has it: for those who have a minute to install it."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.applications import dokuwiki
from tests.correlation.client import Client
from tests.diagnosis.situations.bench import Situation
from tests.diagnosis.situations.peers import recorded
from tests.diagnosis.situations.table import as_constant


def _form(page: str, name: str) -> str:
    """A page up to the end of a form."""
    return page[: page.index("</form>", page.index(f'id="{name}"'))]


def _by_editing(client: Client) -> None:
    page = client.open("/doku.php?id=start&do=login")
    who = {"u": "editor", "p": "correct-horse-battery"}
    client.submit(_form(page, "dw__login"), who, action="/doku.php?id=start")
    page = client.open("/doku.php?id=tea:kinds&do=edit")
    text = {"wikitext": "====== Kinds ======\n", "summary": "new", "do[save]": "1"}
    client.submit(_form(page, "dw__editform"), text, action="/doku.php")


def _constant_token(text: str) -> str:
    """The token of the form is sent as recorded."""
    names = re.findall(r"sectok=\$\{([^}|]+)", text)
    return as_constant(names[-1])(text)


@contextlib.contextmanager
def _wiki(path: Path) -> Iterator[Callable[[], None]]:
    dokuwiki.install()
    with tempfile.TemporaryDirectory() as first, dokuwiki.serve(Path(first)) as url:
        recorded(path, url, _by_editing, _constant_token, url)
    with tempfile.TemporaryDirectory() as name, dokuwiki.serve(Path(name)) as other:
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(url, other), encoding="utf-8")
        yield lambda: None


WIKI = (
    Situation(
        "DokuWiki: the token of a form left constant",
        _wiki,
        "POST /doku.php",
        "sectok",
    ),
)
