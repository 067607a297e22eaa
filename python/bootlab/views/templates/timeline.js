// SPDX-License-Identifier: MIT
// Drawing of a plot, and the two plots of the page: the timing boot, and the diagnostic boot on its own clock.
Object.assign(Plot.prototype, {
  draw() {
    if (!this.node.clientWidth) return;
    clear(this.svg);
    const right = PLOT.gutter + this.width;
    this.svg.setAttribute("width", this.node.clientWidth);
    this.svg.append(svg("defs", {}, svg("clipPath", { id: this.clip }, svg("rect", { x: PLOT.gutter, y: 0, width: this.width, height: this.bottom }))));
    const inside = svg("g", { "clip-path": `url(#${this.clip})` });
    this.drawAxis(inside, right);
    this.drawMarks(inside);
    for (const lane of this.lanes) {
      this.svg.append(svg("text", { class: "lane-name", x: 8, y: lane.y + this.row / 2 + 3 }, clip(lane.name, 17)));
      this.drawLane(inside, lane);
    }
    this.svg.append(inside);
    this.drawOverview();
  },

  drawAxis(into, right) {
    const step = niceStep(((this.to - this.from) * 110) / this.width);
    for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) {
      const x = this.x(at);
      into.append(svg("line", { class: "grid", x1: x, x2: x, y1: PLOT.axis - 5, y2: this.bottom }));
      const text = at === 0 ? "0" : shortTime(at, step);
      if (x + text.length * 6 < right) into.append(svg("text", { class: "tick-text", x: x + 3, y: 11 }, text));
    }
  },

  drawMarks(into) {
    const free = Array(PLOT.levels).fill(-Infinity);
    const names = [];
    for (const mark of this.marks) {
      if (mark.at < this.from || mark.at > this.to) continue;
      const x = this.x(mark.at);
      const text = clip(mark.name, 26);
      const wide = text.length * 6.2 + 8;
      // At the right edge the label turns to the left of its line.
      const turned = x + wide > PLOT.gutter + this.width;
      const from = turned ? x - wide : x;
      const level = free.findIndex((end) => end <= from);
      into.append(svg("line", { class: "mark-line", x1: x, x2: x, y1: PLOT.axis, y2: this.bottom }));
      const hit = svg("text", { class: "mark-text", x: turned ? x - 4 : x + 4, y: PLOT.axis + (level < 0 ? 2 : level) * PLOT.mark + 10, "text-anchor": turned ? "end" : "start" }, level < 0 ? "" : text);
      hit.item = { name: mark.name, start: mark.at, length: null, detail: mark.source || "", lane: { name: "mark" } };
      names.push(hit);
      if (level >= 0) free[level] = from + wide;
    }
    // Names after all lines, or the lines of later marks would cut them.
    into.append(...names);
  },

  drawLane(into, lane) {
    const edge = new Map();
    for (const item of lane.items) {
      const end = item.start + item.length;
      if (end < this.from || item.start > this.to) continue;
      const x = this.x(item.start);
      const wide = Math.max(this.x(end) - x, 0.75);
      const hit = !this.hits || this.hitSet.has(item);
      // Below half a pixel only the first of a crowd is drawn, unless the search found it.
      if (wide < 1 && x - (edge.get(item.row) ?? -9) < 0.5 && !(this.hits && hit) && item !== this.selected) continue;
      edge.set(item.row, x + wide);
      const y = lane.y + item.row * this.row;
      const box = svg("rect", {
        class: ["span", item.cls, hit ? (this.hits ? "hit" : "") : "miss", item === this.selected ? "chosen" : ""].filter(Boolean).join(" "),
        x, y, width: wide, height: this.row - 3,
      });
      box.item = item;
      into.append(box);
      const left = Math.max(x, PLOT.gutter);
      const room = Math.min(x + wide, PLOT.gutter + this.width) - left - 8;
      if (room > 24) {
        into.append(svg("text", { class: `span-text ${hit ? "" : "miss"}`, x: left + 4, y: y + this.row / 2 + 2.5 }, clip(item.name, Math.floor(room / 6.3))));
      }
    }
  },

  drawOverview() {
    const y = this.bottom + 6;
    const scale = (ns) => PLOT.gutter + ((ns - this.low) / (this.high - this.low)) * this.width;
    const group = svg("g", { class: "overview" });
    group.append(svg("rect", { class: "overview-back", x: PLOT.gutter, y, width: this.width, height: PLOT.overview - 8 }));
    const seen = new Set();
    for (const item of this.items) {
      const x = Math.round(scale(item.start));
      const hit = this.hits && this.hitSet.has(item);
      if ((this.hits && !hit) || (seen.has(x) && item.length < (this.high - this.low) / 500)) continue;
      seen.add(x);
      group.append(svg("rect", { class: `overview-span ${hit ? "hit" : item.cls}`, x, y: y + 4, width: Math.max(scale(item.start + item.length) - x, 1), height: PLOT.overview - 16 }));
    }
    const from = scale(this.from);
    group.append(svg("rect", { class: "overview-view", x: from, y: y + 0.5, width: Math.max(scale(this.to) - from, 3), height: PLOT.overview - 9 }));
    this.svg.append(svg("text", { class: "lane-name faint", x: 8, y: y + 13 }, "whole boot"), group);
  },
});

