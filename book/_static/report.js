"use strict";

// Filters of the reproduction report: verdict, source and chapter, kept in the address. Without one
// the lines of each source are folded, so that a phone shows all sources on a few screens.
const filters = document.querySelector(".claim-filters");
const claims = [...document.querySelectorAll(".claim-lines > .claim")];

function showClaims() {
  const wanted = [...new FormData(filters)].filter(([, value]) => value);
  let shown = 0;
  for (const claim of claims) {
    claim.hidden = !wanted.every(([kind, value]) => claim.classList.contains(`${kind}-${value}`));
    shown += !claim.hidden;
  }
  for (const list of document.querySelectorAll(".claim-lines")) {
    list.parentElement.hidden = !list.querySelector(".claim:not([hidden])");
    list.parentElement.open = wanted.length > 0;
  }
  filters.querySelector("[role=status]").textContent = wanted.length
    ? `${shown} of ${claims.length} claims are shown.`
    : `All ${claims.length} claims stand below, folded by source.`;
  return wanted;
}

function keep() {
  const wanted = new URLSearchParams(showClaims()).toString();
  history.replaceState(null, "", wanted ? `#${wanted}` : location.pathname);
}

// An address of a claim, #claim-S004-41, leads to its card; one of a filter sets the filter.
function follow() {
  const name = decodeURIComponent(location.hash.slice(1));
  const line = claims.find((claim) => claim.id === name);
  const card = line?.querySelector("a[href*='#claim-']")?.getAttribute("href");
  if (card && !card.startsWith("#")) {
    location.replace(card);
    return;
  }
  for (const [kind, value] of new URLSearchParams(name)) {
    const field = filters.elements.namedItem(kind);
    if (field && [...field.options].some((option) => option.value === value)) field.value = value;
  }
  showClaims();
}

filters.hidden = false;
filters.addEventListener("change", keep);
filters.addEventListener("reset", () => setTimeout(keep));
filters.addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("hashchange", follow);
follow();
