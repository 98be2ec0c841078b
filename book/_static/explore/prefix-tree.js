"use strict";

// A search for names, letter by letter: the run estimated every beginning, the reader sets the bar.
explore("prefix-tree", (() => {
  // Keep what is above the bar and continues what was kept; a word is [letters, estimate / noise, is it real].
  function kept(words, bar, rounds) {
    const found = new Set([""]);
    return words.filter(([word, z]) =>
      word.length <= rounds && z >= bar && found.has(word.slice(0, -1)) && found.add(word));
  }
  // For each round: how many were kept, and how many of them nobody has.
  function sizes(words, bar, rounds) {
    const all = kept(words, bar, rounds);
    return [1, 2, 3, 4].flatMap((r) => {
      const column = all.filter(([word]) => word.length === r);
      return [column.length, column.filter(([, , real]) => !real).length];
    });
  }
  const HEIGHT = 560, TOP = 40;
  const plural = (n, one, many) => (n === 1 ? `one ${one}` : `${n} ${many}`);

  function draw(s, kit) {
    const {words, common} = kit.data, all = kept(words, s.bar, s.rounds), where = {"": [2, TOP + HEIGHT / 2]};
    const p = kit.panel({title: "", height: TOP + HEIGHT + 12});
    for (let r = 1; r <= s.rounds; r += 1) {
      const column = all.filter(([word]) => word.length === r).sort((a, b) => (a[0] < b[0] ? -1 : 1));
      const x = 66 * r - 6, labels = column.length <= 40;
      p.text(x - 6, 30, String(column.length), "head").text(x - 6, 14, r === 1 ? "round 1" : String(r), "small");
      column.forEach(([word, , real], i) => {
        const y = TOP + HEIGHT * (i + 0.5) / column.length, [u, v] = where[word.slice(0, -1)];
        where[word] = [x + (labels ? 4 + 8 * r : 3), y];
        p.put(p.tag("path", {d: `M${u.toFixed(1)} ${v.toFixed(1)}L${x - 3} ${y.toFixed(1)}`, class: "line quiet", "stroke-width": 0.6}));
        if (labels) p.text(x, y + 4, real ? word : `${word} ×`, real ? "small" : "");
        else if (real) p.dot(x, y, "c0", {r: 2.5});
        else p.text(x, y + 4, "×", "middle");
      });
    }
    const last = all.filter(([word]) => word.length === s.rounds);
    const false_ones = last.filter(([, , real]) => !real).length;
    const reached = common.filter((word) => last.some(([w]) => w === word.slice(0, s.rounds))).length;
    return {
      panels: [p],
      says: `With a bar of ${kit.show(s.bar)} standard deviations ${plural(last.length, "beginning", "beginnings")} of ` +
        `${plural(s.rounds, "letter", "letters")} remain, ${["none", "one"][false_ones] || false_ones} of which (×) no child has. Of the ` +
        `${common.length} most common beginnings of names ${reached} are still there.`,
    };
  }
  return {
    formulas: {sizes: (data, bar, rounds) => sizes(data.words, bar, rounds)},
    controls: [
      {key: "bar", label: "bar, in standard deviations of the noise", value: 3, min: 2, max: 8, step: 0.1},
      {key: "rounds", label: "rounds", value: 4, min: 1, max: 4, step: 1},
      {button: "Next round", press: (s) => ({rounds: (s.rounds % 4) + 1})},
    ],
    draw,
  };
})());
