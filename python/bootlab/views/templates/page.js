// SPDX-License-Identifier: MIT
// The page, from the data that stands beside this script.
function headline(data) {
  const { base, final } = data;
  const failed = base.failed ? base : final && final.failed ? final : null;
  const figures = [];
  const answer = data.answer;
  if (base.goal_ns !== null) {
    const last = final && final.goal_ns !== null ? final : base;
    figures.push(el("p", { class: "figure" },
      last === final && data.comparable ? [el("span", { class: "from" }, ms(base.middle_ns, base.places)), el("span", { class: "arrow", "aria-label": "to" }, "→")] : null,
      el("span", { class: "to" }, ms(last.middle_ns, last.places)), el("span", { class: "unit" }, "ms")),
    el("p", { class: "figure-name" }, `power-on to goal, ${last.clock} clock`));
    if (last === final && data.comparable) {
      const gain = base.middle_ns - final.middle_ns;
      figures.push(el("p", { class: `share ${gain > 0 ? "good" : "bad"}` }, answer.times),
        el("p", { class: "figure-name" }, [answer.percent, `${ms(Math.abs(gain), Math.min(base.places, final.places))} ms ${gain >= 0 ? "saved" : "lost"} by ${counted(answer.changes, "change")}`].filter(Boolean).join("; ")));
    }
  }
  const best = data.trials.find((t) => t.verdict === "faster");
  const pairs = [];
  for (let i = 0; i < figures.length; i += 2) pairs.push(el("div", {}, figures[i], figures[i + 1]));
  const longest = final || !base.stages.length || !base.goal_ns ? null : base.stages.reduce((a, b) => (b.duration_ns > a.duration_ns ? b : a));
  if (longest && !best) pairs.push(el("div", {}, el("p", { class: "share" }, percent(longest.duration_ns, base.goal_ns)), el("p", { class: "figure-name" }, `of it in the longest stage, ${longest.name}`)));
  return el("div", { class: "headline" }, pairs,
    data.comparable ? null : el("div", { class: "failure", role: "alert" }, `The base was timed on the ${base.clock} clock and the stack on the ${final.clock} clock: no difference between them means anything.`),
    failed ? el("div", { class: "failure", role: "alert" }, el("strong", {}, `${failed === final ? "The stack" : "The boot"} failed: ${failed.outcome}. `), failed.reason, failed.hint ? el("p", {}, failed.hint) : null) : null,
    best && !final ? el("div", {}, el("p", { class: "share good" }, answer.times), el("p", { class: "figure-name" }, [answer.percent, answer.by_board ? "by the exact time, with the best single change there, " : "with the best single change, "].filter(Boolean).join(" "), el("code", {}, best.id))) : null,
    data.trials.length && !final ? el("div", {}, el("p", { class: "share" }, `${data.trials.filter((t) => t.verdict === "faster").length} of ${data.trials.length}`), el("p", { class: "figure-name" }, "changes make it faster")) : null,
    answer.modelled.length ? el("div", { class: "beside" }, answer.modelled.map((line) => el("p", {}, line))) : null);
}

function facts(data) {
  const shift = data.shift === null ? "" : `, shift ${data.shift}: one instruction is ${2 ** data.shift} ns`;
  const rows = [
    ["run", data.id], ["started", data.started], ["finished", data.finished], ["mode", `${data.mode}${shift}${data.processors ? `, ${data.processors}` : ""}`], ["emulator", data.emulator_version],
    ["goal", data.goal], ["console", `${count(data.base.console_bytes)} bytes`], ["images", data.base.artefacts.map(([n, b]) => `${n} ${size(b)}`).join(", ")], ["bootlab", data.bootlab_version],
  ].filter(([, value]) => value);
  return folded(`run ${data.id}, ${data.mode} mode`, el("dl", { class: "facts" }, rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))));
}

