"""The Test Case Configuration Wizard and the User Identity Wizard: who the virtual users are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.codec.template import Template
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import identity as views
from pytest_loadtool.console.wizard import Wizard, choice
from pytest_loadtool.console.wizards.credentials import (
    RECOMMENDATION,
    Given,
    Planned,
    ask_credentials,
    ask_dataset,
    ask_name,
    ask_password,
)
from pytest_loadtool.correlation.requests.fields import CONSTANT, fields_of
from pytest_loadtool.editing.bulk_edit import with_constant, with_reference
from pytest_loadtool.editing.login_forms import LoginForm, logins
from pytest_loadtool.model.authentication import Identity
from pytest_loadtool.model.case import TestCase
from pytest_loadtool.workflow.accounts import (
    NeededAccount,
    accounts,
    unconfigured,
    with_account,
    without_account,
)
from pytest_loadtool.workflow.credentials import (
    CredentialChoice,
    CredentialSource,
    Known,
    Placed,
    place,
)
from pytest_loadtool.workflow.document import Document, tidied
from pytest_loadtool.workflow.telling import account as told_of

_ADVICE = (
    "`test-case-configuration --dataset users.csv` gives each virtual user a username of its own, "
    "`test-case-configuration --share USERNAME --password-env NAME` (or --keyring SERVICE) one to "
    "all of them"
)
_AGREED = ("yes", "no")
_WAYS = ("dataset", "value", "keep")
_CHANGE = "say --dataset FILE, or --share USERNAME with --password-env NAME or --keyring SERVICE"
_Asking = Callable[[Console, NeededAccount, Given, Planned], Wizard[CredentialChoice | None]]
_Decision = tuple[NeededAccount, CredentialChoice | None]


def needs_identity(document: Document) -> bool:
    """Whether HTTP authentication was recorded that is not configured."""
    return bool(unconfigured(document))


async def configure_identity(session: Console, given: Given, user: str = "") -> None:
    """The Test Case Configuration Wizard, for one recorded ``user`` or for all: of those who are
    not configured yet, if there are any.

    Raises:
        CommandError: the person gave up, or there is nobody to ask.
    """
    document = session.opened()
    found = unconfigured(document) or accounts(document)
    if not found and not given.anything:
        session.say(
            "The recording shows no HTTP authentication: nothing is to be configured. For a server "
            "that asks\nall the same, say --dataset FILE, or --share USERNAME."
        )
        return
    found = tuple(one for one in found if _meant(user, one.known))
    found = found or (NeededAccount((Identity("", ""),)),)
    _check_users(given, user, [one.known for one in found])
    session.say("Test Case Configuration Wizard")
    decisions = await _decided(session, found, given, _configuring, {})
    case = _placed(session, document.case, decisions)
    session.document = replace(document, case=case)
    if case.identities:
        session.say(
            "Authentication is configured: `properties` shows it, `user-identity` changes it."
        )


async def change_identity(
    session: Console, given: Given, number: int | None, user: str = ""
) -> None:
    """The User Identity Wizard: HTTP authentication and login forms, or form ``number`` alone; of
    all users, or of one that was recorded.

    Raises:
        CommandError: there is neither, the person gave up, or there is nobody to ask.
    """
    document = session.opened()
    forms = logins(document.case, document.exchanges)
    found = accounts(document) if number is None else ()
    if number is not None:
        forms = tuple(one for one in forms if one.transaction == number - 1)
    found = tuple(one for one in found if _meant(user, one.known))
    forms = tuple(one for one in forms if _meant(user, _typed(one)))
    if not found and not forms:
        what = f"{number} is no login form" if number else "no HTTP authentication, no login form"
        raise CommandError(f"there is no user identity to change: {what}")
    _check_users(given, user, [*(one.known for one in found), *map(_typed, forms)])
    session.say("User Identity Wizard")
    planned: dict[Path, str] = {}
    accounts_too = await _decided(session, found, given, _changing, planned)
    decisions = []
    for login in forms:
        session.say(f"  {views.login(document.case, login)}")
        decisions.append((login, await session.consult(_filling(session, login, given, planned))))
    case = _placed(session, document.case, accounts_too)
    for login, credentials in decisions:
        if credentials is not None:
            placed = _put(session, case, credentials)
            case = _filled(placed.case, login, placed.templates)
    session.document = replace(document, case=tidied(case, document.case))


async def _decided(
    session: Console,
    found: Iterable[NeededAccount],
    given: Given,
    wizard: _Asking,
    planned: dict[Path, str],
) -> list[_Decision]:
    """What becomes of each account; datasets to be written join those that are ``planned``."""
    decisions = []
    for account in found:
        session.say(f"  {told_of(session.opened().case, account)}")
        credentials = await session.consult(wizard(session, account, given, planned))
        if credentials is not None and credentials.dataset is not None and credentials.new:
            planned.setdefault(credentials.dataset, account.known.username)
        decisions.append((account, credentials))
    return decisions


def _placed(session: Console, case: TestCase, decisions: Iterable[_Decision]) -> TestCase:
    """The test case with what was decided."""
    before = case
    for account, credentials in decisions:
        if credentials is not None:
            case = tidied(without_account(case, account), before)
            case = with_account(_put(session, case, credentials), account)
    return case


def _put(session: Console, case: TestCase, credentials: CredentialChoice) -> Placed:
    placed = place(session.settings, session.case_path, case, credentials)
    session.tell(placed.notes)
    return placed


def _configuring(
    session: Console, account: NeededAccount, given: Given, planned: Planned
) -> Wizard[CredentialChoice | None]:
    """Whether to configure an account, and how."""
    if not given.anything:
        what = told_of(session.opened().case, account)
        agreed = yield from choice(
            "Configure user identity for connection authentication", _AGREED, _AGREED[0],
            otherwise=f"{what}: nobody is here to ask who the users are. {_ADVICE}",
        )  # fmt: skip
        if agreed != _AGREED[0]:
            return None
    return (yield from ask_credentials(session, given, account.known, _CHANGE, planned))


def _changing(
    session: Console, account: NeededAccount, given: Given, planned: Planned
) -> Wizard[CredentialChoice | None]:
    """For an account that may have credentials: whether they stay, or what comes instead."""
    if account.configured and not given.anything:
        stays = yield from choice("Change it", _AGREED, "no", otherwise=_CHANGE)
        if stays == "no":
            return None
    return (yield from ask_credentials(session, given, account.known, _CHANGE, planned))


def _filling(
    session: Console, login: LoginForm, given: Given, planned: Planned
) -> Wizard[CredentialChoice | None]:
    """For a login form: a value or a column of a dataset for each of its fields."""
    known = _typed(login)
    if given.anything:
        return (yield from ask_credentials(session, given, known, _CHANGE, planned))
    session.say(RECOMMENDATION)
    sources: dict[str, CredentialSource] = {}
    found, secret, way = None, "", "dataset"
    for role, field in (("username", login.username), ("password", login.password)):
        if field is None:
            continue
        way = yield from choice(
            f"{field.name}: keep it, a value, or a dataset", _WAYS, way, otherwise=_CHANGE
        )
        if way == "dataset":
            found = found or (yield from ask_dataset(session, given, known, planned))
            sources[role] = CredentialSource(column=role)
        elif way == "value" and role == "username":
            name = yield from ask_name(known, _CHANGE)
            known = known if name == known.username else Known(name)
            sources[role] = CredentialSource(name)
        elif way == "value":
            sources[role], secret = yield from ask_password(
                session, given, known.name, known.password
            )
    if not sources:
        return None
    return CredentialChoice(
        sources.get("username"), sources.get("password"), None,
        found.dataset if found else None, found.new if found else None, secret,
    )  # fmt: skip


def _typed(login: LoginForm) -> Known:
    """What was typed into a form, where the test case still has it."""
    texts = [
        field.value if field is not None and field.datasource == CONSTANT else ""
        for field in (login.username, login.password)
    ]
    return Known(*texts)


def _filled(case: TestCase, login: LoginForm, templates: Sequence[str]) -> TestCase:
    """The test case with these templates in a form's fields; an empty one leaves its field."""
    for field, text in zip((login.username, login.password), templates, strict=False):
        if field is None or not text:
            continue
        own = next(
            one for one in fields_of(case, login.transaction, within=True) if one.name == field.name
        )
        (part,) = Template.parse(text).parts
        if isinstance(part, str):
            case = with_constant(case, login.transaction, own, part)
        else:
            case = with_reference(case, login.transaction, own, part.name)
    return case


def _meant(user: str, known: Known) -> bool:
    return not user or user in (known.username, known.name)


def _check_users(given: Given, user: str, known: Iterable[Known]) -> None:
    """Refuse to give the same credentials to what different users did.

    Raises:
        UsageError: there are several, or none of that name.
    """
    users = list(dict.fromkeys(one.name for one in known if one.name))
    if user and not users:
        raise UsageError(f"nothing was recorded of a user {user!r}")
    if given.anything and len(users) > 1:
        raise UsageError(
            f"the recording has several users ({', '.join(users)}): --user says which is meant"
        )
