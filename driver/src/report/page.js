"use strict";
// Tags: what they say is shown beside them, on hovering and on focus, until Escape.
const tip = document.getElementById("tip");
let shown = null;
function hide() {
  tip.hidden = true;
  if (shown) shown.removeAttribute("aria-describedby");
  shown = null;
}
function show(tag) {
  hide();
  shown = tag;
  tip.textContent = tag.dataset.tip;
  tip.hidden = false;
  tag.setAttribute("aria-describedby", "tip");
  const at = tag.getBoundingClientRect(), own = tip.getBoundingClientRect();
  const below = at.bottom + 6 + own.height < innerHeight;
  tip.style.top = (below ? at.bottom + 6 : at.top - own.height - 6) + "px";
  tip.style.left = Math.max(6, Math.min(at.left, innerWidth - own.width - 12)) + "px";
}
for (const tag of document.querySelectorAll(".tag")) {
  tag.dataset.tip = tag.title;
  tag.removeAttribute("title");
}
const tagOf = event => event.target instanceof Element && event.target.closest(".tag");
for (const kind of ["mouseover", "focusin", "click"])
  document.addEventListener(kind, event => { const tag = tagOf(event); if (tag) show(tag); });
for (const kind of ["mouseout", "focusout"])
  document.addEventListener(kind, event => { if (tagOf(event)) hide(); });
document.addEventListener("keydown", event => { if (event.key === "Escape") hide(); });
document.addEventListener("scroll", hide, true);

// Tables: a click on a head sorts by its column, another one the other way round.
function value(row, column) {
  const cell = row.cells[column];
  const number = parseFloat(cell.dataset.v);
  return Number.isNaN(number) ? cell.textContent.trim() : number;
}
function sort(table, head) {
  const column = head.cellIndex, down = head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const body = table.tBodies[0];
  const order = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  const rows = [...body.rows].map(row => [value(row, column), row]);
  rows.sort((a, b) => (down ? -1 : 1) * order(a[0], b[0]));
  body.append(...rows.map(row => row[1]));
}
for (const table of document.querySelectorAll("table.sortable"))
  for (const head of table.tHead.rows[0].cells) {
    if (!head.textContent.trim()) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(table, head));
    head.append(button);
  }

// The index shows which section is read.
const links = new Map([...document.querySelectorAll("nav a")].map(link => [link.hash.slice(1), link]));
const seen = new IntersectionObserver(entries => {
  for (const entry of entries) if (entry.isIntersecting) {
    for (const link of links.values()) link.removeAttribute("aria-current");
    links.get(entry.target.id)?.setAttribute("aria-current", "true");
  }
}, { rootMargin: "-20% 0px -70% 0px" });
for (const id of links.keys()) { const section = document.getElementById(id); if (section) seen.observe(section); }

// A line that is linked to may be in a part that is closed; on paper nothing is closed.
function open(element) { for (let at = element; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true; }
addEventListener("hashchange", () => open(document.getElementById(location.hash.slice(1))));
addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details")) part.open = true; });
