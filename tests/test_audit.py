"""The audit finds an extreme ratio wherever it stands: in any report, between any two values."""

import numpy as np
import pytest
from catalogue import FREQUENCIES, MEANS, small

from ldp import worst_case_epsilon

FAMILIES = [m for m in small(1.5, FREQUENCIES | MEANS) if m.channel().shape[1] <= 2_000]


def spread_of(column):
    """Largest log-ratio of two values' chances of one report, by a plain loop."""
    return max(np.log(a) - np.log(b) for a in column for b in column)


def with_one_telling_report(channel, y, place):
    """Send report y as before but rarely, and three reports that say less, `place` of them first.

    All of the other chances are shared one to two to three, so each says what their sum says.
    """
    told = channel[:, y] / 16
    rest = np.outer(1 - told, [1 / 6, 2 / 6, 3 / 6])
    return np.insert(rest, place, told, axis=1)


@pytest.mark.parametrize("m", FAMILIES, ids=repr)
def test_the_audit_looks_at_every_report(m):
    """Only one report has the largest ratio, and it stands first, last or between."""
    channel = m.channel()
    spreads = np.array([spread_of(column) for column in channel.T[:200]])
    telling = np.flatnonzero(spreads > 0.1)
    for y in {telling[0], telling[-1], np.argmax(spreads)}:
        for place in range(4):
            made = with_one_telling_report(channel, y, place)
            others = [spread_of(made[:, k]) for k in range(4) if k != place]
            assert max(others) < 0.5 * spreads[y]  # else nothing is shown
            assert worst_case_epsilon(made) == pytest.approx(spreads[y], rel=1e-12)


@pytest.mark.parametrize("m", FAMILIES, ids=repr)
def test_the_audit_does_not_mind_the_order_of_reports_and_values(m):
    channel, rng = m.channel(), np.random.default_rng(0)
    audited = max(spread_of(column) for column in channel.T[rng.permutation(channel.shape[1])])
    assert audited == pytest.approx(worst_case_epsilon(channel), rel=1e-12)
    for _ in range(5):
        rows, columns = (rng.permutation(size) for size in channel.shape)
        mixed = channel[rows][:, columns]
        assert worst_case_epsilon(mixed) == pytest.approx(audited, rel=1e-12)


@pytest.mark.parametrize("d", [2, 3, 7])
@pytest.mark.parametrize("telling", [1.03, 1 / 1.03])
def test_the_audit_sees_one_value_whose_chances_differ_by_three_percent(d, telling):
    """All values have one law but one of them, wherever it stands, and in whichever report."""
    for value in range(d):
        for report in range(4):
            channel = np.full((d, 4), [0.1, 0.2, 0.3, 0.4])
            channel[value, report] *= telling
            others = [y for y in range(4) if y != report]
            channel[value, others] *= (1 - channel[value, report]) / channel[value, others].sum()
            ratio = abs(np.log(channel[value] / channel[value - 1])).max()
            assert worst_case_epsilon(channel) == pytest.approx(ratio, rel=1e-9)
