"""Making actors and datasets at a real terminal (tmux): what a person is asked, and sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_loadtool.casefile import read_case, read_dataset
from tests.console.terminal import console
from tests.console.traffic import sign_in, write_har
from tests.plugin.serving import serving


@pytest.mark.promise(31)
@pytest.mark.promise(36)
@pytest.mark.promise(63)
@pytest.mark.promise(64)
def test_person_makes_actors_and_a_dataset(tmp_path: Path) -> None:
    """An extractor and a validator from content, a field bound to a dataset that is made for it,
    filled with 50 users, and replayed row by row."""
    with serving() as server:
        server.token = "zY9xW8vU7tS6rQ5pO4"
        form, _, login = sign_in(server.url)
        write_har(tmp_path / "in.har", form, login)
        with console(tmp_path) as terminal:
            terminal.enter("import in.har")
            terminal.wait_for(r"shop\.case\.toml: 1 page, 2 transactions \(unsaved\)")
            terminal.enter("extract 1 csrf --from aB3dE6gH9jK2mN5pQ8 --use all")
            terminal.wait_for(r"^  1\. form field 'token'")
            terminal.wait_for(r"^  recorded  200  1 match  aB3dE6gH9jK2mN5pQ8")
            terminal.wait_for(r"^  2 POST /login sends it as token")
            terminal.enter("validate POST /login --text Welcome")
            terminal.wait_for(r"^  recorded  200  Search text not found: 'Welcome'")
            terminal.wait_for(
                r"^It does not hold on the recorded response\. Take it all the same\?"
            )
            terminal.enter("y")
            terminal.wait_for(r"^2 POST /login: text 'Welcome'")
            terminal.enter("set-field 2 user --dataset users.name")
            terminal.wait_for(
                r"^There is no users\.csv\. Make it, with the present value in its fi"
            )
            terminal.enter("y")
            terminal.wait_for(r"^user: Dataset, \$\{users\.name\}")
            assert read_dataset(tmp_path / "users.csv").rows == (("ann",),)
            terminal.enter("dataset fill users name 1 50 --pattern user{:02}")
            terminal.wait_for(r"^Filled name of 50 rows: user01 to user50\.")
            terminal.enter("play --fast")
            terminal.wait_for(r"^Replay it \(yes, no\)\?")
            terminal.enter("yes")
            terminal.wait_for(r"^Row 1 of 50 of users\.csv\.")
            terminal.wait_for(r"^2 transactions passed")
            terminal.enter("play --fast")
            terminal.wait_for(r"^Row 2 of 50 of users\.csv\.")
            terminal.wait_for(r"(?s)2 transactions passed.*2 transactions passed")
            terminal.enter("extractors")
            terminal.wait_for(r"^  Extractor\[1\]  csrf  form field 'token', used by 2")
            terminal.enter("dataset reset")
            terminal.wait_for(r"^The next `play` takes row 1 of users\.")
            terminal.enter("save --secrets keep")
            terminal.wait_for(r"^Saved shop\.case\.toml")
    (use,) = read_case(tmp_path / "shop.case.toml").datasets
    assert use.file == "users.csv"
