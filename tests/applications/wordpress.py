"""WordPress from Debian on PHP's own web server: posts in the block editor, comments, settings."""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
import struct
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import FilePayload, Page

from tests.applications.browsing import follow, recorded_page
from tests.applications.installed import run
from tests.applications.mariadb import PACKAGE, SOCKET, rows, with_database
from tests.applications.serving import serving
from tests.applications.state import State
from tests.applications.used import count_on_in_mariadb
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "WordPress 6.1"
BROWSER = True
#: A second file of a name is called otherwise.
UNIQUE: tuple[str, ...] = ("Brews", "leaf.png")
#: Each has 700 requests.
SESSIONS = 1

_CODE = Path("/usr/share/wordpress")
_ROOT = Path(__file__).parents[2]
#: With php-cgi, `wordpress` does not bring Apache.
_PACKAGES = (
    *("php-cli", "php-cgi", "php-mysql", "php-gd", PACKAGE),
    *("wordpress", "wordpress-theme-twentytwentythree"),
)
_PASSWORD = "correct-horse-battery"
_CATEGORY = "Brews"
_POST = "Kinds of tea"
_RENAMED = "All the teas"
_COMMENT = "More of it, please!"
_ANSWER = "You are welcome."
_PARAGRAPH = "[data-type='core/paragraph']"
_KEYS = [
    f"{which}_{what}"
    for which in ("AUTH", "SECURE_AUTH", "LOGGED_IN", "NONCE")
    for what in ("KEY", "SALT")
]
#: WordPress keeps sessions and preferences of a user in two rows, which it reads and writes as a
#: whole: of two browsers that log in as one user at once, one has no session. Ten people have ten
#: accounts; virtual users with one wait for each other.
_FIRST = """<?php
define('ABSPATH', '{site}/');
if (PHP_SAPI !== 'cli'
    && ($_SERVER['REQUEST_METHOD'] === 'POST' || $_SERVER['SCRIPT_NAME'] === '/wp-login.php')) {{
    $one_at_a_time = fopen('{lock}', 'w');
    flock($one_at_a_time, LOCK_EX);
}}
"""
#: No portraits from gravatar.com; and the first visit of a new site's administration is over: it
#: tries once whether scripts can be compressed.
_SETUP = """<?php
define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = '{host}';
require ABSPATH . 'wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
function wp_new_blog_notification() {{}}
wp_install('Tea', 'admin', 'admin@example.com', true, '', '{password}');
update_option('show_avatars', 0);
update_site_option('can_compress_scripts', 0);
update_option('permalink_structure', '/%postname%/');
"""
_CONFIGURATION = """<?php
{keys}
define('DB_NAME', 'app');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:{socket}');
define('WP_HOME', 'http://' . $_SERVER['HTTP_HOST']);
define('WP_SITEURL', WP_HOME);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('DISABLE_WP_CRON', true);
$table_prefix = 'wp_';
require ABSPATH . 'wp-settings.php';
"""
_SETTINGS = """
SELECT option_name, option_value FROM wp_options WHERE option_name = 'blogdescription'
UNION SELECT meta_key, meta_value FROM wp_usermeta WHERE meta_key = 'admin_color'
"""
_POSTS = """
INSERT INTO wp_terms (name, slug) VALUES ('Cakes', 'cakes');
INSERT INTO wp_term_taxonomy (term_id, taxonomy, description) SELECT term_id, 'category', ''
    FROM wp_terms WHERE slug = 'cakes';
INSERT INTO wp_posts (post_author, post_date, post_date_gmt, post_title, post_name, post_status,
    post_type, post_content, post_excerpt, to_ping, pinged, post_content_filtered)
    SELECT 1, post_date, post_date_gmt, 'Kinds of cake', 'kinds-of-cake', 'publish', 'post', 'Many',
    '', '', '', '' FROM wp_posts WHERE post_name = 'hello-world';
"""
_CONTENTS = """
SELECT post_title, post_name, post_status, post_content, comment_content, comment_approved
FROM wp_posts LEFT JOIN wp_comments ON comment_post_ID = ID
WHERE post_type = 'post' AND post_status <> 'auto-draft' ORDER BY ID, comment_ID;
SELECT name FROM wp_terms JOIN wp_term_taxonomy USING (term_id) WHERE taxonomy = 'category';
SELECT post_title, post_mime_type, post_content FROM wp_posts WHERE post_type = 'attachment';
"""


