// Stage bars of one or two boots on one scale, and the table that carries their figures.
function stageSection(data) {
  const boots = [["base", data.base], ["stacked", data.final]].filter(([, b]) => b && b.stages.length);
  if (!boots.length) return null;
  if (data.kind === "boot") boots[0][0] = "boot";
  const whole = Math.max(...boots.map(([, b]) => endOf(b)), 1);
  const bars = boots.map(([name, boot]) => el("div", { class: "bar-row" },
    el("span", { class: "bar-name" }, name),
    el("div", { class: "bar-track" },
      boot.stages.map((s) => {
        const share = (100 * s.length) / whole;
        return el("span", {
          class: `segment ${stageClass(s.name)}`, style: { left: `${(100 * s.start) / whole}%`, width: `${share}%` },
          title: `${s.name}: ${ms(s.length)} ms`,
        }, share > 7 ? el("span", { class: "segment-name" }, s.name) : null,
        share > 7 ? el("span", { class: "segment-ms" }, ms(s.length, 1)) : null);
      })),
    el("span", { class: "bar-total" }, `${ms(boot.goal)} ms`)));

  const names = [...new Set([...STAGES, ...boots.flatMap(([, b]) => b.stages.map((s) => s.name))])]
    .filter((name) => boots.some(([, b]) => b.stages.some((s) => s.name === name)));
  const find = (boot, name) => boot.stages.find((s) => s.name === name);
  const [first, second] = boots.map(([, b]) => b);
  const rows = names.map((name) => ({ name, a: find(first, name), b: second && find(second, name) }));
  rows.push({ total: true, name: "power-on to goal", a: { length: first.goal, insns: first.insns }, b: second && { length: second.goal, insns: second.insns } });
  const columns = [
    { name: "stage", cls: "stage", cell: (r) => (r.total ? el("strong", {}, r.name) : [el("i", { class: `swatch ${stageClass(r.name)}` }), r.name]) },
    { name: `${boots[0][0]}, ${first.clock} ms`, right: true, cell: (r) => ms(r.a?.length) },
    { name: "share", right: true, cell: (r) => percent(r.a?.length, first.goal) },
    { name: "instructions", right: true, cell: (r) => count(r.a?.insns) },
  ];
  if (second) {
    columns.push(
      { name: `stacked, ${second.clock} ms`, right: true, cell: (r) => ms(r.b?.length) },
      { name: "share", right: true, cell: (r) => percent(r.b?.length, second.goal) },
      { name: "instructions", right: true, cell: (r) => count(r.b?.insns) },
      data.comparable && { name: "saved, ms", right: true, cls: "saved", cell: (r) => (r.a?.length == null ? ABSENT : r.total && r.b.length == null ? ABSENT : signedMs(r.a.length - (r.b?.length ?? 0))) },
    );
  }
  const gone = second && rows.some((r) => !r.b) ? "A stage without a time in the stacked boot did not take place there, or its mark was not seen; its time then belongs to the stage before it." : null;
  const missing = boots.filter(([, b]) => b.missing.length).map(([n, b]) => el("p", { class: "aside" }, `Marks not seen (${n}): ${b.missing.join(", ")}`));
  const lacks = boots.flatMap(([n, b]) => b.lacks.map((l) => el("p", { class: "aside" }, `Not recorded (${n}): ${l}`)));
  const notes = boots.flatMap(([n, b]) => b.notes.map((l) => el("p", { class: "aside" }, `Note (${n}): ${l}`)));
  return section("stages", "Stages", null,
    el("div", { class: "bars", role: "img", "aria-label": "Stage lengths on one scale; the table below has the figures" }, bars, stageScale(whole)),
    plainTable("Stages from power-on to the goal", columns.filter(Boolean), rows, second ? "figures" : "figures narrow", Infinity),
    gone ? el("p", { class: "aside" }, gone) : null, missing, lacks, notes);
}

const endOf = (boot) => Math.max(boot.goal || 0, ...boot.stages.map((s) => s.start + s.length));

function stageScale(whole) {
  const step = niceStep(whole / 8);
  const ticks = [];
  for (let at = 0; at <= whole * 1.0001; at += step) {
    const left = (100 * at) / whole;
    if (left > 93) continue; // its text would run into the one before it
    ticks.push(el("span", { class: "tick", style: { left: `${left}%` } }, at === 0 ? "0" : shortTime(at, step)));
  }
  return el("div", { class: "bar-row scale", "aria-hidden": "true" }, el("span"), el("div", { class: "ticks" }, ticks), el("span"));
}

function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  return [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough) || power * 10;
}
