// SPDX-License-Identifier: MIT
// One plot of one clock: an axis, a row of marks, stages, and lanes of spans. It knows its view [from, to] in ns.
// rows: {name, cls(item), items: [{name, start, length, detail, cls}]}; marks: [{name, at}].
const PLOT = { gutter: 112, axis: 22, mark: 14, levels: 4, overview: 26, rowsMax: 24 };

function packRows(items) {
  // Greedy: an item goes to the first row that is free. What lies inside another lands on the row below.
  const ends = [];
  for (const item of items) {
    let row = ends.findIndex((end) => end <= item.start);
    if (row < 0) row = Math.min(ends.length, PLOT.rowsMax - 1);
    ends[row] = Math.max(ends[row] || 0, item.start + item.length);
    item.row = row;
  }
  return Math.max(ends.length, 1);
}

class Plot {
  constructor({ lanes, marks, end, start, label, onHover, onSelect }) {
    Object.assign(this, { lanes, marks, onHover, onSelect });
    this.low = start;
    this.high = Math.max(end, start + 1000);
    this.from = this.low;
    this.to = this.high;
    this.hits = null;
    this.selected = null;
    let y = PLOT.axis + (marks.length ? PLOT.levels * PLOT.mark + 4 : 0);
    for (const lane of lanes) {
      lane.items.sort((a, b) => a.start - b.start || b.length - a.length);
      lane.rows = packRows(lane.items);
    }
    // A few rows may be tall, many must be low.
    this.row = lanes.reduce((n, lane) => n + lane.rows, 0) > 5 ? 18 : 26;
    for (const lane of lanes) {
      lane.y = y;
      y += lane.rows * this.row + 6;
    }
    this.bottom = y;
    this.items = lanes.flatMap((lane) => lane.items.map((item) => Object.assign(item, { lane })));
    this.svg = svg("svg", { class: "plot", height: y + PLOT.overview + 6, "aria-hidden": "true" });
    this.node = el("div", {
      class: "plot-box", tabindex: "0", role: "group",
      "aria-label": `${label}. Arrow keys pan, plus and minus zoom, 0 shows all, N and P go to the next and previous match.`,
    }, this.svg);
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.node);
  }

  get width() { return Math.max(this.node.clientWidth - PLOT.gutter - 1, 50); }
  x(ns) { return PLOT.gutter + ((ns - this.from) / (this.to - this.from)) * this.width; }
  ns(x) { return this.from + ((x - PLOT.gutter) / this.width) * (this.to - this.from); }

  show(from, to) {
    const span = Math.min(Math.max(to - from, 100), this.high - this.low);
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - span / 2, this.low), this.high - span);
    this.to = this.from + span;
    this.draw();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  pan(share) { const by = share * (this.to - this.from); this.show(this.from + by, this.to + by); }
  fit() { this.show(this.low, this.high); }

  focus(item) {
    this.selected = item;
    const room = Math.max(item.length * 8, (this.high - this.low) / 2000, 1000);
    const middle = item.start + item.length / 2;
    this.show(middle - room / 2, middle + room / 2);
    this.onSelect(item);
  }

  search(needle) {
    this.hits = needle ? this.items.filter((i) => i.name.toLowerCase().includes(needle) || i.detail.toLowerCase().includes(needle)) : null;
    this.hitSet = this.hits && new Set(this.hits);
    this.at = -1;
    this.draw();
    return this.hits;
  }

  next(step) {
    if (!this.hits || !this.hits.length) return;
    this.at = (this.at + step + this.hits.length + (this.at < 0 && step < 0 ? 1 : 0)) % this.hits.length;
    this.focus(this.hits[this.at]);
  }

  listen() {
    const box = this.node;
    const place = (event) => event.clientX - box.getBoundingClientRect().left;
    box.addEventListener("wheel", (event) => {
      // Until the plot has the focus the wheel scrolls the page, as everywhere.
      if (!(event.ctrlKey || event.metaKey || box.matches(":focus, :focus-within"))) return;
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(event.deltaX / this.width);
      else this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), this.ns(place(event)));
    }, { passive: false });
    box.addEventListener("dblclick", (event) => this.zoom(0.4, this.ns(place(event))));
    box.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const act = {
        ArrowLeft: () => this.pan(-0.15), ArrowRight: () => this.pan(0.15), "+": () => this.zoom(0.6), "=": () => this.zoom(0.6),
        "-": () => this.zoom(1 / 0.6), 0: () => this.fit(), Home: () => this.fit(), n: () => this.next(1), p: () => this.next(-1),
      }[event.key];
      if (act) { event.preventDefault(); act(); }
    });
    let drag = null;
    box.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const y = event.clientY - box.getBoundingClientRect().top;
      drag = { x: place(event), from: this.from, to: this.to, moved: false, overview: y > this.bottom, target: event.target };
      if (drag.overview) this.jump(place(event));
      box.focus({ preventScroll: true });
      box.setPointerCapture(event.pointerId);
    });
    box.addEventListener("pointermove", (event) => {
      if (!drag) { this.onHover(event.target.item || null); return; }
      const x = place(event);
      if (Math.abs(x - drag.x) > 3) drag.moved = true;
      if (drag.overview) { this.jump(x); return; }
      if (!drag.moved) return;
      const by = ((drag.x - x) / this.width) * (drag.to - drag.from);
      this.show(drag.from + by, drag.to + by);
    });
    box.addEventListener("pointerup", () => {
      if (drag && !drag.moved && !drag.overview) { this.selected = drag.target.item || null; this.onSelect(this.selected); this.draw(); }
      drag = null;
    });
    box.addEventListener("pointercancel", () => { drag = null; });
    box.addEventListener("pointerleave", () => this.onHover(null));
  }

  jump(x) {
    const at = this.low + ((x - PLOT.gutter) / this.width) * (this.high - this.low);
    const half = (this.to - this.from) / 2;
    this.show(at - half, at + half);
  }
}
