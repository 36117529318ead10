"""Things within things of their own kind: comments and replies, folders and folders. Judged by the
state of the server."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.correlation.client import Client
from tests.correlation.outcomes.adversary import colour, replayed
from tests.correlation.small_servers import Answer, json_answer, recorded


@dataclass
class Forum:
    """Comments, replies to them, and how many like each."""

    first: int = 1
    works: bool = True
    texts: dict[int, tuple[str, int]] = field(default_factory=dict)
    likes: dict[int, int] = field(default_factory=dict)

    def answer(self, method: str, target: str, body: str) -> Answer:
        """What is answered to a request."""
        _, __, *rest = target.split("/")
        if method == "GET":
            return json_answer({"comments": self.shown(0)})
        if not rest:
            said = json.loads(body)
            if said.get("parent", 0) not in {0, *self.texts}:
                return json_answer({"message": "there is none"}, 404)
            self.texts[self.first + len(self.texts)] = said["text"], said.get("parent", 0)
        elif self.works:
            self.likes[int(rest[0])] = self.likes.get(int(rest[0]), 0) + 1
        return json_answer({"ok": True}, 201)

    def shown(self, parent: int) -> list[dict[str, Any]]:
        """The comments on another one, or all that are on none."""
        return [
            {"id": id_, "text": text, "likes": self.likes.get(id_, 0), "replies": self.shown(id_)}
            for id_, (text, of) in self.texts.items()
            if of == parent
        ]

    def session(self, client: Client) -> None:
        """A comment, a reply, a reply to that, and the first reply is liked."""
        client.send("GET", "/comments")
        parents = [0]
        for text in ("What a nice tea", "Where do you buy it?", "At the corner"):
            said = {"text": text, "parent": parents[-1]} if parents[-1] else {"text": text}
            client.json("POST", "/comments", said)
            client.send("GET", "/comments")
            parents.append(max(self.texts))
        client.send("POST", f"/comments/{parents[2]}/like")
        client.send("GET", "/comments")


def test_replies() -> None:
    """The reply is liked, and that nothing is done to it is seen."""
    forum = Forum()
    case = recorded(forum, forum.session)
    used = Forum(71, texts={1: ("Old", 0), 2: ("Older", 1)}, likes={2: 4})
    assert colour(replayed(case, used)) == "GREEN"
    assert {used.texts[one][0]: count for one, count in used.likes.items()} == {
        "Older": 4,
        "Where do you buy it?": 1,
    }
    assert colour(replayed(case, Forum(works=False))) in ("red", "told")
