"""What is remembered of credentials that were tried."""

from __future__ import annotations

from pytest_loadtool.auth import Credentials
from pytest_loadtool.replay.user import credential_cache as module
from pytest_loadtool.replay.user.credential_cache import CredentialCache, Trial

ALICE, BOB = Credentials("alice", "a"), Credentials("bob", "b")


def trial(
    who: Credentials = ALICE, place: str = "shop", realm: str = "R", scheme: str = "basic"
) -> Trial:
    return Trial(who, place, scheme, realm)


def test_what_was_refused_stays_refused_there() -> None:
    """For these credentials, at this place, in this scheme and realm."""
    verdicts = CredentialCache()
    verdicts.refuse(trial(), " (Basic)")
    assert verdicts.refusal(trial()) == " (Basic)"
    others = [trial(BOB), trial(place="office"), trial(realm="S"), trial(scheme="digest")]
    assert [verdicts.refusal(one) for one in others] == [""] * 4
    assert verdicts.any_refusal(ALICE, "shop")
    assert not verdicts.any_refusal(ALICE, "office")


def test_one_trial_at_a_time() -> None:
    """Until it has ended, whatever became of it; other credentials do not wait."""
    verdicts = CredentialCache()
    first = trial()
    assert verdicts.begin(first, 0)
    assert not verdicts.begin(trial(), 1)
    assert verdicts.begin(trial(BOB), 1)
    verdicts.end(trial())  # whoever waits ends nothing
    assert not verdicts.begin(trial(), 1)
    verdicts.end(first)
    second = trial()
    assert verdicts.begin(second, 1)
    verdicts.refuse(second, "")
    assert verdicts.begin(trial(), 1)


def test_nobody_waits_for_ever() -> None:
    """A server that does not answer keeps one who waits for so long, and then the next."""
    verdicts = CredentialCache()
    first, second = trial(), trial()
    assert verdicts.begin(first, 10)
    assert not verdicts.begin(second, 10 + module._PATIENCE - 1)
    assert verdicts.begin(second, 10 + module._PATIENCE)
    verdicts.end(first)
    assert not verdicts.begin(trial(), 10 + module._PATIENCE)


def test_what_is_known_to_be_right_does_not_wait() -> None:
    """Of as many credentials as one likes."""
    verdicts = CredentialCache()
    for who in (ALICE, BOB):
        assert verdicts.begin(trial(who), 0)
        verdicts.accept(trial(who))
    for who in (ALICE, BOB) * 2:
        assert verdicts.begin(trial(who), 0)


def test_what_was_right_is_wrong_from_the_second_time_on() -> None:
    """Else all who share it would suffer from one answer of a server in trouble."""
    verdicts = CredentialCache()
    verdicts.accept(trial())
    verdicts.refuse(trial(), " (Basic)")
    assert not verdicts.refusal(trial())
    assert verdicts.begin(trial(), 0)
    assert not verdicts.begin(trial(), 0)
    verdicts.refuse(trial(), " (Basic)")
    assert verdicts.refusal(trial())


def test_the_oldest_are_forgotten() -> None:
    """Users who are made up for each iteration do not fill the memory."""
    verdicts = CredentialCache()
    for number in range(module._MOST_KNOWN + 1):
        verdicts.accept(trial(Credentials(str(number), "")))
        verdicts.refuse(trial(Credentials(f"no {number}", "")), "so")
    assert not verdicts.refusal(trial(Credentials("no 0", "")))
    assert verdicts.refusal(trial(Credentials("no 1", "")))
    assert len(verdicts._accepted) == len(verdicts._refused) == module._MOST_KNOWN
