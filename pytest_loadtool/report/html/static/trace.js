"use strict";
(() => {
  const panel = document.getElementById("value");
  const rows = [...document.querySelectorAll(".tx")];

  /** A line: text, or pieces of which those that are pairs are values. */
  function content(line) {
    if (line === null) return [];
    return (Array.isArray(line) ? line : [line]).map((piece) =>
      Array.isArray(piece)
        ? make("button", { class: piece[2] ? "value stale" : "value", type: "button", "data-value": piece[0], title: piece[2] ? `${piece[0]}, as recorded: it is another one now` : piece[0], onclick: () => follow(piece[0]) }, piece[1])
        : piece);
  }

  function row(one, two) {
    if (typeof one === "number")
      return make("tr", { class: "fold" }, make("td", { colspan: two ? 2 : 1 }, `${one.toLocaleString("en")} equal lines`));
    const [mark, was, now, why] = one;
    if (mark === "s" && !two) return make("tr", {}, make("td", {}, ...content(was)));
    if (mark === "s") return make("tr", { class: "same" }, make("td", { class: "was", colspan: 2 }, ...content(was)));
    const side = (line, name) => make("td", { class: line === null ? `${name} none` : name }, ...content(line));
    const right = side(now, "now");
    if (why) right.prepend(make("span", { class: "why" }, why));
    return make("tr", { class: mark === "e" ? "expected" : "different" }, side(was, "was"), right);
  }

  function section([title, different, expected, lines, left]) {
    const two = lines.some((one) => typeof one !== "number" && one[0] !== "s");
    const heading = make("h3", {}, title,
      different ? make("span", { class: "mark differs" }, `${different} ${different === 1 ? "difference" : "differences"}`) : null,
      expected ? make("span", { class: "mark" }, `${expected} as expected`) : null,
      !two && lines.length ? make("span", { class: "mark same" }, "equal") : null);
    const table = make("table", { class: two ? "lines two" : "lines" });
    if (two) table.append(make("thead", {}, make("tr", {}, make("th", {}, "Recorded"), make("th", {}, "Replayed"))));
    table.append(make("tbody", {}, ...lines.map((one) => row(one, two)),
      left > 0 ? make("tr", { class: "fold" }, make("td", { colspan: two ? 2 : 1 }, `${left.toLocaleString("en")} lines are left out here; the HAR file has them`)) : null));
    return make("section", { class: "section" }, heading, table);
  }

  function fill(details) {
    if (details.dataset.filled) return;
    details.dataset.filled = "yes";
    const one = DATA.transactions[Number(details.dataset.index)];
    const both = make("div", { class: "both" }, one.note ? make("p", { class: "note" }, one.note) : null, ...one.sections.map(section));
    details.append(both);
  }

  function show(index) {
    const details = rows[index];
    details.open = true;
    fill(details);
    details.scrollIntoView({ block: "start", behavior: "smooth" });
  }

  function place(one, missed, stale) {
    const [index, how, was, now, same, reached] = one;
    const transaction = DATA.transactions[index];
    const said = now !== null ? now : !reached ? "it was not sent" : missed;
    return make("li", {},
      make("button", { type: "button", onclick: () => show(index) }, `${index + 1} ${transaction.title}`),
      make("div", { class: "how" }, how),
      make("div", { class: "pair" }, make("span", {}, "recorded"), make("span", {}, was === null ? "not known" : was),
        make("span", {}, "now"), make("span", { class: now === null || (same && stale) ? "bad" : null }, said + (same ? " (as recorded)" : ""))));
  }

  /** Where a value comes from and where it goes. */
  function follow(name) {
    const flow = DATA.values[name];
    if (!flow) return;
    const anew = flow.given.some((one) => one[3] !== null && !one[4]);
    panel.hidden = false;
    panel.classList.toggle("missing", flow.missing);
    panel.replaceChildren(
      make("button", { class: "close", type: "button", "aria-label": "close", onclick: close }, "\u00d7"),
      make("h2", {}, name),
      make("p", { class: flow.missing ? "bad" : "hint" }, flow.missing ? "No response has given it out in this replay." : flow.origin || "taken from a response"),
      ...(flow.given.length ? [make("h3", {}, "Comes from"), make("ol", { class: "given" }, ...flow.given.map((one) => place(one, "not found in the response")))] : []),
      ...(flow.sent.length ? [make("h3", {}, "Goes to"), make("ol", { class: "sent" }, ...flow.sent.map((one) => place(one, "not sent with it", anew)))] : []));
    mark(name, flow);
  }

  function close() { panel.hidden = true; mark(null, { given: [], sent: [] }); }

  function mark(name, flow) {
    for (const one of document.querySelectorAll(".value")) one.classList.toggle("chosen", name !== null && one.dataset.value === name);
    for (const one of document.querySelectorAll(".mark.gives, .mark.uses")) one.remove();
    const add = (kind, text) => ([index]) => rows[index].querySelector(".marks").prepend(make("span", { class: `mark ${kind}` }, text));
    flow.sent.forEach(add("uses", "sends it"));
    flow.given.forEach(add("gives", "gives it"));
  }

  for (const details of rows) details.addEventListener("toggle", () => { if (details.open) fill(details); });
  for (const index of DATA.open) { rows[index].open = true; fill(rows[index]); }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  // What a value is, for those who come by a link: page.html#value=csrf_token
  const wanted = decodeURIComponent(location.hash).match(/^#value=(.+)$/);
  if (wanted) follow(wanted[1]);
})();
