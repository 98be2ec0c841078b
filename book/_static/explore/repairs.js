"use strict";

// Three values, randomized response at budget 2: drag a raw estimate, see where repairs send it.
explore("repairs", (() => {
  const EPSILON = 2, RARE = 1 / Math.expm1(EPSILON);  // no raw estimate is below -RARE
  const NAMES = ["A", "B", "C"];

  // max(0, x + t (a + b x)), with the t of sum one; a + b x is how noisy an estimate x is taken to be.
  function spread(x, a, b) {
    let sum = 0, noise = 0, t = 0;
    for (const u of [...x].sort((u, v) => v - u)) {
      sum += u;
      noise += a + b * u;
      const step = (1 - sum) / noise;  // if only the values so far were kept
      if (u + step * (a + b * u) > 0) t = step;
    }
    return x.map((u) => Math.max(0, u + t * (a + b * u)));
  }
  const norm_sub = (x) => spread(x, 1, 0);
  const maximum_likelihood = (x, epsilon) => spread(x, 1 / Math.expm1(epsilon), 1);
  const mle_apx = (x, epsilon) =>
    spread(x, Math.exp(epsilon) + x.length - 2, Math.expm1(epsilon) * (x.length - 2));
  const base_pos = (x) => x.map((u) => Math.max(0, u));
  function norm_mul(x) {
    const sum = base_pos(x).reduce((s, u) => s + u, 0);
    return base_pos(x).map((u) => u / sum);
  }
  function norm_cut(x) {
    const above = (u) => x.reduce((s, w) => s + (w >= u && w > 0 ? w : 0), 0);
    return x.map((u) => (u > 0 && above(u) <= 1 + 1e-12 ? u : 0));
  }
  const mse = (x, f) => x.reduce((s, u, v) => s + (u - f[v]) ** 2, 0);

  const REPAIRS = {
    "Norm-Sub": norm_sub, "maximum likelihood": (x) => maximum_likelihood(x, EPSILON),
    "MLE-Apx": (x) => mle_apx(x, EPSILON), "Norm-Mul": norm_mul, "Norm-Cut": norm_cut,
    "Base-Pos": base_pos,
  };
  const TRUTHS = [["60-30-10", "60, 30 and 10 %"], ["100-0-0", "all hold A"], ["50-50-0", "half A, half B"],
    ["34-33-33", "nearly even"]];

  // Laws of sum one as points of a plane; all raw estimates lie in a triangle 310 wide.
  const UNIT = 310 / (1 + 3 * RARE), BASE = 284;
  const at = (x) => [160 + UNIT * (x[1] - x[0]) / 2, BASE - UNIT * Math.sqrt(0.75) * (x[2] + RARE)];
  const from = (u, v) => {
    const c = (BASE - v) / UNIT / Math.sqrt(0.75) - RARE, apart = 2 * (u - 160) / UNIT;
    return [(1 - c - apart) / 2, (1 - c + apart) / 2];
  };
  const corner = (v, far) => [0, 1, 2].map((u) => (u === v ? 1 + 2 * far : -far));
  const LOW = Math.ceil(-100 * RARE), HIGH = Math.floor(100 * (1 + 2 * RARE));
  // The third estimate has its limits as well: b gives way.
  const estimates = (s) => {
    const a = s.a / 100, b = Math.min(Math.max(s.b / 100, -a - 2 * RARE), 1 - a + RARE);
    return [a, b, 1 - a - b];
  };
  const listed = (x) => x.map((u) => (Math.abs(u) < 0.005 ? "0" : u.toFixed(2).replace("-", "−")));

  function draw(s, kit) {
    const x = estimates(s), f = s.truth.split("-").map((u) => u / 100), y = REPAIRS[s.repair](x);
    const raw = mse(x, f), repaired = mse(y, f);
    const better = repaired < raw - 1e-9 ? "nearer" : repaired > raw + 1e-9 ? "farther" : "as near";
    const p = kit.panel({title: "", height: 292});
    p.line([...[0, 1, 2, 0].map((v) => at(corner(v, RARE)))], "quiet dashed");
    p.area([0, 1, 2].map((v) => at(corner(v, 0))));
    const [fx, fy] = at(f), far = UNIT * Math.sqrt(raw / 2);
    p.put(p.tag("circle", {cx: fx, cy: fy, r: far, class: "line quiet dotted"}));
    NAMES.forEach((name, v) => {
      const [u, w] = at(corner(v, 0));
      p.text(u + [-14, 14, 0][v], w + [4, 4, -7][v], name, "middle head");
    });
    const on = Math.abs(y[0] + y[1] + y[2] - 1) < 1e-9;
    if (on) p.line([at(x), at(y)], "c1");
    p.dot(...at(x), "c1", {r: 7});
    if (on) p.dot(...at(y), "c0", {r: 6});
    p.text(fx, fy + 5, "×", "middle head");
    p.dot(12, 14, "c1", {r: 6}).text(24, 18, "raw").dot(12, 36, "c0", {r: 6}).text(24, 40, "repaired");
    p.text(12, 62, "×", "middle head").text(24, 62, "truth");
    const rows = Object.entries(REPAIRS).map(([name, repair]) => {
      const z = repair(x), e = mse(z, f);
      return [name, ...listed(z), `${e < raw - 1e-9 ? "↓ " : e > raw + 1e-9 ? "↑ " : ""}${kit.show(e)}`];
    });
    rows.unshift(["raw", ...listed(x), kit.show(raw)]);
    return {
      panels: [p],
      html: kit.table("All repairs; ↓ nearer to the truth than raw, ↑ farther", ["", ...NAMES, "squared error"], rows),
      says: `${s.repair} sends ${listed(x).join(", ")} to ${listed(y).join(", ")}` +
        `${on ? "" : ", which does not sum to one"}. The squared error goes from ${kit.show(raw)} to ` +
        `${kit.show(repaired)}: ${better} to the truth.`,
    };
  }
  return {
    formulas: {norm_sub, maximum_likelihood, mle_apx, base_pos, norm_mul, norm_cut, mse},
    controls: [
      {key: "a", label: "raw estimate of A", value: 62, min: LOW, max: HIGH, step: 1, say: (v) => `${v} %`},
      {key: "b", label: "raw estimate of B", value: 48, min: LOW, max: HIGH, step: 1,
        say: (v, s) => `${Math.round(100 * estimates(s)[1])} %`},
      {key: "repair", label: "repair", value: "Norm-Sub", options: Object.keys(REPAIRS).map((u) => [u, u])},
      {key: "truth", label: "truth (×)", value: "60-30-10", options: TRUTHS},
    ],
    draw,
    drag(s, kit, number, u, v) {
      const [a, b] = from(u, v).map((w) => Math.min(Math.max(Math.round(100 * w), LOW), HIGH));
      return {a, b: Math.round(100 * estimates({a, b})[1])};
    },
  };
})());
