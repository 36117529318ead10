"""What is remembered of credentials that were tried."""

from __future__ import annotations

from pytest_loadtool.auth import Credentials
from pytest_loadtool.replay.plan import Account
from pytest_loadtool.replay.verdicts import Trial, Verdicts

ALICE, BOB = Credentials("alice", "a"), Credentials("bob", "b")
WHO = Account("", False, lambda _values: ALICE, "the user alice", ())


def trial(who: Credentials = ALICE, place: str = "shop", realm: str = "R") -> Trial:
    return Trial(WHO, who, place, realm)


def test_what_was_refused_stays_refused_there() -> None:
    """For these credentials, at this place, in this realm."""
    verdicts = Verdicts()
    verdicts.refuse(trial(), " (Basic)")
    assert verdicts.refusal(trial()) == " (Basic)"
    others = [trial(BOB), trial(place="office"), trial(realm="S")]
    assert [verdicts.refusal(one) for one in others] == [""] * 3
    assert verdicts.any_refusal(ALICE, "shop")
    assert not verdicts.any_refusal(ALICE, "office")


def test_one_trial_at_a_time() -> None:
    """Until it has ended, whatever became of it; other credentials do not wait."""
    verdicts = Verdicts()
    assert verdicts.begin(trial())
    assert not verdicts.begin(trial())
    assert verdicts.begin(trial(BOB))
    verdicts.end(trial())
    assert verdicts.begin(trial())
    verdicts.refuse(trial(), "")
    assert verdicts.begin(trial())


def test_what_is_known_to_be_right_does_not_wait() -> None:
    """Until others take its place: then nothing is known of it any more."""
    verdicts = Verdicts()
    assert verdicts.begin(trial())
    verdicts.accept(trial())
    assert verdicts.begin(trial())
    assert verdicts.begin(trial())
    verdicts.accept(trial(BOB))
    assert verdicts.begin(trial())
    assert not verdicts.begin(trial())
