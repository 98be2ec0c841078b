"use strict";

// Draw a density by fifteen heights, randomize it in sixty bins by the square wave, walk back by EM and EMS.
explore("wave-density", (() => {
  const POINTS = 15, BINS = 60, STEPS = 300, TOP = 0.06;
  const SHAPES = {13689986310000: "one hump", 39630001369863: "two humps", 111111119111111: "a spike",
    888888800000000: "a cliff"};
  const sum = (list) => list.reduce((s, u) => s + u, 0);

  // The window whose reports can tell most: the best continuous one, in whole cells.
  function half_width(d, epsilon) {
    const odds = Math.exp(epsilon), steps = d - 1;
    const best = (epsilon * odds - odds + 1) / (2 * odds * (odds - 1 - epsilon));
    const bound = (b) => {
      const inside = (2 * b + 1) / steps * odds;
      return Math.log((inside / odds + 1) / (inside + 1)) + inside * epsilon / (inside + 1);
    };
    const b = Math.max(0, Math.floor(best * steps - 0.5));
    return bound(b + 1) > bound(b) ? b + 1 : b;
  }
  function channel(d, epsilon) {
    const b = half_width(d, epsilon), p = 1 / (2 * b + 1 + (d - 1) * Math.exp(-epsilon));
    return Array.from({length: d}, (_, x) => Array.from({length: d + 2 * b},
      (_, y) => (y >= x && y <= x + 2 * b ? p : p * Math.exp(-epsilon))));
  }
  // One step of EM; EMS then blurs it with weights 1, 2, 1.
  function stepped(theta, shares, Q, smooth) {
    const ratios = shares.map((c, y) => (c ? c / sum(theta.map((u, x) => u * Q[x][y])) : 0));
    let next = theta.map((u, x) => u * sum(ratios.map((r, y) => r * Q[x][y])));
    if (smooth) {
      next = next.map((u, x) => {
        const sides = [next[x - 1], next[x + 1]].filter((w) => w !== undefined);
        return (2 * u + sum(sides)) / (2 + sides.length);
      });
    }
    const whole = sum(next);
    return next.map((u) => u / whole);
  }
  function walk(counts, d, epsilon, smooth, steps) {
    const Q = channel(d, epsilon), n = sum(counts), laws = [Array(d).fill(1 / d)];
    while (laws.length <= steps) laws.push(stepped(laws[laws.length - 1], counts.map((c) => c / n), Q, smooth));
    return laws;
  }
  const em = (counts, d, epsilon, smooth, steps) => walk(counts, d, epsilon, smooth, steps)[steps];
  // How far mass must be moved, as a share of the whole line.
  function wasserstein(f, g) {
    let ahead = 0;
    return sum(f.map((u, x) => { ahead += u - g[x]; return Math.abs(ahead); })) / f.length;
  }

  const digits = (s) => [...String(s.law).padStart(POINTS, "0")].map(Number);
  const written = (list) => Number(list.join(""));
  // Straight lines from height to height.
  function density(heights) {
    const at = Array.from({length: BINS}, (_, x) => Math.min(Math.max((x + 0.5) * POINTS / BINS - 0.5, 0), POINTS - 1));
    const line = at.map((u) => {
      const i = Math.min(Math.floor(u), POINTS - 2);
      return heights[i] + (u - i) * (heights[i + 1] - heights[i]);
    });
    return line.map((u) => (sum(line) ? u / sum(line) : 1 / BINS));
  }
  const drawn = (s, point, height) => ({
    law: written(digits(s).map((u, x) => (x === point - 1 ? height : u))), point, height, shape: "own",
  });
  function sent(law, s, kit) {
    const Q = channel(BINS, s.eps), chances = Q[0].map((_, y) => sum(law.map((u, x) => u * Q[x][y])));
    const counts = chances.map(() => 0), g = kit.generator(s.seed);
    for (let i = 0; i < s.n; i += 1) {
      let rest = g.uniform(), y = 0;
      while (y + 1 < chances.length && rest >= chances[y]) { rest -= chances[y]; y += 1; }
      counts[y] += 1;
    }
    return counts;
  }

  function draw(s, kit) {
    const law = density(digits(s)), counts = sent(law, s, kit), cells = counts.length, top = TOP;
    const both = [false, true].map((smooth) => walk(counts, BINS, s.eps, smooth, STEPS));
    const away = both.map((laws) => laws.map((u) => wasserstein(u, law)));
    const now = both.map((laws) => laws[s.step]);
    const p = kit.panel({title: "Frequency of a bin: drawn, and estimated", height: 270, x: [0, BINS], y: [0, top],
      xlabel: "bin (drag to draw)"});
    law.forEach((u, x) => p.bar(x + 0.5, 0.5, Math.min(u, top), "quiet pale"));
    now.forEach((u, k) => p.line(u.map((w, x) => [x + 0.5, Math.min(w, top)]), k ? "c2" : "c0 dashed"));
    p.dot((s.point - 0.5) * BINS / POINTS, Math.min(law[Math.floor((s.point - 0.5) * BINS / POINTS)], top), "c6 hollow");
    p.text(BINS, top * 0.94, "- - EM", "end small").text(BINS, top * 0.86, "— EMS", "end small");
    const q = kit.panel({title: `What ${kit.short(s.n)} people report`, height: 190, x: [0, cells],
      y: [0, TOP], xlabel: "cell of the report"});
    counts.forEach((c, y) => q.bar(y + 0.5, 0.5, Math.min(c / s.n, TOP), "c1 pale"));
    const r = kit.panel({title: "Distance, as a share of the line", height: 230, x: [0, STEPS],
      y: [0, Math.max(0.1, ...away[0], ...away[1]) * 1.05], xlabel: "steps"});
    away.forEach((list, k) => r.line(list.map((u, i) => [i, u]), k ? "c2" : "c0 dashed"));
    away.forEach((list, k) => r.dot(s.step, list[s.step], k ? "c2" : "c0"));
    const least = away.map((list) => list.indexOf(Math.min(...list)));
    const when = (steps) => steps < STEPS ? `after ${steps} steps` : `after ${STEPS} steps or more`;
    return {
      panels: [p, q, r],
      says: `After ${s.step} steps EM is off by ${kit.share(away[0][s.step], 1)} of the line, EMS by ` +
        `${kit.share(away[1][s.step], 1)}. EM is nearest ${when(least[0])}, EMS ${when(least[1])}.`,
    };
  }
  return {
    formulas: {half_width, channel, em, wasserstein},
    controls: [
      {key: "law", value: 39630001369863, max: 999999999999999},
      {key: "shape", label: "shape", value: "39630001369863", options: [...Object.entries(SHAPES), ["own", "my own"]],
        set: (v, s) => (v === "own" ? {} : {shape: v, law: Number(v), height: digits({law: v})[s.point - 1]})},
      {key: "step", label: "steps", value: 20, min: 0, max: STEPS, step: 1},
      {key: "point", label: "point of the drawing", value: 4, min: 1, max: POINTS, step: 1,
        set: (v, s) => ({point: v, height: digits(s)[v - 1]})},
      {key: "height", label: "its height", value: 6, min: 0, max: 9, step: 1, set: (v, s) => drawn(s, s.point, v)},
      {key: "eps", label: "budget ε", value: 2, min: 0.5, max: 4, step: 0.1},
      {key: "n", label: "people", value: 1000, stops: [1000, 10000, 100000]},
      {key: "seed", value: 1},
      {button: "All steps", press: () => ({step: STEPS}), grow: "step"},
      {button: "Ask again", press: (s) => ({seed: s.seed + 1})},
    ],
    draw,
    drag(s, kit, number, x, y) {
      if (number !== 0) return null;
      const point = Math.min(Math.max(Math.ceil(x * POINTS / BINS), 1), POINTS);
      return drawn(s, point, Math.min(Math.max(Math.round(y / TOP * 9), 0), 9));
    },
  };
})());
