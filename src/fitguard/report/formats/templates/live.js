"use strict";
// Parts of the page are replaced by newer ones; there are never more than the server names.
const parts = document.getElementById("parts");
const connection = document.getElementById("connection");
const waiting = new Map();

function isInUse(part) {
  const selection = getSelection();
  const marked = !selection.isCollapsed && part.contains(selection.anchorNode);
  return marked || part.querySelector("svg.curve:hover") !== null;
}

function replace(part, html) {
  const opened = [...part.querySelectorAll("details")].map((one) => one.open);
  const scrolled = [...part.querySelectorAll(".scroll, .long, blockquote")];
  const places = scrolled.map((one) => {
    const end = one.scrollHeight - one.clientHeight - one.scrollTop < 4;
    return [one.scrollLeft, end ? Infinity : one.scrollTop];
  });
  part.innerHTML = html;
  part.querySelectorAll("details").forEach((one, i) => { one.open = opened[i] ?? one.open; });
  part.querySelectorAll(".scroll, .long, blockquote").forEach((one, i) => {
    const [left, top] = places[i] ?? [0, 0];
    one.scrollTo(left, top === Infinity ? one.scrollHeight : top);
  });
}

function show(page) {
  document.title = page.title;
  const known = new Map([...parts.children].map((one) => [one.dataset.name, one]));
  page.changed.forEach(([place, html]) => waiting.set(page.names[place], html));
  page.names.forEach((name, place) => {
    const part = known.get(name) ?? document.createElement("div");
    known.delete(name);
    part.dataset.name = name;
    if (waiting.has(name) && !isInUse(part)) {
      replace(part, waiting.get(name));
      waiting.delete(name);
    }
    if (parts.children[place] !== part) parts.insertBefore(part, parts.children[place] ?? null);
  });
  known.forEach((part, name) => { part.remove(); waiting.delete(name); });
}

function tell(text, lost) {
  connection.textContent = text;
  connection.classList.toggle("lost", lost);
}

parts.querySelectorAll("blockquote").forEach((one) => one.scrollTo(0, one.scrollHeight));
const source = new EventSource(document.querySelector("main").dataset.stream);
source.addEventListener("page", (event) => {
  const page = JSON.parse(event.data);
  show(page);
  tell(`Live · ${page.time}`, false);
});
source.addEventListener("error", () => {
  const over = source.readyState === EventSource.CLOSED;
  tell(over ? "fitguard watch has ended" : "Connection lost, trying again …", true);
});
