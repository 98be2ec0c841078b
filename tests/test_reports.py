"""What a mechanism says of its reports and of its tally is what they are."""

import numpy as np
import pytest
from catalogue import FREQUENCIES, MEANS, small

import ldp
from ldp.means import HybridMean, LaplaceMean, PiecewiseMean
from ldp.types import OutcomeMechanism

EVERY = [*small(1.0), *small(1.0, MEANS)]
SIZES = {2: "uint8", 255: "uint8", 256: "uint8", 257: "uint16", 65_535: "uint16"}
SIZES |= {65_536: "uint16", 65_537: "uint32", 2**20: "uint32"}


def drawn(m, num_users=200):
    """Reports about the last value, which are the largest that numbers can be."""
    last = m.domain_size - 1 if isinstance(m, ldp.Mechanism) else m.grid.upper
    return m.privatize(np.full(num_users, last), np.random.default_rng(1))


@pytest.mark.parametrize("m", EVERY, ids=repr)
def test_reports_are_what_the_mechanism_says(m):
    for reports in (drawn(m), drawn(m, 0)):
        assert reports.dtype == m.report.dtype
        assert reports.shape == (len(reports), *m.report.shape)
        if m.report.bounds is not None:
            assert reports.min(initial=0) >= m.report.bounds[0]
            assert reports.max(initial=0) <= m.report.bounds[1]


@pytest.mark.parametrize("m", [m for m in EVERY if m.report.bounds is not None], ids=repr)
def test_numbers_are_taken_as_any_integers(m):
    reports = drawn(m)
    forms = [reports.tolist(), *(reports.astype(kind) for kind in ("i4", ">i8"))]
    for form in forms:
        assert m.tally(form) == m.tally(reports)
        assert m.outcomes(form).dtype == np.int64
        assert np.array_equal(m.outcomes(form), m.outcomes(reports))
    least, most = m.report.bounds
    for beyond in (least - 1, most + 1, *(most + 2**bits for bits in (8, 16, 32))):
        wrong = np.full((1, *m.report.shape), beyond)
        with pytest.raises(ValueError, match=f"reports must be from {least} to {most}, got"):
            m.tally(wrong)


@pytest.mark.parametrize(("size", "dtype"), SIZES.items())
def test_numbers_come_in_the_smallest_dtype(size, dtype):
    near = [ldp.SquareWave(size - 2, 34.0, 1)] if size > 4 else []
    half = [ldp.HadamardResponse(size - 1, 1.0, size)] if size in (256, 65_536) else []
    for m in [ldp.GRR(size, 34.0), ldp.RRRR(size, 1.0, [0], 0.9), *near, *half]:
        reports = drawn(m)
        assert reports.dtype == m.report.dtype == dtype
        assert m.num_outcomes == size
        if m.epsilon > 1:  # all but one report in 10**8 lie in the window of the last value
            assert reports.max() == size - 1
            assert reports.min() >= m.domain_size - 1


@pytest.mark.parametrize(
    ("m", "dtype"),
    [
        (PiecewiseMean(0, 1, 1.0, resolution=128, window=128), "uint8"),
        (PiecewiseMean(0, 1, 1.0, resolution=128, window=129), "uint16"),
        (HybridMean(0, 1, 1.0, resolution=127, window=127), "uint8"),
        (HybridMean(0, 1, 1.0, resolution=127, window=128), "uint16"),
        (HybridMean(0, 1, 0.1, resolution=127, window=128), "uint16"),  # only the bit is sent
        (LaplaceMean(0, 1, 1.0, resolution=63), "int16"),  # from -8,192 to 8,255
        (LaplaceMean(0, 1, 1.0, resolution=2**18), "int32"),
        (LaplaceMean(0, 1, 35.0, resolution=1), "int8"),
        (ldp.SHE(2, 70.0, resolution=1), "int8"),
        (ldp.SHE(2, 1.0, resolution=64), "int16"),
        (ldp.SHE(2, 0.01, resolution=64), "int32"),
        (ldp.OUE(9, 1.0), "uint8"),
    ],
    ids=repr,
)
def test_other_reports_come_in_the_smallest_dtype(m, dtype):
    assert drawn(m).dtype == m.report.dtype == dtype


def test_sums_of_small_numbers_do_not_wrap():
    m, n = ldp.SHE(2, 70.0, resolution=1), 1_000
    most = m.report.bounds[1]
    assert m.tally(np.full((n, 2), most, dtype=np.int8)).counts.tolist() == [n * most] * 2
    laplace = LaplaceMean(0, 1, 35.0, resolution=1)
    far = laplace.report.bounds[1]
    assert laplace.tally(np.full(n, far, dtype=np.int8)).counts.tolist() == [n * far, 0, n * far**2]


@pytest.mark.parametrize("family", FREQUENCIES)
def test_a_tally_counts_outcomes_where_the_mechanism_says_so(family):
    said, found = set(), []
    for m in small(1.0, {family: FREQUENCIES[family]}):
        reports = m.privatize(np.repeat(np.arange(m.domain_size), 20), np.random.default_rng(1))
        tally = m.tally(reports)
        histogram = np.bincount(m.outcomes(reports), minlength=m.channel().shape[1])
        found.append(np.array_equal(tally.counts, histogram))
        said.add(isinstance(m, OutcomeMechanism))
        if isinstance(m, OutcomeMechanism):
            assert m.num_outcomes == histogram.size
            assert m.tally_outcomes(reports) == tally
    assert said == {all(found)}
