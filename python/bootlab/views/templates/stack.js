// SPDX-License-Identifier: MIT
// The stack: a waterfall table, what was left out, and the system that came of it.
function stackSection(data) {
  const { step, "left out": left, "leave one out": without } = data.tables;
  if (!step) return null;
  const goalOf = (row) => cellOf(step, row, "goal_ns");
  const all = rowsOf(step);
  const ends = new Set([all[0], all[all.length - 1]]);
  const steps = all.map((row) => ({ row, end: ends.has(row), after: goalOf(row), before: goalOf(row) + cellOf(step, row, "saved_ns") }));
  const whole = Math.max(1, ...steps.map((s) => Math.max(s.end ? 0 : s.before, s.after || 0)));
  const number = (row) => all.indexOf(row);
  const parts = [madeTable(step, {
    rows: all, still: true, cls: "figures waterfall", most: Infinity, without: ["proof"],
    draw: {
      title: (row, text) => (ends.has(row) ? el("strong", {}, text) : el("div", { class: "entry" }, el("span", { class: "ordinal" }, number(row)), el("code", {}, text))),
      what: (row, text) => (ends.has(row) ? "" : [text, folded("proof", cellOf(step, row, "proof"))]),
    },
    pictures: { title: { name: "goal", cls: "fall", cell: (row) => fall(steps[number(row)], whole) } },
  }).node];
  if (left) {
    const booted = rowsOf(left).filter((row) => !UNTRIED.includes(cellOf(left, row, "verdict")));
    if (booted.length) parts.push(el("h3", {}, left.caption), madeTable(left, { rows: booted, still: true, draw: { title: named } }).node);
    parts.push(unbooted(left, "left out without a boot", "left out without a boot"));
  }
  if (without) parts.push(el("h3", {}, without.caption), el("p", { class: "lead" }, "How much later the goal of the final stack comes without each change."), madeTable(without, { draw: { title: named } }).node);
  return section("stack", "Stack", "Every step was booted. A change stays only when the stack with it is faster and the functional check still passes.", parts);
}

const named = (row, text) => el("code", {}, text);

// The rows of a table that no boot stands behind, folded away.
function unbooted(made, one, several) {
  const rows = rowsOf(made).filter((row) => UNTRIED.includes(cellOf(made, row, "verdict")));
  return rows.length ? folded(`${counted(rows.length, "change")} ${rows.length === 1 ? one : several}`,
    madeTable(made, { rows, still: true, only: ["title", "verdict", "words"], draw: { title: named } }).node) : null;
}

function fall(row, whole) {
  const track = el("div", { class: "fall-track", "aria-hidden": "true" });
  const at = (ns) => `${(100 * ns) / whole}%`;
  if (row.after === null) return track;
  if (row.end) track.append(el("span", { class: "fall-total", style: { width: at(row.after) } }));
  else {
    const [low, high] = [Math.min(row.before, row.after), Math.max(row.before, row.after)];
    track.append(el("span", { class: "fall-rest", style: { width: at(low) } }),
      el("span", { class: row.before >= row.after ? "fall-gain" : "fall-loss", style: { left: at(low), width: at(high - low) } }));
  }
  return track;
}

function diffWords(words) {
  return words.map(([text, fate]) => [
    fate === "added" ? el("ins", {}, text) : fate === "removed" ? el("del", {}, text) : text, " "]);
}

function systemSection(data) {
  const stack = data.faster;
  if (!stack) return null;
  const images = stack.artefacts.length ? plainTable("Images of the faster system", [
    { name: "image", cell: (a) => a.name },
    { name: "path", cls: "path", cell: (a) => el("code", {}, a.path) },
    { name: "size", right: true, cell: (a) => size(a.size_bytes) },
    { name: "SHA-256", cls: "hash", cell: (a) => el("code", {}, a.sha256) },
  ], stack.artefacts, "figures") : null;
  return section("system", "The faster system", null,
    el("h3", {}, "Kernel command line"), snippet(stack.cmdline),
    el("h3", {}, "Against the base"), el("p", { class: "diff" }, el("code", {}, diffWords(stack.difference))),
    stack.machine ? [el("h3", {}, "Machine"), snippet(stack.machine),
      stack.base_machine ? el("p", { class: "aside" }, "base: ", el("code", {}, stack.base_machine)) : null] : null,
    images, stack.system_path ? el("p", { class: "aside" }, "System file: ", el("code", {}, stack.system_path)) : null);
}
