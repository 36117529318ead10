"""PostGraphile on PostgreSQL: GraphQL as Relay has it, whose ids are JSON in base64."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.applications import postgres
from tests.applications.installed import node_modules
from tests.applications.serving import serving
from tests.applications.state import State
from tests.ports import free_port

__all__ = ["BROWSER", "TITLE", "UNIQUE", "drive", "install", "serve", "state", "use"]

TITLE = "PostGraphile 4.14, PostgreSQL"
BROWSER = False
UNIQUE: tuple[str, ...] = ()

_REQUIREMENTS = ("postgraphile@4.14.1",)
_SCHEMA = """
CREATE TABLE grower (id serial PRIMARY KEY, name text NOT NULL, country text);
CREATE TABLE tea (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  grower_id integer NOT NULL REFERENCES grower ON DELETE CASCADE,
  name text NOT NULL, grams integer NOT NULL DEFAULT 100
);
CREATE TABLE rating (
  id bigserial PRIMARY KEY, tea_id uuid NOT NULL REFERENCES tea ON DELETE CASCADE,
  stars integer NOT NULL, words text
);
CREATE INDEX ON tea (grower_id);
CREATE INDEX ON rating (tea_id);
CREATE FUNCTION restock (tea uuid, grams integer) RETURNS tea AS $$
  UPDATE tea SET grams = tea.grams + $2 WHERE tea.id = $1 RETURNING *
$$ LANGUAGE sql VOLATILE STRICT;
"""
_CONTENTS = """
SELECT 'grower', grower.name, country FROM grower;
SELECT 'tea', tea.name, grams, grower.name FROM tea JOIN grower ON grower.id = grower_id;
SELECT 'rating', stars, words, tea.name FROM rating JOIN tea ON tea.id = tea_id;
"""
_GROWER = """mutation Grower($name: String!) {
  createGrower(input: {grower: {name: $name}}) { grower { nodeId id name } } }"""
_MOVE = """mutation Move($nodeId: ID!, $country: String!) {
  updateGrower(input: {nodeId: $nodeId, growerPatch: {country: $country}}) {
    grower { nodeId name country } } }"""
_TEA = """mutation Tea($tea: TeaInput!) {
  createTea(input: {tea: $tea}) { tea { nodeId id name grams } query { nodeId } } }"""
_RESTOCK = """mutation Restock($tea: UUID!, $grams: Int!) {
  restock(input: {tea: $tea, grams: $grams}) { tea { nodeId grams } } }"""
_RATE = """mutation Rate($rating: RatingInput!) {
  createRating(input: {clientMutationId: "rate", rating: $rating}) {
    clientMutationId rating { nodeId id stars words } } }"""
_RATE_AGAIN = """mutation RateAgain($id: BigInt!, $words: String!) {
  updateRatingById(input: {id: $id, ratingPatch: {words: $words, stars: 5}}) {
    rating { id stars words } } }"""
_DELETE = """mutation Delete($nodeId: ID!) {
  deleteTea(input: {nodeId: $nodeId}) { deletedTeaId tea { name } } }"""
_LIST = """query Growers { allGrowers(orderBy: NAME_ASC) { totalCount edges { cursor node {
  nodeId id name country teasByGrowerId { nodes { nodeId id name grams } } } } } }"""
_NODE = """query Node($nodeId: ID!) { node(nodeId: $nodeId) {
  nodeId ... on Tea { name grams ratingsByTeaId { nodes { id stars words } } } } }"""


def install() -> None:
    """PostGraphile from npm, PostgreSQL as a Debian package."""
    _modules()
    postgres.install()


def _modules() -> Path:
    return node_modules("postgraphile", *_REQUIREMENTS)


@contextlib.contextmanager
def serve(state: Path) -> Iterator[str]:
    """Growers, teas and ratings, and none in them."""
    port = free_port()
    graphql = (
        *("node", str(_modules() / ".bin" / "postgraphile"), "--port", str(port)),
        *("--host", "127.0.0.1", "--schema", "public", "--dynamic-json"),
        *("--connection", f"socket:{state}?db=postgres&user=postgres", "--disable-query-log"),
    )
    url = f"http://127.0.0.1:{port}/graphql"
    with serving(postgres.with_database(state, graphql, _SCHEMA), url, state=state) as base:
        yield base


def state(url: str, folder: Path) -> State:
    """All rows of the three tables."""
    return State(Counter(postgres.rows(folder, _CONTENTS).splitlines()))


def use(url: str, folder: Path) -> None:
    """Others are there before and behind, and ids begin elsewhere."""
    sequences = "".join(
        f"SELECT setval('{table}_id_seq', {first});"
        for table, first in (("grower", 217), ("rating", 1230))
    )
    rows = "INSERT INTO grower (name) VALUES ('Aa'), ('Zz') RETURNING id"
    teas = f"WITH made AS ({rows}) INSERT INTO tea (grower_id, name) SELECT id, 'Old' FROM made"
    postgres.rows(folder, f"{sequences} {teas}")


def drive(url: str) -> None:
    """Two growers with teas and ratings: by node ids, by keys, and by a function."""
    with httpx.Client(base_url=url, timeout=60) as client:

        def ask(query: str, **variables: object) -> Any:
            sent = {"query": query, "variables": variables}
            answer = client.post("/graphql", json=sent).raise_for_status().json()
            assert "errors" not in answer, answer
            return next(iter(answer["data"].values()))

        ask(_LIST)
        first = ask(_GROWER, name="Mountain garden")["grower"]
        second = ask(_GROWER, name="River garden")["grower"]
        ask(_MOVE, nodeId=first["nodeId"], country="Nepal")
        teas = [
            ask(_TEA, tea={"name": name, "growerId": grower["id"]})["tea"]
            for name, grower in (
                ("First flush", first),
                ("Second flush", first),
                ("White tips", second),
            )
        ]
        ask(_RESTOCK, tea=teas[0]["id"], grams=250)
        rating = {"teaId": teas[0]["id"], "stars": 4, "words": "Light"}
        rated = ask(_RATE, rating=rating)["rating"]
        ask(_RATE, rating=rating | {"teaId": teas[2]["id"], "stars": 3, "words": "Sweet"})
        ask(_RATE_AGAIN, id=rated["id"], words="Light, and lasting")
        listed = {one["node"]["name"]: one["node"] for one in ask(_LIST)["edges"]}
        white = listed["River garden"]["teasByGrowerId"]["nodes"][0]
        ask(_NODE, nodeId=white["nodeId"])
        ask(_RESTOCK, tea=white["id"], grams=50)
        ask(_DELETE, nodeId=teas[1]["nodeId"])
        ask(_NODE, nodeId=teas[0]["nodeId"])
        ask(_LIST)
