"""Every mechanism has the shape of the protocols; mypy is the test, run by `make types`."""

from ldp import (
    BLH,
    GRR,
    OLH,
    OUE,
    RRRR,
    SHE,
    SUE,
    THE,
    FrequencyOracle,
    HadamardResponse,
    Mechanism,
    SquareWave,
    SubsetSelection,
    WideHashing,
)
from ldp.types import PureMechanism, SupportMechanism

NOISY: FrequencyOracle = SHE(2, 1.0)
NEAR: SupportMechanism = SquareWave(2, 1.0)
RESTRICTED: Mechanism = RRRR(3, 1.0, [1], 0.8)
EVERY: list[Mechanism] = [NOISY, NEAR, RESTRICTED]
PURE: list[PureMechanism] = [
    GRR(2, 1.0),
    SUE(2, 1.0),
    OUE(2, 1.0),
    THE(2, 1.0),
    BLH(2, 1.0),
    OLH(2, 1.0),
    SubsetSelection(2, 1.0),
    HadamardResponse(2, 1.0),
    WideHashing(1, 1.0),
]


def test_mechanisms_are_values() -> None:
    again = [SHE(2, 1.0), GRR(2, 1.0), OUE(2, 1.0)]
    assert again[0] == NOISY
    assert again[1] == PURE[0]
    assert hash(again[2]) == hash(PURE[2])
    assert len({repr(m) for m in PURE}) == len(set(PURE))
