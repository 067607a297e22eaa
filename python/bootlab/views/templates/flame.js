// SPDX-License-Identifier: MIT
// The flame graph: a canvas as high as its box that draws the rows in view, so 100 000 paths cost what the eye can see.
const FLAME = { row: 19, least: 0.5, text: 36, pad: 3 };

function flameGraph(model, onChoose) {
  const state = { zoom: 0, chosen: 0, up: false, hits: null, boxes: [], rows: 1 };
  const canvas = el("canvas", { class: "flame-canvas" });
  const spacer = el("div", { class: "flame-spacer", "aria-hidden": "true" });
  const tip = el("div", { class: "flame-tip", hidden: true, "aria-hidden": "true" });
  const box = el("div", {
    class: "flame-box", tabindex: "0", role: "application",
    "aria-label": "Flame graph. Arrow keys choose a path, Enter zooms, Escape resets.", onkeydown: onKey, onscroll: draw,
    onclick: (event) => { const hit = at(event); if (hit !== null) zoom(hit); },
    onmousemove: (event) => { const hit = at(event); if (hit === null) hideTip(); else showTip(hit, event); },
    onmouseleave: hideTip,
  }, canvas, spacer);
  const tell = el("output", { class: "tell", "aria-live": "polite" });
  const probe = el("span", { class: "flame-probe", hidden: true, "aria-hidden": "true" });
  const node = el("div", { class: "flame" }, box, tip, tell, probe);
  const context = canvas.getContext("2d");
  let asked = false;

  const share = (i, whole) => percent(model.total[i], model.total[whole], 2);
  function words(i) {
    const s = model[model.side], parts = [];
    parts.push(`${model.weight(model.total[i])} (${share(i, 0)} of all${state.zoom ? `, ${share(i, state.zoom)} of what is shown` : ""})`);
    if (i) parts.push(`self ${model.weight(s.own[i])}`);
    if (s.count[i]) parts.push(`${count(s.count[i])} ${s.count[i] === 1 ? "call" : "calls"}`);
    if (s.wait[i] && !model.isWait[model.fn[i]]) parts.push(`waiting below it ${model.weight(s.wait[i])}`);
    if (model.was) parts.push(`${model.signed(model.delta(i))} against ${model.data.sides[0]}`);
    const above = model.path(i).slice(0, -1).map(model.name);
    return [model.name(i), parts.join(" · "), above.length ? `in ${above.slice(-6).join(" › ")}` : ""];
  }

  function showTip(i, event) {
    const [name, numbers, above] = words(i);
    clear(tip).append(el("strong", {}, name), el("span", {}, numbers), above ? el("span", { class: "soft" }, above) : "");
    tip.hidden = false;
    const room = node.getBoundingClientRect();
    const x = Math.min(event.clientX - room.left + 14, room.width - tip.offsetWidth - 4);
    const y = event.clientY - room.top + 18;
    tip.style.setProperty("left", `${Math.max(0, x)}px`);
    tip.style.setProperty("top", `${y + tip.offsetHeight + room.top > innerHeight ? y - tip.offsetHeight - 26 : y}px`);
    canvas.style.setProperty("cursor", "pointer");
  }
  function hideTip() { tip.hidden = true; canvas.style.setProperty("cursor", "default"); }

  function choose(i, quiet) {
    state.chosen = i;
    const [name, numbers, above] = words(i);
    clear(tell).append(el("strong", {}, name), ` ${numbers} ${above}`);
    const top = rowTop(model.depth[i]);
    if (!quiet && (top < box.scrollTop || top + FLAME.row > box.scrollTop + box.clientHeight)) box.scrollTop = top - box.clientHeight / 2;
    onChoose(i);
    draw();
  }

  function zoom(i) {
    state.zoom = i;
    measure();
    choose(i);
  }

  const shownKids = (i) => [...model.kidsOf(i)].filter((kid) => model.total[kid] > 0);
  function onKey(event) {
    const i = state.chosen, up = state.up;
    const beside = (step) => {
      if (i === state.zoom) return i;
      const all = shownKids(model.parent[i]);
      return all[Math.max(0, Math.min(all.length - 1, all.indexOf(i) + step))] ?? i;
    };
    const moves = {
      ArrowLeft: () => choose(beside(-1)), ArrowRight: () => choose(beside(1)),
      [up ? "ArrowUp" : "ArrowDown"]: () => choose(shownKids(i)[0] ?? i),
      [up ? "ArrowDown" : "ArrowUp"]: () => (i === state.zoom && i ? zoom(model.parent[i]) : choose(model.parent[i])),
      Enter: () => zoom(i), " ": () => zoom(i), Escape: () => zoom(0), Home: () => choose(state.zoom),
    };
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    moves[event.key]();
  }

  // The deepest row that can be seen at this zoom decides the height.
  function measure() {
    const least = (model.total[state.zoom] / Math.max(1, box.clientWidth)) * FLAME.least;
    let deepest = model.depth[state.zoom];
    const stack = [state.zoom];
    while (stack.length) {
      const i = stack.pop();
      deepest = Math.max(deepest, model.depth[i]);
      for (const kid of model.kidsOf(i)) if (model.total[kid] > 0 && model.total[kid] >= least) stack.push(kid);
    }
    state.rows = deepest + 1;
    spacer.style.setProperty("height", `${state.rows * FLAME.row}px`);
    // The box keeps the height of the whole graph, so that a zoom moves nothing on the page.
    if (!state.zoom) box.style.setProperty("height", `${Math.max(6, state.rows) * FLAME.row + 2}px`);
    if (state.up) box.scrollTop = state.rows * FLAME.row;
  }

  const rowTop = (depth) => (state.up ? state.rows - 1 - depth : depth) * FLAME.row;
  function draw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; paint(); });
  }

  const hashes = model.data.names.map((name) => {
    let h = 7;
    for (let k = 0; k < name.length; k++) h = (h * 31 + name.charCodeAt(k)) | 0;
    return (h >>> 0) % 1000 / 1000;
  });
  let largest = 1;
  function colour(i, dark) {
    const [l, mix] = dark ? [34, 0.62] : [76, 1];
    if (model.isWait[model.fn[i]]) return `hsl(210 6% ${l}%)`;
    if (state.hits && i && state.hits(model.fn[i])) return dark ? "hsl(312 60% 44%)" : "hsl(312 80% 76%)";
    if (model.was) {
      const d = model.delta(i), much = Math.min(1, Math.sqrt(Math.abs(d) / largest));
      if (!d) return dark ? "hsl(210 6% 27%)" : "hsl(210 8% 90%)";
      return `hsl(${d > 0 ? 8 : 212} ${Math.round((25 + 55 * much) * mix + 8)}% ${dark ? 27 + 15 * much : 90 - 26 * much}%)`;
    }
    if (model.depth[i] < 2) return dark ? "hsl(210 8% 24%)" : "hsl(210 12% 89%)";
    const h = hashes[model.fn[i]], kind = model.name(model.task[i]);
    const hue = kind === "interrupts" ? 265 + 20 * h : kind === "user space" ? 165 + 25 * h : 14 + 36 * h;
    return `hsl(${hue} ${Math.round((62 + 20 * h) * mix)}% ${l - 4 + 8 * hashes[model.fn[i]]}%)`;
  }

  function paint() {
    const width = box.clientWidth, height = box.clientHeight, scale = devicePixelRatio || 1;
    if (!width || !height) return;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.setProperty("width", `${width}px`);
      canvas.style.setProperty("height", `${height}px`);
    }
    const look = getComputedStyle(probe), ink = look.color, paper = look.backgroundColor;
    const dark = (paper.match(/\d+/g) || [255]).slice(0, 3).reduce((a, v) => a + Number(v), 0) < 380;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = paper;
    context.fillRect(0, 0, width, height);
    context.font = `11.5px ${look.fontFamily}`;
    context.textBaseline = "middle";
    const letter = context.measureText("m").width * 0.62;
    largest = 1;
    if (model.was) for (const kid of model.kidsOf(state.zoom)) largest = Math.max(largest, Math.abs(model.delta(kid)));
    const from = box.scrollTop;
    state.boxes = [];
    const bar = (i, x, w) => {
      const y = rowTop(model.depth[i]) - from;
      if (y + FLAME.row < 0 || y > height) return;
      const gap = w > 2 ? 1 : 0;
      context.globalAlpha = model.depth[i] < model.depth[state.zoom] || (state.hits && !(i && state.hits(model.fn[i]))) ? 0.5 : 1;
      context.fillStyle = colour(i, dark);
      context.fillRect(x, y, w - gap, FLAME.row - 1);
      context.globalAlpha = 1;
      if (w >= FLAME.text) {
        const name = i ? model.name(i) : `all · ${model.weight(model.total[0])}`;
        const room = Math.floor((w - 2 * FLAME.pad) / letter);
        let text = name.length > room ? `${name.slice(0, Math.max(1, room - 1))}…` : name;
        while (text.length > 2 && context.measureText(text).width > w - 2 * FLAME.pad) text = `${text.slice(0, -2)}…`;
        context.fillStyle = ink;
        context.fillText(text, x + FLAME.pad, y + FLAME.row / 2);
      }
      if (i === state.chosen) { context.strokeStyle = ink; context.lineWidth = 1.5; context.strokeRect(x + 0.75, y + 0.75, Math.max(1, w - gap - 1.5), FLAME.row - 2.5); }
      state.boxes.push([i, x, y, w]);
    };
    for (const i of [0, ...model.path(state.zoom)].slice(0, -1)) bar(i, 0, width);
    const whole = model.total[state.zoom] || 1;
    const stack = [[state.zoom, 0, width]];
    while (stack.length) {
      const [i, x, w] = stack.pop();
      bar(i, x, w);
      let left = x;
      for (const kid of model.kidsOf(i)) {
        const wide = (model.total[kid] / whole) * width;
        // Children are sorted: what follows is thinner still.
        if (wide < FLAME.least) break;
        stack.push([kid, left, wide]);
        left += wide;
      }
    }
  }

  function at(event) {
    const room = box.getBoundingClientRect(), x = event.clientX - room.left, y = event.clientY - room.top;
    const found = state.boxes.find(([, left, top, w]) => x >= left && x < left + w && y >= top && y < top + FLAME.row);
    return found ? found[0] : null;
  }

  const redraw = () => { measure(); draw(); };
  new ResizeObserver(redraw).observe(box);
  new MutationObserver(draw).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return {
    node, zoom, redraw,
    get zoomed() { return state.zoom; },
    boxes: () => state.boxes,
    upward(up) { state.up = up; box.scrollTop = 0; redraw(); },
    highlight(test) { state.hits = test; draw(); },
    choose: (i) => choose(i),
    again() { zoom(state.zoom); },
  };
}
