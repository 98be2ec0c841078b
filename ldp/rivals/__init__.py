"""Published alternatives, kept for comparison.

The room holds mechanisms that others have proposed and that the package's own are measured
against: with the exact law that they emit, their own estimator, and the same tests. None is
recommended here; ``book/api-rivals.md`` says what each costs.
"""

from ldp.rivals.balanced import BalancedSketch
from ldp.rivals.count_mean import CountMeanSketch
from ldp.rivals.modular import ModularSubsetSelection
from ldp.rivals.pi_rappor import PIRAPPOR
from ldp.rivals.residues import ResidueFit, residue_covariance, residue_least_squares

__all__ = [
    "PIRAPPOR",
    "BalancedSketch",
    "CountMeanSketch",
    "ModularSubsetSelection",
    "ResidueFit",
    "residue_covariance",
    "residue_least_squares",
]
