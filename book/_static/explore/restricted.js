"use strict";

// Restricted response on eight values as a coloured matrix, with its audit.
explore("restricted", (() => {
  const D = 8, VALUES = [..."ABCDEFGH"];

  // k values matter, m = d - k do not; `inner` is the budget of the answer among the k and one more.
  function channel(d, k, epsilon, inner) {
    const m = d - k, odds = Math.exp(epsilon), within = Math.exp(inner);
    const keep = k ? within / (within + k) : 1, other = k ? 1 / (within + k) : 0;
    const own = Math.min(odds / (odds + m - 1), k ? Math.exp(epsilon - inner) / m : 1, 1);
    const far = m > 1 ? keep * (1 - own) / (m - 1) : 0;
    return Array.from({length: d}, (_, x) => Array.from({length: d}, (_, y) =>
      (y < k ? (x === y ? keep : other) : x < k ? other / m : x === y ? keep * own : far)));
  }
  const column = (Q, y) => Q.map((row) => row[y]);
  const ratio = (Q, y) => Math.log(Math.max(...column(Q, y)) / Math.min(...column(Q, y)));
  const audit = (Q) => Math.max(...Q.map((_, y) => ratio(Q, y)));
  const honest = (Q, law) => law.reduce((s, u, x) => s + u * Q[x][x], 0);

  const weights = VALUES.map((_, x) => 0.5 ** x), whole = weights.reduce((s, u) => s + u, 0);
  const LAW = weights.map((u) => u / whole);
  const written = (u) => (u >= 0.0995 ? u.toFixed(2) : u.toFixed(3)).slice(1);

  function draw(s, kit) {
    const inner = s.eps * s.part / 100, Q = channel(D, s.k, s.eps, inner), plain = channel(D, 0, s.eps, inner);
    const spent = audit(Q), y = Q.map((_, v) => ratio(Q, v)).findIndex((u) => u > spent - 1e-9);
    const c = column(Q, y), worst = [c.indexOf(Math.max(...c)), c.indexOf(Math.min(...c))];
    const most = Math.max(...Q.flat());
    const p = kit.panel({title: "Chance of a report (column) by value (row)", height: 336});
    VALUES.forEach((name, v) => {
      p.text(14, 68 + 35 * v, name, v < s.k ? "middle head" : "middle");
      p.text(47 + 35 * v, 40, name, v < s.k ? "middle head" : "middle");
    });
    Q.forEach((row, x) => row.forEach((u, v) => {
      p.box(30 + 35 * v, 46 + 35 * x, 64 + 35 * v, 80 + 35 * x, "c0", {"fill-opacity": 0.04 + 0.46 * u / most});
      p.text(47 + 35 * v, 67 + 35 * x, written(u), "middle small");
    }));
    for (const x of new Set(worst)) {
      p.put(p.tag("rect", {x: 30 + 35 * y, y: 46 + 35 * x, width: 34, height: 34, class: "line c1"}));
    }
    const gain = honest(Q, LAW), before = honest(plain, LAW);
    return {
      panels: [p],
      says: `The audit: the framed chances of report ${VALUES[y]} differ by a factor ${kit.show(Math.exp(spent))}, ` +
        `which spends ${kit.show(spent)} of the budget ${kit.show(s.eps)}. If every value is half as frequent as the one before, a report is the ` +
        `truth with probability ${kit.share(gain)}; by randomized response, ${kit.share(before)}.`,
    };
  }
  return {
    formulas: {channel, audit, honest},
    controls: [
      {key: "k", label: "values in the subset", value: 2, min: 0, max: D - 1, step: 1, say: (v) => (v ? `${v}: A to ${VALUES[v - 1]}`.replace("A to A", "A") : "none")},
      {key: "eps", label: "budget ε", value: 1, min: 0.2, max: 4, step: 0.1},
      {key: "part", label: "first budget ε₁", value: 80, min: 10, max: 100, step: 5, say: (v, s) => `${(s.eps * v / 100).toFixed(2)}, ${v} % of ε`},
    ],
    draw,
  };
})());
