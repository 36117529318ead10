"""qBittorrent's usual client in another environment: a session, and what others do, at a URL."""

import hashlib
import json
import sys

from qbittorrentapi import Client


def torrent(name: str) -> bytes:
    """A torrent of one small file."""
    text = name.encode()
    info = b"d6:lengthi%de4:name%d:%s12:piece lengthi16384e6:pieces20:%se" % (
        *(len(text), len(text), text),
        hashlib.sha1(text).digest(),
    )
    return b"d8:announce21:http://127.0.0.1:9/no4:info" + info + b"e"


def key(name: str) -> str:
    """Its hash, by which all calls know it."""
    return hashlib.sha1(
        torrent(name)[len(b"d8:announce21:http://127.0.0.1:9/no4:info") : -1]
    ).hexdigest()


def connected(url: str) -> Client:
    """A client that has logged in."""
    client = Client(host=url, username="admin", password="adminadmin")
    client.auth_log_in()
    return client


def use(url: str) -> None:
    """Others have categories and rules."""
    client = connected(url)
    client.torrents_create_category(name="attic", save_path="/tmp/attic")
    client.rss_set_rule(rule_name="dust", rule_def={"enabled": True, "mustContain": "dust"})


def act(url: str) -> None:
    """Categories, tags and rules are made, changed and removed; a torrent is added, and
    named when it is there."""
    client = connected(url)
    client.torrents_create_category(name="tea", save_path="/tmp/tea")
    client.torrents_create_category(name="cups", save_path="/tmp/cups")
    client.torrents_edit_category(name="tea", save_path="/tmp/green-tea")
    client.torrents_create_tags(tags="green,black")
    client.torrents_delete_tags(tags="black")
    client.torrents_add(torrent_files={"leaf.torrent": torrent("leaf")}, category="tea",
                        is_paused=True, save_path="/tmp/green-tea")  # fmt: skip
    client.rss_set_rule(rule_name="oolong", rule_def={"enabled": True, "mustContain": "oolong"})
    client.rss_set_rule(rule_name="sugar", rule_def={"enabled": True, "mustContain": "sugar"})
    client.rss_set_rule(rule_name="oolong", rule_def={"enabled": False, "mustContain": "oolong 2"})
    client.rss_remove_rule(rule_name="sugar")
    client.rss_rules()
    client.torrents_remove_categories(categories="cups")
    client.torrents_categories()
    client.torrents_tags()
    client.torrents_info()
    client.torrents_add_tags(tags="green", torrent_hashes=key("leaf"))
    client.torrents_rename(torrent_hash=key("leaf"), new_torrent_name="Leaf of Kim")
    client.torrents_properties(torrent_hash=key("leaf"))
    client.torrents_info(category="tea")
    client.app_set_preferences(prefs={"alt_dl_limit": 20480, "queueing_enabled": True})
    client.app_preferences()
    client.auth_log_out()


def state(url: str) -> None:
    """All of it, as lines."""
    client = connected(url)
    rows = [
        f"category {one}: {what['savePath']}" for one, what in client.torrents_categories().items()
    ]
    rows += [f"tag {one}" for one in client.torrents_tags()]
    rows += [
        f"rule {one}: {what['mustContain']} {what['enabled']}"
        for one, what in client.rss_rules().items()
    ]
    rows += [f"torrent {one.name}: {one.category} {one.tags}" for one in client.torrents_info()]
    sys.stdout.write(json.dumps([rows, client.app_preferences()["alt_dl_limit"]]))


if __name__ == "__main__":
    {"session": act, "use": use, "state": state}[sys.argv[2]](sys.argv[1])
