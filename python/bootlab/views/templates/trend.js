// SPDX-License-Identifier: MIT
// How a quantity went from boot to boot: a point a boot, the level between two changes as a line, changes as dashed ones.
// trend: {label, points: [[revision, what, ns, seconds since 1970]], changes: [[place, from, to]], lines: [[name, ns]],
// places: of its milliseconds}. A change lies behind its place; a line is something to hold the points against.
// The distance of two points is a step, or the time between the boots where they were made over more than a day.
const DAY = 86400;
function datesOf(points) {
  const times = points.map(([, , , seconds]) => seconds);
  const known = times.every((one, place) => typeof one === "number" && (!place || one >= times[place - 1]));
  return known && times[times.length - 1] - times[0] > DAY ? times : null;
}
function trendChart(trend) {
  const H = 190, LEFT = 78, RIGHT = 14, TOP = 22, BOTTOM = 26;
  const points = trend.points;
  const values = points.map(([, , ns]) => ns);
  const lines = trend.lines || [];
  const drawn = [...values, ...lines.map(([, ns]) => ns)];
  const low = Math.min(...drawn), high = Math.max(...drawn);
  // Half a microsecond of nothing must not look like a mountain.
  const room = Math.max((high - low) * 0.12, high * 0.002, 1000);
  const [from, to] = [low - room, high + room];
  const drawing = svg("svg", { class: "plot", height: H, role: "img", "aria-label": trend.label });
  const box = el("div", { class: "trend" }, drawing);
  const dates = datesOf(points);
  let byDate = dates !== null;
  const y = (ns) => TOP + (1 - (ns - from) / (to - from)) * (H - TOP - BOTTOM);

  function levels() {
    const edges = [0, ...trend.changes.map(([place]) => place + 1), points.length];
    return edges.slice(1).map((end, i) => {
      const part = values.slice(edges[i], end).sort((a, b) => a - b);
      return { start: edges[i], end, ns: part[Math.floor((part.length - 1) / 2)] };
    });
  }

  const dayOf = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);

  // Below the points: the day of every so many, or the revision where it is another than that of the point before.
  function days(width, x) {
    const [first, last] = [Math.ceil(dates[0] / DAY), Math.floor(dates[dates.length - 1] / DAY)];
    const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, Math.floor((width - LEFT - RIGHT) / 90))));
    const scale = (x(points.length - 1) - x(0)) / (dates[dates.length - 1] - dates[0]);
    for (let day = first; day <= last; day += every) {
      const at = x(0) + (day * DAY - dates[0]) * scale;
      if (at > width - 36) break;
      fill(drawing, {}, [svg("line", { class: "grid-line", x1: at, x2: at, y1: H - BOTTOM, y2: H - BOTTOM + 5 }),
        svg("text", { class: "axis-text", x: Math.max(at, LEFT + 24), y: H - 8, "text-anchor": "middle" }, dayOf(day * DAY))]);
    }
  }

  function revisions(width, x) {
    let written = -Infinity;
    points.forEach(([revision], place) => {
      if (place && points[place - 1][0] === revision) return;
      const text = revision.length > 12 ? `${revision.slice(0, 11)}…` : revision;
      const wide = text.length * 6.4 + 10;
      if (x(place) - written < 4 || x(place) + wide > width + 10) return;
      written = x(place) + wide;
      fill(drawing, {}, [svg("text", { class: "axis-text", x: x(place) - 3, y: H - 8 }, text)]);
    });
  }

  function draw() {
    const width = box.clientWidth;
    if (!width) return;
    clear(drawing);
    const step = (width - LEFT - RIGHT) / Math.max(points.length, 1);
    const room = width - LEFT - RIGHT - 12;
    const x = (place) => (byDate ? LEFT + 6 + (dates[place] - dates[0]) / (dates[dates.length - 1] - dates[0]) * room : LEFT + (place + 0.5) * step);
    const beyond = byDate ? 5 : step / 2;
    for (const ns of [low, (low + high) / 2, high].slice(0, high - low > 1000 ? 3 : 1)) {
      fill(drawing, {}, [svg("line", { class: "grid-line", x1: LEFT - 4, x2: width - RIGHT, y1: y(ns), y2: y(ns) }),
        svg("text", { class: "axis-text", x: LEFT - 8, y: y(ns) + 4, "text-anchor": "end" }, `${ms(ns, 1)} ms`)]);
    }
    if (byDate) days(width, x); else revisions(width, x);
    for (const { start, end, ns } of levels()) fill(drawing, {}, [svg("line", { class: "level", x1: x(start) - beyond, x2: x(end - 1) + beyond, y1: y(ns), y2: y(ns) })]);
    for (const [name, ns] of lines) {
      fill(drawing, {}, [svg("line", { class: "beside", x1: LEFT - 4, x2: width - RIGHT, y1: y(ns), y2: y(ns) }),
        svg("text", { class: "axis-text", x: width - RIGHT, y: y(ns) - 4, "text-anchor": "end" }, `${name} ${ms(ns, 1)} ms`)]);
    }
    let taken = -Infinity;
    trend.changes.forEach(([place, old, now]) => {
      const at = (x(place) + x(Math.min(place + 1, points.length - 1))) / 2;
      const cls = now > old ? "bad" : "good";
      const text = signedMs(now - old, trend.places);
      fill(drawing, {}, [svg("line", { class: `turn ${cls}`, x1: at, x2: at, y1: TOP - 4, y2: H - BOTTOM + 2 })]);
      const left = Math.min(Math.max(at, LEFT + 24), width - 34);
      if (left - taken < text.length * 7) return;
      taken = left;
      fill(drawing, {}, [svg("text", { class: `turn-text ${cls}`, x: left, y: TOP - 9, "text-anchor": "middle" }, text)]);
    });
    const radius = step > 9 ? 3.2 : step > 4 ? 2.2 : 1.4;
    points.forEach(([revision, what, ns, seconds], place) => fill(drawing, {}, [svg("circle", { class: "dot", cx: x(place), cy: y(ns), r: radius }, svg("title", {}, `${revision}${what ? ` ${what}` : ""}: ${ms(ns, trend.places)} ms${seconds ? `, ${dayOf(seconds)}` : ""}`))]));
  }

  new ResizeObserver(draw).observe(box);
  if (dates === null) return box;
  const turn = el("button", { type: "button", "aria-pressed": "true", onclick: () => {
    byDate = !byDate;
    turn.setAttribute("aria-pressed", String(byDate));
    draw();
  } }, "spaced by date");
  return el("div", {}, el("div", { class: "choice" }, turn), box);
}

// Two lists of which one each is chosen, and a page that is opened with both.
function chooser({ label, action, fixed, names, options, chosen, button }) {
  const lists = names.map(([name, title], i) => el("label", {}, `${title} `, el("select", { name }, options.map(([value, text]) => el("option", { value, selected: value === chosen[i] }, text)))));
  const open = () => {
    const asked = new URLSearchParams(fixed);
    for (const list of lists) asked.set(list.querySelector("select").name, list.querySelector("select").value);
    location.assign(`${action}?${asked}`);
  };
  return el("div", { class: "controls chooser", role: "group", "aria-label": label }, lists, el("button", { type: "button", onclick: open }, button));
}
