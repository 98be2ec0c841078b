"""The most likely law, from reports or from counts of outcomes, with a certificate."""

from ldp.likelihood.expectation_maximization import em
from ldp.likelihood.maximum import Fit, maximum_likelihood, maximum_posterior

__all__ = ["Fit", "em", "maximum_likelihood", "maximum_posterior"]
