// SPDX-License-Identifier: MIT
// The page of an analysis: parts with their plots, costs and tables, from the data that stands beside this script.
function dataTable(made, number, title) {
  const shown = el("output", { class: "count" });
  const table = madeTable(made, { most: 15 });
  const filter = (needle) => {
    const n = table.filter((row) => holds(row, needle));
    shown.textContent = `${count(n)} of ${count(made.rows.length)}${made.left ? `; ${count(made.left)} more are in the JSON` : ""}`;
  };
  filter("");
  return el("div", { class: "made", id: `table-${number}` }, !made.caption || made.caption === title ? null : el("h3", {}, made.caption), made.lead ? el("p", { class: "lead" }, made.lead) : null,
    made.rows.length > 12 ? el("div", { class: "controls" }, searchBox(`Filter ${shortHeading(made.caption, 24).toLowerCase()}`, filter), shown) : null, table.node);
}

function costTable(costs) {
  const caption = "Costs, and the techniques that reduce them";
  const table = sortableTable({
    caption, cls: "figures", rows: costs, most: 10,
    columns: [
      { name: "technique", cls: "name", key: (c) => c.technique, cell: (c) => [el("code", {}, c.technique), el("span", { class: "proof" }, prose(c.title))] },
      { name: "cost, ms", right: true, key: (c) => c.cost, cell: (c) => (c.atLeast ? `≥ ${ms(c.cost)}` : ms(c.cost)) },
      { name: "may gain, ms", right: true, key: (c) => c.gain, cell: (c) => (c.atMost ? `≤ ${ms(c.gain)}` : ms(c.gain)) },
      { name: "basis", key: (c) => c.basis, cell: (c) => c.basis },
      { name: "evidence and what to do", cls: "words", cell: (c) => [prose(c.evidence), el("span", { class: "proof" }, prose(c.advice)), c.way ? el("code", { class: "proof" }, c.way) : null] },
    ],
  });
  return el("div", { class: "made" }, el("h3", {}, caption),
    el("p", { class: "lead" }, "A gain is printed by the log, computed from it, or published for another system. None is a promise: only a boot decides."), table.node);
}

const stageItems = (lane) => ({ ...spanItems(lane, "plain"), items: lane.spans.map(([name, start, length, detail]) => ({ name, start, length, detail, cls: stageClass(name) })) });

// One bar of a boot's stages, and their names and lengths below it: colours as in every report.
function stageBar(bars) {
  const whole = Math.max(bars.reduce((sum, [, , length]) => sum + length, 0), 1);
  let left = 0;
  const segments = bars.map(([name, , length, words]) => {
    const share = (100 * length) / whole;
    const segment = el("span", { class: `segment ${stageClass(name)}`, style: { left: `${left}%`, width: `${share}%` }, title: `${words}: ${ms(length)} ms` },
      share > 9 ? el("span", { class: "segment-name" }, name) : null, share > 9 ? el("span", { class: "segment-ms" }, ms(length, 1)) : null);
    left += share;
    return segment;
  });
  return el("div", { class: "bars" }, el("div", { class: "bar-track", role: "img", "aria-label": "Stage lengths on one scale; their figures stand below" }, segments),
    el("ul", { class: "legend" }, bars.map(([name, , length, words, sign]) => el("li", { title: words }, el("i", { class: `swatch ${stageClass(name)}` }), `${name} ${sign || ""}${ms(length)} ms`))));
}

// The stages of several boots on one scale: a boot's goal is where its last stage ends.
function sideBars(sides) {
  const whole = Math.max(...sides.map(([, boot]) => boot.goal_ns), 1);
  return el("div", { class: "bars", role: "img", "aria-label": "Stage lengths on one scale; the table below has the figures" }, barRows(sides, whole), stageScale(whole));
}

let made = 0;
function partSection(part, index) {
  const plot = part.plot && plotPanel({
    lanes: part.plot.lanes.map((lane) => (lane.name === "stages" ? stageItems(lane) : spanItems(lane, lane.stage ? stageClass(lane.stage) : "plain"))), marks: part.plot.marks,
    start: part.plot.start, end: part.plot.end + (part.plot.end - part.plot.start) * 0.01,
    label: part.plot.label, tableTitle: "Longest spans", idText: `plot-${index}`, title: part.plot.label,
  });
  return section(`part-${index}`, part.title, part.subtitle,
    part.bars && part.bars.length ? stageBar(part.bars) : null,
    part.sides ? sideBars(part.sides) : null,
    part.alerts.map((text) => el("div", { class: "failure", role: "alert" }, prose(text))),
    (part.trends || []).map((trend) => el("figure", {}, el("figcaption", {}, trend.label), trendChart(trend))),
    part.choose ? chooser(part.choose) : null,
    part.calls ? callsPanel(part.calls, `calls-${index}`) : null, plot, part.costs.length ? costTable(part.costs) : null, part.tables.map((table) => dataTable(table, (made += 1), part.title)));
}

function build(data) {
  const sections = data.parts.map(partSection);
  if (data.account.length) sections.push(section("account", "What was read", "As what each range of lines was read, and what was left out and why.",
    data.account.filter((table) => table.rows.length).map((table) => dataTable(table, (made += 1)))));
  const facts = data.facts || [["file", data.file === data.name ? "" : data.file], ["read as", data.detected], ["lines", data.lines ? count(data.lines) : ""], ["size", size(data.bytes)], ["packed", data.packing]].filter(([, value]) => value);
  const head = [
    data.headline && data.headline.length ? el("div", { class: "headline" }, data.headline.map(([text, unit, name, verdict]) => el("div", {},
      el("p", { class: "figure" }, el("span", { class: verdict ? `to v-${verdict}` : "to" }, text), unit ? el("span", { class: "unit" }, unit) : null), el("p", { class: "figure-name" }, prose(name))))) : null,
    data.problems.map((text) => el("div", { class: "failure", role: "alert" }, prose(text))),
    data.parts.length ? null : el("div", { class: "failure", role: "alert" }, data.empty || "Nothing of a boot was found in it."),
    data.partsLeft ? el("p", { class: "aside" }, `${count(data.partsLeft)} more parts are in the JSON.`) : null,
    facts.length ? el("dl", { class: "facts" }, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))) : null,
  ];
  drawPage({ name: data.name, kind: data.kind || "Analysis", head, sections, label: (s) => shortHeading(headingOf(s)), notes: data.notes, trail: data.trail, footer: data.footer });
}
