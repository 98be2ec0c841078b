"""Reports of every mechanism against its channel at a budget three percent off: which is likelier?

The score of a report, the slope of its log-probability in the budget, has mean 0 under the channel
and the Fisher information as its variance; no other mean of reports sees a change of the budget
better. As many users are asked as it takes to see `FAULT` of the budget with 95 percent probability
where one false alarm in 10**9 tests is raised. Controls are samplers that are off by so much.
"""

import numpy as np
import pytest
from scipy import stats
from test_samplers import SAMPLED, with_budget

from ldp.means import HybridMean, LaplaceMean, OneBitMean, PiecewiseMean

pytestmark = pytest.mark.statistical

FALSE_ALARM, FAULT = 1e-9, 0.03
ALARM = -stats.norm.ppf(FALSE_ALARM / 2)
POWER = stats.norm.ppf(0.95)


def scores(m, at, h=1e-4):
    """Slope of log Pr[y | x] in the budget, [x, y]."""
    beside = (np.log(at(m, m.epsilon + sign * h).channel()) for sign in (1, -1))
    return np.subtract(*beside) / (2 * h)


def distance(sampler, m, at, values, seed):
    """Mean score of the reports in standard errors; and as many of them as a fault would be."""
    channel, slopes = m.channel(), scores(m, at)
    places = values(m)
    information = np.mean((channel * slopes**2).sum(axis=1))
    users = int((1.2 * (ALARM + POWER) / (FAULT * m.epsilon)) ** 2 / information)
    rows = np.arange(users) % len(channel)
    reports = m.outcomes(sampler.privatize(places[rows], np.random.default_rng(seed)))
    error = np.sqrt(information / users)
    return slopes[rows, reports].mean() / error, FAULT * m.epsilon * information / error


def by_name(m, epsilon):
    fields = {name: getattr(m, name) for name in m.__dataclass_fields__} | {"epsilon": epsilon}
    return type(m)(**fields)


FREQUENCIES = [(m, with_budget, lambda m: np.arange(m.domain_size)) for m in SAMPLED]
MEANS = [
    (m, by_name, lambda m: m.grid)
    for m in (
        OneBitMean(-1.0, 2.0, 1.0),
        PiecewiseMean(-1.0, 2.0, 1.5, 5, 3),
        HybridMean(-1.0, 2.0, 2.0, 5, 3),
        LaplaceMean(-1.0, 2.0, 2.0, 4),
    )
]
BOTH = pytest.mark.parametrize(
    ("m", "at", "values"), [*FREQUENCIES, *MEANS], ids=[repr(m) for m, _, _ in FREQUENCIES + MEANS]
)


@BOTH
def test_reports_are_of_the_stated_budget(m, at, values):
    found, fault = distance(m, m, at, values, seed=1)
    assert fault > ALARM + POWER
    assert abs(found) < ALARM


@BOTH
@pytest.mark.parametrize("share", [1 - 1.5 * FAULT, 1 + 1.5 * FAULT])
def test_control_a_sampler_a_few_percent_off_is_seen(m, at, values, share):
    assert abs(distance(at(m, share * m.epsilon), m, at, values, seed=2)[0]) > ALARM
