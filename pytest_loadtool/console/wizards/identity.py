"""Who the virtual users are: what options say of accounts and login forms, and what it changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_loadtool.codec.template import Template
from pytest_loadtool.console.errors import CommandError, UsageError
from pytest_loadtool.console.session import Console
from pytest_loadtool.console.views import identity as views
from pytest_loadtool.console.wizard import Wizard
from pytest_loadtool.console.wizards.credentials import (
    Given,
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

ADVICE = (
    "`test-case-configuration --dataset users.csv` gives each virtual user a username of its own, "
    "`test-case-configuration --share USERNAME --password-env NAME` (or --keyring SERVICE) one to "
    "all of them"
)
#: Who a server may ask for that was not recorded to ask.
ANYBODY = NeededAccount((Identity("", ""),))
CHANGE = "give --dataset FILE, or --share USERNAME with --password-env NAME or --keyring SERVICE"
_Decision = tuple[NeededAccount, CredentialChoice]


def needs_identity(document: Document) -> bool:
    """Return whether HTTP authentication was recorded that is not configured."""
    return bool(unconfigured(document))


async def configure_identity(session: Console, given: Given, user: str = "") -> None:
    """Give the accounts of one recorded ``user``, or of all, the credentials that options say.

    Raises:
        CommandError: the options leave open what nobody is there to be asked.
    """
    document = session.opened()
    found = tuple(one for one in accounts(document) if _meant(user, one.known))
    found = found or (ANYBODY,)
    _check_users(given, user, [one.known for one in found])
    decisions = await _decided(session, found, given, {})
    case = _placed(session, document.case, decisions)
    session.document = replace(document, case=case)
    session.say("Authentication is configured: `properties` shows it, `user-identity` changes it.")


async def change_identity(
    session: Console, given: Given, number: int | None, user: str = "", role: str = ""
) -> None:
    """Give accounts and login forms, or form ``number`` alone, the credentials that options say; of
    all users, or of one that was recorded. ``role`` is the one field of a form that is meant.

    Raises:
        CommandError: there is neither, or the options leave open what nobody is there to be asked.
    """
    document = session.opened()
    found, forms = changeable(session, number, user)
    _check_users(given, user, [*(one.known for one in found), *map(typed, forms)])
    planned: dict[Path, str] = {}
    accounts_too = await _decided(session, () if role else found, given, planned)
    decisions = []
    for login in forms:
        session.say(f"  {views.login(document.case, login)}")
        both = ask_credentials(session, given, typed(login), CHANGE)
        asked = _one_field(session, login, given, role) if role else both
        decisions.append((login, await session.consult(asked)))
    case = _placed(session, document.case, accounts_too)
    for login, credentials in decisions:
        placed = _put(session, case, credentials)
        case = _filled(placed.case, login, placed.templates)
    session.document = replace(document, case=tidied(case, document.case))


def to_configure(session: Console, user: str) -> tuple[NeededAccount, ...]:
    """Return the accounts that are not configured yet, or else all of them; of ``user``, if that is
    given.

    Raises:
        UsageError: nothing was recorded of that user.
    """
    document = session.opened()
    known = unconfigured(document) or accounts(document)
    found = tuple(one for one in known if _meant(user, one.known))
    _check_users(Given(), user, [one.known for one in found])
    return found


def changeable(
    session: Console, number: int | None, user: str
) -> tuple[tuple[NeededAccount, ...], tuple[LoginForm, ...]]:
    """Return the accounts and the login forms of ``user``, if that is given; or login form
    ``number``.

    Raises:
        CommandError: there is neither.
    """
    document = session.opened()
    forms = logins(document.case, document.exchanges)
    found = accounts(document) if number is None else ()
    if number is not None:
        forms = tuple(one for one in forms if one.transaction == number - 1)
    found = tuple(one for one in found if _meant(user, one.known))
    forms = tuple(one for one in forms if _meant(user, typed(one)))
    if not found and not forms:
        what = f"{number} is no login form" if number else "no HTTP authentication, no login form"
        raise CommandError(
            f"there is no user identity to change: {what}; `test-case-configuration` makes one for "
            "a server that asks by HTTP authentication"
        )
    return found, forms


async def _decided(
    session: Console, found: Iterable[NeededAccount], given: Given, planned: dict[Path, str]
) -> list[_Decision]:
    """Return what becomes of each account; datasets to be written join those that are
    ``planned``."""
    decisions = []
    for account in found:
        session.say(f"  {told_of(session.opened().case, account)}")
        wizard = ask_credentials(session, given, account.known, CHANGE, planned)
        credentials = await session.consult(wizard)
        if credentials.dataset is not None and credentials.new:
            planned.setdefault(credentials.dataset, account.known.username)
        decisions.append((account, credentials))
    return decisions


def _placed(session: Console, case: TestCase, decisions: Iterable[_Decision]) -> TestCase:
    """Return the test case with what was decided."""
    before = case
    for account, credentials in decisions:
        case = tidied(without_account(case, account), before)
        case = with_account(_put(session, case, credentials), account)
    return case


def _put(session: Console, case: TestCase, credentials: CredentialChoice) -> Placed:
    placed = place(session.settings, session.case_path, case, credentials)
    session.written += placed.written
    session.tell(placed.notes)
    return placed


def _one_field(
    session: Console, login: LoginForm, given: Given, role: str
) -> Wizard[CredentialChoice]:
    """Ask for one field of a login form: ``role`` is `username` or `password`."""
    known = typed(login)
    if any(one.startswith(f"Password of {known.name}") for one in session.known_answers):
        known = Known(known.username)  # a wizard was told another one than was recorded
    if given.dataset is not None:
        found = yield from ask_dataset(session, given, known)
        other = {"username": "password", "password": "username"}[role]
        return replace(found, **{other: None, "domain": None})  # type: ignore[arg-type]
    if role == "username":
        name = given.share or (yield from ask_name(known, CHANGE))
        return CredentialChoice(CredentialSource(name), None)
    source, secret = yield from ask_password(session, given, known.name, known.password)
    return CredentialChoice(None, source, secret=secret)


def typed(login: LoginForm) -> Known:
    """Return what was typed into a form, where the test case still has it."""
    texts = [
        field.value if field is not None and field.datasource == CONSTANT else ""
        for field in (login.username, login.password)
    ]
    return Known(*texts)


def _filled(case: TestCase, login: LoginForm, templates: Sequence[str]) -> TestCase:
    """Return the test case with these templates in a form's fields; an empty one leaves its
    field."""
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
