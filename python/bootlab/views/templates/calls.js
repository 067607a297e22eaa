// SPDX-License-Identifier: MIT
// One panel of call paths: flame graph, functions with callers and callees, call tree; one search for all.
function callsPanel(data, idText) {
  const model = callsModel(data);
  const counted = el("output", { class: "count", "aria-live": "polite" });
  const flame = flameGraph(model, () => tellCount());
  const tree = callTree(model, (i) => flame.choose(i));
  const functions = functionTable(model, chooseFunction);
  let test = null;

  function tellCount() {
    if (!test) { counted.textContent = ""; return; }
    const { sum, nodes } = model.matched(flame.zoomed, test);
    const names = data.names.filter((_name, f) => test(f)).length;
    counted.textContent = `${count(names)} ${names === 1 ? "function" : "functions"}, ${count(nodes)} ${nodes === 1 ? "path" : "paths"}: ${model.weight(sum)}, ${percent(sum, model.total[flame.zoomed], 2)} of what is shown`;
  }
  function look(text) {
    const hits = new Uint8Array(data.names.length);
    if (text) data.names.forEach((name, f) => { hits[f] = name.toLowerCase().includes(text) ? 1 : 0; });
    mark(text ? (f) => hits[f] === 1 : null);
  }
  function mark(matches) {
    test = matches;
    flame.highlight(test);
    tree.highlight(test);
    tellCount();
  }
  function chooseFunction(f) {
    box.value = data.names[f];
    mark((other) => other === f);
    functions.show(f);
    tree.step(1);
  }
  function reset() {
    box.value = "";
    tasks.value = "0";
    look("");
    flame.zoom(0);
  }
  const box = searchBox("Search paths", look, (by) => {
    const hit = tree.step(by);
    if (hit) { flame.choose(hit.node); counted.textContent += `; ${hit.text}`; }
  });
  const again = () => { fillTasks(); tree.rebuild(); tree.highlight(test); flame.again(); };
  const tasks = el("select", { class: "search", "aria-label": "Task", onchange: () => flame.zoom(Number(tasks.value)) });
  function fillTasks() {
    const kept = tasks.value || "0";
    clear(tasks).append(el("option", { value: "0" }, `all tasks, ${model.weight(model.total[0])}`), ...[...model.kidsOf(0)].filter((i) => model.total[i] > 0)
      .map((i) => el("option", { value: String(i) }, `${model.name(i)}, ${model.weight(model.total[i])}`)));
    tasks.value = kept;
  }
  fillTasks();
  const waits = model.now.wait[0] > 0 || (model.was && model.was.wait[0] > 0);
  const { left } = data;
  const cut = left.paths ? `Paths that took less than ${model.weight(left.least)} (${(left.share * 100).toPrecision(2)}${THIN}% of all) are left out: ${count(left.paths)} of ${count(left.of)}. Their time is in the totals above them.` : "";
  const help = "A bar is as wide as the time below it; the widest callee stands first. Click zooms, so do the arrow keys and Enter; Escape goes back.";
  return el("div", { class: "calls", id: idText },
    el("div", { class: "controls" }, tasks, box, el("button", { type: "button", onclick: reset }, "reset"), counted),
    el("div", { class: "controls" },
      choice("Direction", [["down", "icicle"], ["up", "flame"]], (to) => flame.upward(to === "up")),
      model.was ? choice("Widths", [["now", `widths of ${data.sides[1]}`], ["was", `widths of ${data.sides[0]}`]], (which) => { model.choose(which, model.waits); again(); }) : null,
      waits ? choice("Waiting", [["work", "work only"], ["all", "with waiting"]], (what) => { model.choose(model.side, what === "all"); again(); }) : null),
    flame.node,
    el("p", { class: "aside" }, help, " ", model.was ? "Red took longer, blue took less than the base. " : "", cut),
    el("h3", {}, "Functions"), functions.node,
    el("h3", {}, "Call tree"), tree.node);
}
