"use strict";
// Four values A to D, generalized randomized response, one report, and what somebody then believes.
explore("budget-odds", {
  formulas: {
    // Probability of each value after the report, of which A had `belief` and the others the rest.
    posterior(eps, belief, report) {
      const joint = [0, 1, 2, 3].map((x) => (x ? (1 - belief) / 3 : belief) * (x === report ? Math.exp(eps) : 1));
      const total = joint[0] + joint[1] + joint[2] + joint[3];
      return joint.map((w) => w / total);
    },
    // The most that any report of a mechanism with this budget can make of a belief.
    cap: (eps, belief) => (belief * Math.exp(eps)) / (belief * Math.exp(eps) + 1 - belief),
    // How often the best guess is right, over values and reports.
    guess(eps, belief) {
      const p = Math.exp(eps) / (Math.exp(eps) + 3), q = 1 / (Math.exp(eps) + 3);
      const first = Math.max(belief * p, ((1 - belief) / 3) * q);
      return first + 3 * Math.max(belief * q, ((1 - belief) / 3) * p);
    },
  },
  controls: [
    {key: "eps", label: "Budget ε", value: 1, min: 0.1, max: 6, step: 0.1,
      say: (v) => `${v.toFixed(1)}, odds up to ${Math.exp(v).toPrecision(3)} to 1`},
    {key: "belief", label: "Belief in A before the report", value: 0.25, min: 0.01, max: 0.97, step: 0.01,
      say: (v) => `${(100 * v).toFixed(0)} %`},
    {key: "report", label: "The report says", value: "0",
      options: [["none", "nothing yet"], ["0", "A"], ["1", "B"], ["2", "C"], ["3", "D"]]},
  ],
  draw({eps, belief, report}, kit) {
    const names = ["A", "B", "C", "D"], {posterior, cap, guess} = kit.formulas;
    const prior = names.map((_, x) => (x ? (1 - belief) / 3 : belief));
    const now = report === "none" ? prior : posterior(eps, belief, Number(report));
    const bars = kit.panel({title: "Belief before (pale) and after the report", x: [-0.6, 3.6], y: [0, 1.05],
      tickx: names.map((n, x) => [x, n]), xlabel: "value: click one to report it", ylabel: "probability"});
    names.forEach((n, x) => {
      bars.bar(x - 0.18, 0.15, prior[x], "c0 pale").bar(x + 0.18, 0.15, now[x], "c0");
      bars.line([[x - 0.38, cap(eps, prior[x])], [x + 0.38, cap(eps, prior[x])]], "c1");
      bars.box(x - 0.5, 0, x + 0.5, 1, "explore-touch", {"data-set": `report=${x}`});
    });
    bars.text(0, Math.max(cap(eps, prior[0]), 0.02) + 0.03, "cap", "middle");
    const curve = Array.from({length: 60}, (_, i) => 0.1 + (5.9 * i) / 59);
    const right = kit.panel({title: "How often the best guess is right", x: [0, 6], y: [0, 1.05], xlabel: "budget ε", ylabel: "probability"});
    right.line(curve.map((e) => [e, guess(e, belief)]), "c0").level(Math.max(...prior), "quiet dashed", "without any report");
    right.dot(eps, guess(eps, belief), "c0");
    const best = now.indexOf(Math.max(...now));
    const told = report === "none" ? "No report has come" : `After the report ${names[Number(report)]} the belief in A is ${kit.share(now[0], 1)}; it was ${kit.share(belief)} before, and no report can lift it above ${kit.share(cap(eps, belief), 1)}`;
    return {panels: [bars, right], says: `${told}. The best guess is ${names[best]}; over all reports such guesses are right in ${kit.share(guess(eps, belief), 1)} of all cases.`};
  },
});
