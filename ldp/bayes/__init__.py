"""The posterior of the law: exact where it can be written down, else drawn; and the least error."""

from ldp.bayes.gibbs_sampling import GibbsSample, gibbs
from ldp.bayes.langevin import Langevin, sgld
from ldp.bayes.mixture import DirichletMixture
from ldp.bayes.posterior import exact_posterior, posterior_mean
from ldp.bayes.risk import AllReports, enumerate_reports, minimum_mse
from ldp.bayes.slice_sampling import SliceSample, slice_sample

__all__ = [
    "AllReports",
    "DirichletMixture",
    "GibbsSample",
    "Langevin",
    "SliceSample",
    "enumerate_reports",
    "exact_posterior",
    "gibbs",
    "minimum_mse",
    "posterior_mean",
    "sgld",
    "slice_sample",
]
