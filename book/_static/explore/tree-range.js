"use strict";

// A range of 64 values: which nodes of a tree answer it, and with what noise.
explore("tree-range", (() => {
  const D = 64, WIDTH = 4.875;  // a value, in pixels
  const depth = (d, branching) => Math.round(Math.log(d) / Math.log(branching));

  // The fewest nodes that make up start..stop-1, each as [level, first value, number of values].
  function pieces(start, stop, branching, levels) {
    const found = [];
    for (let level = levels, width = 1; level >= 0; level -= 1, width *= branching) {
      const left = Math.min(Math.ceil(start / branching) * branching, stop);
      const right = Math.max(Math.floor(stop / branching) * branching, left);
      for (let i = start; i < stop; i += 1) if (i < left || i >= right) found.push([level, i * width, width]);
      [start, stop] = [left, right].map((u) => Math.floor(u / branching));
    }
    return found;
  }
  // Variances in units of V / n: every level but the root, which is known, sees 1 / levels of the users.
  const measured = (start, stop, branching, levels) =>
    levels * pieces(start, stop, branching, levels).filter(([level]) => level > 0).length;
  function consistent(start, stop, branching, levels) {
    let total = 0, own = levels;  // of a node's best mean on the way up
    for (let width = 1; width < branching ** levels; width *= branching) {
      for (const family of new Set([start, stop].map((at) => Math.floor(at / branching / width)))) {
        const parts = Array.from({length: branching}, (_, i) => {
          const first = width * (branching * family + i);
          return Math.max(0, Math.min(stop, first + width) - Math.max(start, first)) / width;
        });
        const mean = parts.reduce((s, u) => s + u, 0) / branching;
        total += own * parts.reduce((s, u) => s + (u - mean) ** 2, 0);
      }
      own = 1 / (1 / levels + 1 / (branching * own));
    }
    return total;
  }
  const noise = (epsilon) => 1 / Math.sinh(epsilon / 2) ** 2;

  function draw(s, kit) {
    const b = Number(s.branching), levels = depth(D, b), start = s.start, stop = Math.max(s.stop, start);
    const used = pieces(start, stop, b, levels);
    const p = kit.panel({title: `${used.length} nodes answer the range`, height: 40 + 30 * (levels + 1)});
    const at = (v) => 4 + WIDTH * v;
    for (let level = 0; level <= levels; level += 1) {
      const width = D / b ** level;
      for (let first = 0; first < D; first += width) {
        const on = used.some(([l, v]) => l === level && v === first);
        const outer = first < stop && first + width > start;
        p.box(at(first) + 0.4, 28 + 30 * level, at(first + width) - 0.4, 50 + 30 * level,
          on ? "c1" : outer ? "c0 pale" : "quiet pale", {rx: 2, ...(on ? {} : {"fill-opacity": outer ? 0.8 : 0.35})});
      }
    }
    const unit = noise(s.eps) / s.n;
    const error = (v) => Math.sqrt(v * unit);
    const rows = [["no tree: single values", stop - start], [`tree, the ${used.length} nodes added`, measured(start, stop, b, levels)],
      ["tree, made consistent", consistent(start, stop, b, levels)]];
    const most = Math.max(...rows.map((row) => row[1]), 1e-9);
    const q = kit.panel({title: "Standard error of the answer", height: 150});
    rows.forEach(([name, v], i) => {
      q.text(4, 48 + 38 * i, `${name}: ${kit.share(error(v), 2)}`, "");
      q.box(4, 53 + 38 * i, 4 + 312 * Math.sqrt(v / most), 63 + 38 * i, `c${i}`);
    });
    const [flat, , best] = rows.map((row) => error(row[1]));
    return {
      panels: [p, q],
      says: stop === start ? "The range is empty." : `Values ${start} to ${stop - 1}: ${used.length} nodes instead of ` +
        `${stop - start} values. Standard error ${kit.share(best, 2)} by the consistent tree, ${kit.share(flat, 2)} without a tree` +
        `${best < flat ? "." : ": for so short a range the tree does not pay."}`,
    };
  }
  return {
    formulas: {measured, consistent, noise},
    controls: [
      {key: "start", label: "first value", value: 11, min: 0, max: D - 1, step: 1,
        set: (v, s) => ({start: v, stop: Math.max(s.stop, v + 1)})},
      {key: "stop", label: "last value", value: 50, min: 1, max: D, step: 1, say: (v) => String(v - 1),
        set: (v, s) => ({stop: v, start: Math.min(s.start, v - 1)})},
      {key: "branching", label: "children of a node", value: "4", options: [["2", "2"], ["4", "4"], ["8", "8"], ["64", "64: no tree"]]},
      {key: "eps", label: "budget ε", value: 1, min: 0.2, max: 4, step: 0.1},
      {key: "n", label: "people", value: 10000, stops: [1000, 10000, 100000]},
    ],
    draw,
    drag(s, kit, number, x) {
      if (number !== 0) return null;
      const v = Math.min(Math.max(Math.floor((x - 4) / WIDTH), 0), D - 1);
      return Math.abs(v - s.start) < Math.abs(v + 1 - s.stop) ? {start: v} : {stop: v + 1};
    },
  };
})());
