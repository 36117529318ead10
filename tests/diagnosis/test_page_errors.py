"""Messages of pages, in the markup that frameworks and applications write."""

from __future__ import annotations

import pytest

from pytest_loadtool.diagnosis.page_errors import complaints, error_text

DJANGO = """<p class="errornote">Please correct the error below.</p>
<div class="form-row errors field-username"><ul class="errorlist" id="id_username_error">
<li>A user with that username already exists.</li></ul><div><label for="id_username">Username:
</label><input type="text" name="username" value="bob"></div></div>"""
RAILS = """<div style="color: red" id="error_explanation"><h2>1 error prohibited this post from
being saved:</h2><ul><li>Title can&#39;t be blank</li></ul></div>"""
BOOTSTRAP = """<div class="alert alert-danger alert-dismissible" role="alert">
<button type="button" class="close"><span>&times;</span></button>
<strong>Whoops!</strong> The email has already been taken.</div>"""
ARIA = '<p role=alert>Wrong password</p><span role="button">Go</span>'
DOKUWIKI = (
    '<div class="error">Sorry, username or password was wrong.</div><div class="secedit">x</div>'
)
DESCRIBED = """<p><ul class="errorlist" id="id_category_error"><li>Select a valid choice.</li></ul>
<label for="id_category">Category:</label> <select name="category" aria-invalid="true"
aria-describedby="id_category_hint id_category_error" id="id_category"></select></p>"""
HAS_ERROR = """<div class="form-group has-error"><label>Name</label><input name="name">
<span class="help-block">Taken</span></div>"""


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (DJANGO, ["Please correct the error below.", "A user with that username already exists."]),
        (RAILS, ["1 error prohibited this post from being saved: Title can't be blank"]),
        (BOOTSTRAP, ["Whoops! The email has already been taken."]),
        (ARIA, ["Wrong password"]),
        (DOKUWIKI, ["Sorry, username or password was wrong."]),
        (HAS_ERROR, ["Name Taken"]),
        (DESCRIBED, ["category: Select a valid choice."]),
        ('<div class="alert"></div><p class="note">Saved</p>', []),
        ('<div class="alert alert-success" role="alert">Saved</div>', []),
        ('<div class="error">never closed', ["never closed"]),
        ("".join(f'<p class="error">{n}</p>' for n in "123345"), ["1", "2", "3"]),
        (f'<p class="error">{"a" * 200}</p>', ["a" * 149 + "…"]),
        ("", []),
    ],
)
def test_what_a_page_complains_of(page: str, expected: list[str]) -> None:
    """The texts, without the markup; each once, and not all of many."""
    assert complaints(page) == expected


def test_what_was_there_before_is_no_complaint() -> None:
    """Bootstrap's forms come with hidden messages for scripts to show."""
    hidden = '<div class="invalid-feedback">Please choose a name.</div>'
    assert complaints(hidden + ARIA, [f"<form>{hidden}</form>"]) == ["Wrong password"]


DJANGO_403 = """<body><div id="summary"><h1>Forbidden <span>(403)</span></h1>
<p>CSRF verification failed. Request aborted.</p></div><div id="info"><h2>Help</h2>
<p>Reason given for failure:</p>
<pre>
    Origin checking failed - http://shop.test does not match any trusted origins.
    </pre>
<p>In general, this can occur when there is a genuine Cross Site Request Forgery.</p></div>"""


def test_a_label_is_not_the_reason() -> None:
    """What a label announces is quoted, and first; the label is not."""
    found = error_text(DJANGO_403)
    assert found[0].startswith("Origin checking failed - http://shop.test")
    assert not [one for one in found if one.endswith(":")]
