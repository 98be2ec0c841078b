"use strict";

// Randomized response on three values: the likelihood on the triangle, the path of EM, the certificate.
explore("em-path", (() => {
  // D of the chapter: how much likelier a report is under each value than under theta, on average.
  function slopes(theta, counts, epsilon) {
    const r = 1 / Math.expm1(epsilon), n = counts.reduce((s, c) => s + c, 0);
    const share = counts.map((c, v) => c / n / (r + theta[v]));
    const common = r * share.reduce((s, u) => s + u, 0);
    return share.map((u) => u + common);
  }
  function path(counts, epsilon, steps) {
    const laws = [counts.map(() => 1 / counts.length)];
    while (laws.length <= steps) {
      const theta = laws[laws.length - 1], D = slopes(theta, counts, epsilon);
      laws.push(theta.map((u, v) => u * D[v]));
    }
    return laws;
  }
  const em = (counts, epsilon, steps) => path(counts, epsilon, steps)[steps];
  const certificate = (theta, counts, epsilon) => Math.log(Math.max(...slopes(theta, counts, epsilon)));
  function log_likelihood(theta, counts, epsilon) {
    const odds = Math.exp(epsilon), whole = odds + counts.length - 1;
    return counts.reduce((s, c, v) => s + (c ? c * Math.log((1 + (odds - 1) * theta[v]) / whole) : 0), 0);
  }
  // The frequent values are kept; nu is the count that they have for each unit of r + theta.
  function maximum_likelihood(counts, epsilon) {
    const r = 1 / Math.expm1(epsilon);
    let sum = 0, nu = 0;
    [...counts].sort((a, b) => b - a).forEach((c, k) => {
      sum += c;
      if (c * (1 + (k + 1) * r) > r * sum) nu = sum / (1 + (k + 1) * r);
    });
    return counts.map((c) => Math.max(0, c / nu - r));
  }

  const SIDE = 280, STEPS = 60, LEVELS = [16, 8, 4, 2, 1, 0.5];  // nats below the maximum
  const at = (x) => [160 + SIDE * (x[1] - x[0]) / 2, 276 - SIDE * Math.sqrt(0.75) * x[2]];
  // Laws at most `level` below the maximum are a convex set: walk from the maximum in every direction.
  function contour(best, level, counts, epsilon) {
    const least = log_likelihood(best, counts, epsilon) - level;
    return Array.from({length: 72}, (_, i) => {
      const to = [0, 2, 4].map((k) => Math.cos(Math.PI * (i / 36 + k / 3)));  // sums to zero
      const on = (t) => best.map((u, v) => u + t * to[v]);
      let near = 0, far = 2;
      for (let k = 0; k < 20; k += 1) {
        const t = (near + far) / 2, law = on(t);
        if (Math.min(...law) >= -1e-12 && log_likelihood(law, counts, epsilon) >= least) near = t;
        else far = t;
      }
      return at(on(near));
    });
  }
  const listed = (x) => x.map((u) => (u < 5e-4 ? "0" : u.toFixed(3))).join(", ");

  function draw(s, kit) {
    const counts = [s.a, s.b, s.c], n = s.a + s.b + s.c;
    const laws = path(counts, s.eps, STEPS), best = maximum_likelihood(counts, s.eps);
    const top = log_likelihood(best, counts, s.eps), now = laws[s.step];
    const promised = laws.map((u) => certificate(u, counts, s.eps));
    const missing = laws.map((u) => (top - log_likelihood(u, counts, s.eps)) / n);
    const p = kit.panel({title: "The bluer, the likelier; ○ the maximum", height: 300});
    for (const level of LEVELS) p.area(contour(best, level, counts, s.eps));
    p.line([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]].map(at), "quiet");
    ["all hold A", "all hold B", "all hold C"].forEach((name, v) => {
      const [x, y] = at([0, 1, 2].map((u) => +(u === v)));
      p.text(x + [0, 0, 8][v], y + [18, 18, 4][v], name, v === 2 ? "" : v ? "end" : "");
    });
    p.line(laws.slice(0, s.step + 1).map(at), "c1");
    for (const law of laws.slice(0, s.step + 1)) p.dot(...at(law), "c1", {r: 2.5});
    p.dot(...at(best), "c0 hollow", {r: 5});
    p.dot(...at(now), "c1", {r: 5});
    const q = kit.panel({title: "Nats per report from the maximum", height: 260, x: [0, STEPS], y: [1e-8, 10], log: "y",
      ticky: [[10, "10"], [0.01, "0.01"], [1e-5, "10⁻⁵"], [1e-8, "10⁻⁸"]],
      xlabel: "steps of EM"});
    const seen = (us) => us.map((u, i) => [i, Math.max(u, 1e-8)]);
    q.line(seen(promised), "c1").line(seen(missing), "c0 dashed");
    q.dot(s.step, Math.max(promised[s.step], 1e-8), "c1");
    q.text(30, 2.5, "certificate", "").put(q.tag("path", {d: `M${q.px(22)} ${q.py(3)}H${q.px(29)}`, class: "line c1"}));
    q.text(30, 0.3, "really missing", "").put(q.tag("path", {d: `M${q.px(22)} ${q.py(0.36)}H${q.px(29)}`, class: "line c0 dashed"}));
    return {
      panels: [p, q],
      says: `After ${s.step} steps EM is at ${listed(now)}; the maximum is ${listed(best)}. The certificate ` +
        `says at most ${kit.show(Math.max(promised[s.step], 0))} nats per report are missing; ` +
        `${kit.show(Math.max(missing[s.step], 0), 2)} are.`,
    };
  }
  const count = (key, value) => ({key, label: `reports of ${key.toUpperCase()}`, value, min: 1, max: 40, step: 1});
  return {
    formulas: {em, certificate, log_likelihood, maximum_likelihood},
    controls: [
      count("a", 24), count("b", 16), count("c", 5),
      {key: "eps", label: "budget ε", value: 1, min: 0.2, max: 3, step: 0.1},
      {key: "step", label: "steps of EM", value: 4, min: 0, max: STEPS, step: 1},
      {button: "One step more", press: (s) => ({step: Math.min(s.step + 1, STEPS)})},
      {button: "All steps", press: () => ({step: STEPS}), grow: "step"},
    ],
    draw,
  };
})());
