"""Where in a request a placeholder lands."""

from __future__ import annotations

from enum import Enum


class Place(Enum):
    """The surroundings of a placeholder; each has its encoder in `codec.places`."""

    __hash__ = object.__hash__  # which takes no call in Python

    WHOLE_TARGET = "whole target"
    """At the start of a target: a path or URL of its own (``${server}/x``, ``${next_page}``)."""
    PATH = "path segment"
    QUERY = "query"
    FORM = "form"
    JSON_STRING = "JSON string"
    JSON = "JSON value"
    """In JSON, but outside a string: a number, a literal, or a string with its quotes."""
    XML = "XML"
    MULTIPART = "multipart"
    FILE_NAME = "file name"
    """In the Content-Disposition of a part of a multipart body."""
    HEADER = "header"
    COOKIE = "cookie"
    """A cookie's value. Of those that responses set, no text of the test case has one."""
    TEXT = "text"
