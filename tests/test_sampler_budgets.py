"""Reports of every mechanism against its channel at a budget three percent off: which is likelier?

The score of a report, the slope of its log-probability in the budget, has mean 0 under the channel
and the Fisher information as its variance; no other mean of reports sees a change of the budget
better. As many users are asked as it takes to see `FAULT` of the budget with 95 percent probability
where one false alarm in 10**9 tests is raised. Controls are samplers that are off by so much.
"""

import numpy as np
import pytest
from catalogue import MEANS, places, small_makers
from scipy import stats
from test_samplers import SAMPLED

pytestmark = pytest.mark.statistical

FALSE_ALARM, FAULT = 1e-9, 0.03
ALARM = -stats.norm.ppf(FALSE_ALARM / 2)
POWER = stats.norm.ppf(0.95)


def scores(make, epsilon, h=1e-4):
    """Slope of log Pr[y | x] in the budget, [x, y]."""
    beside = (np.log(make(epsilon + sign * h).channel()) for sign in (1, -1))
    return np.subtract(*beside) / (2 * h)


def distance(sampler, make, epsilon, seed):
    """Mean score of the reports in standard errors; and as many of them as a fault would be."""
    m, slopes = make(epsilon), scores(make, epsilon)
    channel = m.channel()
    information = np.mean((channel * slopes**2).sum(axis=1))
    users = int((1.2 * (ALARM + POWER) / (FAULT * epsilon)) ** 2 / information)
    rows = np.arange(users) % len(channel)
    reports = m.outcomes(sampler.privatize(places(m)[rows], np.random.default_rng(seed)))
    error = np.sqrt(information / users)
    return slopes[rows, reports].mean() / error, FAULT * epsilon * information / error


def has_a_law_near(make, epsilon):
    """Whether a budget next to it has the same reports, all of which are made at times."""
    channels = [make(share * epsilon).channel() for share in (0.9, 1.1)]
    return channels[0].shape == channels[1].shape and min(c.min() for c in channels) > 0


BOTH = [
    pytest.param(make, epsilon, id=repr(make(epsilon)))
    for make in [*SAMPLED, *small_makers(MEANS)]
    for epsilon in (1.0, 2.5)
    if has_a_law_near(make, epsilon)
]


@pytest.mark.parametrize(("make", "epsilon"), BOTH)
def test_reports_are_of_the_stated_budget(make, epsilon):
    found, fault = distance(make(epsilon), make, epsilon, seed=1)
    assert fault > ALARM + POWER
    assert abs(found) < ALARM
    for share in (1 - 1.5 * FAULT, 1 + 1.5 * FAULT):  # controls: a sampler a few percent off
        assert abs(distance(make(share * epsilon), make, epsilon, seed=2)[0]) > ALARM
