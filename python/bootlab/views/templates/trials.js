// SPDX-License-Identifier: MIT
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

const spreadText = (spread, places) => `${ms(spread.median_ns, places)} (${ms(spread.first_ns, places)} to ${ms(spread.last_ns, places)} in ${spread.boots} boots)`;
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
    ["proof of effect", t.effect === null ? "none asked: it was not booted" : [el("strong", {}, t.effect.shown ? "shown. " : "not shown. "), t.effect.evidence]],
    t.own ? ["the change itself", t.own] : null,
    t.reason ? ["reason", t.reason] : null,
    t.failed ? ["outcome", [el("strong", {}, t.outcome), t.hint ? `: ${t.hint}` : ""]] : null,
    ["instructions", t.goal_insns === null || t.base_insns === null ? ABSENT : `${count(t.base_insns)} → ${count(t.goal_insns)} (${signedCount(t.goal_insns - t.base_insns)})`],
    t.interval_ns ? ["interval of the difference", `${signedMs(t.interval_ns[0], t.places)} to ${signedMs(t.interval_ns[1], t.places)} ms`] : null,
    t.base_spread ? ["base, median and range, ms", spreadText(t.base_spread, t.places)] : null,
    t.spread ? ["with the change, median and range, ms", spreadText(t.spread, t.places)] : null,
    t.error_rate !== null ? ["rule errs when nothing was changed", `${(100 * t.error_rate).toPrecision(2)} % at most`] : null,
    t.p_value !== null ? ["p value", t.p_value.toPrecision(3)] : null,
    t.base_samples_ns.length ? ["base samples, ms", t.base_samples_ns.map((s) => ms(s, t.places)).join("  ")] : null,
    t.samples_ns.length ? ["samples, ms", t.samples_ns.map((s) => ms(s, t.places)).join("  ")] : null,
    ...Object.entries(t.risk).filter(([, text]) => text).map(([flag, text]) => [`risk: ${RISKS[flag]}`, text]),
    ["recording", t.key ? el("code", {}, t.key) : "not booted"],
    ["base recording", el("code", {}, t.base_key)],
  ].filter(Boolean);
  const moved = t.stages.filter((s) => s.before_ns !== s.after_ns);
  const deltas = t.stages.length ? el("table", { class: "figures small" },
    el("caption", {}, moved.length ? "Stages that moved" : "No stage moved"),
    moved.length ? el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "stage"), ...["base, ms", "with it, ms", "saved, ms"].map((n) => el("th", { scope: "col", class: "n" }, n)))) : null,
    el("tbody", {}, moved.map(({ stage: name, before_ns: before, after_ns: after }) => el("tr", {},
      el("th", { scope: "row" }, el("i", { class: `swatch ${stageClass(name)}` }), name),
      el("td", { class: "n" }, ms(before, t.places)), el("td", { class: "n" }, ms(after, t.places)),
      el("td", { class: "n saved" }, before === null || after === null ? ABSENT : signedMs(before - after, t.places)))))) : null;
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
