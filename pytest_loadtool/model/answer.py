"""What a recorded answer looked like, as far as replay compares it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

JsonForm = Literal["", "object", "array", "value"]
LoginForm = Literal["", "field", "page"]


@dataclass(frozen=True, slots=True)
class Answer:
    """Each field as it was if it was there, and empty where nothing is known.

    ``size`` is of the decoded body, in bytes. ``json`` is what stands at the top, ``keys`` are
    those of an object there, ``lists`` those of them that held a list with something in it (``$``
    is the array itself), ``said`` what keys said that tell whether it went well. ``root`` is the
    element of an XML document, ``title`` that of a page, ``heading`` the main one of a page without
    a title. ``location`` is the path that a redirect led to, with ``*`` for what is of a resource;
    of the root of another server, its name. ``login`` says whether the page has a field for a
    password, or is about nothing else. ``failed`` is how the answer itself said that it failed.
    """

    size: int = 0
    json: JsonForm = ""
    keys: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    said: tuple[tuple[str, str | int | bool], ...] = ()
    root: str = ""
    title: str = ""
    heading: str = ""
    location: str = ""
    login: LoginForm = ""
    failed: str = ""
