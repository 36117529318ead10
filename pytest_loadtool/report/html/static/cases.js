"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const cards = [...document.querySelectorAll(".case")];
  const time = (ms) => (ms >= 1000 ? `${(ms / 1000).toFixed(2)} s` : `${ms.toFixed(0)} ms`);

  function bar(at, wait, receive, span, sent) {
    const svg = document.createElementNS(SVG, "svg");
    for (const [name, value] of [["class", "bar"], ["viewBox", "0 0 1000 14"], ["preserveAspectRatio", "none"]]) svg.setAttribute(name, value);
    const rect = (kind, x, width, y, height) => {
      const one = document.createElementNS(SVG, "rect");
      for (const [name, value] of Object.entries({ class: kind, x: x.toFixed(2), width: width.toFixed(2), y, height })) one.setAttribute(name, value);
      svg.append(one);
    };
    rect("track", 0, 1000, 6, 2);
    if (sent) {
      rect("wait", (at / span) * 1000, Math.max((wait / span) * 1000, 2), 2, 10);
      rect("receive", ((at + wait) / span) * 1000, Math.max((receive / span) * 1000, 1.5), 2, 10);
    }
    return svg;
  }

  function row([number, title, kind, status, at, wait, receive, said], span) {
    const sent = kind !== "never";
    return make("div", { class: `tx plain ${kind}` },
      make("span", { class: "number" }, String(number)), make("span", { class: "status" }, status ? String(status) : "\u2013"),
      make("span", { class: "name", title }, title),
      make("span", { class: "marks" }, make("span", { class: "time" }, sent ? time(wait + receive) : "not sent")),
      make("span", { class: "course" }, bar(at, wait, receive, span, sent)),
      said ? make("span", { class: "said" }, said) : null);
  }

  function fill(card) {
    const into = card.querySelector(":scope > .transactions");
    if (into.children.length) return;
    const { pages, span } = DATA.tests[Number(card.dataset.index)];
    if (!pages.length) return;
    into.append(make("div", { class: "scale" }, make("span", { class: "ticks" }, ...[0, 0.25, 0.5, 0.75, 1].map((part) => make("span", {}, time(span * part))))));
    for (const [name, rows] of pages) into.append(make("p", { class: "page-name" }, name), ...rows.map((one) => row(one, span)));
  }

  for (const card of cards) {
    if (card.open) fill(card);
    card.addEventListener("toggle", () => { if (card.open) fill(card); });
  }
  const buttons = [...document.querySelectorAll(".filters button")], search = document.querySelector(".filters input");
  function filter() {
    const wanted = new Set(buttons.filter((one) => one.getAttribute("aria-pressed") === "true").map((one) => one.dataset.outcome));
    const text = search.value.toLowerCase();
    for (const card of cards)
      card.hidden = !wanted.has(card.dataset.outcome) || !card.querySelector("summary").textContent.toLowerCase().includes(text);
  }
  for (const button of buttons) button.addEventListener("click", () => { button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true")); filter(); });
  search.addEventListener("input", filter);
})();
