"use strict";
// One bit for each value: p if it is the own one, q if not. The budget leaves one of the two free.
explore("bit-vector", {
  formulas: {
    // The q that spends the whole budget.
    other: (eps, p) => p / (p + Math.exp(eps) * (1 - p)),
    // Variance of the estimate from one report, for a value of frequency f.
    variance(eps, p, f) {
      const q = p / (p + Math.exp(eps) * (1 - p));
      return (q * (1 - q) + f * (p - q) * (1 - p - q)) / (p - q) ** 2;
    },
  },
  controls: [
    {key: "eps", label: "Budget ε", value: 1, min: 0.2, max: 5, step: 0.1, say: (v) => v.toFixed(1)},
    {key: "p", label: "p: the own bit is 1", value: 0.35, min: 0.02, max: 0.98, step: 0.01, say: (v) => v.toFixed(2)},
    {key: "f", label: "Share that holds the value", value: 0, min: 0, max: 1, step: 0.05, say: (v) => (v ? `${(100 * v).toFixed(0)} %` : "nearly nobody")},
  ],
  draw({eps, p, f}, kit) {
    const {other, variance} = kit.formulas, sue = 1 / (1 + Math.exp(-eps / 2));
    const grid = Array.from({length: 97}, (_, i) => 0.02 + i / 100), values = grid.map((x) => variance(eps, x, f));
    const best = grid[values.indexOf(Math.min(...values))], low = Math.min(...values);
    const curve = kit.panel({title: "Noise of one report", x: [0, 1], y: [low / 1.5, Math.min(Math.max(...values), low * 40)], log: "y", xlabel: "p", ylabel: "variance", height: 270});
    const top = low * 40;
    curve.line(grid.map((x, i) => [x, Math.min(values[i], top)]), "c0");
    const at = (x, look, label, side) => {
      const v = Math.min(variance(eps, x, f), top);
      curve.dot(x, v, look).put(kit.tag("text", {x: curve.px(x), y: curve.py(v) + (side === "up" ? -10 : 20), class: "middle"}, label));
    };
    at(0.5, "c1", "OUE", "down"); at(sue, "c5", "SUE", "down"); at(p, "c0 hollow", "yours", "up");
    const plane = kit.panel({title: "All pairs that spend the budget", x: [0, 1], y: [0, 1], xlabel: "q: a bit of another value is 1", ylabel: "p: the own bit is 1", height: 270});
    plane.line([[0, 0], [1, 1]], "quiet dotted").line([[0, 0], ...grid.map((x) => [other(eps, x), x]), [1, 1]], "c0");
    [[0.5, "c1", "OUE"], [sue, "c5", "SUE"], [p, "c0 hollow", "yours"]].forEach(([x, look, label], i) => {
      plane.dot(other(eps, x), x, look).put(kit.tag("text", {x: plane.px(other(eps, x)) + (i === 2 ? -9 : 9), y: plane.py(x) + (i === 2 ? -4 : 9), class: i === 2 ? "end" : ""}, label));
    });
    plane.text(0.98, 0.06, "p = q: a bit says nothing", "end small");
    const mine = variance(eps, p, f), ratio = mine / variance(eps, 0.5, f);
    return {panels: [curve, plane], says: `With p = ${p.toFixed(2)} the budget leaves q = ${kit.show(other(eps, p))} and the variance of one report is ${kit.show(mine)}, ${kit.show(ratio)} times that of OUE; the least is near p = ${best.toFixed(2)}.`};
  },
  drag: (s, kit, number, x, y) => ({p: Math.min(Math.max(Math.round(100 * (number ? y : x)) / 100, 0.02), 0.98)}),
});