function techniqueSection(data) {
  const made = data.tables.techniques;
  if (!made) return null;
  const part = (rows, caption) => madeTable({ ...made, caption }, {
    rows, without: ["what"],
    draw: {
      title: (row, text) => [el("code", {}, text), el("span", { class: "proof" }, cellOf(made, row, "what"))],
      applies: (row, text) => el("span", { class: `answer a-${text}` }, text),
      risk: (row) => riskFlags(data.risks[row.id]),
      evidence: (row, text) => (text ? el("code", {}, text) : null),
    },
  });
  const all = rowsOf(made);
  const others = all.filter((row) => cellOf(made, row, "applies") === "no");
  const main = part(all.filter((row) => !others.includes(row)), "Techniques that apply to this system, or may");
  const rest = part(others, "Techniques that do not apply");
  const fold = others.length ? folded(`${counted(others.length, "technique")} that ${others.length === 1 ? "does" : "do"} not apply`, rest.node) : null;
  const shown = el("output", { class: "count" });
  const filter = (needle) => {
    const hidden = rest.filter((row) => holds(row, needle));
    if (fold && needle) fold.open = hidden > 0;
    shown.textContent = `${main.filter((row) => holds(row, needle)) + hidden} of ${counted(all.length, "technique")}`;
  };
  filter("");
  return section("techniques", "Applicability", "What the evidence of the base says about every technique, before any was tried.",
    el("div", { class: "controls" }, searchBox("Filter techniques", filter), shown), main.node, fold);
}

function modelledSection(data) {
  const m = data.modelled;
  if (!data.tables.modelled) return null;
  return section("modelled", "Modelled, not measured", `What a board would add and no clock here has seen: characters × ${m.bits_per_character} bits / ${grouped(String(m.baud))} baud${m.bandwidth_bytes_per_s ? `; image bytes / ${count(m.bandwidth_bytes_per_s)} bytes per second` : ""}. Never part of the figures above.`,
    madeTable(data.tables.modelled, { still: true, draw: { title: named } }).node);
}

function quantaSection(data) {
  if (!data.tables.quantum) return null;
  return section("quanta", "Other quanta", `Each quantum is one schedule of the same system, exact by itself (${data.processors}). One boot each, without dithers: a gain whose sign turns is smaller than what the schedule decides.`,
    madeTable(data.tables.quantum, { still: true, draw: { title: named } }).node);
}

function limitsSection(data) {
  if (!data.not_modelled.length && !data.notes.length) return null;
  return section("limits", data.not_modelled.length ? "What exact mode does not model" : "Notes",
    data.not_modelled.length ? "Exact mode counts the instructions executed and the time of emulated devices. The same system gives the same figures on every machine; these things are not in them:" : null,
    data.not_modelled.length ? el("ul", {}, data.not_modelled.map((t) => el("li", {}, t))) : null,
    data.notes.map((n) => el("p", { class: "aside" }, `Note: ${n}`)));
}

function reproduceSection(data) {
  const parts = data.reproduce.map((c) => snippet(c));
  if (data.base.command) parts.push(el("h3", {}, "The emulator's command of the base"), snippet(data.base.command));
  if (data.base.cmdline) parts.push(el("h3", {}, "Kernel command line of the base"), snippet(data.base.cmdline));
  return parts.length ? section("reproduce", "How to get these results again", null, parts) : null;
}

function build(data) {
  const sections = [stageSection, waySection, floorSection, stackSection, systemSection, trialSection, quantaSection, timelineSection, consoleSection, techniqueSection, modelledSection, limitsSection, reproduceSection]
    .map((make) => make(data)).filter(Boolean);
  const label = (s) => (s.id === "system" ? "System" : headingOf(s).split(",")[0].replace("What exact mode does not model", "Limits").replace("How to get these results again", "Reproduce"));
  const kind = { boot: "Boot", try: "Trials", stack: "Stack", optimize: "Optimized" }[data.kind];
  drawPage({ name: data.system_name, kind, head: [headline(data), facts(data)], sections, label });
}

build(JSON.parse(document.getElementById("data").textContent));
