"""All mechanisms side by side for one survey."""

import math
import re
import textwrap
from dataclasses import dataclass
from typing import Any

from ldp import _checks
from ldp.planning.costs import MAKERS
from ldp.planning.rows import Row, row

MOST_VALUES = 2**22
COLUMNS = {
    "error": ("rare", 9),
    "error_frequent": ("frequent", 9),
    "worst_case": ("worst", 9),
    "sup_norm": ("sup norm", 9),
    "detection_limit": ("noticed", 9),
    "bits": ("bits", 8),
    "client_ops": ("client", 8),
    "server_ops": ("server", 9),
    "attack_success": ("attack", 8),
}
"""Columns of numbers: what a printed table calls them, and how wide they are."""


@dataclass(frozen=True, repr=False)
class Plan:
    """Mechanisms for a survey, the best first; printed, a table 100 characters wide.

    :func:`ldp.plan` makes it.

    Attributes
    ----------
    domain_size, epsilon, num_users, frequency, max_bits, max_server_ops, sort_by
        What was asked.
    rows : tuple of Row
        The mechanisms within the limits, sorted; ``rows[0].mechanism`` is ready for use.
    beyond : tuple of Row
        Those beyond a limit, sorted.
    refused : tuple of (name, sentence)
        Those that do not take this domain size or budget, and why.
    """

    domain_size: int
    epsilon: float
    num_users: int
    frequency: float
    max_bits: int | None
    max_server_ops: int | None
    sort_by: str
    rows: tuple[Row, ...]
    beyond: tuple[Row, ...]
    refused: tuple[tuple[str, str], ...]

    def columns(self) -> dict[str, list[Any]]:
        """Return the rows within the limits as a list for each column, as data frames take them.

        Examples
        --------
        >>> from ldp import plan
        >>> table = plan(50, 1.0, 20_000).columns()
        >>> table["name"][0], table["bits"][0]
        ('SubsetSelection', 50)
        """
        return {name: [getattr(each, name) for each in self.rows] for name in ("name", *COLUMNS)}

    def __str__(self) -> str:
        """Write the table."""
        asked = f"{self.domain_size:,} values, budget {self.epsilon:g}, {self.num_users:,} people"
        limits = [] if self.max_bits is None else [f"{self.max_bits:,} bits"]
        limits += [] if self.max_server_ops is None else [f"{self.max_server_ops:,} server steps"]
        lines = [f"{asked}; sorted by {self.sort_by}", *_listed("At most", limits)]
        head = "".join(f"{title:>{width}}" for title, width in COLUMNS.values())
        lines += [f"{'mechanism':<22}{head}"]
        lines += [_printed(each) for each in self.rows]
        lines += [] if self.rows else ["No mechanism keeps within the limits."]
        lines += _listed("Beyond a limit", [each.name for each in self.beyond])
        lines += _listed("Not for these values and this budget", [name for name, _ in self.refused])
        held = f"{100 * self.frequency:.3g} percent"
        return "\n".join([*lines, f"Errors are in people; a frequent value is held by {held}."])

    __repr__ = __str__


