"""What SVIM and SVSM make of the sizes that users tell: to two per cent, without chance."""

import numpy as np
import pytest

from ldp import GRR, Tally, variance
from ldp.itemsets import ItemSets, asking

TOLD = asking.ItemRound(None, GRR(4, 1.0), Tally([10, 20, 30, 40], 100))


@pytest.mark.parametrize(("share", "kept"), [(2.98, False), (3.02, True)])
def test_shares_below_three_standard_deviations_are_no_shares(share, kept):
    noise = np.sqrt(variance(TOLD.mechanism, 100))
    given = np.array([10 * noise, share * noise])
    expected = given * [True, kept]
    assert asking.without_noise((TOLD, given), 3.0).tolist() == expected.tolist()


@pytest.mark.parametrize(("two", "length"), [(0.31, 2), (0.29, 3)])
def test_the_length_is_enough_for_nine_tenths_of_those_who_have_any(two, length):
    sizes = np.array([5.0, 0.6, two, 0.4 - two])
    assert asking.covering_length(sizes) == length


def test_estimates_are_scaled_by_what_cut_sets_miss(monkeypatch):
    """Sizes 1, 2, 3 of shares .5, .45, .05: L is 2, and 1.55 items in place of 1.5 are held."""
    asked = []

    def told(*_):
        return TOLD, np.array([0.0, 0.5, 0.45, 0.05])

    def found(sets, candidates, mechanism, rng):
        asked.append(mechanism)
        return asking.ItemRound(candidates, mechanism, TOLD.tally), np.array([0.4, 0.2, 0.1])

    monkeypatch.setattr(asking, "ask_sizes", told)
    monkeypatch.setattr(asking, "ask_items", found)
    sets = ItemSets.every(3)
    *_, estimates = asking.corrected(sets, sets, 1.0, 0.0, np.random.default_rng(1))
    assert asked[0].length == 2
    assert estimates == pytest.approx(np.array([0.4, 0.2, 0.1]) * 1.55 / 1.5, rel=1e-12)