def install() -> None:
    """WordPress, PHP and MariaDB as Debian packages, for the whole machine."""
    if not (_CODE / "wp-content/themes").exists() or not Path("/usr/sbin/mariadbd").exists():
        run("bash", ".ci/apt.sh", *_PACKAGES, folder=_ROOT)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """A new blog with keys and salts of its own. The code stays where Debian has it.

    Every request has a process of its own, up to ten at once.
    """
    host = f"127.0.0.1:{free_port()}"
    site = _new_site(state)
    keys = "\n".join(f"define('{name}', '{secrets.token_hex(32)}');" for name in _KEYS)
    files = {
        "first.php": _FIRST.format(site=site, lock=state / "lock"),
        "setup.php": _SETUP.format(host=host, password=_PASSWORD),
        "www/wp-config.php": _CONFIGURATION.format(keys=keys, socket=state / SOCKET),
    }
    for name, text in files.items():
        (state / name).write_text(text)
    php = ("php", "-d", f"auto_prepend_file={state / 'first.php'}", "-d", "opcache.enable_cli=1")
    command = with_database(
        state, (*php, str(state / "setup.php")), (*php, "-S", host, "-t", str(site))
    )
    workers = {"PHP_CLI_SERVER_WORKERS": "10"}
    with serving(command, f"http://{host}/", state=state, environment=workers) as url:
        yield url


def _new_site(state: Path) -> Path:
    """The folder of the web site: Debian's code, and its own configuration and uploads."""
    site = state / "www"
    (site / "wp-content" / "uploads").mkdir(parents=True)
    for one in (*_CODE.iterdir(), *(_CODE / "wp-content").iterdir()):
        if one.name not in ("wp-config.php", "wp-content"):
            (site / one.relative_to(_CODE)).symlink_to(one)
    return site


def state(url: str, folder: Path) -> State:
    """The posts with their titles, addresses and comments, the settings, and the pictures.

    A second post or picture of a name has a number behind it in its address.
    """
    pictures = (folder / "www" / "wp-content" / "uploads").rglob("leaf*.png")
    digests = (hashlib.sha256(one.read_bytes()).hexdigest() for one in pictures)
    found = re.sub(r"\b(kinds-of-tea|leaf)-\d+\b", r"\1", rows(folder, _CONTENTS))
    settings = (line.split("\t") for line in rows(folder, _SETTINGS).splitlines())
    return State(Counter((*found.splitlines(), *digests)), dict(settings))


def use(url: str, folder: Path) -> None:
    """Somebody has written a post and made a category."""
    count_on_in_mariadb(folder)
    rows(folder, _POSTS)


def drive(url: str) -> None:
    """Write, publish, comment on and trash a post; a category, a picture, settings, the profile."""
    with recorded_page() as page:
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"{url}/")
        follow(page, "text=Hello world!")
        page.goto(f"{url}/wp-login.php")
        page.fill("#user_login", "admin")
        page.fill("#user_pass", _PASSWORD)
        follow(page, "#wp-submit")
        page.wait_for_load_state("networkidle")  # the dashboard asks for news, and is told of none

        page.goto(f"{url}/wp-admin/options-general.php")
        page.fill("#blogdescription", "All about tea & more")
        follow(page, "#submit")
        _category(page, url)
        _write_post(page, url)
        _comments(page, url)
        _edit_posts(page, url)
        _without_category(page, url)
        _picture(page, url)
        _profile(page, url)
        page.hover("#wp-admin-bar-my-account")
        follow(page, "#wp-admin-bar-logout a")


def _category(page: Page, url: str) -> None:
    """By the form beside the list, which a script sends; then by the form of one category."""
    page.goto(f"{url}/wp-admin/edit-tags.php?taxonomy=category")
    page.fill("#tag-name", _CATEGORY)
    page.click("#submit")
    follow(page, f"a.row-title >> text={_CATEGORY}")
    page.fill("#description", "Black, green & white")
    follow(page, ".edit-tag-actions input")


