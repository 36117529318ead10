# ruff: noqa: PT028  test_case_configuration is a command, and no test
"""Who the virtual users are: the Test Case Configuration Wizard and the User Identity Wizard."""

from __future__ import annotations

from pathlib import Path

from pytest_loadtool.console.arguments import TransactionNumber, UserName
from pytest_loadtool.console.credentials import Given
from pytest_loadtool.console.identity import change_identity, configure_identity
from pytest_loadtool.console.session import Session


async def test_case_configuration(
    session: Session,
    *,
    dataset: Path | None = None,
    share: str = "",
    password_env: str = "",
    keyring: str = "",
    user: UserName | None = None,
) -> None:
    """Test Case Configuration Wizard: configure user identity for connection authentication.

    For servers that ask for HTTP authentication (Basic, Digest, NTLM, Negotiate). Use a dataset:
    --dataset is a CSV file with the columns username, password and domain, of which each virtual
    user takes a row of its own; a file that is not there is made, for you alone, with the recorded
    user in its first row (--password-env names the environment variable with the password, where
    the recording does not tell it). Or Share a username: --share USERNAME for all, and where its
    password is, --password-env NAME or --keyring SERVICE. A domain is written 'DOMAIN\\username',
    in quotes.

    A username of its own for each virtual user is recommended: many servers end a user's earlier
    sessions, limit how many there are, or mix them up. No password is written into the test case.
    Without options you are asked; the first `play` of a recording with HTTP authentication asks by
    itself. --user says which user of the recording is meant, if there are several.
    """
    given = Given(dataset, share, password_env, keyring)
    await configure_identity(session, given, user or "")


async def user_identity(
    session: Session,
    number: TransactionNumber | None = None,
    *,
    dataset: Path | None = None,
    share: str = "",
    password_env: str = "",
    keyring: str = "",
    user: UserName | None = None,
) -> None:
    """User Identity Wizard: change the credentials of HTTP authentication and of login forms.

    A login form is a request with one password in it: of it, the fields of username and password
    are found, and each is kept, gets a value, or a column of a dataset. NUMBER is the transaction
    of one form, which alone is changed then. The options are those of `test-case-configuration`,
    and count for all that is changed: --dataset FILE, or --share USERNAME with --password-env NAME
    or --keyring SERVICE; --user is the one who was recorded. Without options you are asked.
    """
    given = Given(dataset, share, password_env, keyring)
    await change_identity(session, given, number, user or "")
