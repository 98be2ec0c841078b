"""The adaptive loop: a slow twin, what a run holds, and who knows what when."""

from collections import Counter

import numpy as np
import pytest
from adaptive_runs import RESTLESS, VALUES, every_rule, every_sampler, run_of

from ldp import RRRR, adobest
from ldp._words import words
from ldp.bayes.slice_sampling import swept
from ldp.bayes.subset_counts import draw_by_subset, gather_counts, likelihood_columns
from ldp.mechanisms.restricted_levels import weights
from ldp.protocols import (
    BestPrefix,
    EmptyPrefix,
    GibbsSampler,
    LangevinSampler,
    MassPrefix,
    SliceSampler,
    _rounds,
)
from ldp.protocols._adaptive_kernels import first_like


def round_of_users(run):
    """Round in which each user was asked."""
    return np.searchsorted(run.starts, np.arange(run.reports.size), side="right") - 1


# -- the compiled loop against a plain one


def answer(value, word, order, m):
    """One weight for every other value of the subset, one for those outside; the rest is kept."""
    k, (within, across, outside) = len(m.subset), weights(m.levels).tolist()
    for place, other in enumerate(order):
        weight = within if place < k else across if value in m.subset else outside
        if other == value:
            continue
        if word < weight:
            return other
        word -= weight
    return value


def slow(values, d, epsilon, rule, sampler, rng, ends, at_once):
    """Algorithm 2 as printed, but for the root of the step size; yields subset, reports, law."""
    updates, batch = sampler.num_updates, sampler.minibatch
    alpha = np.broadcast_to(sampler.concentration, d)
    law, rows = np.full(d, 1 / d), []
    phi = law * alpha.sum()
    for first in range(0, len(ends) - 1, at_once):
        here = ends[first : first + at_once + 1]
        answers = iter(words(rng, here[-1] - here[0]).tolist())
        picks = words(rng, (len(here) - 1, updates, batch)).tolist()
        noise = rng.standard_normal((len(here) - 1, updates, d))
        for i in range(len(here) - 1):
            m = rule.choose(law, epsilon)
            order = sorted(range(d), key=lambda v, law=law: (-law[v], v))
            users = values[here[i] : here[i + 1]]
            reports = [answer(value, next(answers), order, m) for value in users]
            rows.extend(m.likelihood(reports))
            n = here[i + 1]
            step = sampler.step_size(n) if callable(sampler.step_size) else sampler.step_size
            for j in range(updates):
                chosen = np.array([rows[word * n >> 64] for word in picks[i][j][: min(batch, n)]])
                ratios = chosen / (chosen @ (phi / phi.sum()))[:, None] - 1
                gradient = (alpha - 1) / phi - 1 + n * ratios.mean(axis=0) / phi.sum()
                phi = np.abs(phi + step / 2 * gradient + np.sqrt(step) * noise[i, j])
            law = phi / phi.sum()
            yield m.subset, reports, law


@every_rule
@pytest.mark.parametrize(
    ("sampler", "options"),
    [
        (LangevinSampler(0.05, 5, 3), {}),
        (LangevinSampler(lambda n: 0.5 / n, 50, 4), {"users_per_round": 3}),
        (LangevinSampler(0.02, 6, 2, [1.0, 2.5, 1.5, 1.0]), {"growth": 0.25}),
    ],
    ids=["S000", "three a round", "growing"],
)
def test_compiled_rounds_are_those_of_the_printed_algorithm(rule, sampler, options, monkeypatch):
    """Sums in another order differ in the last places; a subset changes only at ties.

    Random numbers are drawn for some rounds at a time, here seven.
    """
    at_once = 7
    numbers = sampler.num_updates * (sampler.minibatch + 4)
    monkeypatch.setattr(_rounds, "_NUMBERS_AT_ONCE", at_once * numbers)
    run = run_of(sampler, rule, **options)
    ends = [*run.starts.tolist(), VALUES.size]
    rng = np.random.default_rng(0)
    wanted = list(slow(VALUES.tolist(), 4, 1.5, rule, sampler, rng, ends, at_once))
    assert [tuple(np.flatnonzero(row)) for row in run.subsets] == [s for s, _, _ in wanted]
    assert run.reports.tolist() == [y for _, reports, _ in wanted for y in reports]
    np.testing.assert_allclose(run.laws[1:], [law for _, _, law in wanted], rtol=1e-9)
    assert (run.laws[0] == 0.25).all()


