"""Mechanisms that the package does not know work with every estimator, by the protocols alone.

Both are written here from a matrix and are in no list. Each has a twin in the package, whose
estimates from the same reports are the same.
"""

import inspect
from dataclasses import dataclass

import numpy as np
import pytest
from test_catalogue import public_names

import ldp
from ldp import GRR, Assigned, SquareWave, Tally
from ldp.assigned import Intervals
from ldp.itemsets import PadAndSample
from ldp.types import (
    FrequencyOracle,
    Mechanism,
    OutcomeMechanism,
    PureMechanism,
    ReportType,
    counts_outcomes,
)


@dataclass(frozen=True)
class Table:
    """Any channel, given as rows; its tally counts outcomes."""

    rows: tuple[tuple[float, ...], ...]
    epsilon: float
    report = ReportType(np.dtype(np.int64))

    @property
    def domain_size(self):
        return len(self.rows)

    @property
    def num_outcomes(self):
        return len(self.rows[0])

    def channel(self):
        return np.array(self.rows)

    def outcomes(self, reports):
        return np.asarray(reports, dtype=np.int64)

    def likelihood(self, reports):
        return self.channel().T[self.outcomes(reports)]

    def privatize(self, values, rng):
        borders = self.channel().cumsum(axis=1)[np.asarray(values)]
        return (rng.random((len(borders), 1)) > borders[:, :-1]).sum(axis=1)

    def tally_outcomes(self, reports):
        counts = np.bincount(self.outcomes(reports), minlength=self.num_outcomes)
        return Tally(counts, len(reports), self)

    tally = tally_outcomes

    def simulate(self, value_counts, rng):
        counts = rng.multinomial(value_counts, self.channel()).sum(axis=0)
        return Tally(counts, sum(value_counts), self)


@dataclass(frozen=True)
class Blocks:
    """Report one of some sets of values, one that holds the value e**epsilon times as likely.

    Each value lies in as many sets as another, and so does each pair of values: a block design.
    """

    sets: tuple[tuple[int, ...], ...]
    epsilon: float
    report = ReportType(np.dtype(np.int64))

    @property
    def odds(self):
        return np.exp(self.epsilon)

    @property
    def _held(self):
        return np.array([[v in s for v in range(self.domain_size)] for s in self.sets])

    @property
    def domain_size(self):
        return 1 + max(max(s) for s in self.sets)

    def channel(self):
        weights = np.where(self._held, self.odds, 1.0).T
        return weights / weights.sum(axis=1, keepdims=True)

    @property
    def p(self):
        return float(self.channel()[0] @ self._held[:, 0])

    @property
    def q(self):
        return float(self.channel()[0] @ self._held[:, 1])

    def second_moment(self, frequency, law=None):
        return self.q + (self.p - self.q) * np.asarray(frequency)

    def outcomes(self, reports):
        return np.asarray(reports, dtype=np.int64)

    def support(self, reports):
        return np.packbits(self._held[self.outcomes(reports)], axis=1)

    def likelihood(self, reports):
        return self.channel().T[self.outcomes(reports)]

    def privatize(self, values, rng):
        return Table(tuple(map(tuple, self.channel())), self.epsilon).privatize(values, rng)

    def tally(self, reports):
        return Tally(self._held[self.outcomes(reports)].sum(axis=0), len(reports), self)

    def simulate(self, value_counts, rng):
        return self.tally(self.privatize(np.repeat(np.arange(self.domain_size), value_counts), rng))


def response(domain_size, epsilon):
    """Randomized response is the design of single values."""
    return Blocks(tuple((v,) for v in range(domain_size)), epsilon)


FANO = Blocks(((0, 1, 2), (0, 3, 4), (0, 5, 6), (1, 3, 5), (1, 4, 6), (2, 3, 6), (2, 4, 5)), 1.0)
WAVE = SquareWave(5, 1.5, half_width=1)
TABLE = Table(tuple(map(tuple, WAVE.channel())), 1.5)
TWINS = {"response": (response(5, 1.0), GRR(5, 1.0)), "wave": (TABLE, WAVE), "fano": (FANO, FANO)}
each = pytest.mark.parametrize(("m", "twin"), TWINS.values(), ids=TWINS)