def _write_post(page: Page, url: str) -> None:
    """A draft in the block editor, published and looked at, and edited once more."""
    page.goto(f"{url}/wp-admin/post-new.php")
    page.click("[aria-label='Close dialog']")
    page.fill(".editor-post-title__input", _POST)
    page.press(".editor-post-title__input", "Enter")
    page.keyboard.type("Green & black, 100 %")
    page.click("text=Save draft")
    page.wait_for_selector(".is-saved")
    page.click(_PARAGRAPH)
    page.keyboard.press("End")
    page.keyboard.type(". And white.")
    page.click(".editor-post-publish-panel__toggle")
    page.click(".editor-post-publish-button")
    follow(page, ".post-publish-panel__postpublish-buttons a")
    follow(page, "#wp-admin-bar-edit a")
    page.click(_PARAGRAPH)
    page.keyboard.press("End")
    page.keyboard.type(" With milk?")
    page.click(".editor-post-publish-button")
    page.click(".components-snackbar a")


def _comments(page: Page, url: str) -> None:
    """One for the post; then it is edited, answered in the list and marked as spam."""
    page.fill("#comment", _COMMENT)
    follow(page, "#submit")
    follow(page, ".wp-block-comment-edit-link a")
    page.fill("#newcomment_author_url", "https://example.com/")
    follow(page, "#save")
    page.goto(f"{url}/wp-admin/edit-comments.php")
    row = page.locator("#the-comment-list tr", has_text=_COMMENT)
    row.hover()
    row.get_by_text("Reply").click()
    page.fill("#replycontent", _ANSWER)
    page.click("#replysubmit .save")
    page.wait_for_selector(f"#the-comment-list >> text={_ANSWER}")
    row.hover()
    row.get_by_text("Spam").click()
    page.wait_for_selector(".undo.unspam")


def _edit_posts(page: Page, url: str) -> None:
    """In the list: a new name, the trash, and back from there."""
    page.goto(f"{url}/wp-admin/edit.php")
    row = page.locator("#the-list tr", has_text=_POST)
    row.hover()
    row.get_by_text("Quick Edit").click()
    page.fill(".inline-edit-row [name=post_title]", _RENAMED)
    page.click(".inline-edit-save .save")
    row = page.locator("#the-list tr", has_text=_RENAMED)
    row.hover()
    follow(page, "#the-list tr:first-child .trash a")
    follow(page, "#message a")


def _without_category(page: Page, url: str) -> None:
    """It is deleted by a link, of which a script takes the nonce."""
    page.goto(f"{url}/wp-admin/edit-tags.php?taxonomy=category")
    row = page.locator("#the-list tr", has_text=_CATEGORY)
    row.hover()
    row.locator(".delete-tag").click()
    row.wait_for(state="detached")


def _picture(page: Page, url: str) -> None:
    """Uploaded by a form, and then described."""
    page.goto(f"{url}/wp-admin/media-new.php?browser-uploader")
    leaf = FilePayload(name="leaf.png", mimeType="image/png", buffer=_png(96))
    page.set_input_files("#async-upload", files=leaf)
    follow(page, "#html-upload")
    page.goto(f"{url}/wp-admin/upload.php?mode=list")
    follow(page, "#the-list .title a")
    page.fill("#attachment_alt", "A leaf of tea")
    page.fill("#attachment_content", "Picked in spring")
    follow(page, "#publish")


def _png(size: int) -> bytes:
    """A picture (PNG specification, §5) of so many pixels each way, in many greys."""
    rows = b"".join(b"\0" + hashlib.shake_128(bytes([at])).digest(size) for at in range(size))

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0)
    pieces = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*one) for one in pieces)


def _profile(page: Page, url: str) -> None:
    """Colours are saved by a script as soon as they are chosen."""
    page.goto(f"{url}/wp-admin/profile.php")
    with page.expect_response("**/admin-ajax.php"):
        page.check("#admin_color_coffee")
