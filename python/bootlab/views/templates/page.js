// The page, from the data that stands beside this script.
function headline(data) {
  const { base, final } = data;
  const failed = base.failed ? base : final && final.failed ? final : null;
  const figures = [];
  const answer = data.answer;
  if (base.goal !== null) {
    const last = final && final.goal !== null ? final : base;
    figures.push(el("p", { class: "figure" },
      last === final && data.comparable ? [el("span", { class: "from" }, ms(base.middle)), el("span", { class: "arrow", "aria-label": "to" }, "→")] : null,
      el("span", { class: "to" }, ms(last.middle)), el("span", { class: "unit" }, "ms")),
    el("p", { class: "figure-name" }, `power-on to goal, ${last.clock} clock`));
    if (last === final && data.comparable) {
      const gain = base.middle - final.middle;
      figures.push(el("p", { class: `share ${gain > 0 ? "good" : "bad"}` }, answer.times),
        el("p", { class: "figure-name" }, [answer.percent, `${ms(Math.abs(gain))} ms ${gain >= 0 ? "saved" : "lost"} by ${counted(data.stack.steps.length, "change")}`].filter(Boolean).join("; ")));
    }
  }
  const best = data.trials.find((t) => t.verdict === "faster");
  const pairs = [];
  for (let i = 0; i < figures.length; i += 2) pairs.push(el("div", {}, figures[i], figures[i + 1]));
  return el("div", { class: "headline" }, pairs,
    data.comparable ? null : el("div", { class: "failure", role: "alert" }, `The base was timed on the ${base.clock} clock and the stack on the ${final.clock} clock: no difference between them means anything.`),
    failed ? el("div", { class: "failure", role: "alert" }, el("strong", {}, `${failed === final ? "The stack" : "The boot"} failed: ${failed.outcome}. `), failed.reason, failed.hint ? el("p", {}, failed.hint) : null) : null,
    best && !final ? el("div", {}, el("p", { class: "share good" }, answer.times), el("p", { class: "figure-name" }, [answer.percent, "with the best single change, "].filter(Boolean).join(" "), el("code", {}, best.id))) : null,
    data.trials.length && !final ? el("div", {}, el("p", { class: "share" }, `${data.trials.filter((t) => t.verdict === "faster").length} of ${data.trials.length}`), el("p", { class: "figure-name" }, "changes make it faster")) : null,
    answer.modelled.length ? el("div", { class: "beside" }, answer.modelled.map((line) => el("p", {}, line))) : null);
}

function facts(data) {
  const shift = data.shift === null ? "" : `, shift ${data.shift}: one instruction is ${2 ** data.shift} ns`;
  const rows = [
    ["run", data.id], ["started", data.started], ["finished", data.finished], ["mode", `${data.mode}${shift}${data.processors ? `, ${data.processors}` : ""}`], ["emulator", data.emulator],
    ["goal", data.goal], ["console", `${count(data.base.consoleBytes)} bytes`], ["images", data.base.artefacts.map(([n, b]) => `${n} ${size(b)}`).join(", ")], ["bootlab", data.bootlab],
  ].filter(([, value]) => value);
  return folded(`run ${data.id}, ${data.mode} mode`, el("dl", { class: "facts" }, rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))));
}

function techniqueSection(data) {
  if (!data.techniques.length) return null;
  const columns = [
    { name: "technique", cls: "name", key: (t) => t.id, cell: (t) => [el("code", {}, t.id), el("span", { class: "proof" }, t.title)] },
    { name: "applies", key: (t) => (t.answer === "yes" ? 0 : t.answer === "unknown" ? 1 : 2), cell: (t) => el("span", { class: `answer a-${t.answer}` }, t.answer) },
    { name: "stage", key: (t) => t.stage, cell: (t) => t.stage },
    { name: "risk", key: (t) => riskRank(t.risk), cell: (t) => riskFlags(t.risk) },
    { name: "reason and evidence", cls: "words", cell: (t) => [t.reason, t.evidence ? el("code", { class: "proof" }, t.evidence) : null] },
  ];
  const made = (rows, caption) => sortableTable({ caption, cls: "figures", rows, sorted: { number: 1, down: false }, columns });
  const others = data.techniques.filter((t) => t.answer === "no");
  const main = made(data.techniques.filter((t) => t.answer !== "no"), "Techniques that apply to this system, or may");
  const rest = made(others, "Techniques that do not apply");
  const fold = others.length ? folded(`${counted(others.length, "technique")} that ${others.length === 1 ? "does" : "do"} not apply`, rest.node) : null;
  const shown = el("output", { class: "count" });
  const filter = (needle) => {
    const test = (t) => [t.id, t.title, t.reason, t.evidence, t.answer].some((x) => x.toLowerCase().includes(needle));
    const hidden = rest.filter(test);
    if (fold && needle) fold.open = hidden > 0;
    shown.textContent = `${main.filter(test) + hidden} of ${counted(data.techniques.length, "technique")}`;
  };
  filter("");
  return section("techniques", "Applicability", "What the evidence of the base says about every technique, before any was tried.",
    el("div", { class: "controls" }, searchBox("Filter techniques", filter), shown), main.node, fold);
}

