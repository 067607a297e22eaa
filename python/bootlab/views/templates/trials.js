// The trials and the evidence behind each verdict.
function trialSection(data) {
  const made = data.tables.trial;
  if (!made) return null;
  const trials = new Map(data.trials.map((t) => [t.id, t]));
  const verdictOf = (row) => cellOf(made, row, "verdict");
  const rows = rowsOf(made).filter((row) => !UNTRIED.includes(verdictOf(row)));
  const biggest = Math.max(...rows.map((row) => Math.abs(cellOf(made, row, "saved_ns") || 0)), 1);
  const table = madeTable(made, {
    rows, cls: "figures trials", sorted: { key: "saved_ns", down: true }, detail: (row) => evidence(trials.get(row.id), data),
    draw: { title: named, risk: (row) => riskFlags(trials.get(row.id).risk) },
    pictures: { saved_ns: { cls: "mini", cell: (row, saved) => miniBar(saved, biggest) } },
  });
  const state = { needle: "", verdict: null };
  const shown = el("output", { class: "count" });
  const update = () => {
    const n = table.filter((row) => (!state.verdict || verdictOf(row) === state.verdict)
      && (holds(row, state.needle) || trials.get(row.id).what.toLowerCase().includes(state.needle)));
    shown.textContent = n === rows.length ? counted(n, "trial") : `${n} of ${counted(rows.length, "trial")}`;
  };
  const counts = VERDICTS.map((v) => [v, rows.filter((row) => verdictOf(row) === v).length]).filter(([, n]) => n);
  const chips = choice("verdict", [[null, "all"], ...counts.map(([v, n]) => [v, `${v} ${n}`])], (v) => { state.verdict = v; update(); });
  update();
  return section("trials", "Trials", "Boots with the change against the base without it, both under the same dithers; times are medians. Open a row for the evidence.",
    el("div", { class: "controls" }, searchBox("Filter trials", (needle) => { state.needle = needle; update(); }), chips, shown), table.node,
    unbooted(made, "that was not booted", "that were not booted"));
}

const spreadText = (spread) => `${ms(spread.median)} (${ms(spread.first)} to ${ms(spread.last)} in ${spread.boots} boots)`;
function miniBar(saved, biggest) {
  if (!saved) return "";
  // Square root: a gain of a millisecond stays visible beside one of three hundred.
  const width = `${(50 * Math.sqrt(Math.abs(saved) / biggest)).toFixed(2)}%`;
  return el("div", { class: "mini-track", "aria-hidden": "true" },
    el("span", { class: saved >= 0 ? "mini-gain" : "mini-loss", style: saved >= 0 ? { left: "50%", width } : { right: "50%", width } }));
}

function evidence(t, data) {
  const facts = [
    ["change", t.what],
    ["proof of effect", t.shown === null ? "none asked: it was not booted" : [el("strong", {}, t.shown ? "shown. " : "not shown. "), t.evidence]],
    t.own ? ["the change itself", t.own] : null,
    t.reason ? ["reason", t.reason] : null,
    t.failed ? ["outcome", [el("strong", {}, t.outcome), t.hint ? `: ${t.hint}` : ""]] : null,
    ["instructions", t.insns === null || t.baseInsns === null ? ABSENT : `${count(t.baseInsns)} → ${count(t.insns)} (${signedCount(t.insns - t.baseInsns)})`],
    t.interval ? ["interval of the difference", `${signedMs(t.interval[0])} to ${signedMs(t.interval[1])} ms`] : null,
    t.baseSpread ? ["base, median and range, ms", spreadText(t.baseSpread)] : null,
    t.spread ? ["with the change, median and range, ms", spreadText(t.spread)] : null,
    t.errorRate !== null ? ["rule errs when nothing was changed", `${(100 * t.errorRate).toPrecision(2)} % at most`] : null,
    t.p !== null ? ["p value", t.p.toPrecision(3)] : null,
    t.baseSamples.length ? ["base samples, ms", t.baseSamples.map((s) => ms(s)).join("  ")] : null,
    t.samples.length ? ["samples, ms", t.samples.map((s) => ms(s)).join("  ")] : null,
    ...Object.entries(t.risk).filter(([, text]) => text).map(([flag, text]) => [`risk: ${RISKS[flag]}`, text]),
    ["recording", t.key ? el("code", {}, t.key) : "not booted"],
    ["base recording", el("code", {}, t.baseKey)],
  ].filter(Boolean);
  const moved = t.stages.filter(([, before, after]) => before !== after);
  const deltas = t.stages.length ? el("table", { class: "figures small" },
    el("caption", {}, moved.length ? "Stages that moved" : "No stage moved"),
    moved.length ? el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "stage"), ...["base, ms", "with it, ms", "saved, ms"].map((n) => el("th", { scope: "col", class: "n" }, n)))) : null,
    el("tbody", {}, moved.map(([name, before, after]) => el("tr", {},
      el("th", { scope: "row" }, el("i", { class: `swatch ${stageClass(name)}` }), name),
      el("td", { class: "n" }, ms(before)), el("td", { class: "n" }, ms(after)),
      el("td", { class: "n saved" }, before === null || after === null ? ABSENT : signedMs(before - after)))))) : null;
  const sizes = t.sizes.filter(([, , now]) => now !== null && now !== undefined);
  const bytes = sizes.length ? el("table", { class: "figures small" }, el("caption", {}, "Sizes, bytes"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "what"), ...["base", "with it", "difference"].map((n) => el("th", { scope: "col", class: "n" }, n)))),
    el("tbody", {}, sizes.map(([name, before, now]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "n" }, count(before)),
      el("td", { class: "n" }, count(now)), el("td", { class: "n" }, before === null || before === undefined ? ABSENT : signedCount(now - before)))))) : null;
  const line = t.cmdline.some(([, fate]) => fate !== "same")
    ? el("p", { class: "diff" }, el("code", {}, diffWords(t.cmdline)))
    : el("p", { class: "aside" }, data.base.cmdline && t.cmdline.length ? "The command line stays as it is." : "The command line is not known.");
  return el("div", { class: "evidence" },
    el("div", {}, el("dl", {}, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])), el("h4", {}, "Command line"), line),
    el("div", {}, deltas, bytes));
}
