// SPDX-License-Identifier: MIT
// What `optimize` adds: the way from the base to the result, the floor beside it, what to undo for debugging.
function waySection(data) {
  const { bar, cost, contrast, undo, option, part, question } = data.tables;
  if (!bar) return null;
  const rows = rowsOf(bar);
  const steps = new Map(rows.map((row) => {
    const after = cellOf(bar, row, "goal_ns");
    return [row, { end: false, after, before: after === null ? null : after + cellOf(bar, row, "saved_ns") }];
  }));
  const whole = Math.max(1, ...[...steps.values()].map((step) => Math.max(step.before || 0, step.after || 0)));
  const codes = (row, text) => el("div", {}, text.split(" + ").map((one) => el("code", {}, one)).flatMap((node, i) => (i ? [" + ", node] : [node])));
  const parts = [madeTable(bar, {
    rows, still: true, cls: "figures waterfall", most: Infinity, draw: { title: codes },
    pictures: { title: { name: "goal", cls: "fall", cell: (row) => fall(steps.get(row), whole) } },
  }).node];
  if (cost) parts.push(el("h3", {}, cost.caption), madeTable(cost, { still: true, most: Infinity, draw: { title: named } }).node);
  if (contrast) parts.push(el("h3", {}, contrast.caption), madeTable(contrast, { still: true, most: Infinity }).node);
  if (undo) parts.push(el("h3", {}, undo.caption), madeTable(undo, { still: true, draw: { title: named } }).node);
  for (const table of [part, option]) if (table) parts.push(folded(table.caption, madeTable(table, { still: true, draw: { title: named } }).node));
  if (question) parts.push(folded(question.caption, madeTable(question, { still: true }).node));
  return section("way", "Way to the result", "Each change of the final system, on top of those above it; one boot each.", parts);
}

function floorSection(data) {
  const { floor, obstacle } = data.tables;
  if (!floor) return null;
  return section("floor", "Floor", "The least time that the goal needs. A bound is certain; an estimate counts the needed work at what it takes in this boot.",
    el("p", {}, data.answer.floor),
    madeTable(floor, { still: true, most: Infinity }).node,
    obstacle ? [el("h3", {}, obstacle.caption), madeTable(obstacle, { still: true, most: Infinity }).node] : null);
}
