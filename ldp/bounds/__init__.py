r"""What no estimator can beat: lower bounds on the mean squared error, and its exact limits.

Errors are sums over values, :math:`\sum_v(\hat\theta_v-\theta_v)^2`, and averages over a prior;
divide by :math:`d` for the error per value. A name says where its bound is true:

* ``..._bound`` holds at every number of reports;
* ``..._limit`` is about :math:`n` times the error as :math:`n\to\infty`, averaged over a prior with
  a density. At a given :math:`n` the error may be far below it, and so it may at single laws on a
  face of the simplex, where a repaired estimate gains. Near every law the worst error is not below.

Budgets may be from 1e-100 to 1e100, so that their squares stay in float64.

The text of S003 at hand has lost its displayed equations. All formulas here follow from its proofs;
(36)-(60) are reconstructions in that sense. What goes beyond the paper is marked ``sharp``.
"""

from ldp.bounds.attained import Rate, binary_mse, binary_ratio, table_one
from ldp.bounds.detection import expected_found, half_detected
from ldp.bounds.entropy import entropy_bound, tally_entropy_bound, tally_entropy_limit
from ldp.bounds.identification import identification_bound
from ldp.bounds.information import fisher_information
from ldp.bounds.limits import Averages, entropy_constants, entropy_limit, exact_limit
from ldp.bounds.privacy import epsilon_constants, epsilon_limit
from ldp.bounds.spread import optimal_limit, spread_bound, spread_limit

__all__ = [
    "Averages",
    "Rate",
    "binary_mse",
    "binary_ratio",
    "entropy_bound",
    "entropy_constants",
    "entropy_limit",
    "epsilon_constants",
    "epsilon_limit",
    "exact_limit",
    "expected_found",
    "fisher_information",
    "half_detected",
    "identification_bound",
    "optimal_limit",
    "spread_bound",
    "spread_limit",
    "table_one",
    "tally_entropy_bound",
    "tally_entropy_limit",
]
