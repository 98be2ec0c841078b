"""Rules, samplers and small runs that the tests of adaptive estimation share."""

import numpy as np
import pytest

from ldp import adobest
from ldp.protocols import (
    BestPrefix,
    EmptyPrefix,
    GibbsSampler,
    LangevinSampler,
    MassPrefix,
    SliceSampler,
)
from ldp.utilities import UTILITIES

ADAPTIVE = [BestPrefix(name, 0.8) for name in UTILITIES]
RESTLESS = BestPrefix("tv_report", 0.8)  # it chooses the most different subsets
RULES = [*ADAPTIVE, BestPrefix("honest", 1.0), MassPrefix(0.7), MassPrefix(1.0), EmptyPrefix()]
SAMPLERS = [LangevinSampler(0.05, 5, 3), GibbsSampler(2), SliceSampler(1, (1.0, 2.0, 1.5, 1.0))]
every_rule = pytest.mark.parametrize("rule", RULES, ids=repr)
every_sampler = pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda s: type(s).__name__)
VALUES = np.random.default_rng(8).choice(4, 60, p=[0.1, 0.2, 0.1, 0.6])


def run_of(sampler, rule=RESTLESS, values=VALUES, seed=0, epsilon=1.5, **options):
    return adobest(values, 4, epsilon, rule, sampler, np.random.default_rng(seed), **options)