function modelledSection(data) {
  const m = data.modelled;
  if (!m || !m.rows.length) return null;
  const columns = [
    { name: "boot", cell: (r) => el("code", {}, r.subject) },
    { name: "console, characters", right: true, cell: (r) => count(r.consoleBytes) },
    { name: `modelled at ${grouped(String(m.baud))} baud, ms`, right: true, cls: "model", cell: (r) => ms(r.console) },
    { name: "images, bytes", right: true, cell: (r) => count(r.imageBytes) },
  ];
  if (m.bandwidth) columns.push({ name: `modelled at ${count(m.bandwidth / 1e6)}${THIN}MB/s, ms`, right: true, cls: "model", cell: (r) => ms(r.image) });
  return section("modelled", "Modelled, not measured", `What a board would add and no clock here has seen: characters × ${m.bits} bits / ${grouped(String(m.baud))} baud${m.bandwidth ? `; image bytes / ${count(m.bandwidth)} bytes per second` : ""}. Never part of the figures above.`,
    plainTable("Modelled costs on hardware", columns, m.rows, "figures"));
}

function quantaSection(data) {
  if (!data.quanta.length) return null;
  const columns = [
    { name: "system", cls: "name", cell: (r) => el("code", {}, r.subject) },
    { name: "quantum, us", right: true, cell: (r) => count(r.quantum / 1000) },
    { name: "goal, ms", right: true, cell: (r) => ms(r.goal) },
    { name: "saved, ms", right: true, cls: "saved", cell: (r) => (r.subject === "base" ? "" : signedMs(r.saved)) },
    { name: "", cls: "words", cell: (r) => r.words },
  ];
  return section("quanta", "Other quanta", `Each quantum is one schedule of the same system, exact by itself (${data.processors}). One boot each, without dithers: a gain whose sign turns is smaller than what the schedule decides.`,
    plainTable("The goal with other quanta", columns, data.quanta, "figures"));
}

function limitsSection(data) {
  if (!data.notModelled.length && !data.notes.length) return null;
  return section("limits", data.notModelled.length ? "What exact mode does not model" : "Notes",
    data.notModelled.length ? "Exact mode counts the instructions executed and the time of emulated devices. The same system gives the same figures on every machine; these things are not in them:" : null,
    data.notModelled.length ? el("ul", {}, data.notModelled.map((t) => el("li", {}, t))) : null,
    data.notes.map((n) => el("p", { class: "aside" }, `Note: ${n}`)));
}

function reproduceSection(data) {
  const parts = data.reproduce.map((c) => snippet(c));
  if (data.base.command) parts.push(el("h3", {}, "The emulator's command of the base"), snippet(data.base.command));
  if (data.base.cmdline) parts.push(el("h3", {}, "Kernel command line of the base"), snippet(data.base.cmdline));
  return parts.length ? section("reproduce", "How to get these results again", null, parts) : null;
}

function themeButton() {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  return el("button", { type: "button", class: "theme", onclick: () => { root.dataset.theme = dark() ? "light" : "dark"; } }, "light / dark");
}

function build(data) {
  const sections = [stageSection, stackSection, systemSection, trialSection, quantaSection, timelineSection, consoleSection, techniqueSection, modelledSection, limitsSection, reproduceSection]
    .map((make) => make(data)).filter(Boolean);
  const nav = el("nav", { "aria-label": "sections" }, el("ul", {}, sections.map((s) => el("li", {}, el("a", { href: `#${s.id}` }, s.id === "system" ? "System" : s.querySelector("h2").textContent.split(",")[0].replace("What exact mode does not model", "Limits").replace("How to get these results again", "Reproduce"))))));
  const kind = { boot: "Boot", try: "Trials", stack: "Stack" }[data.kind];
  document.getElementById("page").append(
    el("a", { class: "skip", href: "#main" }, "Skip to the report"),
    el("header", {}, el("div", { class: "title" }, el("p", { class: "brand" }, "bootlab"), el("h1", {}, data.system), el("p", { class: "kind" }, kind), themeButton()),
      headline(data), facts(data)),
    el("div", { class: "nav-bar" }, nav), el("main", { id: "main" }, sections),
    el("footer", {}, "One file, no network. Times in milliseconds on the clock named beside them."));
}

build(JSON.parse(document.getElementById("data").textContent));