def plan(
    domain_size: int,
    epsilon: float,
    num_users: int,
    *,
    frequency: float = 0.1,
    max_bits: int | None = None,
    max_server_ops: int | None = None,
    sort_by: str = "error",
) -> Plan:
    r"""Compare what each frequency oracle would do for a survey, before anybody is asked.

    Nothing is drawn: errors are those of :func:`ldp.debias`, from :func:`ldp.variance`.

    * *rare*, *frequent*, *worst*: the standard error, in people, of the count of a value that
      nobody holds; of one of the given frequency; of any value whatever all people hold.
    * *sup norm*: the largest error among all d counts, on average, people being spread evenly:
      :math:`n\sigma\operatorname E\max_v|Z_v|` of d independent normal numbers, an upper bound for
      dependent ones (Šidák's inequality).
    * *noticed*: how many people must hold a value, so that in four of five surveys its interval
      lies above zero, all d intervals holding together at 95 percent; infinite if all of them
      are too few. This and *sup norm* take counts as normal. Where only some hundred reports
      support a value that nobody holds, :math:`nq`, or fewer, as in randomized response with
      many values and few people, both are too small.
    * *bits* of a report as it is, not compressed; *client*, the random choices of one person;
      *server*, the steps that turn all reports into d counts: neither with its constant.
    * *attack*: how often the best guess from one report is right, if each value is equally likely.
      It is exact, but for hashing, where hash functions are taken as independent.

    Every mechanism has its default parameters. Sizes of sets, numbers of buckets, blocks, windows
    and thresholds are those of the least noise for *rare* values; those of
    :class:`ldp.CyclotomicResponse` the fewest blocks within 0.3 % of it. At large budgets others
    may be better for frequent values, or in the worst case.

    Parameters
    ----------
    domain_size : int
        Number :math:`d` of values, 2 to 2**22.
    epsilon : float
        Privacy budget.
    num_users : int
        Number :math:`n` of people who report.
    frequency : float
        Share of the people that hold a frequent value.
    max_bits, max_server_ops : int, optional
        Limits on the bits of a report and on the steps of the server.
    sort_by : str
        The column that is smallest first: ``error``, ``error_frequent``, ``worst_case``,
        ``sup_norm``, ``detection_limit``, ``bits``, ``client_ops``, ``server_ops`` or
        ``attack_success``; ties by ``error``, then ``bits``.

    Returns
    -------
    Plan
        Frozen; ``print`` shows the table, ``columns()`` is one for data frames.

    Raises
    ------
    TypeError, ValueError
        If an argument is not as said, or if no mechanism takes the budget.

    Examples
    --------
    >>> made = plan(50, 1.0, 20_000, max_bits=64)
    >>> made.rows[0].mechanism
    SubsetSelection(domain_size=50, epsilon=1.0, subset_size=13)
    >>> print(str(made).splitlines()[3][:60])
    SubsetSelection           264.5    268.6    303.2    665.8

    References
    ----------
    Ours; ``wang2017locally`` for the first four errors.
    """
    d = _checks.integer(domain_size, "domain_size", 2, MOST_VALUES)
    budget = _checks.epsilon(epsilon)
    users = _checks.integer(num_users, "num_users", 1, 2**53)
    share = _checks.share(frequency, "frequency")
    bits = None if max_bits is None else _checks.integer(max_bits, "max_bits", 1)
    steps = None
    if max_server_ops is not None:
        steps = _checks.integer(max_server_ops, "max_server_ops", 1)
    if not isinstance(sort_by, str) or sort_by not in COLUMNS:
        known = ", ".join(COLUMNS)
        raise ValueError(f"sort_by must be one of {known}, got {_checks.shown(sort_by)}.")
    rows, refused = [], []
    for name, make in MAKERS.items():
        try:
            rows.append(row(name, make(d, budget), users, share))
        except ValueError as error:
            refused.append((name, str(error)))
    order = sort_by, "error", "bits"  # up to their last digits: equal channels are ties
    if not rows:
        raise ValueError(refused[0][1])
    rows.sort(key=lambda each: [float(f"{getattr(each, key):.12g}") for key in order])
    kept = [
        each
        for each in rows
        if (bits is None or each.bits <= bits) and (steps is None or each.server_ops <= steps)
    ]
    beyond = tuple(each for each in rows if each not in kept)
    asked = (d, budget, users, share, bits, steps, sort_by)
    return Plan(*asked, tuple(kept), beyond, tuple(refused))


def _printed(each: Row) -> str:
    """Write a row."""
    cells = (f"{_short(getattr(each, name)):>{width}}" for name, (_, width) in COLUMNS.items())
    return f"{each.name:<22}{''.join(cells)}"


def _short(number: float) -> str:
    """Write three or four digits, but all of those before the point up to a hundred thousand."""
    if 1e3 <= number < 1e5 or (isinstance(number, int) and number < 1e5):
        return f"{number:,.0f}"
    if 1e-3 <= number < 1e3 or number == math.inf:
        return f"{number:.{4 if number >= 1 else 3}g}"
    return re.sub(r"e\+?(-?)0*", r"e\1", f"{number:.2e}")


def _listed(what: str, names: list[str]) -> list[str]:
    """Write names in lines as long as the table's, if there are some."""
    return textwrap.wrap(f"{what}: {', '.join(names)}.", 100) if names else []
