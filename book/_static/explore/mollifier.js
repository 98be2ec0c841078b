"use strict";

// A person's distribution, the window that the budget allows around a public prior, the law reported.
explore("mollifier", (() => {
  const GENRES = ["drama", "comedy", "action", "romance", "horror"];
  const PRIOR = [0.30, 0.28, 0.22, 0.12, 0.08];
  const PEOPLE = {Ana: [0, 0.05, 0.1, 0, 0.85], "horror only": [0, 0, 0, 0, 1], "like the public": PRIOR,
    "drama and romance": [0.5, 0, 0, 0.5, 0]};
  const sum = (list) => list.reduce((s, u) => s + u, 0);

  const relative = (q, epsilon) => q.map((u) => u * Math.exp(epsilon / 2));
  const minimax = (q, epsilon) => q.map(() => 1 / (1 + (q.length - 1) * Math.exp(-epsilon)));
  // clip(t, q, q / e) with t (1 - e) + e sum of it = 1: halve the range of t to the end.
  function fixed_point(q, epsilon) {
    const e = Math.exp(-epsilon), upper = (t) => q.map((u) => Math.min(Math.max(t, u), u / e));
    let low = Math.min(...q), high = 1;
    for (let i = 0; i < 60; i += 1) {
      const t = (low + high) / 2;
      if (t * (1 - e) + e * sum(upper(t)) <= 1) low = t; else high = t;
    }
    return upper(low);
  }
  const clip = (P, c, lower, upper) => P.map((u, x) => Math.min(Math.max(c * u, lower[x]), upper[x]));
  // The law nearest to P between upper / e^epsilon and upper: clip(c P), with the c of sum one.
  function nearest(P, upper, epsilon) {
    const lower = upper.map((u) => u * Math.exp(-epsilon));
    const full = sum(P.map((u, x) => (u ? upper[x] : lower[x])));
    if (full <= 1) {  // the values that P never takes share what the others cannot hold
      const room = sum(P.map((u, x) => (u ? 0 : upper[x] - lower[x]))), part = room ? (1 - full) / room : 0;
      return P.map((u, x) => (u ? upper[x] : lower[x] + part * (upper[x] - lower[x])));
    }
    const ends = P.flatMap((u, x) => (u ? [lower[x] / u, upper[x] / u] : [])).sort((a, b) => a - b);
    const last = ends.findIndex((c) => sum(clip(P, c, lower, upper)) >= 1);  // in between the sum is a straight line
    if (last <= 0) return clip(P, ends[0], lower, upper);
    const middle = (ends[last - 1] + ends[last]) / 2;
    const free = P.map((u, x) => middle * u > lower[x] && middle * u < upper[x]);
    const fixed = sum(clip(P, middle, lower, upper).map((u, x) => (free[x] ? 0 : u)));
    return clip(P, (1 - fixed) / sum(P.filter((_, x) => free[x])), lower, upper);
  }
  const divergence = (P, Q) => sum(P.map((u, x) => (u ? u * Math.log(u / Q[x]) : 0)));
  const WINDOWS = {relative, fixed_point, minimax};

  function draw(s, kit) {
    const P = PEOPLE[s.person], upper = WINDOWS[s.rule](PRIOR, s.eps), Q = nearest(P, upper, s.eps);
    const p = kit.panel({title: "Nothing leaves the window", height: 290, x: [-0.6, 4.6], y: [0, 1.2],
      ticky: [0, 0.25, 0.5, 0.75, 1].map((v) => [v, kit.share(v)]),
      tickx: GENRES.map((name, x) => [x, name])});
    upper.forEach((u, x) => {
      p.box(x - 0.3, u * Math.exp(-s.eps), x + 0.3, Math.min(u, 1), "quiet pale");
      p.line([[x - 0.38, PRIOR[x]], [x + 0.38, PRIOR[x]]], "c6");
      p.line([[x - 0.14, P[x]], [x + 0.14, Q[x]]], "quiet dotted");
      p.dot(x - 0.14, P[x], "c0 hollow", {r: 6}).dot(x + 0.14, Q[x], "c1", {r: 6});
    });
    p.text(-0.5, 1.15, "○ the person, ● what is reported", "small").text(-0.5, 1.06, "— the public, bars: what is allowed", "small");
    const top = P.indexOf(Math.max(...P));
    return {
      panels: [p],
      says: `At a budget of ${kit.show(s.eps)} the person's ${kit.share(P[top])} of ${GENRES[top]} are reported as ` +
        `${kit.share(Q[top])}; the public has ${kit.share(PRIOR[top])}. The report is ` +
        `${kit.show(Math.abs(divergence(P, Q)) < 1e-9 ? 0 : divergence(P, Q))} nats away from the person.`,
    };
  }
  return {
    formulas: {relative, fixed_point, minimax, nearest, divergence},
    controls: [
      {key: "eps", label: "budget ε", value: 2, min: 0.1, max: 6, step: 0.1},
      {key: "person", label: "person", value: "Ana", options: Object.keys(PEOPLE).map((u) => [u, u])},
      {key: "rule", label: "window", value: "relative", options: [["relative", "around the prior"],
        ["fixed_point", "keeps the prior, best worst case"], ["minimax", "without a prior"]]},
    ],
    draw,
  };
})());
