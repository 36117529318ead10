"""What WordPress sends, as it sends it."""

from __future__ import annotations

import pytest

from pytest_loadtool.model.exchange import Exchange
from pytest_loadtool.model.extractor import FormField, InItem, Link
from tests.correlation.exchanges import exchange, html, json_body
from tests.correlation.talk import call, get, made, post, requests, run, sources


def test_a_token_in_a_link() -> None:
    """The nonce of a link is taken from that link, not from the first that has one."""
    page = html(
        '<a href="http://shop.example/wp-admin/comment.php?c=1&#038;_wpnonce=0b6161ff3b">Spam</a>'
        '<a class="screen-reader-shortcut" href="http://shop.example/wp-login.php?action=logout'
        '&#038;_wpnonce=3a36a9f395">Log Out</a>'
    )
    configuration = run(
        get("/wp-admin/", page), get("/wp-login.php?action=logout&_wpnonce=3a36a9f395")
    )
    assert requests(configuration)[1] == "/wp-login.php?action=logout&_wpnonce=${csrf_token[1]}"
    ((_, source, match),) = sources(configuration)
    assert source == Link("/wp-login.php?action=...&_wpnonce=*")
    assert match == 1


_EDITOR = (
    '<script>wp.data = {"link":"http:\\/\\/shop.example\\/?p=15","id":15}</script>'
    '<form class="metabox-base-form"><input type="hidden" id="post_ID" name="post_ID" value="15">'
    '<input type="hidden" name="action" value="editpost"></form>'
)


def test_an_id_that_a_form_shows() -> None:
    """The editor's page makes the post; its form says late which one all the rest was about."""
    configuration = run(
        get("/wp-admin/post-new.php", html(_EDITOR)),
        get("/?p=15&_wp-find-template=true"),
        call("POST", "/wp-json/wp/v2/posts/15?_locale=user", {"id": 15, "title": "Kinds of tea"}),
        get("/wp-admin/post.php?post=15&action=edit"),
        post("/wp-admin/post.php", "post_ID=15&action=editpost"),
        post("/wp-comments-post.php", "comment=Mm&comment_post_ID=15&comment_parent=0"),
        post("/wp-admin/admin-ajax.php", "id=15&action=delete-post"),
        post("/wp-admin/admin-ajax.php", "id=15&action=delete-user&days=15"),
    )
    assert requests(configuration)[1:] == [
        "/?p=${post_ID[1]}&_wp-find-template=true",
        '/wp-json/wp/v2/posts/${post_ID[1]}?_locale=user {"id": ${post_ID[1]}, '
        '"title": "Kinds of tea"}',
        "/wp-admin/post.php?post=${post_ID[1]}&action=edit",
        "/wp-admin/post.php post_ID=${post_ID[1]}&action=editpost",
        "/wp-comments-post.php comment=Mm&comment_post_ID=${post_ID[1]}&comment_parent=0",
        "/wp-admin/admin-ajax.php id=${post_ID[1]}&action=delete-post",
        "/wp-admin/admin-ajax.php id=15&action=delete-user&days=15",
    ]
    assert sources(configuration) == [("post_ID[1]", FormField("post_ID"), 1)]


def test_an_id_that_the_last_redirect_was_about() -> None:
    """``ids=15`` says not of what, but the request did that was redirected there."""
    configuration = run(
        get("/wp-admin/post-new.php", html(_EDITOR)),
        post("/wp-admin/post.php", "post_ID=15&action=editpost"),
        get(
            "/wp-admin/post.php?post=15&action=trash",
            exchange(received=(("Location", "/wp-admin/edit.php?trashed=1&ids=15"),)),
            status=302,
        ),
        get("/wp-admin/edit.php?trashed=1&ids=15"),
    )
    assert requests(configuration)[-1] == "/wp-admin/edit.php?trashed=1&ids=${post_ID[1]}"


@pytest.mark.parametrize("name", ["kinds-of-tea", "kinds-of-tea-2"])
def test_a_slug(name: str) -> None:
    """The address of a post is made of its title; the second post of that title has a number."""
    configuration = run(
        call("POST", "/posts/5", {"title": "Kinds of tea"}, json_body({"slug": name})),
        get(f"/{name}/"),
        get("/kinds-of-food/"),
    )
    assert requests(configuration)[1:] == ["/${slug[1]}/", "/kinds-of-food/"]
    assert [one.rule for one in made(configuration)] == ["created-slug"]


def test_a_link_in_the_answer_to_what_it_is_called() -> None:
    """The row that a script adds to the list comes as XML, with the id in the query of its link."""
    row = (
        "<?xml version='1.0' encoding='UTF-8'?><wp_ajax><response_data><![CDATA[<tr id=\"tag-2\">"
        '<td><a class="row-title" href="/wp-admin/term.php?taxonomy=category&#038;tag_ID=2"'
        ' aria-label="&#8220;Brews&#8221; (Edit)">Brews</a>]]></response_data></wp_ajax>'
    )
    configuration = run(
        post(
            "/wp-admin/admin-ajax.php",
            "action=add-tag&tag-name=Brews",
            exchange(received=(("Content-Type", "text/xml; charset=UTF-8"),), answer=row.encode()),
        ),
        get("/wp-admin/term.php?taxonomy=category&tag_ID=2"),
    )
    assert requests(configuration)[1] == "/wp-admin/term.php?taxonomy=category&tag_ID=${tag_ID[1]}"
    assert [one.rule for one in made(configuration)] == ["named-link"]