def slow_counted(values, epsilon, rule, sampler, rng, starts):
    """Algorithm 2 with draws from the posterior given lists of mechanisms and reports."""
    law, asked, alpha = np.full(4, 0.25), {}, np.broadcast_to(sampler.concentration, 4)
    for users in np.split(values, starts[1:]):
        m = rule.choose(law, epsilon)
        order = sorted(range(4), key=lambda v, law=law: (-law[v], v))
        answers = zip(users.tolist(), words(rng, users.size).tolist(), strict=True)
        reports = [answer(value, word, order, m) for value, word in answers]
        asked.setdefault(m, []).extend(reports)
        evidence = gather_counts([np.array(each) for each in asked.values()], list(asked))
        for _ in range(sampler.num_sweeps):
            if isinstance(sampler, GibbsSampler):
                law = rng.dirichlet(alpha + draw_by_subset(evidence, law, rng))
            else:
                law = swept(law, *likelihood_columns(evidence), alpha, rng)
        yield m.subset, reports, law


@pytest.mark.parametrize("rule", [RESTLESS, BestPrefix("honest", 1.0), MassPrefix(0.7)], ids=repr)
@pytest.mark.parametrize("options", [{}, {"users_per_round": 7}, {"growth": 0.5}], ids=repr)
@pytest.mark.parametrize(
    "sampler",
    [GibbsSampler(2, (0.5, 2.0, 1.0, 1.0)), SliceSampler(2), SliceSampler(1, (1.0, 2.0, 1.5, 1.0))],
    ids=repr,
)
def test_other_samplers_are_given_all_reports_so_far_by_subset(rule, sampler, options):
    run = run_of(sampler, rule, **options)
    rng = np.random.default_rng(0)
    wanted = list(slow_counted(VALUES, 1.5, rule, sampler, rng, run.starts))
    assert [tuple(np.flatnonzero(row)) for row in run.subsets] == [s for s, _, _ in wanted]
    assert run.reports.tolist() == [y for _, reports, _ in wanted for y in reports]
    np.testing.assert_allclose(run.laws[1:], [law for _, _, law in wanted], rtol=1e-9)


def test_numbers_of_users_so_far_reach_the_step_size():
    seen = []
    sampler = LangevinSampler(lambda n: seen.append(n.copy()) or 0.1 / n)
    run_of(sampler, users_per_round=25)
    assert [n.tolist() for n in seen] == [[25, 50, 60]]


def test_a_step_size_that_writes_to_its_argument_moves_no_user():
    def written(n):
        steps = 0.1 / n
        n += 7
        return steps

    one, two = (
        run_of(LangevinSampler(f), users_per_round=25) for f in (written, lambda n: 0.1 / n)
    )
    assert (one.laws == two.laws).all()
    assert one.starts.tolist() == [0, 25, 50]


def test_a_minibatch_beyond_all_users_is_as_many_as_there_are():
    one, two = (run_of(LangevinSampler(0.1, size, 2)) for size in (60, 10**10))
    assert (one.laws == two.laws).all()


@pytest.mark.parametrize("codes", [[0, 0, 0], [1, 1, 1], None], ids=["all", "by size", "few"])
def test_equal_subsets_are_found_though_others_collide(codes):
    rng = np.random.default_rng(0)
    inside = rng.integers(0, 2, (200, 3)).astype(bool)
    *_, used, slots = _rounds._no_rows(1, len(inside), 3)
    used = used if codes is None else np.array(codes, dtype=np.uint64)
    first = {}
    for at, row in enumerate(inside):
        assert first_like(at, inside, used, slots) == first.setdefault(row.tobytes(), at)
    assert len(first) == 8


# -- what a run holds


@every_sampler
@every_rule
@pytest.mark.parametrize("options", [{}, {"users_per_round": 7}, {"growth": 0.5}], ids=repr)
def test_subsets_are_those_that_the_rule_chooses_at_the_law_before(rule, sampler, options):
    run = run_of(sampler, rule, **options)
    for law, row, size in zip(run.laws, run.subsets, run.sizes, strict=False):
        subset = rule.choose(law, 1.5).subset
        assert tuple(np.flatnonzero(row)) == subset
        assert size == len(subset)
    assert len(run.laws) == len(run.subsets) + 1 == len(run.starts) + 1
    np.testing.assert_allclose(run.laws.sum(axis=1), 1, rtol=1e-12)
    assert run.laws.min() >= 0