def test_they_are_what_their_types_say():
    for m in (FANO, response(4, 1.0)):
        assert isinstance(m, PureMechanism)
        assert not isinstance(m, OutcomeMechanism)
    assert isinstance(TABLE, OutcomeMechanism)
    assert not isinstance(TABLE, FrequencyOracle)


@dataclass(frozen=True)
class Named(Blocks):
    """A design that has the names of a mechanism that counts outcomes, and counts supports."""

    @property
    def num_outcomes(self):
        return len(self.sets)

    def tally_outcomes(self, reports):
        return Tally(np.bincount(reports, minlength=len(self.sets)), len(reports))


def test_names_alone_do_not_make_counts_of_supports_into_outcomes():
    named = Named(FANO.sets, FANO.epsilon)
    assert isinstance(named, OutcomeMechanism)
    assert not counts_outcomes(named)
    assert counts_outcomes(TABLE)
    reports = given(FANO)
    fit, same = (ldp.maximum_likelihood(reports, m) for m in (named, FANO))
    assert fit.theta.tobytes() == same.theta.tobytes()
    with pytest.raises(TypeError, match=r"^counts must be counts of outcomes"):
        ldp.em(named.tally(reports), named)
    assert PadAndSample(4, 3, named).epsilon == named.epsilon  # no budget is won by sampling
    assert PadAndSample(4, 3, GRR(7, 1.0)).epsilon < 1


def given(m, num_reports=40):
    rng = np.random.default_rng(1)
    return m.privatize(rng.integers(0, m.domain_size, num_reports), rng)


def drawing(**options):
    return {"num_draws": 3, "rng": np.random.default_rng(2), "burn_in": 2, "num_chains": 2}


# What a mechanism and its reports give; what is drawn need not be the same, but must be laws.
OF_ALL = {
    "maximum_likelihood": lambda y, m: ldp.maximum_likelihood(y, m).theta,
    "maximum_posterior": lambda y, m: ldp.likelihood.maximum_posterior(y, m, 2 * one(m)).theta,
    "exact_posterior": lambda y, m: ldp.bayes.exact_posterior(y[:9], m, one(m)).mean,
    "posterior_mean": lambda y, m: ldp.bayes.posterior_mean(y[:9], m, one(m)),
    "of several mechanisms": lambda y, m: ldp.maximum_likelihood([y, y[:5]], [m, m]).theta,
    "em of outcomes": lambda y, m: ldp.em(np.bincount(m.outcomes(y), None, width(m)), m).theta,
    "minimum_mse": lambda y, m: ldp.bayes.minimum_mse(m.channel(), 2, one(m)),
    "worst_case_epsilon": lambda y, m: ldp.worst_case_epsilon(m.channel()),
    "exact_limit": lambda y, m: ldp.bounds.exact_limit(m.channel(), [one(m) / one(m).size] * 2),
    "fisher": lambda y, m: ldp.utilities.fisher(one(m) / one(m).size, m.channel()),
}
DRAWN = {
    "gibbs": lambda y, m: ldp.bayes.gibbs(y, m, one(m), **drawing()).laws,
    "slice_sample": lambda y, m: ldp.bayes.slice_sample(y, m, one(m), **drawing()).laws,
    "sgld": lambda y, m: ldp.bayes.sgld(y, m, one(m), [1e-3] * 4, np.random.default_rng(2)).laws,
}
OF_ORACLES = {
    "debias": lambda y, m: ldp.debias(m.tally(y), m),
    "variance": lambda y, m: ldp.variance(m, 40, one(m) / one(m).size),
    "sampling_variance": lambda y, m: ldp.sampling_variance(m, 40, one(m) / one(m).size),
    "confidence_interval": lambda y, m: ldp.confidence_interval(m.tally(y), m, simultaneous=True),
    "users_needed": lambda y, m: ldp.planning.users_needed(m, error=0.01),
    "mle_apx": lambda y, m: ldp.postprocess.mle_apx(ldp.debias(m.tally(y), m), m),
    "expected_found": lambda y, m: ldp.bounds.expected_found(
        one(m) / one(m).size, m, 500, [1, 1], top_k=2
    ),
}
OF_RESIDUES = {"residue_least_squares", "residue_covariance"}  # of modular subset selection alone
OF_TALLIES = {
    "maximum_likelihood": OF_ALL["maximum_likelihood"],
    "em": lambda y, m: ldp.em(y, m).theta,
    "smoothed em": lambda y, m: ldp.em(y, m, smooth=(1, 2, 1)).theta,
}