def test_a_token_that_a_script_takes_from_a_link() -> None:
    """A script sends the nonce of a link, which it knows by the id in there: so does the replay."""
    spam = "/wp-admin/comment.php?action=spamcomment&#038;p=5&#038;c=%s&#038;_wpnonce=%s"
    rows = "".join(
        f"<tr><td><a href='{spam % row}'>Spam</a></td></tr>"
        for row in (("3", "7be4e7bdf2"), ("2", "0b6161ff3b"))
    )
    configuration = run(
        get("/tea/", html("<p>Tea</p>")),
        post("/wp-comments-post.php", "comment=More+of+it%2C+please%21"),
        get("/tea/", html(f"{_EDIT}Edit</a>")),
        get("/wp-admin/comment.php?action=editcomment&c=2", html(_COMMENT)),
        post("/wp-admin/comment.php", "comment_ID=2&content=Less"),
        get("/wp-admin/edit-comments.php", html(f"<table>{rows}</table>")),
        post("/wp-admin/admin-ajax.php", "_ajax_nonce=0b6161ff3b&action=delete-comment&id=2"),
    )
    assert requests(configuration)[-1].partition(" ")[2] == (
        "_ajax_nonce=${csrf_token[1]}&action=delete-comment&id=${comment_ID[1]}"
    )
    source = {name: one for name, one, _ in sources(configuration)}["csrf_token[1]"]
    assert isinstance(source, Link)
    assert source.address.endswith("&c=${c[1]}&_wpnonce=*")


_EDIT = '<a class="comment-edit-link" href="/wp-admin/comment.php?action=editcomment&#038;c=2">'
_COMMENT = '<form><input type="hidden" name="comment_ID" value="2"><textarea name="content">'


def test_a_link_that_leads_to_a_form_with_the_id() -> None:
    """``c=2`` is called like no id; the form that it leads to says that it is one."""
    configuration = run(
        get("/tea/", html("<p>Tea</p>")),
        post("/wp-comments-post.php", "comment=More+of+it%2C+please%21"),
        get("/tea/", html(f"{_EDIT}Edit</a>")),
        get("/wp-admin/comment.php?action=editcomment&c=2", html(_COMMENT)),
        post("/wp-admin/comment.php", "comment_ID=2&content=Less"),
    )
    assert requests(configuration)[3:] == [
        "/wp-admin/comment.php?action=editcomment&c=${c[1]}",
        "/wp-admin/comment.php comment_ID=${comment_ID[1]}&content=Less",
    ]


def _comments(*rows: str) -> Exchange:
    return get("/wp-admin/edit-comments.php", html(f"<table>{''.join(rows)}</table>"))


_FORM = html(
    '<form action="comment.php"><input type="hidden" name="comment_ID" value="12">'
    '<input name="email" value="admin@example.com"><textarea name="content">Mm</textarea></form>'
)


def test_a_comment_and_how_many_there_are() -> None:
    """``id=12`` of ``delete-comment`` is a comment's, which a form has shown, and no number of
    comments in the row of their post."""
    count = '<span aria-hidden="true">{}</span>'.format
    configuration = run(
        post("/wp-comments-post.php", "comment=More+of+it%2C+please%21"),
        get("/wp-admin/comment.php?action=editcomment&c=12", _FORM),
        post("/wp-admin/comment.php", "comment_ID=12&content=More+of+it%2C+please%21"),
        _comments(
            f"<tr><td>More of it, please!</td><td>{count(12)}</td></tr>",
            f"<tr><td>Hi</td><td>{count(1)}</td></tr>",
        ),
        post("/wp-admin/admin-ajax.php", "id=12&action=delete-comment"),
    )
    assert requests(configuration)[-1] == (
        "/wp-admin/admin-ajax.php id=${comment_ID[1]}&action=delete-comment"
    )


def test_a_row_and_what_a_form_came_with() -> None:
    """A row is known by what the user has written, and not by what forms come with."""

    def row(comment: int, text: str, of: str, nonce: str) -> str:
        return (
            f'<tr id="comment-{comment}"><td>{of}</td><td>{text}</td>'
            f'<td><button data-nonce="{nonce}">Spam</button></td></tr>'
        )

    configuration = run(
        get("/wp-admin/comment.php", _FORM),
        post("/wp-admin/comment.php", "email=admin%40example.com&content=More+of+it%2C+please%21"),
        _comments(
            row(11, "Hi, this is a comment", "wapuu@example.com", "7c1ba0e2d4"),
            row(12, "More of it, please!", "admin@example.com", "4c9ba03db8"),
        ),
        post("/wp-admin/admin-ajax.php", "_ajax_nonce=4c9ba03db8&action=spam"),
    )
    ((_, source, _),) = sources(configuration)
    assert isinstance(source, InItem)
    assert source.text == "More of it, please!"


def test_an_id_that_is_known_before_that_of_a_row() -> None:
    """The post of a comment is taken as its form has shown it, and not from the row of the comment:
    several may have written the same."""
    reply = '<button data-post-id="15">Reply</button>'
    configuration = run(
        get("/wp-admin/post-new.php", html(_EDITOR)),
        post("/wp-admin/post.php", "post_ID=15&action=editpost"),
        post("/wp-comments-post.php", "comment=More+of+it%2C+please%21"),
        _comments(
            f"<tr><td>Hi</td><td>{reply.replace('15', '1')}</td></tr>",
            f"<tr><td>More of it, please!</td><td>{reply}</td></tr>",
        ),
        get("/wp-admin/edit.php?trashed=1&ids=15"),
    )
    assert requests(configuration)[-1] == "/wp-admin/edit.php?trashed=1&ids=${post_ID[1]}"
