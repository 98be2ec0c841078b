"use strict";

// "/" opens the search box, unless the reader is typing somewhere.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const dialog = document.getElementById("pst-search-dialog");
  if (!dialog || dialog.open) return;
  event.preventDefault();
  dialog.showModal();
});

// Under file:// a page may not read its neighbours: show search results without excerpts.
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS !== "undefined") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

// Show all formulas at once, when they are drawn and their fonts are there.
const mathjax = document.querySelector("script[src*='mathjax/']");
async function showFormulas() {
  await MathJax.startup.promise;
  // The fonts are known, and asked for, from the next frame on.
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  const needed = [...document.fonts].filter((face) => /^"?MJX(ZERO|TEX|TEX-I)"?$/.test(face.family));
  await Promise.allSettled(needed.map((face) => face.load()));
  await document.fonts.ready;
  document.documentElement.classList.add("formulas-drawn");
  markScrollable();
}
if (window.MathJax?.startup?.promise) showFormulas();
else mathjax?.addEventListener("load", showFormulas);

// Folded parts are open on paper, and as they were afterwards.
let opened = [];
window.addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  opened.forEach((part) => { part.open = true; });
});
window.addEventListener("afterprint", () => {
  opened.forEach((part) => { part.open = false; });
});

// A box that scrolls sideways can be reached and scrolled with the keyboard; while something is
// hidden at its right, that edge fades.
const scrollable =
  ".pst-scrollable-table-container, mjx-container[display], .cell_output .output, pre";
function markScrollable() {
  for (const box of document.querySelectorAll(scrollable)) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    markEdge(box);
  }
}
function markEdge(box) {
  box.classList.toggle("goes-on", box.scrollWidth - box.clientWidth - box.scrollLeft > 2);
}
document.addEventListener("scroll", (event) => {
  if (event.target.matches?.(scrollable)) markEdge(event.target);
}, true);
window.addEventListener("load", markScrollable);
window.addEventListener("resize", markScrollable);
