"""Secrets: what is hidden, and what must stay readable."""

from __future__ import annotations

import pytest

from pytest_loadtool.masking.text import Mask

SECRET = "correct-horse-battery"


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("Authorization", "Bearer abcdefghijkl", "Bearer abcd…"),
        ("authorization", "Basic c2hvcnQ=", "Basic …"),
        ("Authorization", "abcdefghijkl", "abcd…"),
        ("Proxy-Authorization", "Digest username=x, response=y", "Digest user…"),
        (
            "Cookie",
            "sessionid=abcdefghijkl; theme=dark; empty=",
            "sessionid=abcd…; theme=…; empty=",
        ),
        ("Set-Cookie", "sessionid=abcdefghijkl; Path=/; Secure", "sessionid=abcd…; Path=/; Secure"),
        ("X-Api-Key", "abcdefghijkl", "abcd…"),
        ("X-CSRF-Token", "abcdefghijkl", "abcdefghijkl"),
        ("Location", "/login?password=abcdefghijkl&next=/", "/login?password=abcd…&next=/"),
        ("Host", "example.org", "example.org"),
    ],
)
def test_headers(name: str, value: str, shown: str) -> None:
    """Credentials and cookies keep their form and their first four characters, short ones none."""
    assert Mask().header(name, value) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"user=ann&password={SECRET}&x=1", "user=ann&password=corr…&x=1"),
        (f"POST /login?api_key={SECRET}&x=1 HTTP/1.1", "POST /login?api_key=corr…&x=1 HTTP/1.1"),
        (f"user%5Bpassword%5D={SECRET}", "user%5Bpassword%5D=corr…"),
        (f'{{"user": "ann", "password": "{SECRET}"}}', '{"user": "ann", "password": "corr…"}'),
        (f'{{"access_token":"a\\"{SECRET}","n":1}}', '{"access_token":"a\\"c…","n":1}'),
        ('{"pin": 12345678901, "n": 3}', '{"pin": 1234…, "n": 3}'),
        ('{"password": null}', '{"password": null}'),
        (f"<a:Password kind='x'>{SECRET}</a:Password>", "<a:Password kind='x'>corr…</a:Password>"),
        (
            f'--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n{SECRET}\r\n--b--',
            '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\ncorr…\r\n--b--',
        ),
        (
            '--b\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello there\r\n--b--',
            '--b\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello there\r\n--b--',
        ),
        (
            f'<input type="password" value="{SECRET}"><input name=api_key value=\'{SECRET}\'>',
            '<input type="password" value="corr…"><input name=api_key value=\'corr…\'>',
        ),
        ('<input name="csrf" value="abcdefghijkl">', '<input name="csrf" value="abcdefghijkl">'),
        ("password=short", "password=…"),
        ("the password is not a field", "the password is not a field"),
    ],
)
def test_fields(text: str, shown: str) -> None:
    """Fields whose names say so are masked in each notation, the rest is left as it is."""
    assert Mask().text(text) == shown


def test_values_anywhere() -> None:
    """A value that the caller names is hidden in every spelling that placeholders give it."""
    mask = Mask(['a b/secret&"value', ""])
    for spelling in ('a b/secret&"value', "a%20b/secret%26%22value", "a+b%2Fsecret%26%22value",
                     'a b/secret&\\"value'):  # fmt: skip
        assert "secret" not in mask.text(f"x={spelling}&y")
    assert mask.value("anything", 'a b/secret&"value') == "a b/…"
    assert mask.text("nothing of it") == "nothing of it"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Either you supplied the wrong credentials", "Either you supplied the wrong credentials"),
        ("What went wrong.", "What went wrong."),
        ("user=ann&note=wrong&x=1", "user=ann&note=…&x=1"),
        ('{"note": "wrong"}', '{"note": …}'),
        ("http://ann:wrong@proxy/", "http://ann:…@proxy/"),
        ("Basic YW5uOndyb25n d3Jvbmc=", "Basic YW5uOndyb25n …"),
    ],
)
def test_password_that_is_a_word_leaves_sentences_alone(text: str, shown: str) -> None:
    """It is hidden as a value, in whatever encoding, and a sentence that has the word stays."""
    assert Mask(["wrong"]).text(text) == shown
