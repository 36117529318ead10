"""A page from its template and its data: style, scripts and data are in it, and nothing is fetched.

The only module that knows jinja2, which is imported when the first page is written.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from pytest_loadtool import __version__
from pytest_loadtool.codec.printable import printable

if TYPE_CHECKING:
    from jinja2 import Environment

#: What ends a script element, begins a comment in it, or is a line end to scripts of old. JSON has
#: escapes that mean the same.
_UNSAFE = re.compile("[<>&\u2028\u2029]")


def page(
    template: str,
    shown: Mapping[str, Any],
    *,
    data: Any,
    scripts: tuple[str, ...],
    styles: tuple[str, ...] = (),
    refresh: int = 0,
) -> bytes:
    """Return the page that ``template`` makes of ``shown``. ``data``, of builtin types as for
    `json.dumps`, is what its scripts find in it.

    ``scripts`` and ``styles`` are names of files beside this
    module. With ``refresh`` a browser that shows the page loads it anew after so many seconds.
    """
    environment = _environment()
    text = environment.get_template(f"templates/{template}").render(
        shown,
        embedded=_embedded(data),
        policy=_policy((*styles, "static/page.css"), scripts),
        styles=(*styles, "static/page.css"),
        scripts=scripts,
        refresh=refresh,
        version=__version__,
    )
    return text.encode("utf-8", "replace")


def _embedded(data: Any) -> str:
    """Return JSON that stays within its script element, whatever strings it has."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _policy(styles: tuple[str, ...], scripts: tuple[str, ...]) -> str:
    """Return the content security policy: what is not named here does not run, and nothing is
    fetched."""
    return (
        f"default-src 'none'; script-src {' '.join(map(_hash, scripts))}; "
        f"style-src {' '.join(map(_hash, styles))}; base-uri 'none'; form-action 'none'"
    )


@cache
def _hash(name: str) -> str:
    digest = hashlib.sha256(_source(name).encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def _source(name: str) -> str:
    """Return the text of a file of ours."""
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: object) -> object:
        """Return a value whose control characters are shown, not obeyed; lone surrogates have no
        bytes."""
        return printable(value) if type(value) is str else value

    environment = Environment(
        loader=PackageLoader("pytest_loadtool.report.html", ""),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["file"] = lambda name: Markup(_source(name))  # noqa: S704  our own files
    environment.filters["json_block"] = Markup
    return environment
