"""Choosing: of all that the recording shows of a change, what is asserted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import islice

from pytest_loadtool.correlation.outcomes.beside import still_so
from pytest_loadtool.correlation.outcomes.changes import Change
from pytest_loadtool.correlation.outcomes.proof import OWN, Proof, names
from pytest_loadtool.correlation.outcomes.proofs import Look, Shown
from pytest_loadtool.correlation.outcomes.seen import Answers

#: How many validators one change gets: of what it did, and of what it left as it was.
_MOST_PROOFS, _MOST_BESIDE = 8, 4
_MOST_NUMBERS = 2
#: Into how many answers about the resource is looked after the first that shows it, and from the
#: last one on; how many proofs that has to show again.
_MOST_MORE, _MOST_LAST, _MOST_AGAIN = 3, 2, 2


def chosen(
    change: Change, looks: Iterable[Look], counts: Callable[[Proof], bool], taken: Set[int]
) -> tuple[list[Proof], Answers]:
    """Return the strongest of what ``counts``, of these the nearest, each once, and the answers
    that show it: those of the first look that has more than the change's own answer; and with it:

    what other answers about the resource show of further fields; where values are ``taken`` from an
    answer before, which may find none if nothing was done, what that one shows; of a name, what the
    change's own answer says; what the change has left as it was; and that some of it is so at the
    end. Where nothing else shows it: that an answer is another one than before, which is asserted
    beside what is in doubt, too, as is what a later answer shows without one; the numbers that it
    has moved, and what its own answer says.
    """
    numbers, tried = list[Proof](), list[Look]()
    for seen in looks:
        tried.append(seen)
        shown = list(seen.shown)
        found = list(_found(change, shown, counts))
        proven = sorted(_but_beside(found), key=_rank)
        if proven and proven[0].strength < OWN:
            break
        numbers += filter(counts, islice(seen.numbers, _MOST_NUMBERS))
    others = islice((one for look in tried for one in look.others if counts(one)), 1)
    if not proven:
        more = [*others, *numbers, *_replies(seen, counts)]
        return _each_once(more)[:_MOST_PROOFS], seen.answers
    first = proven[0]
    best = _each_once(one for one in proven if _rank(one) == _rank(first))
    best += _further_fields(best, proven)
    before = (one for one in proven if one.strength < OWN and one.at < first.at and one.at in taken)
    best = [*best[:_MOST_PROOFS], *islice(before, 1)]
    if first.strength == OWN or all(one.doubtful for one in best):
        best += [*_firm(proven), *others][: _MOST_PROOFS - len(best)]
    if 0 < first.strength < OWN:  # a name may have been there: an answer that says no is none
        best += _replies(seen, counts)[: _MOST_PROOFS - len(best)]
    places = {one.at for one in best}
    beside = _each_once(one for one in found if one.beside and one.at in places)
    again = _at_the_end(change, best, shown, found, counts)
    return [*best, *numbers, *beside[:_MOST_BESIDE], *again], seen.answers


def _firm(proven: Sequence[Proof]) -> list[Proof]:
    """Return the strongest, of these the nearest, of what is not in doubt, and no answer to the
    change itself."""
    firm = [one for one in proven if not one.doubtful and one.strength < OWN]
    return _each_once(one for one in firm if _rank(one) == _rank(firm[0]))


def _replies(seen: Look, counts: Callable[[Proof], bool]) -> list[Proof]:
    return list(filter(counts, seen.replies))


def _rank(one: Proof) -> tuple[int, int]:
    return one.strength, one.at


def _found(
    change: Change, shown: Sequence[Shown], counts: Callable[[Proof], bool]
) -> Iterator[Proof]:
    """Yield what the answers prove. After one that shows the resource itself, some are looked at
    that are about the resource."""
    is_shown, more = False, 0
    for each in shown:
        if is_shown:
            if more == _MOST_MORE or not any(names(each.step, one) for one in change.resources):
                continue
            more += 1
        for proof in filter(counts, each.proofs):
            is_shown = is_shown or (proof.strength == 0 and not proof.beside)
            yield proof


def _but_beside(found: Iterable[Proof]) -> Iterator[Proof]:
    return (one for one in found if not one.beside)


def _further_fields(best: Sequence[Proof], proven: Iterable[Proof]) -> Iterator[Proof]:
    """Yield those of the resource itself of a field of which none is among the best, each once."""
    fields = {"", *(one.field for one in best)}
    for one in proven if best[0].strength == 0 else ():
        if one.strength == 0 and one.field not in fields:
            fields.add(one.field)
            yield one


def _at_the_end(
    change: Change,
    best: Sequence[Proof],
    shown: Sequence[Shown],
    found: Sequence[Proof],
    counts: Callable[[Proof], bool],
) -> list[Proof]:
    """Return those of the best proofs that are shown again by the last answer before another change
    of the resource, if that is the session's own or known by its name alone, and by the last that
    has its id: what was done may be undone."""
    start = max(one.at for one in best)
    own = [resource.id for resource in change.resources if resource.is_own]
    theirs = not own and best[0].strength == 0  # all users change it
    later = [one for one in reversed(shown) if one.step.index > start and not theirs]
    by_id = (one for one in later if _has(one, own))
    again: dict[int, list[Proof]] = {}
    for alone, group in ((True, (one for one in later if one.is_last())), (False, by_id)):
        for each in islice(group, _MOST_LAST):
            at = each.step.index
            if at not in again:
                here = [one for one in (*found, *filter(counts, each.proofs)) if one.at == at]
                held = [one for one in here if _is_again(one, best)][:_MOST_AGAIN]
                if not alone and not held and each.answer is not None:
                    states = (one for one in best if still_so(change, one, each.answer))
                    held = [replace(one, at=at) for one in islice(states, _MOST_AGAIN)]
                beside = [one for one in here if one.beside][:_MOST_AGAIN] if held else []
                again[at] = [*held, *beside] if alone else [_still(one) for one in held]
            if again[at]:
                break
    return _each_once(one for each in again.values() for one in each)


def _still(one: Proof) -> Proof:
    return replace(one, says=one.says.replace(" is ", " is still ", 1), again=True)


def _has(one: Shown, ids: Iterable[str]) -> bool:
    answer = one.answer
    return answer is not None and any(
        (not answer.is_page or answer.may_say(each)) and each in answer.text for each in ids
    )


def _is_again(one: Proof, best: Sequence[Proof]) -> bool:
    """Return whether a proof is one of the best by another answer."""
    same = (each.says == one.says for each in best)
    return one.validator == best[0].validator or (one.strength == 0 and any(same))


def _each_once(found: Iterable[Proof]) -> list[Proof]:
    return list({(one.at, one.validator): one for one in found}.values())
