"""The Test Case Configuration Wizard and the User Identity Wizard."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

import keyring.backends.fail
import pytest

from pytest_loadtool.casefile import format_case, read_case, read_dataset
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.opening import open_file
from pytest_loadtool.console.session import Console
from pytest_loadtool.model.authentication import Identity
from pytest_loadtool.model.case import TestCase, Variable
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.exchange import Exchange
from tests.console.listener import Listener, do
from tests.console.negotiated import two_users, with_basic, with_ntlm
from tests.console.traffic import sign_in, write_har
from tests.rings import Ring, in_place

FROM_DATASET = Identity("${users.username}", "${users.password}", "${users.domain}")
OWN_ROW = DatasetUse("users", "users.csv", lifespan="virtual user", sharable=False)


def recorded(session: Console, exchanges: Sequence[Exchange]) -> Console:
    """The console after a recording."""
    do(session, f"import {write_har(session.case_path.with_name('in.har'), *exchanges)}")
    assert isinstance(session.frontend, Listener)
    session.frontend.said.clear()
    return session


def case_of(session: Console) -> TestCase:
    return session.opened().case


@pytest.mark.promise(33)
@pytest.mark.promise(58)
@pytest.mark.promise(92)
@pytest.mark.promise(94)
def test_person_takes_a_dataset(session: Console, listener: Listener, tmp_path: Path) -> None:
    """The dataset is made with the recorded user in its first row, for its owner alone; each
    virtual user has a row of its own, which is recommended."""
    recorded(session, with_ntlm(tmp_path))
    listener.lines = ["yes", "dataset", "", "secret1"]
    do(session, "test-case-configuration")
    assert [one.partition(" (")[0] for one in listener.asked] == [
        "Configure user identity for connection authentication",
        "Use a dataset, or Share a username",
        "A CSV or JSON file with the columns username, password, domain; made if there is none?",
        "Password of alice",
        "Run it",
    ]
    assert "A username of its own for each virtual user is recommended" in listener.text
    assert "NTLM at shop.test, recorded as EXAMPLE\\alice" in listener.text
    path = tmp_path / "users.csv"
    assert path.read_text() == "username,password,domain\nalice,secret1,EXAMPLE\\alice\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (tmp_path / ".gitignore").read_text() == "/users.csv\n"
    assert case_of(session).identities == (FROM_DATASET,)
    assert case_of(session).datasets == (OWN_ROW,)


@pytest.mark.promise(93)
def test_person_shares_a_username(
    session: Console, listener: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first letters of an answer do; what is no answer is asked again; the password is nowhere
    but in this console's environment."""
    monkeypatch.setenv("SHOP_PASSWORD", "")  # what the wizard sets is gone after the test
    recorded(session, with_ntlm(tmp_path))
    listener.lines = ["y", "s", "", "file", "env", "two words", "", "secret1"]
    do(session, "test-case-configuration")
    assert "'file' is none of env, keyring" in listener.text
    assert "'two words' is not the name of an environment variable" in listener.text
    (identity,) = case_of(session).identities
    assert identity == Identity("EXAMPLE\\alice", "${SHOP_PASSWORD}")
    assert case_of(session).variables["SHOP_PASSWORD"].env == "SHOP_PASSWORD"
    assert os.environ["SHOP_PASSWORD"] == "secret1"
    assert "secret1" not in format_case(case_of(session)) + listener.text


def test_person_declines_or_gives_up(session: Console, listener: Listener, tmp_path: Path) -> None:
    """Nothing is changed, and no file is written."""
    recorded(session, with_basic())
    before = session.document
    listener.lines = ["no"]
    do(session, "test-case-configuration")
    assert session.document == before
    listener.lines = ["yes"]
    with pytest.raises(CommandError, match="give --dataset FILE, or --share USERNAME"):
        do(session, "test-case-configuration")
    assert session.document == before
    assert not (tmp_path / "users.csv").exists()


def test_script_says_it_in_options(session: Console, listener: Listener, tmp_path: Path) -> None:
    """Of Basic the password was recorded; a realm that is the only one need not be named."""
    recorded(session, with_basic())
    do(session, f"test-case-configuration --dataset {tmp_path}/users.csv")
    assert listener.asked == []
    assert read_dataset(tmp_path / "users.csv").rows == (("alice", "secret1", ""),)
    assert case_of(session).identities == (FROM_DATASET,)


