"use strict";
(() => {
  const LIGHT = { back: "#fff", ink: "#5d6779", grid: "#e7eaf0", before: "#9a6200", mark: "#8a93a3", bad: "#c02a2a",
    hues: ["#2f66d6", "#c98a1b", "#1a7f4b", "#7a4fc4", "#0f8b8d", "#a3476f", "#7aa2ee", "#8a93a3"],
    depths: ["#12367f", "#2f66d6", "#5b8ae4", "#8fb0ee", "#b9cdf5"] };
  const DARK = { back: "#191f29", ink: "#a0aabb", grid: "#2b3442", before: "#f0bd5b", mark: "#768194", bad: "#ff8a84",
    hues: ["#7aa5ff", "#f0bd5b", "#5fcf92", "#b495f5", "#4fd0d2", "#ee9cc0", "#4d6fb5", "#768194"],
    depths: ["#dbe6ff", "#a3c0ff", "#7aa5ff", "#5a82d0", "#47659f"] };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let printing = false;
  const colours = () => (dark.matches && !printing ? DARK : LIGHT);
  const plots = [];

  /** What is drawn when it comes near to what is seen, or all is printed: so a page of many plots and rows opens at once. */
  const waiting = new Map();
  const nearby = new IntersectionObserver((seen) => { for (const one of seen) if (one.isIntersecting) drawNow(one.target); }, { rootMargin: "300px" });
  function drawNear(element, work) { waiting.set(element, work); nearby.observe(element); }
  function drawNow(element) {
    const work = waiting.get(element);
    nearby.unobserve(element);
    if (waiting.delete(element)) work();
  }
  function drawAll() { while (waiting.size) drawNow(waiting.keys().next().value); }
  const whenIdle = (work) => (window.requestIdleCallback ? requestIdleCallback(work, { timeout: 500 }) : setTimeout(work, 1));

  const isPercentile = (label) => /^p[0-9.]+$/.test(label);
  /** The colour of each curve: percentiles from deep to pale, so that red is left for what is wrong. */
  function paints(labels, tone) {
    let depth = 0, hue = 0;
    return labels.map((label) => (/^error( rate|s(\/s)?)$/.test(label) ? tone.bad
      : isPercentile(label.split(" ")[0]) && !label.endsWith(" before") ? tone.depths[Math.min(depth++, tone.depths.length - 1)]
      : label.endsWith(" before") ? tone.before : tone.hues[hue++ % tone.hues.length]));
  }
  /** What a legend says: nothing while nobody points at a moment. */
  const read = (kind) => (_u, value, _series, at) => (at === null ? "" : value === null || value === undefined ? "\u2013" : kind(value));

  /** Three digits or more, as in the text report. */
  function digits(value) {
    const places = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
  }
  const FORMATS = { count: (one) => one.toLocaleString("en"), ms: digits, rate: digits };
  const shown = (value, kind) => (value === null || value === undefined ? "\u2013" : FORMATS[kind](value));

  function clock(second) {
    if (second === null || second === undefined) return "";
    const s = Math.round(second * 10) / 10;
    if (s < 120) return `${s} s`;
    const minutes = Math.floor(s / 60), rest = Math.round(s % 60);
    return minutes < 60 ? `${minutes}:${String(rest).padStart(2, "0")} min` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")} h`;
  }
  /** A second of the run with the time of day, where the run began, that logs of the server have, too. */
  function moment(run, second) {
    const found = second === null || second === undefined ? null : /T(\d+):(\d+):(\d+)/.exec(run.started);
    if (!found) return clock(second);
    const of = (+found[1] * 3600 + +found[2] * 60 + +found[3] + Math.floor(second)) % 86400;
    return `${clock(second)}, ${[of / 3600, (of / 60) % 60, of % 60].map((one) => String(Math.floor(one)).padStart(2, "0")).join(":")}`;
  }
  /** As short as an axis has room for. */
  function short(value) {
    for (const [step, unit] of [[1e9, "G"], [1e6, "M"], [1e4, "k"]])
      if (Math.abs(value) >= step) return `${+(value / (unit === "k" ? 1e3 : step)).toPrecision(3)}${unit}`;
    return `${+value.toPrecision(4)}`;
  }

  // Over time.

  /** The curves of a group: those of this run, then those of the earlier one. */
  function curves(run, group) {
    const now = run.time.groups[group] || {};
    const before = (run.before && run.before.time.groups[group]) || {};
    return [
      ...Object.entries(now).map(([label, values]) => ({ label, x: run.time.x, values, earlier: false })),
      ...Object.entries(before).filter(([, values]) => values.length).map(([label, values]) => ({ label: `${label} before`, x: run.before.time.x, values, earlier: true })),
    ];
  }

  function lines(run, limits) {
    return (u) => {
      const c = u.ctx, tone = colours(), { left, top, width, height } = u.bbox, ratio = devicePixelRatio;
      c.save();
      c.beginPath(); c.rect(left, top, width, height); c.clip();
      c.font = `${11 * ratio}px system-ui, sans-serif`;
      // Legible over curves.
      const write = (text, x, y) => { c.save(); c.setLineDash([]); c.lineWidth = 3 * ratio; c.strokeStyle = tone.back; c.strokeText(text, x, y); c.restore(); c.fillText(text, x, y); };
      c.textAlign = "left"; c.textBaseline = "alphabetic"; c.lineWidth = ratio; c.setLineDash([4 * ratio, 4 * ratio]);
      for (const [second, label] of run.marks) {
        const x = u.valToPos(second, "x", true);
        c.strokeStyle = c.fillStyle = tone.mark;
        c.beginPath(); c.moveTo(x, top); c.lineTo(x, top + height); c.stroke();
        write(label, x + 4 * ratio, top + 12 * ratio);
      }
      for (const [, value, label] of limits) {
        const y = u.valToPos(value, "y", true);
        c.strokeStyle = c.fillStyle = tone.bad;
        c.beginPath(); c.moveTo(left, y); c.lineTo(left + width, y); c.stroke();
        write(label, left + 6 * ratio, y - 5 * ratio);
      }
      c.restore();
    };
  }

  function plot(run, number, [group, title, unit, style], into) {
    const found = curves(run, group);
    if (!found.some((one) => !one.earlier)) return;
    const limits = run.limits.filter((one) => one[0] === group);
    const log = make("button", { type: "button", "aria-pressed": "false", title: "logarithmic scale" }, "log");
    const box = make("figure", { class: "plot", "data-group": group }, make("h3", {}, title, make("small", {}, unit), style === "band" ? log : null));
    into.append(box);
    const draw = (logarithmic) => {
      // Both runs have seconds of their own: uPlot wants one axis for all.
      const data = uPlot.join(found.map((one) => [one.x, one.values]), found.map(() => [2]));
      const asked = found.filter((one) => isPercentile(one.label)).length;
      // The longest time of all would leave no room for the others, and an average says little: both wait in the legend.
      const hidden = (one) => asked > 0 && !one.earlier && (one.label === "max" || (one.label === "mean" && !run.before));
      const highest = found.filter((one) => !hidden(one)).reduce((most, one) => one.values.reduce((a, b) => (b > a ? b : a), most), 0);
      const near = limits.map((one) => one[1]).filter((one) => one <= highest * 2 || !highest);
      const at = run.at || clock;
      const tone = colours(), paint = paints(found.map((one) => one.label), tone);
      const axis = { stroke: tone.ink, grid: { stroke: tone.grid, width: 1 }, ticks: { stroke: tone.grid, width: 1, size: 4 }, font: "11px system-ui, sans-serif" };
      const own = found.filter((one) => !one.earlier).length;
      return new uPlot({
        width: Math.max(box.clientWidth, 200), height: box.matches(":first-child") ? 250 : 190,
        cursor: { sync: { key: `run${number}` }, drag: { x: true, y: false }, focus: { prox: -1 } },
        scales: { x: { time: false }, y: logarithmic ? { distr: 3 } : { range: (_u, _min, max) => [0, Math.max(max || 0, ...near) * 1.18 || 1] } },
        axes: [{ ...axis, values: (_u, all) => all.map((one) => (run.at ? at(one).slice(5) : at(one))), space: run.at ? 90 : 70, size: 30, incrs: run.at ? [1, 2, 5, 10, 20, 50] : undefined }, { ...axis, size: 52, values: (_u, all) => all.map((one) => (one === null ? "" : short(one))) }],
        series: [
          { label: "at", value: read(run.at || ((second) => moment(run, second))) },
          ...found.map((one, index) => ({
            label: one.label, show: !hidden(one), stroke: paint[index], width: one.earlier ? 1.3 : 1.6, dash: one.earlier ? [5, 4] : undefined,
            fill: style === "area" && !one.earlier && own === 1 ? `${paint[index]}22` : undefined,
            points: { show: run.at !== undefined || data[0].length < 2 }, spanGaps: true, value: read(digits),
          })),
        ],
        bands: style === "band" ? found.slice(1, asked || own).map((_one, index) => ({ series: [index + 2, index + 1], fill: `${paint[index + 1]}3d` })) : [],
        hooks: { draw: [lines(run, limits)] },
      }, logarithmic ? data.map((one, index) => (index ? Array.from(one, (v) => (v > 0 ? v : null)) : one)) : data, box);
    };
    let made = null;
    const drawn = () => {
      if (made) return made;
      const zoom = plots.filter((one) => one.run === number).map((one) => one.zoom()).find(Boolean);
      made = draw(false);
      if (zoom) made.setScale("x", zoom);
      new ResizeObserver(() => { if (box.clientWidth && Math.abs(box.clientWidth - made.width) > 1) made.setSize({ width: box.clientWidth, height: made.height }); }).observe(box);
      return made;
    };
    const entry = {
      run: number, group,
      get u() { return drawn(); },
      zoom: () => {
        if (!made) return null;
        const { min, max } = made.scales.x, x = made.data[0];
        return min !== null && (min > x[0] || max < x[x.length - 1]) ? { min, max } : null; // null: not shown yet
      },
      redraw: () => { if (made) { made.destroy(); made = draw(log.getAttribute("aria-pressed") === "true"); } },
    };
    log.addEventListener("click", () => { log.setAttribute("aria-pressed", String(log.getAttribute("aria-pressed") !== "true")); entry.redraw(); });
    plots.push(entry);
    drawNear(box, drawn);
  }

  // Tables.

  const SVG = "http://www.w3.org/2000/svg";
  function drawn(tag, attributes, ...content) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...content);
    return element;
  }

  /** The bars that all histograms of a run have in common: [first, past the last]. */
  function extent(rows) {
    const some = rows.flatMap((one) => [one.histogram, one.histogram_before]).filter(Boolean);
    if (!some.length) return [0, 1];
    return [Math.min(...some.map((one) => one[0])), Math.max(...some.map((one) => one[0] + one[1].length))];
  }

  function bars([first, counts], [from, to], width, height) {
    const most = Math.max(...counts), step = width / (to - from);
    return counts.map((count, at) => [(first + at - from) * step, step, (count / most) * height]).filter(([, , high]) => high > 0);
  }

  function spread(row, range) {
    const svg = drawn("svg", { viewBox: "0 0 110 24", preserveAspectRatio: "none" });
    for (const [x, wide, high] of bars(row.histogram, range, 110, 22))
      svg.append(drawn("rect", { class: "bar-now", x: x.toFixed(1), y: (24 - Math.max(high, 1)).toFixed(1), width: Math.max(wide - 0.3, 0.7).toFixed(1), height: Math.max(high, 1).toFixed(1) }));
    return svg;
  }

  const percentiles = (course) => Object.keys(course).filter(isPercentile);
  /** The percentile that a small plot shows: p95, or the one nearest below it. */
  const tail = (course) => percentiles(course).filter((one, at) => at === 0 || parseFloat(one.slice(1)) <= 95).pop();

  /** Times of a transaction over the run, above how many of its requests were finished and failed. */
  function courseplot(row, run, into) {
    const { course } = row, names = percentiles(course), tone = colours();
    const x = course.requests.map((_one, at) => course.from + at * course.length);
    const rate = (values) => values.map((one) => one / course.length);
    const axis = { stroke: tone.ink, grid: { stroke: tone.grid, width: 1 }, ticks: { stroke: tone.grid, width: 1, size: 4 }, font: "11px system-ui, sans-serif" };
    const times = { axes: { values: (_u, all) => all.map(clock), space: 70, size: 30 }, width: Math.min(into.clientWidth, 736) };
    const draw = (height, labels, data, fill) => { const paint = paints(labels, tone); return new uPlot({
      width: times.width, height, cursor: { drag: { x: false, y: false } },
      scales: { x: { time: false, range: [0, Math.max(run.time.x[run.time.x.length - 1] || 0, x[x.length - 1], 1)] }, y: { range: (_u, _min, max) => [0, (max || 1) * 1.1] } },
      axes: [{ ...axis, ...times.axes }, { ...axis, size: 52, values: (_u, all) => all.map(short) }],
      series: [{ label: "from", value: read(clock) }, ...labels.map((label, at) => ({ label, stroke: paint[at], width: 1.4, points: { show: x.length < 2 }, fill: fill ? `${paint[at]}22` : undefined, value: read(digits) }))],
      bands: fill ? [] : names.slice(1).map((_name, at) => ({ series: [at + 2, at + 1], fill: `${paint[at + 1]}3d` })),
    }, [x, ...data], into); };
    const drawn = [...names, ...(course.service ? ["service"] : [])];
    draw(180, drawn.map((name) => (name === "service" ? "service time, average ms" : `${name} ms`)), drawn.map((name) => course[name]), false);
    const counted = ["requests/s", ...(course.errors ? ["errors/s"] : [])];
    draw(120, counted, [rate(course.requests), ...(course.errors ? [rate(course.errors)] : [])], true);
  }

  function spark(course) {
    const svg = drawn("svg", { viewBox: "0 0 110 24", preserveAspectRatio: "none" });
    const values = course[tail(course)] || course.requests;
    const most = Math.max(...values.filter((one) => one !== null), 1e-9), step = 110 / Math.max(values.length - 1, 1);
    let path = "";
    values.forEach((value, at) => { if (value !== null) path += `${path && values[at - 1] !== null ? "L" : "M"}${(at * step).toFixed(1)} ${(23 - (value / most) * 21).toFixed(1)}`; });
    svg.append(drawn("path", { class: "spark", d: path }));
    (course.errors || []).forEach((value, at) => { if (value) svg.append(drawn("rect", { class: "spark-error", x: (at * step - 0.6).toFixed(1), y: 0, width: 1.4, height: 24 })); });
    return svg;
  }

  /** A histogram with its axis, in milliseconds. */
  function large(row) {
    const both = [row.histogram, row.histogram_before].filter(Boolean);
    const from = Math.min(...both.map((one) => one[0])) - 1, to = Math.max(...both.map((one) => one[0] + one[1].length)) + 1;
    const wide = 720, high = 130, svg = drawn("svg", { viewBox: "0 0 720 170", role: "img", "aria-label": "response times" });
    for (const [x, step, tall] of bars(row.histogram, [from, to], wide, high))
      svg.append(drawn("rect", { class: "bar-now", x, y: high + 12 - tall, width: Math.max(step - 1, 1), height: tall }));
    if (row.histogram_before)
      for (const [x, step, tall] of bars(row.histogram_before, [from, to], wide, high))
        svg.append(drawn("rect", { class: "bar-before", x, y: high + 12 - tall, width: Math.max(step - 1, 1), height: tall }));
    svg.append(drawn("line", { class: "axis", x1: 0, x2: wide, y1: high + 12.5, y2: high + 12.5 }));
    const place = (ms) => ((Math.log10(ms * 1000) * DATA.bins - from) / (to - from)) * wide;
    let last = -100;
    for (let power = -3; power < 7; power++)
      for (const one of [1, 2, 5]) {
        const x = place(one * 10 ** power);
        if (x < 8 || x > wide - 20 || x - last < 45) continue;
        last = x;
        svg.append(drawn("line", { class: "axis", x1: x, x2: x, y1: high + 12, y2: high + 17 }), drawn("text", { x, y: high + 31, "text-anchor": "middle" }, `${(one * 10 ** power).toLocaleString("en")} ms`));
      }
    for (const [name, ms] of [["median", row.p50], ["p95", row.p95], ["p99", row.p99]])
      if (ms) svg.append(drawn("line", { class: "at", x1: place(ms), x2: place(ms), y1: 10, y2: high + 12 }), drawn("text", { x: place(ms) + 3, y: name === "p95" ? 20 : 9 }, name));
    return svg;
  }

  function detail(row, columns, run) {
    const facts = [["Test case", row.case], ["Page", row.page], ["Status codes", row.status], ["Trace of the slowest request", row.trace], ["Not as recorded", row.not_as_recorded ? String(row.not_as_recorded) : ""]].filter(([, value]) => value);
    const over = row.course ? make("div", { class: "course" }) : null;
    const line = make("tr", { class: "detail" }, make("td", { colspan: columns },
      over ? make("p", { class: "hint" }, `Response times over the run, in parts of ${clock(row.course.length)}`) : null,
      over,
      row.histogram ? make("p", { class: "hint" }, row.histogram_before ? "Response times, logarithmic; outlined: before" : "Response times, logarithmic") : null,
      row.histogram ? large(row) : null,
      make("dl", { class: "facts" }, ...facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))))));
    line.fill = () => { if (over) courseplot(row, run, over); };
    return line;
  }

  const AT_ONCE = 50; // rows
  const finishing = []; // what makes all rows of a table
  const KINDS = [["transaction", "Transactions"], ["page", "Pages"], ["case", "Cases"]];

  /** A name that may be broken behind each slash. */
  const breakable = (name) => name.split(/(?<=[^/]\/)(?=.)/).flatMap((part, at) => (at ? [make("wbr"), part] : [part]));

  function tables(run, into) {
    const kinds = KINDS.filter(([kind]) => run.rows.some((one) => one.kind === kind));
    const state = { kind: kinds.length ? kinds[0][0] : "", sort: null, down: true, text: "", finish: null };
    const search = make("input", { type: "search", placeholder: "search", "aria-label": "search", oninput: () => { state.text = search.value.toLowerCase(); draw(); } });
    const tabs = make("div", { class: "tabs", role: "tablist" }, ...kinds.map(([kind, title]) =>
      make("button", { type: "button", role: "tab", "data-kind": kind, onclick: () => { state.kind = kind; draw(); } }, `${title} ${run.rows.filter((one) => one.kind === kind).length}`)));
    const table = make("table", { class: "grid" });
    into.append(make("div", { class: "tools" }, kinds.length > 1 ? tabs : null, search), make("div", { class: "scroll" }, table));
    const later = new IntersectionObserver((seen) => { for (const one of seen) if (one.isIntersecting) { later.unobserve(one.target); one.target.fill(); } }, { rootMargin: "400px" });

    function order(key) { if (state.sort === key) state.down = !state.down; else { state.sort = key; state.down = key !== "name"; } draw(); }

    function row(one, columns, range, courses, spreads) {
      const cells = columns.map(([key, , kind]) => make("td", { class: key === "failed" ? (one[key] ? "bad" : "zero") : null }, shown(one[key], kind)));
      const place = one.kind === "transaction" ? one.page : one.kind === "page" ? one.case : "";
      const under = [place, one.mark].filter(Boolean).join(", ");
      const line = make("tr", { class: "row" }, make("td", {}, ...breakable(one.name), under ? make("small", {}, under) : null));
      if (courses) line.append(make("td", { class: "spread" }));
      if (spreads) line.append(make("td", { class: "spread" }));
      line.append(...cells);
      line.fill = () => {
        line.fill = () => {};
        const places = line.querySelectorAll(".spread");
        if (courses && one.course) places[0].append(spark(one.course));
        if (spreads && one.histogram) places[courses ? 1 : 0].append(spread(one, range));
      };
      line.addEventListener("click", () => {
        const next = line.nextElementSibling;
        if (next && next.matches(".detail")) { next.remove(); line.classList.remove("open"); }
        else { const more = detail(one, line.cells.length, run); line.after(more); line.classList.add("open"); more.fill(); }
      });
      later.observe(line);
      return line;
    }

    function draw() {
      for (const tab of tabs.children) tab.setAttribute("aria-selected", String(tab.dataset.kind === state.kind));
      let rows = run.rows.filter((one) => one.kind === state.kind);
      const columns = DATA.columns.filter(([key]) => rows.some((one) => one[key] !== null && one[key] !== undefined));
      const courses = rows.some((one) => one.course), spreads = rows.some((one) => one.histogram), range = extent(rows);
      if (state.text) rows = rows.filter((one) => `${one.case} ${one.page} ${one.name}`.toLowerCase().includes(state.text));
      if (state.sort) {
        const sign = state.down ? -1 : 1, key = state.sort, least = state.down ? -Infinity : Infinity;
        const of = (one) => (key === "name" ? one.name : one[key] ?? least);
        rows = [...rows].sort((a, b) => { const x = of(a), y = of(b); return (x < y ? -1 : x > y ? 1 : 0) * sign; });
      }
      const head = (key, title) => make("th", { "data-title": title, "aria-sort": state.sort === key ? (state.down ? "descending" : "ascending") : null }, make("button", { type: "button", onclick: () => order(key) }, title));
      const made = (one) => row(one, columns, range, courses, spreads);
      later.disconnect();
      table.replaceChildren(
        make("thead", {}, make("tr", {}, head("name", "name"), courses ? make("th", { class: "left spread" }, `${tail((rows.find((one) => one.course) || {course: {}}).course) || "requests"} over time`) : null, spreads ? make("th", { class: "left spread" }, "distribution") : null, ...columns.map(([key, title]) => head(key, title)))),
        make("tbody", {}, ...rows.slice(0, AT_ONCE).map(made)));
      // What nobody sees yet need not be waited for.
      const body = table.lastChild, more = () => body.append(...rows.splice(0, AT_ONCE).map(made));
      const go = () => { if (rows.length && body.isConnected) { more(); whenIdle(go); } };
      rows = rows.slice(AT_ONCE);
      whenIdle(go);
      state.finish = () => { while (rows.length) more(); };
    }
    draw();
    finishing.push(() => state.finish());
  }

  DATA.runs.forEach((run, number) => {
    const article = document.querySelector(`[data-run="${number}"]`);
    const into = article.querySelector(".over-time .plots");
    for (const chart of [...DATA.charts, ...run.trends]) plot(run, number, chart, into);
    if (!into.children.length) article.querySelector(".over-time").hidden = true;
    const { trend } = run;
    if (trend) {
      const runs = { ...run, time: trend, before: null, marks: [], at: (x) => trend.started[x - 1] || "" };
      for (const chart of DATA.charts) plot(runs, `${number} trend`, chart, article.querySelector(".trend .plots"));
    }
    if (run.whole) article.querySelector(".whole .detail").append(large(run.whole));
    const rows = article.querySelector(".tables");
    if (run.rows.length) { drawNear(rows, () => tables(run, rows)); whenIdle(() => drawNow(rows)); }
    else article.querySelector(".rows").hidden = true;
  });
  // Firefox prints in light, and says so: what was drawn for that must stay.
  dark.addEventListener("change", () => { if (!printing) plots.forEach((one) => one.redraw()); });
  addEventListener("beforeprint", () => {
    drawAll();
    finishing.forEach((one) => one());
    printing = true;
    for (const one of plots) {
      one.redraw();
      // At once: Firefox prints what is there when this returns.
      one.u.batch(() => one.u.setSize({ width: one.u.root.parentElement.matches(":first-child") ? 660 : 320, height: 170 }));
    }
    document.querySelectorAll(".grid tr.row").forEach((one) => one.fill());
  });
  addEventListener("afterprint", () => { printing = false; plots.forEach((one) => one.redraw()); });
  window.loadtoolPlots = plots;
})();
