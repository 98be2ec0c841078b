"""What the chapters use beside the package: checked claims and one style for figures.

A chapter states what a source says, computes it, and calls `claim`. A claim that does not hold
raises `ClaimError`, which stops the chapter; a claim that holds leaves a badge on the page and a
machine-readable record in the executed notebook. Nothing is written to disk from here, and nothing
of `ldp` is needed: the tools read what it wrote when the package is broken.
"""

from companion.agreement import MARGIN, agrees, smallest_fault
from companion.claims import CLAIM_ID, CLAIM_MIME, ClaimError, claim
from companion.explorables import hand_over, javascript
from companion.figure_data import CSV_MIME
from companion.figures import look, style
from companion.numbers import VALUES_MIME, remember

__all__ = [
    "CLAIM_ID",
    "CLAIM_MIME",
    "CSV_MIME",
    "MARGIN",
    "VALUES_MIME",
    "ClaimError",
    "agrees",
    "claim",
    "hand_over",
    "javascript",
    "look",
    "remember",
    "smallest_fault",
    "style",
]
