"use strict";
// The nine work classes of Adult, or a larger population with the same shares, by randomized response.
explore("work-classes", {
  formulas: {
    chances: (eps) => [Math.exp(eps) / (Math.exp(eps) + 8), 1 / (Math.exp(eps) + 8)],
    estimate(eps, n, count) {
      const [p, q] = explore.specs["work-classes"].formulas.chances(eps);
      return (count / n - q) / (p - q);
    },
    // All shares within z standard deviations of the estimate; z for one class or for all nine at 95 %.
    interval(eps, n, count, all) {
      const [p, q] = explore.specs["work-classes"].formulas.chances(eps), z = all ? 2.7729212946086617 : 1.959963984540054;
      const zero = (q * (1 - q)) / (p - q) ** 2 / n, slope = (1 - p - q) / (p - q) / n, found = (count / n - q) / (p - q);
      const b = found + (z * z * slope) / 2, half = Math.sqrt(Math.max(b * b - found * found + z * z * zero, 0));
      return [b - half, b + half];
    },
  },
  controls: [
    {key: "n", label: "People", value: 32561, stops: [1000, 3000, 10000, 32561, 1e5, 1e6, 1e7, 1e8, 1e9], say: (v) => v.toLocaleString("en")},
    {key: "eps", label: "Budget ε", value: 1, min: 0.2, max: 6, step: 0.1, say: (v) => v.toFixed(1)},
    {key: "all", label: "The 95 % are for", value: "all", options: [["all", "all nine intervals together"], ["one", "each interval alone"]]},
    {key: "seed", value: 1},
    {button: "Ask again", press: (s) => ({seed: s.seed + 1})},
  ],
  draw({n, eps, all, seed}, kit) {
    const {labels, counts} = kit.data, rng = kit.generator(seed), total = counts.reduce((a, b) => a + b);
    const held = counts.map((c) => Math.round((c * n) / total));
    const real = held.reduce((a, b) => a + b), [p, q] = kit.formulas.chances(eps);
    const binomial = (m, chance) => {
      const spread = m * chance * (1 - chance);
      if (spread > 40) return Math.min(Math.max(Math.round(m * chance + Math.sqrt(spread) * rng.normal()), 0), m);
      let k = 0;
      for (let i = 0; i < m; i += 1) k += rng.uniform() < chance;
      return k;
    };
    // Each class keeps its own name with probability p and spreads the rest evenly over the other eight.
    const reports = counts.map(() => 0);
    held.forEach((m, x) => {
      let left = m - binomial(m, p), others = 8;
      reports[x] += m - left;
      counts.forEach((_, y) => { if (y !== x) { const k = binomial(left, 1 / others); reports[y] += k; left -= k; others -= 1; } });
    });
    const rows = labels.map((label, x) => {
      const [low, high] = kit.formulas.interval(eps, real, reports[x], all === "all");
      return {label, truth: held[x] / real, found: kit.formulas.estimate(eps, real, reports[x]), low, high, seen: low > 0, own: held[x]};
    });
    const reach = Math.max(0.02, ...rows.slice(1).map((r) => Math.max(r.high, r.truth, -r.low))) * 1.05;
    const panel = kit.panel({title: "Which classes are seen to exist", x: [-reach * 100, reach * 100], y: [8.6, 0.4], ticky: [], xlabel: "share of the people, %", height: 310});
    panel.line([[0, 8.6], [0, 0.4]], "quiet");
    rows.slice(1).forEach((r, i) => {
      const y = i + 1, look = r.seen ? "c0" : "c1 dashed";
      panel.line([[100 * Math.max(r.low, -reach), y + 0.12], [100 * r.high, y + 0.12]], look).dot(100 * r.found, y + 0.12, r.seen ? "c0" : "c1 hollow");
      panel.line([[100 * r.truth, y - 0.15], [100 * r.truth, y + 0.4]], "c6").text(-reach * 100, y - 0.12, r.label === "?" ? "not told" : r.label, "small");
    });
    const table = kit.table("All nine classes", ["class", "people", "estimate", "interval", "seen"], rows.map((r) => [r.label === "?" ? "not told" : kit.esc(r.label), kit.show(r.own, 9), kit.share(r.found, 2), `${kit.share(r.low, 2)} to ${kit.share(r.high, 2)}`, r.seen ? "yes" : "no"]));
    const unseen = rows.filter((r) => !r.seen).map((r) => (r.label === "?" ? "not told" : r.label));
    return {panels: [panel], html: table, says: unseen.length ? `${9 - unseen.length} of nine intervals exclude zero; of ${unseen.join(", ")} nobody could say that the class exists.` : "All nine intervals exclude zero: every class is seen to exist."};
  },
});
