"use strict";
// Root mean squared error of a share against the number of users: what no mechanism can beat, and what some do.
explore("how-many", {
  formulas: {
    // The L of the bound: what n times the squared error, summed over d values, tends to at least.
    least(d, eps) {
      let smallest = Infinity;
      for (let k = 1; k < d; k += 1) smallest = Math.min(smallest, (k * Math.exp(eps) + d - k) / (k * (d - k)));
      return ((d - 1) / Math.expm1(eps)) ** 2 * smallest;
    },
    // What few users add to it, divided by the L: the prior of the proof.
    prior(d) {
      const a = 2 + Math.sqrt((2 - 1 / d) * (2 - 2 / d));
      return ((d * a - 1) * (d * a - 2)) / (a - 2) / (d - 1);
    },
    bound(d, eps, n) {
      const {least, prior} = explore.specs["how-many"].formulas, limit = least(d, eps);
      return limit / (n + limit * prior(d));
    },
    // Squared error of one user, summed over d values, people being drawn from equal shares.
    error(name, d, eps) {
      const e = Math.exp(eps), s = Math.exp(eps / 2), k = name === "SS" ? explore.specs["how-many"].formulas.sets(d, eps) : 1;
      const own = (k * e) / (k * e + d - k), sets = [own, (own * (k - 1) + (1 - own) * k) / (d - 1)];
      const [p, q] = name === "OUE" ? [0.5, 1 / (e + 1)] : name === "SUE" ? [s / (s + 1), 1 / (s + 1)] : sets;
      const mean = q + (p - q) / d;
      return (d * mean * (1 - mean)) / (p - q) ** 2;
    },
    // Size of the sets of subset selection with the least noise; sets of one are randomized response.
    sets(d, eps) {
      const noise = (k) => ((d + k * Math.expm1(eps) - Math.exp(eps)) * (d + k * Math.expm1(eps) - 1)) / (k * (d - k));
      let best = 1;
      while (best + 1 < d && noise(best + 1) < noise(best)) best += 1;
      return best;
    },
  },
  controls: [
    {key: "d", label: "Values", value: 50, stops: [2, 3, 5, 10, 20, 50, 100, 200, 500, 1000], say: (v) => v.toLocaleString("en")},
    {key: "eps", label: "Budget ε", value: 1, min: 0.1, max: 5, step: 0.1, say: (v) => v.toFixed(1)},
    {key: "goal", label: "Error of a share, at most", value: 0.5, stops: [0.05, 0.1, 0.2, 0.5, 1, 2, 5], say: (v) => `${v} points`},
    {key: "mine", label: "Your mechanism", value: "GRR", options: [["GRR", "randomized response"], ["SUE", "symmetric unary encoding"], ["OUE", "optimized unary encoding"]]},
  ],
  draw({d, eps, goal, mine}, kit) {
    const {bound, error, least, prior} = kit.formulas;
    const ns = Array.from({length: 71}, (_, i) => 10 ** (2 + i / 10));
    const about = (x) => kit.show(Number(x.toPrecision(2)));
    const percent = (total) => 100 * Math.sqrt(total / d);
    const panel = kit.panel({title: "Error of a share against the number of users", x: [100, 1e9], y: [0.01, 100], log: "xy", xlabel: "users", ylabel: "root mean squared error, percentage points", height: 310});
    const total = d * (goal / 100) ** 2, limit = least(d, eps);
    const needed = [Math.max(1, limit / total - limit * prior(d)), error("SS", d, eps) / total, error(mine, d, eps) / total].map(Math.ceil);
    const lines = [[(n) => percent(bound(d, eps, n)), "c2 dotted", "no mechanism"], [(n) => percent(error("SS", d, eps) / n), "c6", "subset selection"], [(n) => percent(error(mine, d, eps) / n), mine === "GRR" ? "c0 dashed" : mine === "OUE" ? "c1 dashed" : "c5 dashed", "yours"]];
    const inside = (y) => y <= 100 && y >= 0.01;
    lines.forEach(([of, look]) => panel.line(ns.filter((n) => inside(of(n))).map((n) => [n, of(n)]), look));
    panel.level(goal, "quiet dashed", `goal ${goal}`);
    needed.forEach((n, i) => { if (n >= 100 && n <= 1e9) panel.dot(n, goal, lines[i][1].split(" ")[0]); });
    const key = kit.panel({title: "Users that reach the goal", height: 150});
    lines.forEach(([, look, label], i) => {
      const few = i === 0 ? "at least " : "";
      const count = i === 0 && needed[0] <= 1 ? "none excluded" : few + about(needed[i]);
      key.put(kit.tag("line", {x1: 4, x2: 44, y1: 44 + 34 * i, y2: 44 + 34 * i, class: `line ${look}`}));
      key.text(54, 48 + 34 * i, `${label}: ${count}`);
    });
    const lower = needed[0] > 1 ? ` takes at least ${about(needed[0])} users whatever the mechanism` : ", the bound excludes no number of users";
    return {panels: [panel, key], says: `To know each of ${d} shares within ${goal} percentage points${lower}; ${about(needed[1])} are enough with subset selection, ${about(needed[2])} with yours.`};
  },
});
