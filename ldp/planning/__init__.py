"""Before a survey: which mechanism, how many people, which budget. Nothing is drawn here."""

from ldp.planning.inverse import (
    Budgets,
    epsilon_allowed,
    epsilon_needed,
    epsilon_range,
    users_needed,
)
from ldp.planning.rows import Row
from ldp.planning.tables import Plan, plan

__all__ = [
    "Budgets",
    "Plan",
    "Row",
    "epsilon_allowed",
    "epsilon_needed",
    "epsilon_range",
    "plan",
    "users_needed",
]
