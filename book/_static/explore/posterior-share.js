"use strict";

// A yes-or-no question by randomized response: the posterior of the share as reports arrive.
explore("posterior-share", (() => {
  const MOST = 200;
  const honest = (epsilon) => 1 / (1 + Math.exp(-epsilon));

  // B(a, a) for whole and half a, from B(1/2, 1/2) = pi and B(1, 1) = 1.
  function beta(a) {
    let value = a % 1 ? Math.PI : 1;
    for (let b = a % 1 ? 0.5 : 1; b < a; b += 1) value *= b / (2 * (2 * b + 1));
    return value;
  }
  // Probability of these reports together with t holders of "yes", for every t; prior Beta(a, a).
  function joint(yes, no, epsilon, a) {
    const p = honest(epsilon), n = yes + no;
    let terms = [1], urn = 1;
    for (let i = 0; i < n; i += 1) {
      const [one, zero] = i < yes ? [p, 1 - p] : [1 - p, p];
      terms = [...terms, 0].map((u, t) => u * zero + (t ? terms[t - 1] * one : 0));
      urn *= (a + i) / (2 * a + i);
    }
    return terms.map((u, t) => {
      const w = u * urn;
      urn *= (a + t) / (a + n - t - 1);
      return w;
    });
  }
  const sum = (list) => list.reduce((s, u) => s + u, 0);
  // Mean and standard deviation of the share.
  function moments(yes, no, epsilon, a) {
    const weights = joint(yes, no, epsilon, a), whole = sum(weights), c = 2 * a + yes + no;
    const mean = sum(weights.map((w, t) => w * (a + t))) / whole / c;
    const square = sum(weights.map((w, t) => w * (a + t) * (a + t + 1))) / whole / c / (c + 1);
    return [mean, Math.sqrt(square - mean * mean)];
  }
  function densities(shares, yes, no, epsilon, a) {
    const p = honest(epsilon), whole = sum(joint(yes, no, epsilon, a));
    return shares.map((u) => {
      const said = 1 - p + (2 * p - 1) * u;
      return (u * (1 - u)) ** (a - 1) / beta(a) * said ** yes * (1 - said) ** no / whole;
    });
  }

  // The same people for every budget and prior: who holds yes, and how each coin falls.
  function yesses(s, kit) {
    const g = kit.generator(s.seed);
    let yes = 0;
    for (let i = 0; i < s.n; i += 1) {
      const holds = g.uniform() < s.truth / 100;
      if (g.uniform() < honest(s.eps) === holds) yes += 1;
    }
    return yes;
  }
  const GRID = Array.from({length: 199}, (_, i) => (i + 1) / 200);
  const LABELS = {0.5: "½ (Jeffreys)", 1: "1 (uniform)"};

  function draw(s, kit) {
    const a = s.a, yes = yesses(s, kit), no = s.n - yes, p = honest(s.eps);
    const [mean, sd] = moments(yes, no, s.eps, a);
    const prior = densities(GRID, 0, 0, s.eps, a), after = densities(GRID, yes, no, s.eps, a);
    const top = Math.max(4, 1.08 * Math.max(...after.slice(6, -6), ...prior.slice(6, -6)));
    const curve = (list) => list.map((u, i) => [GRID[i], Math.min(u, top)]);
    const raw = s.n ? (yes / s.n - (1 - p)) / (2 * p - 1) : NaN;
    const q = kit.panel({title: "Density of the share", height: 280, x: [0, 1], y: [0, top],
      xlabel: "share of people who hold yes", shown: (v) => kit.show(v)});
    q.area([[GRID[0], 0], ...curve(after), [GRID[198], 0]]).line(curve(after), "c0");
    q.line(curve(prior), "quiet dashed");
    q.line([[s.truth / 100, 0], [s.truth / 100, top]], "c1 dotted");
    q.dot(mean, 0, "c0", {r: 6});
    if (s.n && raw >= 0 && raw <= 1) q.text(raw, top * 0.015, "◆", "middle");
    ["— posterior, ● its mean", "- - prior", "··· truth, ◆ raw estimate"].forEach((name, i) =>
      q.text(mean < 0.5 ? 1 : 0.02, (0.96 - 0.08 * i) * top, name, mean < 0.5 ? "end small" : "small"));
    return {
      panels: [q],
      says: s.n === 0 ? `No report yet: the prior alone, mean 50 %, standard deviation ${kit.share(sd)}.`
        : `${yes} of ${s.n} reports say yes. The posterior mean is ${kit.share(mean)}, give or take ` +
          `${kit.share(sd)}; the raw estimate is ${kit.share(raw)}, the truth ${s.truth} %.`,
    };
  }
  return {
    formulas: {moments, densities},
    controls: [
      {key: "n", label: "reports", value: 40, min: 0, max: MOST, step: 1},
      {key: "eps", label: "budget ε", value: 1, min: 0.2, max: 4, step: 0.1},
      {key: "a", label: "prior Beta(a, a), strength a", value: 1, stops: [0.5, 1, 2, 5, 10, 20, 50],
        say: (v) => LABELS[v] || String(v)},
      {key: "truth", label: "true share", value: 20, min: 0, max: 100, step: 5, say: (v) => `${v} %`},
      {key: "seed", value: 1},
      {button: "Let reports arrive", press: (s) => ({n: s.n < MOST ? MOST : 0}), grow: "n"},
      {button: "Other people", press: (s) => ({seed: s.seed + 1})},
    ],
    draw,
  };
})());
