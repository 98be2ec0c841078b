"use strict";
// Seven mechanisms on one column: their errors, their reports, the work of the server, an attacker's success.
explore("chooser", {
  formulas: {
    // Size of the sets of subset selection with the least noise.
    sets(d, eps) {
      const e = Math.exp(eps), rest = d - e;
      if (eps >= Math.log(d)) return 1;
      const flat = (rest * d) / (rest + Math.sqrt(e * rest * (e * d - 1)));
      const noise = (k) => ((d + k * Math.expm1(eps) - e) * (d + k * Math.expm1(eps) - 1)) / (k * (d - k));
      const low = Math.min(Math.max(1, Math.floor(flat)), d - 1), high = Math.min(low + 1, d - 1);
      return noise(low) <= noise(high) ? low : high;
    },
    // Number of buckets of local hashing with the least noise, at most `most`.
    buckets(eps, most) {
      const noise = (g) => (1 + (g - 1) * Math.exp(-eps)) ** 2 / (g - 1);
      const low = Math.floor(Math.min(Math.exp(eps) + 1, Math.max(2, most - 1))), high = Math.min(low + 1, most);
      return noise(low) <= noise(high) ? low : high;
    },
    // Independent bits of a hashed word of 32 bits.
    units: (d) => 33 - Math.max(Math.ceil(Math.log2(d)), 16),
    // Noise of a value that nobody holds, with sets of w among v points that meet in pairs equally often.
    noise(v, w, eps) {
      const rare = Math.exp(-eps), all = (w + (v - w) * rare) * (v - 1), q = (w * (w - 1 + (v - w) * rare)) / all;
      return (q * (1 - q)) / ((w * (v - w) * -Math.expm1(-eps)) / all) ** 2;
    },
    // The fewest blocks modulo a prime P that are within 0.3 % of subset selection, else the best: j of e classes of powers.
    designs: {},
    design(d, eps) {
      const {designs, noise, variance} = explore.specs.chooser.formulas, key = `${d} ${eps}`;
      if (designs[key]) return designs[key];
      const near = 1.003 * variance("SS", d, eps, 0), share = 1 / (1 + Math.exp(eps));
      let best = [Infinity], primes = 0;
      const divisors = (n) => {
        const small = [];
        for (let k = 1; k * k <= n; k++) if (n % k === 0) small.push(k);
        return [...small, ...small.map((k) => n / k).filter((k) => k * k > n).reverse()];
      };
      const consider = (P, e, j, zero) => {
        const f = (P - 1) / e, w = j * f + zero, m = e % 2 === 0 && f % 2 === 1 ? e / 2 : e;
        if (m * P > 2 ** 25) return;
        const v = noise(P, w, eps), rank = [Math.max(v, near), m * P, v], at = rank.findIndex((x, i) => x !== best[i]);
        if (at >= 0 && rank[at] < best[at]) best = [...rank, {P, e, j, zero, w, m}];
      };
      for (let P = d; P <= 2 * d && primes < 60; P++) {
        if (divisors(P).length !== 2) continue;
        primes++;
        consider(P, 1, 0, 1);
        for (const e of divisors(P - 1).slice(1)) for (const zero of [0, 1]) {
          const below = Math.floor((share * P - zero) / ((P - 1) / e));
          for (const j of [below, below + 1]) consider(P, e, Math.min(Math.max(1, j), e - 1), zero);
        }
      }
      return (designs[key] = best[3]);
    },
    // How many of these blocks hold none of the d values: those in a gap between the residues of a block.
    silent(d, eps) {
      const {P, e, j, zero, w, m} = explore.specs.chooser.formulas.design(d, eps);
      let powers = [], gaps = 0;
      for (let g = 1; w <= P - d && powers.length < P - 1; g++) {
        powers = [1];
        for (let x = g; x > 1; x = (x * g) % P) powers.push(x);
      }
      for (let c = 0; powers.length && c < m; c++) {
        const block = Array.from({length: w}, (_, i) => (i < w - zero ? powers[((c + (i % j)) % e) + e * Math.floor(i / j)] : 0));
        block.sort((a, b) => a - b);
        block.forEach((x, i) => { gaps += Math.max(0, (i ? x - block[i - 1] : x + P - block[w - 1]) - d); });
      }
      return gaps;
    },
    // Tickets of a report whose block holds the value, of another one, and of all: as many as one word can share out.
    tickets(d, eps) {
      const {P, w, m} = explore.specs.chooser.formulas.design(d, eps), most = Math.floor(2 ** 50 / m);
      for (let B = 2 ** 50; ; B /= 2) {
        const A = Math.floor(Math.exp(eps) * B), all = w * A + (P - w) * B;
        if (all <= most) return [A, B, all];
      }
    },
    // Mean counts p and q of the value held and of another one.
    chances(name, d, eps) {
      const e = Math.exp(eps), s = Math.exp(eps / 2), {sets, buckets, units, design, tickets} = explore.specs.chooser.formulas;
      if (name === "GRR") return [e / (e + d - 1), 1 / (e + d - 1)];
      if (name === "SUE") return [s / (s + 1), 1 / (s + 1)];
      if (name === "OUE") return [0.5, 1 / (e + 1)];
      if (name === "SS") {
        const k = sets(d, eps), p = (k * e) / (k * e + d - k);
        return [p, (p * (k - 1) + (1 - p) * k) / (d - 1)];
      }
      if (name === "CR") {
        const {P, w} = design(d, eps), [A, , M] = tickets(d, eps);
        return [(w * A) / M, (w * (M - A)) / (M * (P - 1))];
      }
      const all = 2 ** units(d), g = buckets(eps, all), more = all % g, w = Math.floor(all / g);
      const q = 1 / (e + g - 1), same = (more * (w + 1) ** 2 + (g - more) * w ** 2) / all ** 2;
      return [e * q, q + (e * q - q) * same];
    },
    // Noise of one report of Hadamard response with blocks of b.
    hadamard(d, eps, f, b) {
      const blocks = Math.ceil(d / (b - 1)), total = b / 2 + (blocks * b - b / 2) * Math.exp(-eps);
      const hit = b / 2 / total, other = Math.exp(-eps) / total, last = d - (b - 1) * (blocks - 1);
      const near = ((blocks - 1) * (b - 1) * (b - 2) + last * (last - 1)) / (d * (d - 1)), same = f + (1 - f) * near;
      const p = hit + (other * (blocks - 1) * b) / 2, inside = b * other + same * (hit - (b / 2) * other);
      return (0.5 + (p - 0.5) * f - (1 - inside) / 4 - f * p * p - (1 - f) * 0.25) / (p - 0.5) ** 2;
    },
    // Size of the blocks with the least noise for a value that nobody holds.
    block(d, eps) {
      const noise = (b) => explore.specs.chooser.formulas.hadamard(d, eps, 0, b);
      let best = 2;
      for (let b = 4; b <= 2 ** Math.floor(Math.log2(d) + 1); b *= 2) if (noise(b) < noise(best)) best = b;
      return best;
    },
    // Variance of the estimate from one report, for a value of frequency f.
    variance(name, d, eps, f) {
      const {chances, hadamard, block} = explore.specs.chooser.formulas;
      if (name === "HR") return hadamard(d, eps, f, block(d, eps));
      const [p, q] = chances(name, d, eps);
      return (q * (1 - q) + f * (p - q) * (1 - p - q)) / (p - q) ** 2;
    },
    // How often the best guess from one report is right, if all values are equally likely.
    attack(name, d, eps) {
      const {chances, sets, units, buckets, block, design, silent, tickets} = explore.specs.chooser.formulas, e = Math.exp(eps);
      const [p, q] = name === "HR" ? [] : chances(name, d, eps), none = Math.exp(d * Math.log1p(-q));
      if (name === "GRR") return p;
      if (name === "SS") return p / sets(d, eps);
      if (name === "OUE" || name === "SUE") return ((p / q) * (1 - none) + ((1 - p) / (1 - q)) * none) / d;
      if (name === "OLH") {
        const all = 2 ** units(d), g = buckets(eps, all), more = all % g, w = Math.floor(all / g);
        const held = (share) => -Math.expm1(d * Math.log1p(-share)), full = more * held((w + 1) / all) + (g - more) * held(w / all);
        return (e * full + g - full) / (e + g - 1) / d;
      }
      if (name === "CR") {
        const {P, m} = design(d, eps), [A, B, M] = tickets(d, eps), empty = silent(d, eps);
        return ((m * P - empty) * A + empty * B) / (d * m * M);
      }
      const b = block(d, eps), blocks = Math.ceil(d / (b - 1)), few = {1: b / 2, 2: b / 4};
      const empty = (blocks - 1) * (few[b - 1] || 0) + (few[d - (b - 1) * (blocks - 1)] || 0);
      return ((blocks * b - empty) * e + empty) / (blocks * b + (b / 2) * (e - 1)) / d;
    },
    // Bits of a report, and steps of a server that counts n of them.
    cost(name, d, eps, n) {
      const {units, buckets, block, design} = explore.specs.chooser.formulas;
      const b = block(d, eps), all = b * Math.ceil(d / (b - 1));
      if (name === "GRR") return [Math.ceil(Math.log2(d)), n + d];
      if (name === "CR") {
        const {P, w, m} = design(d, eps), bits = Math.ceil(Math.log2(2 * P - 1));
        return [Math.ceil(Math.log2(m * P)), n + Math.min(m * w * d, (2 * m + 1) * bits * 2 ** bits)];
      }
      if (name === "HR") return [Math.ceil(Math.log2(all)), n + all * Math.log2(b)];
      return [name === "OLH" ? 64 + Math.ceil(Math.log2(buckets(eps, 2 ** units(d)))) : d, n * d];
    },
  },
  controls: [
    {key: "d", label: "Values", value: 50, stops: [2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000], say: (v) => v.toLocaleString("en")},
    {key: "eps", label: "Budget ε", value: 1, min: 0.1, max: 6, step: 0.1, say: (v) => v.toFixed(1)},
    {key: "n", label: "People", value: 20000, stops: [1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7, 1e8, 1e9], say: (v) => v.toLocaleString("en")},
    {key: "f", label: "Share that holds the value", value: 0, stops: [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1], say: (v) => (v ? `${100 * v} %` : "nearly nobody")},
    {key: "bytes", label: "Bytes of a report, at most", value: 1e6, stops: [1, 2, 4, 8, 16, 64, 256, 1024, 1e6], say: (v) => (v === 1e6 ? "any number" : v.toLocaleString("en"))},
    {key: "steps", label: "Steps of the server, at most", value: 1e18, stops: [1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e18], say: (v) => (v === 1e18 ? "any number" : `10^${Math.log10(v)}`)},
  ],
  draw({d, eps, n, f, bytes, steps}, kit) {
    const kinds = {GRR: ["randomized response", "GRR", "c0"], OUE: ["optimized unary encoding", "OUE", "c1"], SUE: ["symmetric unary encoding", "SUE", "c5"],
      OLH: ["local hashing", "OLH", "c2"], SS: ["subset selection", "SubsetSelection", "c6"], HR: ["Hadamard response", "HadamardResponse", "c3"],
      CR: ["cyclotomic response", "CyclotomicResponse", "c4"]};
    const rows = Object.entries(kinds).map(([name, [words, make, look]]) => {
      const [bits, work] = kit.formulas.cost(name, d, eps, n);
      const error = Math.sqrt(n * kit.formulas.variance(name, d, eps, f));
      const guess = kit.formulas.attack(name, d, eps);
      return {name, words, make, look, error, bits, work, guess, fits: bits <= 8 * bytes && work <= steps};
    }).sort((a, b) => b.fits - a.fits || a.error - b.error || a.bits - b.bits);
    const [best] = rows, number = (x) => (x < 100 ? kit.show(x) : x < 1e6 ? kit.show(Math.round(x), 7) : kit.short(Number(x.toPrecision(3))));
    const top = Math.max(...rows.map((r) => r.error));
    const chart = kit.panel({title: "Standard error of a count, in people", x: [0, 1.28 * top], y: [7.6, 0.4], ticky: [], height: 300, xlabel: "people"});
    rows.forEach((r, i) => {
      chart.box(0, i + 0.95, r.error, i + 1.4, r.fits ? r.look : `${r.look} pale`).text(0, i + 0.85, `${r.words} (${r.name})${r.fits ? "" : ", beyond a limit"}`, "small");
      chart.put(kit.tag("text", {x: chart.px(r.error) + 5, y: chart.py(i + 1.3)}, number(r.error)));
    });
    const table = kit.table("The best first; a dash marks what breaks a limit", ["mechanism", "error, people", "bits", "steps", "guess right"],
      rows.map((r) => [`${r.fits ? "" : "– "}<span class="explore-wide">${r.words} </span>${r.name}`, number(r.error), number(r.bits), number(r.work), kit.share(r.guess, r.guess < 0.01 ? 3 : 1)]));
    const code = `<pre tabindex="0" role="group" aria-label="The code for it">import numpy as np\nfrom ldp import ${best.make}, confidence_interval, debias\n\nrng = np.random.default_rng(1)\nvalues = rng.integers(${d}, size=1000)  # yours: numbers below ${d}\nmechanism = ${best.make}(${d}, ${eps})\nreports = mechanism.privatize(values, rng)\ntally = mechanism.tally(reports)\nprint(debias(tally, mechanism))\nprint(confidence_interval(tally, mechanism))</pre>`;
    const says = best.fits ? `The least error within the limits is that of ${best.words}: the estimate of a count is off by ${number(best.error)} people in a standard deviation, ${kit.share(best.error / n, 2)} of all, with ${number(best.bits)} bits from each person. The best guess from one report is right ${kit.share(best.guess, best.guess < 0.01 ? 3 : 1)} of the time.`
      : "No mechanism keeps both limits; the one with the least error stands first.";
    return {panels: [chart], html: table + (best.fits ? code : ""), says};
  },
});
