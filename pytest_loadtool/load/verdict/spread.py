"""How far a number may be from earlier runs of the same load by chance, where there are several.

Two things move it: that a run has only so many requests, which is known from the run itself, and
that machines and servers differ from run to run, which only several runs show. A few runs show it
badly. So their spread is taken together with what machines do in general, as a prior of
`_PRIOR_RUNS` runs that differ by `_PRIOR` (the moderated variance of Smyth, Statistical
Applications in Genetics and Molecular Biology 3(1), 2004), and a number has to be as far off as
Student's distribution has it for that many runs, and for as many comparisons as are made at once
(Bonferroni).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, variance

#: How much numbers of equal runs differ in general, as a share, and how many runs that is worth.
_PRIOR, _PRIOR_RUNS = 0.05, 3

#: How often comparisons of equal runs may find something worse all the same. The numbers of all
#: requests together have half of that.
_FALSE_ALARMS = 0.01


@dataclass(frozen=True, slots=True)
class Sample:
    """A number of one run, on a scale where differences are shares of it, and the standard
    deviation that the number of its requests gives it."""

    value: float
    deviation: float


def spread_of(earlier: Sequence[Sample]) -> float:
    """Return the variance between ``earlier`` runs of a number.

    It is the number's own: a busy machine adds to all times alike, which is much of a short one and
    little of a long one, much of a 95th percentile of few requests and little of that of all.
    """
    freedom = len(earlier) - 1
    if not freedom:
        return _PRIOR**2
    sampling = fmean(one.deviation**2 for one in earlier)
    own = max(0.0, variance(one.value for one in earlier) - sampling)
    return (_PRIOR_RUNS * _PRIOR**2 + freedom * own) / (_PRIOR_RUNS + freedom)


def beyond_chance(earlier: Sequence[Sample], now: Sample, comparisons: int) -> float:
    """Return how far above the mean of ``earlier`` a number is no chance any more, as a share: of
    ``comparisons`` that are made at once."""
    runs = len(earlier)
    sampling = now.deviation**2 + fmean(one.deviation**2 for one in earlier) / runs
    quantile = _student(1 - _FALSE_ALARMS / 2 / comparisons, _PRIOR_RUNS + runs - 1)
    return quantile * sqrt(sampling + spread_of(earlier) * (1 + 1 / runs))


def _student(share: float, freedom: float) -> float:
    """Return a quantile of Student's distribution, by its expansion around the normal one
    (Abramowitz and Stegun, 26.7.5): to a few percent from four degrees of freedom on."""
    z = NormalDist().inv_cdf(share)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term / pow(freedom, power) for power, term in enumerate(terms))
