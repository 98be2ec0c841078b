"""A public assignment: each user is asked one thing, whatever the user's value is."""

from ldp.assigned.parts import Intervals, Part, View
from ldp.assigned.users import Assigned, AssignedReports, assign

__all__ = ["Assigned", "AssignedReports", "Intervals", "Part", "View", "assign"]
