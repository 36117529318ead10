"""A virtual user: one person's variables, cookies and dataset rows, acting out the plan."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable

from pytest_loadtool.codec.content import ContentError
from pytest_loadtool.errors import NoRowLeftError, SlowPatternError
from pytest_loadtool.model.case import Kind
from pytest_loadtool.model.dataset import DatasetUse
from pytest_loadtool.model.result import Failure
from pytest_loadtool.replay.user.cookies import CookieJar
from pytest_loadtool.replay.user.credential_cache import ProxyUser
from pytest_loadtool.replay.user.exchange import Response, Send, Step, target_of
from pytest_loadtool.replay.user.failures import OUT_OF_MEMORY, internal_failure, status_failure
from pytest_loadtool.replay.user.flow import Tallies, UntilPlan, Walker, walk
from pytest_loadtool.replay.user.origin import Account, Origin, ProxyRoute
from pytest_loadtool.replay.user.plan import Command, Observer, Over, PagePlan, Plan, Visit, Wait

#: As browsers do with HTTP/1.1.
CONNECTIONS_PER_HOST = 6

#: Which row (0-based) of a dataset with so many rows to take in this iteration; None: no row is
#: left.
RowChoice = Callable[[DatasetUse, int, int], int | None]


class Actor(ABC):
    """Acts out a plan: a `VirtualUser`, or something around one."""

    __slots__ = ()

    @abstractmethod
    def act(
        self, visit: Visit, number: int, start: float
    ) -> Generator[Command, Response | None, None]:
        """Act out a visit of the plan, in iteration ``number`` (from 0), due to begin at ``start``.

        Yields commands; each `Send` wants one `Response` sent back, a `Wait` wants None, and
        `Over` is the last.

        Raises:
            NoRowLeftError: a dataset has none.
        """


class VirtualUser(Actor):
    """Acts out a plan, iteration by iteration, and tells the observer what became of it.

    ``number`` is the user's own among all ``users`` of a run: its think times and the values that
    are made up for it depend on it. With ``stop_on_error`` an iteration ends with the first
    transaction that fails; with ``keep_state`` cookies, variables and dataset rows last from one
    iteration to the next. If the plan has a start, cookies and variables last, unless the start has
    failed. What is around it may read all of that, and set ``stop_on_error``, and the ``tallies``
    of its flows.
    ``state`` are its values as they stand, by the plan's slots; ``began`` is when it began with
    fresh cookies.
    """

    __slots__ = (
        "_begun",
        "_choose_row",
        "_lost",
        "_rows",
        "_users",
        "_walker",
        "began",
        "jar",
        "keep_state",
        "number",
        "observer",
        "plan",
        "state",
        "stop_on_error",
        "tallies",
    )  # fmt: skip

    def __init__(
        self,
        plan: Plan,
        choose_row: RowChoice,
        observer: Observer,
        *,
        number: int = 0,
        users: int = 1,
        stop_on_error: bool = False,
        keep_state: bool = False,
    ) -> None:
        self.plan = plan
        self._choose_row = choose_row
        self.observer = observer
        self.number = number
        self._users = users
        self.stop_on_error = stop_on_error
        self._begun = False
        """Whether it has been through its start, and has not left since."""
        self.keep_state = keep_state
        self.state: list[str] = []
        self._rows: dict[str, int] = {}
        self.jar = CookieJar()
        self.began = 0.0
        self._lost = False
        """Whether nothing more is asked for of the page, or the part of one, that it is at."""
        self._walker: Walker | None = None
        self.tallies: Tallies = {}

    @property
    def values(self) -> dict[str, str]:
        """Return variables and dataset columns by name, as they stand."""
        return {name: self.state[slot] for name, slot in self.plan.slots.items() if self.state}

    @property
    def rows(self) -> dict[str, int]:
        """The rows that it has, from 0, by dataset."""
        return dict(self._rows)

    def at_proxy(self, via: ProxyRoute) -> ProxyUser:
        """Return who it is there."""
        account, credential_cache = via.account, self.plan.credential_cache
        if account is None:
            return ProxyUser(None, "", credential_cache)
        return ProxyUser(account.credentials(self.state), self.name_of(account), credential_cache)

    def name_of(self, account: Account) -> str:
        """Return how messages call it: the row of a dataset, or the user name as written."""
        places = [f"row {self._rows[name] + 1} of {file}" for name, file in account.rows]
        return " and ".join(places) or account.name

    def next_visit(self) -> Visit:
        """Return what it does in its next iteration."""
        visits = self.plan.visits
        if not self._begun:
            return visits.first
        return visits.kept if self.keep_state else visits.again

    def leave(self) -> Visit | None:
        """Begin anew with the next iteration; return what it does before it leaves, if anything."""
        begun, end = self._begun, self.plan.visits.end
        self._begun = False
        return end if begun and end.pages else None

    def act(
        self, visit: Visit, number: int, start: float
    ) -> Generator[Command, Response | None, None]:
        """Act out a visit; a fresh one with fresh cookies and variables."""
        if visit.fresh:
            self.state = list(self.plan.initial)
            self.jar = CookieJar()
            self.began = start
            self._begun = visit.last_of_start < 0
        if visit.datasets:
            self._take_rows(visit, number)
        if visit.generated:
            self._make_up(visit, number)
        due = start
        any_failed = False
        pages: Iterable[PagePlan] = visit.pages
        if visit.flow:
            pages = walk(visit.flow, self._walking(number))
        for page in pages:
            page_started = due
            if page.parts:
                if page.flow:
                    due, failed, paused = yield from self._in_flow(page, due, number)
                else:
                    due, failed, paused = yield from self._in_parts(page, due, number)
                page_started += paused
            else:
                act = self._overlapped if page.overlapped else self._sequential
                due, failed = yield from act(page, due)
            any_failed = any_failed or failed
            self.observer.page(page, page_started, due, failed)
            if any_failed and self.stop_on_error:
                break
            if page.pause is not None:
                due += page.pause(self.number, number)
                yield Wait(due)
            if page.index == visit.last_of_start:
                self._begun = not any_failed
                start = due  # what came before is no part of an iteration
        if visit.is_iteration:
            self.observer.iteration(start, due, any_failed)
        yield Over(any_failed)

    def _in_parts(
        self, page: PagePlan, due: float, number: int
    ) -> Generator[Command, Response | None, tuple[float, bool, float]]:
        """Act out a page with pauses; return also for how long it has paused, which is no time of
        the page."""
        any_failed, paused = False, 0.0
        self._lost = False
        for part in page.parts:
            act = self._overlapped if part.overlapped else self._sequential
            due, failed = yield from act(part, due)
            any_failed = any_failed or failed
            if self._lost:
                break
            if part.pause is not None:
                seconds = part.pause(self.number, number)
                paused += seconds
                due += seconds
                yield Wait(due)
        return due, any_failed, paused

    def _walking(self, number: int) -> Walker:
        """Return where it is in its flows, which begin anew with each iteration."""
        known = self._walker
        if known is None or known.iteration != number or known.values is not self.state:
            known = self._walker = Walker(self.number, number, self.state, self.tallies)
        return known

    def _in_flow(
        self, page: PagePlan, due: float, number: int
    ) -> Generator[Command, Response | None, tuple[float, bool, float]]:
        """Act out a page with flows, as `_in_parts`; what is asked for again is a part of its
        time."""
        any_failed, paused = False, 0.0
        self._lost = False
        walker = self._walking(number)
        for part in walk(page.flow, walker):
            if part.until is not None:
                due, failed = yield from self._ask(part, part.until, walker, due)
            else:
                act = self._overlapped if part.overlapped else self._sequential
                due, failed = yield from act(part, due)
            any_failed = any_failed or failed
            if self._lost:
                walker.deadlines.clear()
                break
            if part.pause is not None:
                seconds = part.pause(self.number, number)
                paused += seconds
                due += seconds
                yield Wait(due)
        return due, any_failed, paused

    def _ask(
        self, part: PagePlan, until: UntilPlan, walker: Walker, due: float
    ) -> Generator[Command, Response | None, tuple[float, bool]]:
        """Act out the last transaction of what is done until its response is as it has to be; and
        the wait before it is done again. If there is no time for that, the transaction has
        failed."""
        step = part.steps[0]
        deadline = walker.deadlines.setdefault(until, due + until.limit)
        response = yield (Send(step, 0, step.render(self.state, self.jar), due),)
        assert response is not None
        due = response.finished
        failures = self.outcome(step, response)
        missing = self._unmet(until, response)
        again = missing is not None and due + until.every <= deadline
        if again:
            failures = tuple(one for one in failures if one.cause not in until.awaited)
            response.not_as_recorded = ""
        elif missing is not None:
            tally = self.tallies.get(until.name)
            if tally is not None:
                tally.limited += 1
            told = (
                one
                for one in failures
                if one.cause not in until.awaited or one.cause == "extractor"
            )
            failures = (until.failure(missing), *told)
        self.observer.transaction(step, response, failures)
        if failures and (self.stop_on_error or _page_is_lost(step, response)):
            self._lost = True
        elif again:
            due += until.every
            yield Wait(due)
        else:
            del walker.deadlines[until]
        return due, bool(failures)

    def _unmet(self, until: UntilPlan, response: Response) -> Failure | None:
        """Return why a response is not yet as it has to be; None: it is."""
        if response.failure is not None:
            return response.failure
        try:
            return until.check(response, self.state)
        except ContentError as broken:
            return Failure("decoding", str(broken))
        except Exception as error:
            return internal_failure(error)

    def _sequential(
        self, page: PagePlan, due: float
    ) -> Generator[Command, Response | None, tuple[float, bool]]:
        """Send one transaction after the other, each on its origin's first connection."""
        failed = False
        values, jar = self.state, self.jar
        for step in page.steps:
            response = yield (Send(step, 0, step.render(values, jar), due),)
            assert response is not None
            due = response.finished
            if self._settle(step, response):
                failed = True
                if self.stop_on_error or _page_is_lost(step, response):
                    self._lost = True
                    break
        return due, failed

    def _overlapped(
        self, page: PagePlan, due: float
    ) -> Generator[Command, Response | None, tuple[float, bool]]:
        """Send transactions as the recording overlapped them, over up to `CONNECTIONS_PER_HOST`
        connections each."""
        steps, after, finish_order = page.steps, page.after, page.finish_order
        free: dict[Origin, list[int]] = {}
        first = steps[0].position  # not the page's first in a part of it
        finished = bytearray(first + len(steps))
        upcoming = done = waiting = 0  # next step to start; finished prefix; responses to come
        failed = lost = False
        while done < len(steps):
            sends = []
            while upcoming < len(steps) and after[upcoming] <= done:
                step = steps[upcoming]
                slots = free.setdefault(step.origin, list(range(CONNECTIONS_PER_HOST - 1, -1, -1)))
                if not slots:
                    break
                sends.append(Send(step, slots.pop(), step.render(self.state, self.jar), due))
                upcoming += 1
            waiting += len(sends)
            response = yield tuple(sends)
            assert response is not None
            waiting -= 1
            due = response.finished
            step = response.send.step
            free[step.origin].append(response.send.slot)
            if self._settle(step, response):
                failed = True
                lost = lost or self.stop_on_error or _page_is_lost(step, response)
            if lost:  # nothing more is asked for; what is under way is waited for
                self._lost = True
                upcoming = len(steps)
                if not waiting:
                    break
                continue
            finished[step.position] = 1
            while done < len(steps) and finished[finish_order[done]]:
                done += 1
        return due, failed

    def _settle(self, step: Step, response: Response) -> bool:
        """Take cookies and values from the response, judge it, report it; return whether it
        failed."""
        failures = self.outcome(step, response)
        self.observer.transaction(step, response, failures)
        return bool(failures)

    def outcome(self, step: Step, response: Response) -> tuple[Failure, ...]:
        """Take cookies and values from the response, and judge it."""
        if response.failure is not None:
            return (response.failure,)
        failures: tuple[Failure, ...] = ()
        if response.status not in step.accepted:
            failures = (status_failure(step.transaction.status, response.status, response.remark),)
        try:
            if step.compare is not None and not failures:
                failure = step.compare(response)
                if failure is not None:
                    failures = (failure,)
            for line in response.set_cookies:
                self.jar.store(line, step.origin.host, target_of(response.request))
            if step.checks or step.takes:
                judged = self._judge(step, response)
                if judged:  # an outcome before the status, which may only follow from it
                    first = judged[0].cause == "outcome"
                    failures = judged + failures if first else failures + judged
        except ContentError as broken:
            found = Failure("decoding", str(broken))
            failures = failures if found in failures else (*failures, found)
        except MemoryError:
            return (OUT_OF_MEMORY,)
        except Exception as error:  # whatever a server answers, the user and all others go on
            failures += (internal_failure(error),)
        return failures

    def _judge(self, step: Step, response: Response) -> tuple[Failure, ...]:
        """Return all validators, outcomes first, then all extractors; one that finds nothing keeps
        the old value."""
        failures: tuple[Failure, ...] = ()
        values = self.state
        for check in step.checks:
            failure = check(response, values)
            if failure is not None and not failure.certain:
                response.not_as_recorded = response.not_as_recorded or failure.message
            elif failure is not None:
                outcome = failure.cause == "outcome"
                failures = (failure, *failures) if outcome else (*failures, failure)
        for take in step.takes:
            extract = take.extract
            try:
                if extract is not None:
                    value = extract(response)
                else:
                    assert take.bound is not None, "a take has one of the two"
                    value = take.bound(response, values)
            except SlowPatternError as error:
                failures += (Failure("extractor", str(error)),)
                continue
            if value is None:
                failures += (take.missing,)
            else:
                values[take.slot] = value
        return failures

    def _make_up(self, visit: Visit, iteration: int) -> None:
        """Make up values. All users take turns, so that no two iterations have the same one."""
        turn = self.number + iteration * self._users
        for slot, generate in visit.generated:
            self.state[slot] = generate(turn)

    def _take_rows(self, visit: Visit, iteration: int) -> None:
        values = self.state
        for one in visit.datasets:
            row = self._choose_row(one.use, len(one.dataset.rows), iteration)
            if row is None:
                raise NoRowLeftError(one.use.name, len(one.dataset.rows))
            self._rows[one.use.name] = row
            for column, slot in one.columns:
                values[slot] = one.dataset.rows[row][column]


def _page_is_lost(step: Step, response: Response) -> bool:
    """Return whether the page's own document did not come at all: then nothing would ask for the
    rest."""
    recorded = step.transaction.recorded
    is_document = step.position == 0 and recorded is not None and recorded.kind is Kind.HTML
    return is_document and response.failure is not None
