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
    cache = CredentialCache()
    cache.refuse(trial(), " (Basic)")
    assert cache.refusal(trial()) == " (Basic)"
    others = [trial(BOB), trial(place="office"), trial(realm="S"), trial(scheme="digest")]
    assert [cache.refusal(one) for one in others] == [""] * 4
    assert cache.any_refusal(ALICE, "shop")
    assert not cache.any_refusal(ALICE, "office")


def test_one_trial_at_a_time() -> None:
    """Until it has ended, whatever became of it; other credentials do not wait."""
    cache = CredentialCache()
    first = trial()
    assert cache.begin(first, 0)
    assert not cache.begin(trial(), 1)
    assert cache.begin(trial(BOB), 1)
    cache.end(trial())  # whoever waits ends nothing
    assert not cache.begin(trial(), 1)
    cache.end(first)
    second = trial()
    assert cache.begin(second, 1)
    cache.refuse(second, "")
    assert cache.begin(trial(), 1)


def test_nobody_waits_for_ever() -> None:
    """A server that does not answer keeps one who waits for so long, and then the next."""
    cache = CredentialCache()
    first, second = trial(), trial()
    assert cache.begin(first, 10)
    assert not cache.begin(second, 10 + module._PATIENCE - 1)
    assert cache.begin(second, 10 + module._PATIENCE)
    cache.end(first)
    assert not cache.begin(trial(), 10 + module._PATIENCE)


def test_what_is_known_to_be_right_does_not_wait() -> None:
    """Of as many credentials as one likes."""
    cache = CredentialCache()
    for who in (ALICE, BOB):
        assert cache.begin(trial(who), 0)
        cache.accept(trial(who))
    for who in (ALICE, BOB) * 2:
        assert cache.begin(trial(who), 0)


def test_what_was_right_is_wrong_from_the_second_time_on() -> None:
    """Else all who share it would suffer from one answer of a server in trouble."""
    cache = CredentialCache()
    cache.accept(trial())
    cache.refuse(trial(), " (Basic)")
    assert not cache.refusal(trial())
    assert cache.begin(trial(), 0)
    assert not cache.begin(trial(), 0)
    cache.refuse(trial(), " (Basic)")
    assert cache.refusal(trial())


def test_the_oldest_are_forgotten() -> None:
    """Users who are made up for each iteration do not fill the memory."""
    cache = CredentialCache()
    for number in range(module._MOST_KNOWN + 1):
        cache.accept(trial(Credentials(str(number), "")))
        cache.refuse(trial(Credentials(f"no {number}", "")), "so")
    assert not cache.refusal(trial(Credentials("no 0", "")))
    assert cache.refusal(trial(Credentials("no 1", "")))
    assert len(cache._accepted) == len(cache._refused) == module._MOST_KNOWN
