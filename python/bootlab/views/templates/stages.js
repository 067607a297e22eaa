// SPDX-License-Identifier: MIT
// Stage bars of one or two boots on one scale, and the table that carries their figures.
// boots: [[name, {stages: [{name, start_ns, duration_ns}], goal_ns, places}]]; whole: the length of the scale.
function barRows(boots, whole) {
  return boots.map(([name, boot]) => el("div", { class: "bar-row" },
    el("span", { class: "bar-name" }, name),
    el("div", { class: "bar-track" },
      boot.stages.map((s) => {
        const share = (100 * s.duration_ns) / whole;
        return el("span", {
          class: `segment ${stageClass(s.name)}`, style: { left: `${(100 * s.start_ns) / whole}%`, width: `${share}%` },
          title: `${s.name}: ${ms(s.duration_ns, boot.places)} ms`,
        }, share > 7 ? el("span", { class: "segment-name" }, s.name) : null,
        share > 7 ? el("span", { class: "segment-ms" }, ms(s.duration_ns, Math.min(1, boot.places))) : null);
      })),
    el("span", { class: "bar-total" }, `${ms(boot.goal_ns, boot.places)} ms`)));
}

function stageSection(data) {
  const boots = [["base", data.base], ["stacked", data.final]].filter(([, b]) => b && b.stages.length);
  if (!boots.length) return null;
  if (data.kind === "boot") boots[0][0] = "boot";
  const whole = Math.max(...boots.map(([, b]) => endOf(b)), 1);
  const bars = barRows(boots, whole);

  const made = data.tables.stages;
  const rows = rowsOf(made);
  const total = rows[rows.length - 1];
  const gone = boots.length > 1 && rows.some((row) => cellOf(made, row, "final_ns") === null) ? "A stage without a time in the stacked boot did not take place there, or its mark was not seen; its time then belongs to the stage before it." : null;
  const missing = boots.filter(([, b]) => b.missing.length).map(([n, b]) => el("p", { class: "aside" }, `Marks not seen (${n}): ${b.missing.join(", ")}`));
  const lacks = boots.flatMap(([n, b]) => b.lacks.map((l) => el("p", { class: "aside" }, `Not recorded (${n}): ${l}`)));
  const notes = boots.flatMap(([n, b]) => b.notes.map((l) => el("p", { class: "aside" }, `Note (${n}): ${l}`)));
  return section("stages", "Stages", null,
    el("div", { class: "bars", role: "img", "aria-label": "Stage lengths on one scale; the table below has the figures" }, bars, stageScale(whole)),
    madeTable(made, {
      still: true, cls: boots.length > 1 ? "figures" : "figures narrow", most: Infinity,
      draw: { title: (row, text) => (row.id === total.id ? el("strong", {}, text) : el("span", { class: "stage" }, el("i", { class: `swatch ${stageClass(text)}` }), text)) },
    }).node,
    loadTable(data), forecastTable(data),
    gone ? el("p", { class: "aside" }, gone) : null, missing, lacks, notes);
}

function loadTable(data) {
  if (!data.tables.loads) return null;
  const lead = data.mode === "exact" ? "An emulated card answers at once: the rate is that of the code which copies, and a board's medium adds its own time." : null;
  return el("div", {}, el("h3", {}, "Loaded by the boot loader"), lead ? el("p", { class: "aside" }, lead) : null,
    madeTable(data.tables.loads, { still: true, cls: "figures", most: Infinity, draw: { title: named } }).node);
}

// What each stage would take on a board: the parts that are sure, and hatched what may come on top.
function forecastTable(data) {
  const { forecast } = data;
  if (!forecast) return null;
  const whole = Math.max(...forecast.stages.map((s) => s.high), 1);
  const bars = forecast.stages.map((stage) => {
    let at = 0;
    const parts = stage.parts.map(([name, ns]) => {
      const left = at;
      at += ns;
      return el("span", {
        class: `segment part-${name}`, style: { left: `${(100 * left) / whole}%`, width: `${(100 * ns) / whole}%` },
        title: `${stage.name}, ${name === "unsure" ? "uncertain" : name}: ${ms(ns, 1)} ms`,
      });
    });
    return el("div", { class: "bar-row forecast" }, el("span", { class: "bar-name" }, stage.name), el("div", { class: "bar-track" }, parts),
      el("span", { class: "bar-total" }, `${ms(stage.low, 0)} to ${ms(stage.high, 0)}`));
  });
  const key = ["computed", "waited", "printed", "loaded", "unsure"].filter((name) => forecast.stages.some((s) => s.parts.some(([n]) => n === name)));
  return el("div", {}, el("h3", {}, "On a board, ms"), el("p", { class: "aside" }, forecast.said),
    el("div", { class: "bars", role: "img", "aria-label": "Forecast of each stage; the table below has the figures" }, bars, stageScale(whole)),
    el("p", { class: "aside" }, key.map((name) => el("span", { class: "stage" }, el("i", { class: `swatch part-${name}` }), `${name === "unsure" ? "uncertain" : name} `))),
    madeTable(data.tables.forecast, { still: true, cls: "figures", most: Infinity }).node);
}

const endOf = (boot) => Math.max(boot.goal_ns || 0, ...boot.stages.map((s) => s.start_ns + s.duration_ns));

function stageScale(whole) {
  const step = niceStep(whole / 8);
  const ticks = [];
  for (let at = 0; at <= whole * 1.0001; at += step) {
    const left = (100 * at) / whole;
    if (left > 93) continue; // its text would run into the one before it
    ticks.push(el("span", { class: left > 85 ? "tick end" : "tick", style: { left: `${left}%` } }, at === 0 ? "0" : shortTime(at, step)));
  }
  return el("div", { class: "bar-row scale", "aria-hidden": "true" }, el("span"), el("div", { class: "ticks" }, ticks), el("span"));
}

function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  return [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough) || power * 10;
}