def one(m):
    return np.ones(m.domain_size)


def width(m):
    return m.channel().shape[1]


@each
def test_every_estimator_takes_one_and_says_of_it_what_it_says_of_its_twin(m, twin):
    reports = given(twin)
    calls = OF_ALL | (OF_ORACLES if isinstance(m, FrequencyOracle) else {})
    for name, call in calls.items():
        found, expected = call(reports, m), call(reports, twin)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7, err_msg=name)
    for name, call in DRAWN.items():
        laws = call(reports, m)
        np.testing.assert_allclose(laws.sum(axis=-1), 1, err_msg=name)


@pytest.mark.parametrize("name", OF_TALLIES)
def test_the_tally_of_one_that_counts_outcomes_is_taken_as_its_reports_are(name):
    reports = given(WAVE)
    found = OF_TALLIES[name](TABLE.tally(reports), TABLE)
    np.testing.assert_allclose(found, OF_TALLIES[name](WAVE.tally(reports), WAVE), rtol=1e-9)


def test_the_tally_of_one_that_counts_supports_is_refused_as_reports():
    with pytest.raises(TypeError, match=r"reports must be the reports themselves, got a Tally"):
        ldp.maximum_likelihood(FANO.tally(given(FANO)), FANO)


def test_every_function_that_takes_a_mechanism_is_called_here():
    takes = {
        name
        for name, made in public_names().items()
        if inspect.isfunction(made) and "mechanism" in inspect.signature(made).parameters
    }
    assert (
        takes - {"mean_interval", "counts_outcomes", *OF_RESIDUES}
        <= OF_ALL.keys() | DRAWN.keys() | OF_ORACLES.keys()
    )


# -- where it is a part of something ---------------------------------------------------------------


def test_users_are_assigned_to_it():
    parts = [(Intervals(7, 1), FANO, 0.5), (Intervals(7, 2), response(4, 1.0), 0.5)]
    users, rng = Assigned(parts), np.random.default_rng(3)
    reports = users.privatize(np.arange(600) % 7, rng)
    tallies = users.tally(reports)
    assert [t.mechanism for t in tallies] == [FANO, response(4, 1.0)]
    assert abs(ldp.debias(tallies[0], FANO).sum() - 1) < 0.5
    assert len(users.simulate(np.arange(7), np.full(7, 100), rng)) == 2


def test_it_is_the_oracle_of_a_hierarchy_and_of_padded_sets():
    m, rng = ldp.HierarchicalHistogram(8, 2.0, 2, response), np.random.default_rng(4)
    nodes = m.nodes(m.tally(m.privatize(np.repeat([1, 6], 2_000), rng)))
    assert np.abs(nodes[-1] - [0, 0.5, 0, 0, 0, 0, 0.5, 0]).max() < 0.3  # ten deviations
    padding = ldp.itemsets.PadAndSample(3, 4, FANO)
    sets = ldp.itemsets.ItemSets.every(3)[rng.integers(0, 8, 300)]
    assert np.isfinite(ldp.debias(padding.tally(padding.privatize(sets, rng)), padding)).all()


def test_it_is_itself_a_mechanism_whose_law_is_its_channel():
    for m in (FANO, TABLE):
        assert isinstance(m, Mechanism)
        reports = m.privatize(np.zeros(20_000, dtype=int), np.random.default_rng(5))
        shares = np.bincount(reports, minlength=width(m)) / 20_000
        assert np.abs(shares - m.channel()[0]).max() < 6 * 0.5 / np.sqrt(20_000)
