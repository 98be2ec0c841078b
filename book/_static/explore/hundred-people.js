"use strict";
// One hundred people, one yes-no question, randomized response; asked again and again.
explore("hundred-people", {
  formulas: {
    estimate(eps, yes, n) {
      const p = 1 / (1 + Math.exp(-eps)), q = 1 / (1 + Math.exp(eps));
      return (yes / n - q) / (p - q);
    },
    // The 95 % interval around the estimate: its noise is the same whatever is true.
    interval(eps, yes, n) {
      const p = 1 / (1 + Math.exp(-eps)), q = 1 / (1 + Math.exp(eps));
      const half = (1.959963984540054 * Math.sqrt((p * q) / n)) / (p - q), middle = (yes / n - q) / (p - q);
      return [middle - half, middle + half];
    },
    deviation: (eps, n) => Math.exp(eps / 2) / Math.expm1(eps) / Math.sqrt(n),
  },
  controls: [
    {key: "eps", label: "Budget ε", value: 1, min: 0.2, max: 5, step: 0.1, say: (v) => `${v.toFixed(1)}: truth ${(100 / (1 + Math.exp(-v))).toFixed(0)} % of the time`},
    {key: "share", label: "People whose truth is yes", value: 30, min: 0, max: 100, step: 1, say: (v) => `${v} of 100`},
    {key: "asked", value: 1, min: 1, max: 5000},
    {key: "seed", value: 1},
    {button: "Ask once more", press: (s) => ({asked: s.asked + 1})},
    {button: "Ask 100 times", press: (s) => ({asked: s.asked + 100}), grow: "asked"},
  ],
  draw({eps, share, asked, seed}, kit) {
    const p = 1 / (1 + Math.exp(-eps)), rng = kit.generator(seed), found = [];
    const whole = (x) => kit.show(Math.round(x));
    let reports, yes, covered = 0;
    for (let i = 0; i < asked; i += 1) {
      reports = Array.from({length: 100}, (_, k) => (rng.coin(p) ? k < share : k >= share));
      yes = reports.filter(Boolean).length;
      const [low, high] = kit.formulas.interval(eps, yes, 100);
      covered += low <= share / 100 && share / 100 <= high;
      found.push(kit.formulas.estimate(eps, yes, 100));
    }
    const last = found[asked - 1], [low, high] = kit.formulas.interval(eps, yes, 100), sd = kit.formulas.deviation(eps, 100);
    const people = kit.panel({height: 215});
    [["The truth, unseen", 4, (k) => k < share], ["What people report", 172, (k) => reports[k]]].forEach(([text, left, said]) => {
      people.put(kit.tag("text", {x: left, y: 15, class: "head"}, text));
      for (let k = 0; k < 100; k += 1) people.put(kit.tag("circle", {cx: left + 8 + 14 * (k % 10), cy: 34 + 14 * Math.floor(k / 10), r: 5, class: said(k) ? "dot c0" : "dot quiet pale"}));
    });
    people.text(4, 190, `${share} yes`).text(172, 190, `${yes} yes`);
    people.text(172, 208, `estimate: ${whole(100 * last)}`);
    const reach = Math.max(4 * sd, 0.12), from = share / 100 - reach, wide = reach / 12;
    const bins = Array(24).fill(0);
    found.forEach((x) => { bins[Math.min(Math.max(Math.floor((x - from) / wide), 0), 23)] += 1; });
    const top = Math.max(4, ...bins);
    const chart = kit.panel({title: asked === 1 ? "The estimate of one survey" : `The estimates of ${asked} surveys`, x: [100 * from, 100 * (share / 100 + reach)], y: [0, top * 1.35], xlabel: "estimated number of yes, of 100", ylabel: "surveys", height: 215});
    bins.forEach((k, i) => { if (k) chart.box(100 * (from + i * wide), 0, 100 * (from + (i + 0.94) * wide), k, "c1 pale"); });
    const level = top * 1.1;
    chart.upright(share, "c0", "truth").line([[100 * Math.max(low, from), level], [100 * Math.min(high, share / 100 + reach), level]], "c1").dot(100 * last, level, "c1");
    const says = asked === 1
      ? `${share} of 100 hold the truth yes and ${yes} report it; the estimate is ${whole(100 * last)}, and the interval from ${whole(100 * low)} to ${whole(100 * high)} ${low <= share / 100 && share / 100 <= high ? "holds" : "misses"} the truth.`
      : `On average over ${asked} surveys the estimate is ${((100 * found.reduce((a, b) => a + b)) / asked).toFixed(1)}, and the truth ${share}; single ones are off by ${(100 * sd).toFixed(0)} people in a standard deviation, and ${kit.share(covered / asked)} of the 95 % intervals hold the truth.`;
    return {panels: [people, chart], says};
  },
});
