"""One run of the study of AdOBEst-LDP: one population, asked in eighteen ways.

Every rule is judged at equal estimators. The maximum likelihood and the posterior mean need no
tuning; Langevin dynamics choose subsets of their own, as S000 does, and collect reports of their
own. An oracle restricts all users to the subset that is best at the true law.
"""

from typing import Any

import numpy as np

from ldp import adobest, maximum_likelihood
from ldp.bayes import slice_sample
from ldp.metrics import tv
from ldp.protocols import BestPrefix, EmptyPrefix, LangevinSampler, MassPrefix, SliceSampler
from ldp.utilities import UTILITIES

GROWTH = 0.02  # a round has a fiftieth of the users before it: about 500 rounds of 500,000 users
RULES = [
    EmptyPrefix(),
    *(BestPrefix(utility, share) for share in (0.8, 0.9) for utility in UTILITIES),
    *(MassPrefix(mass) for mass in (0.95, 0.9, 0.8, 0.6, 0.2)),
]
FEW_RULES = [RULES[0], BestPrefix("honest", 0.8), BestPrefix("tv_report", 0.9), MassPrefix(0.9)]


def all_rules(cell: dict[str, Any], rng: np.random.Generator) -> list[dict[str, Any]]:
    """Ask one population by every rule of the sources' grid."""
    return compare(cell, rng, RULES)


def few_rules(cell: dict[str, Any], rng: np.random.Generator) -> list[dict[str, Any]]:
    """Ask one population by four rules, with the numbers that `all_rules` has for them."""
    return compare(cell, rng, FEW_RULES)


def compare(
    cell: dict[str, Any], rng: np.random.Generator, rules: list[Any]
) -> list[dict[str, Any]]:
    """Errors of every rule and estimator for one law and one sample of values."""
    d = cell["domain_size"]
    population, *generators = rng.spawn(1 + len(RULES))
    theta = population.dirichlet(np.full(d, cell["rho"]))
    values = population.choice(d, size=cell["n"], p=theta)
    return [
        describe(rule)
        | adapted(rule, values, theta, cell["epsilon"], child)
        | by_langevin(rule, values, theta, cell["epsilon"], child)
        | by_oracle(rule, values, theta, cell["epsilon"], child)
        for rule, child in zip(RULES, generators, strict=True)
        if rule in rules
    ]


def describe(rule: Any) -> dict[str, Any]:
    """Name and parameter of a rule."""
    if isinstance(rule, BestPrefix):
        return {"rule": rule.utility, "parameter": rule.inner_share}
    if isinstance(rule, MassPrefix):
        return {"rule": "mass", "parameter": rule.mass}
    if isinstance(rule, EmptyPrefix):
        return {"rule": "none", "parameter": 1.0}
    raise TypeError(f"rule must be one of the grid's, got {rule!r}.")


def adapted(rule: Any, values: Any, theta: Any, epsilon: float, rng: Any) -> dict[str, Any]:
    """Subsets chosen at draws from the posterior itself."""
    run = adobest(values, theta.size, epsilon, rule, SliceSampler(), rng, growth=GROWTH)
    return {
        "mle": likeliest(run.mechanisms, run.tallies, theta),
        "mean": expected(run.mechanisms, run.tallies, theta, rng),
        "size": int(run.sizes[-1]),
        "subsets": len(run.mechanisms),
        "hits": hits(run, rule, theta),
    }


def by_langevin(rule: Any, values: Any, theta: Any, epsilon: float, rng: Any) -> dict[str, Any]:
    """Subsets chosen at states of Langevin dynamics, whose last states are the estimate too.

    In trials with plain randomized response no steps of c / (users so far), c from 0.2 to 20, did
    clearly better than c = 5.
    """
    sampler = LangevinSampler(step_size=lambda num_users: 5 / num_users, num_updates=200)
    run = adobest(values, theta.size, epsilon, rule, sampler, rng, growth=GROWTH)
    return {
        "sgld_draw": tv(run.laws[-1], theta),
        "sgld_mean": tv(run.laws[-25:].mean(axis=0), theta),  # since there were 40% fewer users
        "sgld_mle": likeliest(run.mechanisms, run.tallies, theta),
        "sgld_size": int(run.sizes[-1]),
        "sgld_hits": hits(run, rule, theta),
    }


def by_oracle(rule: Any, values: Any, theta: Any, epsilon: float, rng: Any) -> dict[str, Any]:
    """All users restricted to the subset that is best at the true law."""
    mechanism = rule.choose(theta, epsilon)
    tally = mechanism.simulate(np.bincount(values, minlength=theta.size), rng)
    return {
        "oracle_mle": likeliest([mechanism], [tally], theta),
        "oracle_mean": expected([mechanism], [tally], theta, rng),
        "oracle_size": len(mechanism.subset),
    }


def likeliest(mechanisms: Any, tallies: Any, theta: Any) -> float:
    """Error of the constrained maximum likelihood estimate."""
    return tv(maximum_likelihood(tallies, mechanisms).theta, theta)


def expected(mechanisms: Any, tallies: Any, theta: Any, rng: Any) -> float:
    """Error of the posterior mean under the uniform prior."""
    prior = np.ones(theta.size)
    draws = slice_sample(tallies, mechanisms, prior, 100, rng, burn_in=100, num_chains=2)
    return tv(draws.mean, theta)


def hits(run: Any, rule: Any, theta: Any) -> float:
    """Share of the second half of users who were asked with the subset best at the true law."""
    best = np.zeros(theta.size, dtype=bool)
    best[list(rule.choose(theta, run.epsilon).subset)] = True
    lengths = np.diff(run.starts, append=run.reports.size)
    asked = np.repeat((run.subsets == best).all(axis=1), lengths)
    return float(asked[asked.size // 2 :].mean())
