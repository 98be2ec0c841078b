"""The embedded tables and the synthetic laws."""

import numpy as np
import pytest

from ldp import datasets


def test_adult_age_is_the_published_table():
    table = datasets.adult_age()
    assert table.labels == tuple(str(age) for age in range(17, 91))
    assert table.counts.sum() == 32_561
    assert table.counts[table.labels.index("89")] == 0
    assert table.counts[:2].tolist() == [395, 550]


def test_adult_workclass_is_the_published_table():
    table = datasets.adult_workclass()
    assert len(set(table.labels)) == 9
    assert table.counts.sum() == 32_561
    assert dict(zip(table.labels, table.counts.tolist(), strict=True))["Never-worked"] == 7


def test_taxi_trips_are_the_published_tables():
    distance = datasets.taxi_distance()
    assert distance.labels == tuple(str(v) for v in range(1_000))
    assert distance.counts.sum() == 54_981
    assert distance.counts[:3].tolist() == [2_870, 95, 83]
    assert int(distance.counts @ np.arange(1_000)) == 12_513_873  # hundredths of a mile driven
    payment = datasets.taxi_payment()
    assert payment.labels == ("Credit card", "Cash", "No charge", "Dispute", "Unknown")
    assert payment.counts.sum() == 53_136


def test_values_on_a_line_have_1024_equal_bins():
    for table, width, total in [
        (datasets.taxi_pickup(), 86_400 / 1024, 56_549),
        (datasets.sf_pay(), 512, 148_651),
        (datasets.sf_benefits(), 60_000 / 1024, 111_899),
    ]:
        assert [float(label) for label in table.labels] == [width * k for k in range(1024)]
        assert table.counts.sum() == total
    assert datasets.taxi_pickup().counts[[0, 768, 1023]].tolist() == [28, 107, 23]
    assert datasets.sf_pay().counts[[0, 130, 1023]].tolist() == [2_153, 794, 0]
    assert datasets.sf_benefits().counts[[0, 500, 1023]].tolist() == [6_459, 255, 10]


def test_beta_is_the_law_of_its_bins():
    np.testing.assert_allclose(datasets.beta(7, 1.0, 1.0), datasets.uniform(7), rtol=1e-13)
    theta = datasets.beta(64)
    edges = np.linspace(0, 1, 65)
    below = 6 * edges**5 - 5 * edges**6
    np.testing.assert_allclose(np.cumsum(theta), below[1:], rtol=1e-12)
    with pytest.raises(ValueError, match="a must be positive"):
        datasets.beta(4, 0.0)


def test_beta_is_its_mirror_image_to_the_last_bin():
    for a, b in [(5.0, 2.0), (1.7, 20.3), (0.5, 0.5), (60.0, 60.0)]:
        theta = datasets.beta(1024, a, b)
        np.testing.assert_allclose(theta, datasets.beta(1024, b, a)[::-1], rtol=1e-9)
        assert theta.min() >= 0
    # x^20 / (20 B(20, 5)) at x = 1/1024, the first term of a series of ratio about 4 x
    assert datasets.beta(1024, 5.0, 20.0)[-1] == pytest.approx(10626 / 1024.0**20, rel=1e-2)


LAWS = {
    "beta": lambda d, rng: datasets.beta(d, 0.5, 3.0),
    "uniform": lambda d, rng: datasets.uniform(d),
    "zipf": lambda d, rng: datasets.zipf(d, 1.2),
    "geometric": lambda d, rng: datasets.geometric(d, 0.9),
    "jeffreys": datasets.jeffreys_dirichlet,
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("d", [2, 17, 4096])
def test_laws_are_laws(name, d):
    theta = LAWS[name](d, np.random.default_rng(0))
    assert theta.shape == (d,)
    assert theta.min() >= 0
    assert theta.sum() == pytest.approx(1, rel=1e-12)


def test_shapes_of_the_laws():
    theta = datasets.zipf(10, 2.0)
    np.testing.assert_allclose(theta[0] / theta, np.arange(1, 11) ** 2.0)
    theta = datasets.geometric(10, 0.5)
    np.testing.assert_allclose(theta[1:] / theta[:-1], 0.5)
    assert (datasets.zipf(5, 0.0) == datasets.uniform(5)).all()


@pytest.mark.statistical
def test_jeffreys_prior_has_the_moments_of_a_half():
    """E theta_v^2 = (1/2)(3/2) / (d/2)(d/2+1); mean of 4000 draws, 6.5 standard errors."""
    draws = np.array(
        [datasets.jeffreys_dirichlet(4, rng) for rng in np.random.default_rng(1).spawn(4_000)]
    )
    square = draws[:, 0] ** 2
    error = square.std() / np.sqrt(square.size)
    assert abs(square.mean() - 0.75 / 6) < 6.5 * error
    assert abs(square.mean() - 2 / 20) > 6.5 * error  # control: the uniform prior, Dirichlet(1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: datasets.uniform(1),
        lambda: datasets.zipf(5, -1.0),
        lambda: datasets.zipf(5, np.inf),
        lambda: datasets.zipf(5, "1"),
        lambda: datasets.geometric(5, 1.0),
        lambda: datasets.geometric(5, 0.0),
        lambda: datasets.jeffreys_dirichlet(5, 3),
    ],
)
def test_bad_arguments_are_refused(call):
    with pytest.raises((TypeError, ValueError), match=r"^\w+ must be .*\.$"):
        call()