const clip = (text, room) => (text.length <= room ? text : room < 3 ? "" : `${text.slice(0, room - 1)}…`);
let plots = 0;

// A plot with its buttons, its search, the line that tells what lies under the pointer, and a table of the longest spans.
function plotPanel({ title, lead, places = 3, lanes, marks, start, end, label, tableTitle, idText }) {
  const tell = el("p", { class: "tell" });
  const idle = "Click the plot, then: wheel zooms, drag pans, double click zooms in; keys ← → + − 0, N and P for matches.";
  let chosen = null;
  const say = (item) => {
    clear(tell);
    if (!item) { tell.append(idle); return; }
    tell.append(el("strong", {}, item.name), ` · ${item.lane.name} · at ${ms(item.start, places)} ms`,
      item.length === null ? "" : ` · ${places < 3 ? `${ms(item.length, places)} ms` : shortTime(item.length)}`, item.detail ? ` · ${item.detail}` : "");
  };
  const plot = new Plot({ lanes, marks, start, end, label, onHover: (item) => say(item || chosen), onSelect: (item) => { chosen = item; say(item); } });
  plot.clip = `clip-${plots += 1}`;
  say(null);
  const found = el("output", { class: "count" });
  const list = el("div", {});
  const spans = plot.items.filter((i) => i.lane.listed);
  const fillList = (hits) => {
    const rows = [...(hits ? hits.filter((i) => i.lane.listed) : spans)].sort((a, b) => b.length - a.length).slice(0, 12);
    clear(list);
    if (!spans.length) return;
    const most = Math.max(rows[0]?.length || 1, 1);
    list.append(plainTable(hits ? "Longest matches" : tableTitle, [
      { name: "span", cls: "name", cell: (i) => el("button", { type: "button", class: "jump", title: "zoom to it", onclick: () => plot.focus(i) }, i.name) },
      { name: "lane", cell: (i) => i.lane.name },
      { name: "start, ms", right: true, cell: (i) => ms(i.start, places) },
      { name: "length, ms", right: true, cell: (i) => ms(i.length, places) },
      { name: "of the longest", cls: "mini", cell: (i) => el("div", { class: "mini-track", "aria-hidden": "true" }, el("span", { class: `mini-length ${i.cls || ""}`, style: { width: `${(100 * i.length) / most}%` } })) },
      { name: "detail", cls: "words", cell: (i) => i.detail },
    ], rows, "figures"));
  };
  fillList(null);
  const box = searchBox("Search spans", (needle) => {
    const hits = plot.search(needle);
    found.textContent = hits ? `${hits.length} of ${plot.items.length} match` : "";
    fillList(hits);
  }, (step) => plot.next(step));
  const button = (text, name, act) => el("button", { type: "button", "aria-label": name, title: name, onclick: act }, text);
  const cut = lanes.reduce((n, lane) => n + (lane.cut || 0), 0);
  return el("div", { class: "plot-panel", id: idText }, title ? el("h3", {}, title) : null, lead ? el("p", { class: "lead" }, lead) : null,
    el("div", { class: "controls" }, box, found, el("div", { class: "choice zoom" },
      button("−", "zoom out", () => plot.zoom(1 / 0.5)), button("+", "zoom in", () => plot.zoom(0.5)),
      button("←", "pan left", () => plot.pan(-0.25)), button("→", "pan right", () => plot.pan(0.25)), button("all", "show all", () => plot.fit()))),
    plot.node, tell, cut ? el("p", { class: "aside" }, `${count(cut)} of the shortest spans are left out.`) : null, list);
}

