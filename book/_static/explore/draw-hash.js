"use strict";
// Each user draws a hash of twelve values into g buckets, and reports a bucket by randomized response.
explore("draw-hash", {
  formulas: {
    own: (eps, g) => Math.exp(eps) / (Math.exp(eps) + g - 1),
    // Variance of the estimate from one report; another value is supported with probability 1/g.
    variance(eps, g, f) {
      const p = Math.exp(eps) / (Math.exp(eps) + g - 1), q = 1 / g;
      return (q * (1 - q) + f * (p - q) * (1 - p - q)) / (p - q) ** 2;
    },
  },
  controls: [
    {key: "g", label: "Buckets g", value: 4, min: 2, max: 12, step: 1, say: (v) => `${v}`},
    {key: "eps", label: "Budget ε", value: 1, min: 0.2, max: 4, step: 0.1, say: (v) => v.toFixed(1)},
    {key: "asked", value: 100, min: 1, max: 20000},
    {key: "seed", value: 1},
    {button: "Next user", press: (s) => ({asked: s.asked + 1})},
    {button: "1,000 more users", press: (s) => ({asked: s.asked + 1000}), grow: "asked"},
  ],
  draw({g, eps, asked, seed}, kit) {
    const d = 12, p = kit.formulas.own(eps, g), rng = kit.generator(seed);
    const truth = Array.from({length: d}, (_, v) => 0.7 ** v), all = truth.reduce((a, b) => a + b);
    const shares = truth.map((t) => t / all), counts = Array(d).fill(0);
    let hash, value, bucket;
    for (let i = 0; i < asked; i += 1) {
      const u = rng.uniform();
      let sum = 0;
      value = shares.findIndex((s) => (sum += s) > u);
      hash = Array.from({length: d}, () => rng.below(g));
      bucket = hash[value];
      if (!rng.coin(p)) bucket = (bucket + 1 + rng.below(g - 1)) % g;
      hash.forEach((b, v) => { counts[v] += b === bucket; });
    }
    const one = kit.panel({title: `User ${kit.show(asked, 9)} reports bucket ${bucket + 1}`, height: 165});
    one.text(0, 38, "value", "small").text(0, 100, "bucket", "small");
    hash.forEach((b, v) => {
      const x = 56 + 22 * v;
      one.put(kit.tag("text", {x, y: 38, class: v === value ? "middle head" : "middle"}, v + 1));
      one.put(kit.tag("line", {x1: x, y1: 44, x2: x, y2: 80, class: b === bucket ? "line c1" : "line quiet dotted"}));
      one.put(kit.tag("circle", {cx: x, cy: 95, r: 10, class: b === bucket ? "dot c1" : "dot quiet pale"}));
      one.put(kit.tag("text", {x, y: 99.5, class: b === bucket ? "middle explore-on" : "middle"}, b + 1));
    });
    one.put(kit.tag("rect", {x: 46 + 22 * value, y: 24, width: 20, height: 18, rx: 4, class: "ring c0"}));
    one.text(0, 132, `The user holds ${value + 1}, which is in bucket ${hash[value] + 1}:`).text(0, 150, hash[value] === bucket ? "the report is true." : "the report is a lie.");
    const [q, found] = [1 / g, counts.map((c) => (c / asked - 1 / g) / (p - 1 / g))];
    const sd = Math.sqrt(kit.formulas.variance(eps, g, 0) / asked), reach = Math.max(0.4, Math.min(3 * sd, 1));
    const chart = kit.panel({title: `Estimates from ${kit.show(asked, 9)} ${asked === 1 ? "report" : "reports"}`, x: [0.4, 12.6], y: [-reach / 2, reach], xlabel: "value", ylabel: "share: truth (bar), estimate (dot)", height: 230,
      tickx: shares.map((_, v) => [v + 1, `${v + 1}`])});
    shares.forEach((s, v) => {
      chart.bar(v + 1, 0.3, s, "c0 pale");
      const y = Math.min(Math.max(found[v], -reach / 2), reach);
      chart.line([[v + 1, Math.max(y - 2 * sd, -reach / 2)], [v + 1, Math.min(y + 2 * sd, reach)]], "c1").dot(v + 1, y, "c1");
    });
    const sizes = Array.from({length: 11}, (_, i) => i + 2), noise = sizes.map((k) => kit.formulas.variance(eps, k, 0));
    const best = sizes[noise.indexOf(Math.min(...noise))];
    const curve = kit.panel({title: "Noise against the number of buckets", x: [1.5, 12.5], y: [0, Math.max(...noise) * 1.1], xlabel: "buckets g", ylabel: "variance of one report", height: 230, tickx: [2, 4, 6, 8, 10, 12].map((k) => [k, `${k}`])});
    curve.line(sizes.map((k, i) => [k, noise[i]]), "c2");
    sizes.forEach((k, i) => curve.dot(k, noise[i], k === g ? "c2" : "c2 hollow", {"data-set": `g=${k}`}));
    return {panels: [one, chart, curve], says: `Of ${g} buckets the report names number ${bucket + 1}, which supports ${hash.filter((b) => b === bucket).length} of 12 values. After ${kit.show(asked, 9)} ${asked === 1 ? "user" : "users"} an estimate is off by ${kit.show(100 * sd, 2)} percentage points in a standard deviation; of 2 to 12 buckets g = ${best} has the least noise at this budget.`};
  },
});