def test_dataset_that_there_is(session: Console, tmp_path: Path) -> None:
    """Is taken as it is; it need not know domains."""
    (tmp_path / "people.csv").write_text("username,password,town\nann,a,Ulm\nben,b,Bonn\n")
    recorded(session, with_basic())
    do(session, f"test-case-configuration --dataset {tmp_path}/people.csv")
    assert case_of(session).identities == (Identity("${users.username}", "${users.password}"),)
    assert read_dataset(tmp_path / "people.csv").rows[1] == ("ben", "b", "Bonn")


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        ("user,password\nann,a\n", "users.csv has no column username: it has user, password"),
        ("username,password\n", "users.csv has no rows: write one for each virtual user"),
    ],
)
def test_dataset_that_will_not_do(
    session: Console, tmp_path: Path, content: str, wrong: str
) -> None:
    """It is said what is missing."""
    (tmp_path / "users.csv").write_text(content)
    recorded(session, with_basic())
    with pytest.raises(UsageError, match=wrong):
        do(session, f"test-case-configuration --dataset {tmp_path}/users.csv")


def test_password_that_nobody_knows(
    session: Console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With NTLM it was not recorded: a script is told what to pass, and passes it."""
    recorded(session, with_ntlm(tmp_path))
    line = f"test-case-configuration --dataset {tmp_path}/users.csv"
    with pytest.raises(CommandError, match="does not tell the password of alice"):
        do(session, line)
    assert not (tmp_path / "users.csv").exists()
    monkeypatch.setenv("ALICE", "secret1")
    do(session, f"{line} --password-env ALICE")
    assert read_dataset(tmp_path / "users.csv").rows == (("alice", "secret1", "EXAMPLE\\alice"),)


def test_script_shares_a_username(
    session: Console, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user than the recorded one: its password is somebody else's to set."""
    monkeypatch.delenv("PASSWORD_OF_BEN", raising=False)
    recorded(session, with_basic())
    do(session, r"test-case-configuration --share 'EXAMPLE\ben' --password-env PASSWORD_OF_BEN")
    assert case_of(session).identities == (Identity("EXAMPLE\\ben", "${PASSWORD_OF_BEN}"),)
    assert "Set PASSWORD_OF_BEN before it is replayed." in listener.said
    assert "PASSWORD_OF_BEN" not in os.environ


@pytest.mark.promise(57)
def test_first_play_needs_it(session: Console, listener: Listener, tmp_path: Path) -> None:
    """A script fails before anything is sent, and is told what to say; so does a load test."""
    recorded(session, with_ntlm(tmp_path))
    with pytest.raises(CommandError) as caught:
        do(session, "play")
    assert str(caught.value).startswith("NTLM at shop.test, recorded as EXAMPLE\\alice: nobody")
    assert "`test-case-configuration --dataset users.csv`" in str(caught.value)
    with pytest.raises(CommandError, match="nobody is here to ask"):
        do(session, "configure --replay")
    do(session, "save")
    with pytest.raises(CommandError, match="the test case does not say who the users are"):
        do(session, "create-load")


def test_nothing_to_configure(session: Console, listener: Listener, tmp_path: Path) -> None:
    """Without HTTP authentication it says so; told what to do, it does it: a HAR file of a browser
    may be without the credentials."""
    recorded(session, with_ntlm(tmp_path)[3:])
    do(session, "test-case-configuration")
    assert "shows no HTTP authentication: nothing is to be configured." in listener.text
    do(session, "test-case-configuration --share ann --password-env ANN")
    assert case_of(session).identities == (Identity("ann", "${ANN}"),)


def test_several_users(session: Console, listener: Listener, tmp_path: Path) -> None:
    """Each has its realm; a script says which one it means."""
    recorded(session, two_users())
    with pytest.raises(UsageError, match=r"several users \(alice, bob\): --user says which"):
        do(session, "test-case-configuration --share alice --password-env ALICE")
    with pytest.raises(UsageError, match="nothing was recorded of a user 'eve'"):
        do(session, "test-case-configuration --user eve --share eve --password-env EVE")
    do(session, "test-case-configuration --user bob --share bob --password-env BOB")
    assert case_of(session).identities == (Identity("bob", "${BOB}", realm="office"),)
    listener.said.clear()
    with pytest.raises(CommandError, match="recorded as alice: nobody is here"):
        do(session, "play")
    do(session, f"test-case-configuration --user alice --dataset {tmp_path}/users.csv")
    assert [one.realm for one in case_of(session).identities] == ["office", "shop"]


def test_each_user_has_a_dataset(session: Console, listener: Listener, tmp_path: Path) -> None:
    """Proposed are different files; what is no dataset is asked again."""
    recorded(session, two_users())
    (tmp_path / "broken.csv").write_text('username,password\n"')
    listener.lines = ["yes", "dataset", "broken.csv", "", "yes", "dataset", ""]
    do(session, "test-case-configuration")
    assert "broken.csv:2: not valid CSV" in listener.text
    assert (tmp_path / "users.csv").read_text().endswith("\nalice,secret1,\n")
    assert (tmp_path / "users-2.csv").read_text().endswith("\nbob,secret2,\n")
    assert [(one.realm, one.username) for one in case_of(session).identities] == [
        ("shop", "${users.username}"),
        ("office", "${users_2.username}"),
    ]


@pytest.mark.promise(59)
def test_identity_is_changed_later(session: Console, listener: Listener, tmp_path: Path) -> None:
    """What nothing uses any more goes with it; undo brings it back."""
    recorded(session, with_basic())
    do(session, f"test-case-configuration --dataset {tmp_path}/users.csv")
    first = case_of(session)
    do(session, "user-identity --share ann --password-env ANN")
    assert case_of(session).identities == (Identity("ann", "${ANN}"),)
    assert case_of(session).datasets == ()
    do(session, "user-identity --share ben --password-env BEN")
    assert case_of(session).variables == {"BEN": Variable("BEN", env="BEN")}
    do(session, "undo")
    do(session, "undo")
    assert case_of(session) == first
    do(session, "redo")
    assert case_of(session).identities[0].username == "ann"
    listener.lines = ["no"]
    do(session, "user-identity")
    assert "now ann, password from the environment variable ANN" in listener.text
    assert case_of(session).identities[0].username == "ann"


def test_saved_and_opened_again(session: Console, listener: Listener, tmp_path: Path) -> None:
    """The test case is the same, and a new recording in its place is for the same users."""
    recorded(session, with_ntlm(tmp_path))
    do(session, "test-case-configuration --share alice --password-env ALICE")
    do(session, "properties --show-negotiation")
    do(session, "save")
    saved = read_case(session.case_path)
    assert saved == case_of(session)
    assert saved.identities == (Identity("alice", "${ALICE}", "EXAMPLE"),)
    session.document = session.saved = None
    open_file(session)
    assert case_of(session) == saved
    do(session, f"import {tmp_path}/in.har")
    again = case_of(session)
    assert (again.identities, again.variables) == (saved.identities, saved.variables)
    assert again.show_negotiation
    assert "says who the users are" not in listener.said[-1]


def test_variable_has_a_name_of_its_own(session: Console) -> None:
    """Not one that means something else."""
    recorded(session, with_basic())
    do(session, "test-case-configuration --share ann --password-env host")
    assert case_of(session).identities == (Identity("ann", "${host_2}"),)
    assert case_of(session).variables["host_2"] == Variable("host_2", env="host")


def test_keyring(session: Console, listener: Listener, tmp_path: Path) -> None:
    """The password goes there, and is taken from there; where there is no keyring, it is said."""
    recorded(session, with_ntlm(tmp_path))
    listener.lines = ["yes", "share", "", "keyring", "the shop", "secret1"]
    ring = Ring()
    with in_place(ring):
        do(session, "test-case-configuration")
        assert ring.kept == {("the shop", "EXAMPLE\\alice"): "secret1"}
        assert case_of(session).identities[0].password == "${password}"
        assert case_of(session).variables["password"] == Variable(
            "password", keyring="the shop", username="EXAMPLE\\alice"
        )
        do(session, "user-identity --share ann --keyring 'the shop'")
        assert "The keyring has no password of ann for the shop yet" in listener.text
        assert list(case_of(session).variables) == ["password"]
    with (
        in_place(keyring.backends.fail.Keyring()),  # type: ignore[no-untyped-call]
        pytest.raises(CommandError, match=r"keyring cannot be used \(No recommended backend"),
    ):
        do(session, "user-identity --share ben --keyring 'the shop'")


@pytest.mark.parametrize("scheme", ["Basic", "NTLM"])
def test_saved_without_secrets(
    session: Console, listener: Listener, tmp_path: Path, scheme: str
) -> None:
    """The traffic holds what proves the password, of which `save` warns; masked, it does not, and
    the wizard does not take a stand-in for the password."""
    recorded(session, with_basic() if scheme == "Basic" else with_ntlm(tmp_path))
    do(session, "configure")
    do(session, "save")
    assert "  shop.har holds what was typed." in listener.said
    before = session.opened().exchanges
    do(session, "save --secrets env")
    assert session.opened().exchanges != before
    session.document = None
    open_file(session)
    assert session.opened().masked
    with pytest.raises(CommandError, match="does not tell the password of alice"):
        do(session, f"test-case-configuration --dataset {tmp_path}/users.csv")
    do(session, "test-case-configuration --share alice --password-env ALICE")
    listener.said.clear()
    do(session, "save")
    assert "holds what was typed" not in listener.text


def test_options_exclude_each_other(session: Console) -> None:
    """It is said which."""
    recorded(session, with_basic())
    for line, wrong in (
        ("--dataset users.csv --share ann", "--dataset and --share exclude each other"),
        ("--share a --password-env A --keyring b", "--password-env and --keyring exclude"),
        ("--dataset users.csv --keyring b", "--keyring goes with --share"),
        ("--share ann", "give the place of the password of ann: --password-env NAME or --keyring"),
        ("--share ann --password-env no-name", "is not the name of an environment variable"),
    ):
        with pytest.raises(CommandError, match=wrong):
            do(session, f"test-case-configuration {line}")


@pytest.mark.promise(57)
def test_wizard_at_any_time(
    session: Console, listener: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no authentication was recorded: for a server that asks all the same. `wizards`
    opens it by the beginning of its name, and tells on `?` what each is for."""
    monkeypatch.delenv("SHOP_PASSWORD", raising=False)
    recorded(session, sign_in("http://shop.test"))
    listener.interactive = True
    listener.lines = ["?", "test", "yes", "share", "ben", "env", "", "secret9", "yes"]
    do(session, "wizards")
    assert "The first finds what a recording needs to be played" in listener.text
    (identity,) = case_of(session).identities
    assert identity == Identity("ben", "${SHOP_PASSWORD}")
    assert os.environ.pop("SHOP_PASSWORD") == "secret9"
    assert "secret9" not in session.log.script() + listener.text
    assert "test-case-configuration --share ben --password-env SHOP_PASSWORD" in listener.text
    # Where a password goes is said before it is typed.
    kept = listener.said.index(
        "   1  env      a value that you type, kept in an environment variable"
    )
    assert (
        "   2  keyring  a value that you type, kept in the system's keyring" in listener.said[kept:]
    )


def test_wizard_counts_its_steps(session: Console, listener: Listener, tmp_path: Path) -> None:
    """As far as nothing depends on what is still to be answered; the last is the page with the
    command."""
    recorded(session, with_basic())
    listener.lines = ["yes", "dataset", "", "yes"]
    do(session, "test-case-configuration")
    assert [one for one in listener.said if "step" in one] == [
        "Test Case Configuration, step 1 of 1 to 6",
        "Test Case Configuration, step 2 of 4 to 6",
        "Test Case Configuration, step 3 of 4",
        "Test Case Configuration, step 4 of 4",
    ]
    own = "   1  dataset  a CSV or JSON file; each virtual user has a row of its own"
    assert own in listener.said


def test_what_play_does_before_it_plays_is_one_step(
    session: Console, listener: Listener, tmp_path: Path
) -> None:
    """It configures, and asks who the users are: `undo` takes both back at once, and the session
    log has a line for each."""
    recorded(session, with_basic())
    before = session.opened().case
    listener.lines = ["yes", "dataset", "", "yes", "no"]
    with pytest.raises(CommandError, match="not replayed"):
        do(session, "play --fast")
    assert case_of(session).identities == (FROM_DATASET,)
    assert [one.line for one in session.log.entries[-3:]] == [
        "configure",
        "test-case-configuration --dataset users.csv",
        "play --fast",
    ]
    do(session, "undo")
    assert "Undid `play --fast`." in listener.text
    assert case_of(session) == before