@every_sampler
@pytest.mark.parametrize("options", [{}, {"users_per_round": 7}, {"growth": 0.5}], ids=repr)
def test_tallies_count_the_reports_under_each_subset(sampler, options):
    run = run_of(sampler, **options)
    wanted = {}
    for i, report in zip(round_of_users(run), run.reports.tolist(), strict=True):
        m = RRRR(4, 1.5, np.flatnonzero(run.subsets[i]), 0.8 * 1.5)
        wanted.setdefault(m, Counter())[report] += 1
    assert len(run.mechanisms) == len(wanted) > 1
    for m, tally in zip(run.mechanisms, run.tallies, strict=True):
        assert tally.counts.tolist() == [wanted[m][y] for y in range(4)]
        assert tally.num_reports == wanted[m].total()
        assert tally.mechanism == m
    assert (run.domain_size, run.epsilon, run.epsilon_inner) == (4, 1.5, 0.8 * 1.5)


@every_sampler
def test_history_cannot_be_rewritten(sampler):
    run = run_of(sampler)
    for array in (run.reports, run.starts, run.subsets, run.laws):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[-1]


@every_sampler
def test_same_seed_same_run(sampler):
    one, two, other = (run_of(sampler, seed=seed) for seed in (3, 3, 4))
    for name in ("reports", "subsets", "laws", "starts"):
        assert (getattr(one, name) == getattr(two, name)).all()
    assert not (one.laws[1:] == other.laws[1:]).any()


@pytest.mark.parametrize("n", [1, 2, 60, 1_000])
@pytest.mark.parametrize("least", [1, 3, 60, 100])
@pytest.mark.parametrize("growth", [0.0, 0.01, 0.3, 1.0])
def test_rounds_have_the_least_or_the_share_whichever_is_more(n, least, growth):
    starts = _rounds_of(n, least, growth)
    lengths = np.diff([*starts, n])
    assert starts[0] == 0
    assert (lengths > 0).all()
    for start, length in zip(starts[:-1], lengths[:-1], strict=True):
        assert length == max(least, int(growth * start))
    assert lengths[-1] <= max(least, int(growth * starts[-1]))


def _rounds_of(n, least, growth):
    values = np.zeros(n, dtype=np.int64)
    rng = np.random.default_rng(0)
    options = {"users_per_round": least, "growth": growth}
    return adobest(values, 2, 1.0, EmptyPrefix(), GibbsSampler(), rng, **options).starts


# -- who knows what when


@every_sampler
@pytest.mark.parametrize("changed", [0, 13, 30, 59])
def test_nothing_is_asked_or_believed_before_a_user_that_depends_on_her(sampler, changed):
    others = VALUES.copy()
    others[changed:] = (others[changed:] + 1) % 4
    one, two = (run_of(sampler, values=v, users_per_round=4, seed=1) for v in (VALUES, others))
    at = int(round_of_users(one)[changed])
    assert (one.reports[:changed] == two.reports[:changed]).all()
    assert (one.subsets[: at + 1] == two.subsets[: at + 1]).all()
    assert (one.laws[: at + 1] == two.laws[: at + 1]).all()
    assert changed > 50 or (one.reports != two.reports).any()


@every_sampler
def test_later_rounds_see_reports_not_values(sampler):
    """Where another value of the first user leaves her report the same, the run is the same."""
    same = other_laws = 0
    for seed in range(40):
        one, two = (
            run_of(sampler, values=[first, *VALUES[1:12]], seed=seed, epsilon=0.5)
            for first in (0, 1)
        )
        if one.reports[0] == two.reports[0]:
            same += 1
            assert (one.laws == two.laws).all()
            assert (one.subsets == two.subsets).all()
            assert (one.reports == two.reports).all()
        else:
            other_laws += (one.laws != two.laws).any()
    assert 5 < same < 35
    assert other_laws > 0


@every_sampler
def test_no_sweep_is_left_out(sampler):
    """One more update or sweep a round is another run, from the first round on."""
    field = "num_updates" if isinstance(sampler, LangevinSampler) else "num_sweeps"
    more = type(sampler)(**(vars(sampler) | {field: getattr(sampler, field) + 1}))
    one, two = run_of(sampler), run_of(more)
    assert (one.laws[1] != two.laws[1]).all()
