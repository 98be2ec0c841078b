"use strict";
// A count by a trusted curator and by randomized response: 600 surveys of each.
explore("central-local", {
  formulas: {
    central: (eps) => Math.SQRT2 / eps,
    local: (n, eps) => (Math.sqrt(n) * Math.exp(eps / 2)) / Math.expm1(eps),
    // Number of local users whose share is as exact as that of a curator's n.
    worth: (n, eps) => (Math.exp(eps) * (eps * n) ** 2) / (2 * Math.expm1(eps) ** 2),
  },
  controls: [
    {key: "n", label: "People", value: 1000, stops: [10, 30, 100, 300, 1000, 3000, 1e4, 3e4, 1e5, 1e6], say: (v) => v.toLocaleString("en")},
    {key: "eps", label: "Budget ε", value: 1, min: 0.1, max: 5, step: 0.1, say: (v) => v.toFixed(1)},
    {key: "seed", value: 1},
    {button: "Draw again", press: (s) => ({seed: s.seed + 1})},
  ],
  draw({n, eps, seed}, kit) {
    const {central, local, worth} = kit.formulas, rng = kit.generator(seed), surveys = 600;
    const laplace = () => { const u = rng.uniform() - 0.5; return (-Math.sign(u) * Math.log(1 - 2 * Math.abs(u))) / eps; };
    // A count of few people coin by coin; of many, its sum is normal.
    const p = 1 / (1 + Math.exp(-eps)), q = 1 - p;
    const count = () => {
      if (n > 300) return local(n, eps) * rng.normal();
      let yes = 0;
      for (let i = 0; i < n; i += 1) yes += rng.coin(2 * i < n ? p : q);
      return (yes - n * q) / (p - q) - n / 2;
    };
    const errors = [Array.from({length: surveys}, laplace), Array.from({length: surveys}, count)];
    const reach = 3.5 * Math.max(central(eps), local(n, eps)), wide = reach / 14;
    const panels = errors.map((list, i) => {
      const bins = Array(28).fill(0);
      list.forEach((x) => { const b = Math.floor((x + reach) / wide); if (b >= 0 && b < 28) bins[b] += 1; });
      const sd = i ? local(n, eps) : central(eps);
      const panel = kit.panel({title: i ? "Local: each person adds noise" : "Central: the curator adds noise", x: [-reach, reach], y: [0, Math.max(...bins) * 1.25], xlabel: "error of the count, in people", ylabel: `surveys of ${surveys}`, height: 220});
      bins.forEach((k, b) => { if (k) panel.box(-reach + b * wide, 0, -reach + (b + 0.94) * wide, k, i ? "c1" : "c0"); });
      return panel.upright(-sd, "quiet dashed").upright(sd, "quiet dashed", `± ${kit.show(sd)}`);
    });
    const ratio = local(n, eps) / central(eps);
    return {panels, says: `The curator's count is off by ${kit.show(central(eps))} people in a standard deviation, at any number of people; the local one by ${kit.show(local(n, eps))}, ${kit.show(ratio, 2)} times as much. To know a share as well as the curator does from ${kit.show(n, 9)} people takes ${kit.short(Number(worth(n, eps).toPrecision(2)))} local ones.`};
  },
});
