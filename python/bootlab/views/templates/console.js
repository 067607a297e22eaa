// SPDX-License-Identifier: MIT
// Console logs with the stamp of every line's first byte.
function consoleSection(data) {
  const logs = [["base", data.base], ["stacked", data.final]].filter(([, b]) => b && b.console);
  if (!logs.length) return null;
  const host = el("div", {});
  const show = ([name, boot]) => clear(host).append(consoleLog(name, boot));
  show(logs[0]);
  const pick = logs.length > 1 ? choice("boot", logs.map((pair) => [pair, pair[0]]), show) : null;
  return section("console", "Console", `Every line with the ${logs[0][1].clock} time at which its first byte was sent, and the time since the line before it.`, pick, host);
}

function consoleLog(name, boot) {
  const { lines, total } = boot.console;
  const body = el("tbody");
  let before = null;
  const rows = lines.map(([number, at, text]) => {
    const gap = at === null || before === null ? null : at - before;
    if (at !== null) before = at;
    const cell = el("td", { class: "line" }, text);
    const row = el("tr", {}, el("td", { class: "n num" }, number), el("td", { class: "n" }, ms(at)),
      el("td", { class: gap !== null && gap >= 10e6 ? "n gap long" : "n gap" }, gap === null ? "" : signedMs(gap)), cell);
    body.append(row);
    return { row, cell, text, low: text.toLowerCase(), touched: false };
  });
  const found = el("output", { class: "count" });
  const whole = total > lines.length ? `first ${count(lines.length)} of ${count(total)} lines; the rest is in the recording` : `${count(total)} lines`;
  found.textContent = whole;
  const search = (needle) => {
    let hits = 0;
    for (const entry of rows) {
      const hit = !needle || entry.low.includes(needle);
      entry.row.hidden = !hit;
      hits += hit ? 1 : 0;
      if (needle ? hit : entry.touched) clear(entry.cell).append(...marked(entry.text, needle));
      entry.touched = Boolean(needle && hit);
    }
    found.textContent = needle ? `${count(hits)} of ${count(lines.length)} lines match` : whole;
  };
  return el("div", {},
    el("div", { class: "controls" }, searchBox("Search the console", search), found),
    el("div", { class: "log", tabindex: "0", role: "region", "aria-label": `console of the ${name}` },
      el("table", {}, el("caption", {}, `Console of the ${name}`),
        el("thead", {}, el("tr", {}, ["#", "ms", "since, ms"].map((n) => el("th", { scope: "col", class: "n" }, n)), el("th", { scope: "col" }, "line"))), body)),
    boot.recording_path ? el("p", { class: "aside" }, "Recording: ", el("code", {}, boot.recording_path)) : null);
}