const spanItems = (lane, cls) => ({ name: lane.name, cut: lane.cut, listed: true, items: lane.spans.map(([name, start, length, detail]) => ({ name, start, length, detail, cls })) });

function bootPlot(boot, name) {
  const stages = { name: "stages", items: boot.stages.map((s) => ({ name: s.name, start: s.start_ns, length: s.duration_ns, detail: s.insns === null ? "" : `${count(s.insns)} instructions`, cls: stageClass(s.name) })) };
  const lanes = [stages, ...boot.lanes.map((lane) => spanItems(lane, "plain"))];
  const marks = boot.marks.map((m) => ({ name: m.name, at: m.ns, source: m.source }));
  const end = Math.max(endOf(boot), ...marks.map((m) => m.at), ...lanes.flatMap((l) => l.items.map((i) => i.start + i.length)));
  return plotPanel({ places: boot.places, lanes, marks, start: 0, end: end * 1.01, label: `Timeline of the ${name}`, tableTitle: `Longest spans of the ${name}`, idText: "plot-timing" });
}

function diagnosticPlot(group) {
  const lanes = group.lanes.map((lane) => spanItems(lane, "diagnostic"));
  const starts = lanes.flatMap((l) => l.items.map((i) => i.start));
  const ends = lanes.flatMap((l) => l.items.map((i) => i.start + i.length));
  const [start, end] = [starts.reduce((a, b) => Math.min(a, b), Infinity), ends.reduce((a, b) => Math.max(a, b), 0)];
  const pad = (end - start) * 0.01;
  return plotPanel({
    title: "Diagnostic boot", lead: `A boot of its own with instrumentation switched on (${group.clock} clock of that boot). Instrumentation changes what it measures: these times rank initcalls, they are never compared with the timing boots.`,
    lanes, marks: [], start: Math.max(0, start - pad), end: end + pad, label: "Timeline of the diagnostic boot", tableTitle: "Longest spans of the diagnostic boot", idText: "plot-diagnostic",
  });
}

function timelineSection(data) {
  const boots = [["base", data.base], ["stacked", data.final]].filter(([, b]) => b && (b.stages.length || b.marks.length));
  if (!boots.length) return null;
  const timing = el("div", {}, bootPlot(boots[0][1], data.kind === "boot" ? "boot" : "base"));
  const diagnostic = el("div", {});
  const fillDiagnostic = (boot) => { clear(diagnostic).append(...boot.diagnostic.map(diagnosticPlot)); };
  fillDiagnostic(boots[0][1]);
  const pick = boots.length > 1 ? choice("boot", boots.map((pair) => [pair, pair[0]]), ([name, boot]) => {
    clear(timing).append(bootPlot(boot, name));
    fillDiagnostic(boot);
  }) : null;
  return section("timeline", "Timeline", "One boot on its own clock: marks, stages and spans. A search dims what does not match; Enter goes from match to match.", pick, timing, diagnostic);
}
