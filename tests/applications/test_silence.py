"""The proxy of the sabotage swallows the change it should, and nothing else."""

from __future__ import annotations

from pathlib import Path

import httpx

from tests.applications.application import application
from tests.applications.silence import Answer, silent


def test_one_change_is_not_done(tmp_path: Path) -> None:
    """It is answered as it was recorded, at the address of the proxy; the others are done."""
    fastapi = application("fastapi-oauth2")
    fastapi.install()
    answer = Answer(
        "http://127.0.0.1:12345",
        201,
        {"Content-Type": "application/json", "Location": "http://127.0.0.1:12345/items/7"},
        b'{"id": 7}',
    )
    with fastapi.serve(tmp_path) as url, silent(url, 1, answer) as front:
        with httpx.Client(base_url=front) as client:
            typed = {"grant_type": "password", "username": "johndoe", "password": "secret"}
            token = client.post("/token", data=typed).raise_for_status().json()["access_token"]
            client.headers["Authorization"] = f"Bearer {token}"
            cup, spoon = (
                client.post("/items/", json={"title": title, "price": 1})
                for title in ("Cup", "Spoon")
            )
            assert (cup.status_code, cup.json()) == (201, {"id": 7})
            assert cup.headers["Location"] == f"{front}/items/7"
            assert spoon.json()["title"] == "Spoon"
            listed = client.get("/users/me/items/").json()
            assert [one["title"] for one in listed] == ["Spoon"]
        assert fastapi.state(url, tmp_path).rows == {"Spoon for 1.0": 1}