def test_web_areas_are_the_published_sets():
    table, areas = datasets.msweb(), datasets.msweb_areas()
    assert (table.lengths.size, table.items.size, table.num_items) == (32_710, 98_653, 285)
    assert (np.bincount(table.items, minlength=285) == areas.counts).all()
    users = np.repeat(np.arange(32_710), table.lengths)
    assert (np.diff(users * 285 + table.items) > 0).all()  # increasing and different in every set


def test_click_streams_have_the_sizes_and_the_items_of_the_shipped_counts():
    n = 20_000
    table = datasets.kosarak_like(n, np.random.default_rng(2))
    users = np.repeat(np.arange(n), table.lengths)
    assert (np.diff(users * table.num_items + table.items) > 0).all()
    assert table.lengths.min() == 1
    singles = np.bincount(table.items[np.isin(users, np.flatnonzero(table.lengths == 1))])
    for share, expected, draws in (
        ((table.lengths == 2).mean(), 7_366 / 36_682, n),
        (singles[0] / singles.sum(), 22_238 / 294_008, singles.sum()),
    ):
        assert abs(share - expected) < 5 * np.sqrt(expected / draws)
    again = datasets.kosarak_like(n, np.random.default_rng(2))
    assert (again.items == table.items).all()


@pytest.mark.statistical
def test_items_are_drawn_one_after_the_other_without_those_held():
    """Pairs of 3 items of weights 1, 2, 5 against their law; false alarms: one in a million.

    P(0, 1) = 1/8 * 2/7 + 2/8 * 1/6, and so on; independent pairs that differ have another law.
    """
    weights, n = np.array([1.0, 2.0, 5.0]), 100_000
    rng = np.random.default_rng(3)
    items = datasets.sets._different_items(np.full(n, 2), weights, rng).reshape(n, 2)
    counts = np.bincount(items.sum(axis=1) - 1, minlength=3)  # pairs 01, 02, 12
    w = weights / 8
    pairs = [(0, 1), (0, 2), (1, 2)]
    law = np.array([w[a] * w[b] * (1 / (1 - w[a]) + 1 / (1 - w[b])) for a, b in pairs])
    rejected = np.array([w[a] * w[b] for a, b in pairs]) / sum(w[a] * w[b] for a, b in pairs)
    assert np.sum((counts - n * law) ** 2 / (n * law)) < 27.6
    assert np.sum((counts - n * rejected) ** 2 / (n * rejected)) > 27.6  # control


def test_bad_populations_are_refused():
    rng = np.random.default_rng(0)
    for users in (0, -1, 2.5, None, True):
        with pytest.raises((TypeError, ValueError), match=r"^num_users must be .*\.$"):
            datasets.kosarak_like(users, rng)
    with pytest.raises(TypeError, match=r"^rng must be .*\.$"):
        datasets.kosarak_like(5, 1)


def test_first_names_are_the_published_table():
    names = datasets.first_names()
    assert len(set(names.labels)) == len(names.labels) == 30_092
    assert names.counts.sum() == 3_574_717
    assert names.counts.min() == 5  # rarer ones are withheld
    assert (np.diff(names.counts) <= 0).all()
    assert dict(zip(names.labels[:4], names.counts[:4].tolist(), strict=True)) == {
        "emma": 19_879, "liam": 18_893, "olivia": 18_783, "noah": 18_663}  # fmt: skip
    lengths = np.array([len(name) for name in names.labels])
    assert (lengths.min(), lengths.max()) == (2, 15)
    assert (lengths > 12).sum() == 46
    assert set("".join(names.labels)) == set("abcdefghijklmnopqrstuvwxyz")


def test_queries_are_counts_alone():
    counts = datasets.query_counts()
    assert counts.size == 120_978
    assert counts.sum() == 657_427
    assert (np.diff(counts) <= 0).all()
    assert (counts == 1).sum() == 84_171
