"use strict";

// The search page: definitions first, Greek letters by name, and no raw TeX among the results.
const LETTERS = {
  α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", ϵ: "epsilon", η: "eta", θ: "theta",
  κ: "kappa", λ: "lambda", μ: "mu", ν: "nu", π: "pi", ρ: "rho", σ: "sigma", τ: "tau", φ: "phi", ω: "omega",
};
const named = Object.fromEntries(Object.entries(LETTERS).map(([letter, name]) => [name, letter]));
const SIGNS = { le: "≤", leq: "≤", ge: "≥", geq: "≥", ne: "≠", approx: "≈", infty: "∞", sum: "∑", in: "∈",
  times: "×", cdot: "·", pm: "±", to: "→", dots: "…", ldots: "…", ln: "ln ", log: "log ", varepsilon: "ε" };

// A formula as a line of text: letters and signs stay, the rest of TeX goes.
function said(tex) {
  return tex.replace(/\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}/g, "$1/$2")
    .replace(/\\([a-zA-Z]+)/g, (_, name) => SIGNS[name] ?? named[name] ?? "")
    .replace(/[\\{}$&]|\s+(?=\s)/g, "");
}

function spelled(query) {
  return query.replace(/[\u0370-\u03ff]/g, (letter) => LETTERS[letter.toLowerCase()] ?? letter);
}

// Terms of the glossary that are the query, or have it as a word, best last as Sphinx lists them.
function definitions(query) {
  const { indexentries, docnames, filenames, titles } = Search._index;
  const wanted = query.toLowerCase().trim();
  const found = [];
  for (const [entry, places] of Object.entries(indexentries)) {
    if (entry !== wanted && !entry.split(/[^\p{L}\p{N}]+/u).includes(wanted)) continue;
    for (const [file, id, isMain] of places) {
      const title = `${titles[file]}: ${entry}`;
      const score = 1000 * (wanted.length / entry.length);
      if (isMain) found.push([docnames[file], title, `#${id}`, null, score, filenames[file]]);
    }
  }
  return found.sort((one, other) => one[4] - other[4]);
}

const { _parseQuery, _performSearch, htmlToText } = Search;
Search._parseQuery = (query) => _parseQuery(spelled(query));
Search._performSearch = (query, ...terms) => {
  const first = definitions(query);
  const places = new Set(first.map((result) => result[0] + result[2]));
  const others = _performSearch(query, ...terms).filter((result) => !places.has(result[0] + result[2]));
  return [...others, ...first].map((result) => result.with(1, said(result[1])));
};
Search.htmlToText = (markup, anchor) => {
  const page = new DOMParser().parseFromString(markup, "text/html");
  page.querySelectorAll(".math").forEach((formula) => { formula.textContent = said(formula.textContent); });
  const term = anchor && page.querySelector(`[role=main] dt${anchor}`);
  if (term) return term.parentElement.querySelector(`dt${anchor} ~ dd`).textContent;
  return htmlToText(page.documentElement.outerHTML, anchor);
};
