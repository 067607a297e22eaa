// The trials and the evidence behind each verdict.
function trialSection(data) {
  const trials = data.trials.filter((t) => !UNTRIED.includes(t.verdict));
  const untried = data.trials.filter((t) => UNTRIED.includes(t.verdict));
  if (!data.trials.length) return null;
  const clock = data.base.clock;
  const biggest = Math.max(...trials.map((t) => Math.abs(t.saved || 0)), 1);
  const sampled = trials.some((t) => t.p !== null);
  const columns = [
    { name: "change", cls: "name", key: (t) => t.id, cell: (t) => el("code", {}, t.id) },
    { name: "verdict", key: (t) => VERDICTS.indexOf(t.verdict), cell: (t) => verdictBadge(t.verdict) },
    { name: `saved, ${clock} ms`, right: true, cls: "saved", key: (t) => t.saved, cell: (t) => signedMs(t.saved) },
    { name: "", cls: "mini", cell: (t) => miniBar(t.saved, biggest) },
    { name: `goal, ${clock} ms`, right: true, key: (t) => t.goal, cell: (t) => ms(t.goal) },
    { name: "of base", right: true, key: (t) => (t.goal === null || !t.base ? null : t.goal / t.base), cell: (t) => percent(t.goal, t.base) },
    { name: "risk", key: (t) => riskRank(t.risk), cell: (t) => riskFlags(t.risk) },
    { name: "proof or reason", cls: "words", cell: (t) => proofText(t) },
  ];
  if (sampled) columns.splice(6, 0, { name: "p", right: true, key: (t) => t.p, cell: (t) => (t.p === null ? ABSENT : t.p.toPrecision(2)) });
  else columns.splice(6, 0, { name: "range, ms", right: true, key: (t) => rangeOf(t.spread), cell: (t) => (t.spread ? ms(rangeOf(t.spread)) : ABSENT) },
    { name: "boots", right: true, key: (t) => (t.spread ? t.spread.boots : 1), cell: (t) => (t.spread ? t.spread.boots : t.key ? 1 : 0) });
  if (trials.some((t) => t.board)) columns.splice(columns.length - 2, 0, boardColumn((t) => signedMs(t.board), (t) => t.board));
  const table = sortableTable({
    caption: "Trials, one change each against the base", columns, rows: trials, cls: "figures trials",
    sorted: { number: 2, down: true }, detail: (t) => evidence(t, data),
  });
  const state = { needle: "", verdict: null };
  const shown = el("output", { class: "count" });
  const update = () => {
    const n = table.filter((t) => (!state.verdict || t.verdict === state.verdict)
      && (!state.needle || [t.id, t.what, t.evidence, t.reason, t.verdict].some((x) => x.toLowerCase().includes(state.needle))));
    shown.textContent = n === trials.length ? counted(n, "trial") : `${n} of ${counted(trials.length, "trial")}`;
  };
  const counts = VERDICTS.map((v) => [v, trials.filter((t) => t.verdict === v).length]).filter(([, n]) => n);
  const chips = choice("verdict", [[null, "all"], ...counts.map(([v, n]) => [v, `${v} ${n}`])], (v) => { state.verdict = v; update(); });
  update();
  return section("trials", "Trials", "Boots with the change against the base without it, both under the same dithers; times are medians. Open a row for the evidence.",
    el("div", { class: "controls" }, searchBox("Filter trials", (needle) => { state.needle = needle; update(); }), chips, shown), table.node,
    untried.length ? folded(`${counted(untried.length, "change")} that ${untried.length === 1 ? "was" : "were"} not booted`, plainTable("Changes that were not booted", [
      { name: "change", cls: "name", cell: (t) => el("code", {}, t.id) },
      { name: "verdict", cell: (t) => verdictBadge(t.verdict) },
      { name: "why", cls: "words", cell: (t) => proofText(t) },
    ], untried, "figures")) : null);
}

// What a change saves besides on a board, by simple models: never a part of another figure.
const boardColumn = (cell, key) => ({ name: "on a board, ms", right: true, cls: "model", title: "console and images by simple models; in no other figure", key, cell });

const riskRank = (risk) => (risk.S ? 8 : 0) + (risk.F ? 4 : 0) + (risk.R ? 2 : 0) + (risk.d ? 1 : 0);
const rangeOf = (spread) => (spread ? spread.last - spread.first : null);
const spreadText = (spread) => `${ms(spread.median)} (${ms(spread.first)} to ${ms(spread.last)} in ${spread.boots} boots)`;
const proofText = (t) => [t.failed ? t.outcome : "", t.reason, t.evidence].filter(Boolean).join("; ") || t.what;

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
