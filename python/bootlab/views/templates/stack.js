// The stack: a waterfall table, what was left out, and the system that came of it.
function stackSection(data) {
  const stack = data.stack;
  if (!stack) return null;
  const baseNs = data.base.middle;
  const left = new Map(stack.leaveOneOut.map((r) => [r.id, r]));
  const whole = Math.max(baseNs || 1, ...stack.steps.map((s) => Math.max(s.before, s.after)));
  const rows = [
    { end: true, id: "base", after: baseNs },
    ...stack.steps.map((s, i) => ({ ...s, number: i + 1, saved: s.before - s.after, loo: left.get(s.id) })),
    { end: true, id: "stacked", after: data.final.middle, saved: baseNs === null || data.final.middle === null || !data.comparable ? null : baseNs - data.final.middle },
  ];
  const columns = [
    { name: "change", cls: "name", cell: (r) => (r.end ? el("strong", {}, r.id) : el("div", { class: "entry" }, el("span", { class: "ordinal" }, r.number), el("code", {}, r.id), r.retried ? el("span", { class: "late", title: "taken in the late round, after it had been tried before" }, "late") : null)) },
    { name: "goal", cls: "fall", cell: (r) => fall(r, whole) },
    { name: "saved, ms", right: true, cls: "saved", cell: (r) => (r.id === "base" && r.end ? "" : signedMs(r.saved)) },
    { name: "goal, ms", right: true, cell: (r) => ms(r.after) },
    { name: "of base", right: true, cell: (r) => percent(data.comparable ? r.after : null, baseNs) },
  ];
  if (stack.leaveOneOut.length) {
    columns.push({ name: "cost when left out, ms", right: true, title: "the final stack without this change, against the final stack", cell: (r) => (r.end ? "" : leftOut(r.loo)) });
  }
  if (stack.steps.some((s) => s.board)) columns.push(boardColumn((r) => (r.end ? "" : signedMs(r.board))));
  columns.push({ name: "what it does", cls: "words", cell: (r) => (r.end ? "" : [r.what, r.evidence ? folded("proof", r.evidence) : null]) });
  const parts = [plainTable("Changes in the order they were stacked", columns, rows, "figures waterfall", Infinity)];
  const dropped = stack.leaveOneOut.filter((r) => !r.kept);
  if (dropped.length) {
    parts.push(el("p", { class: "aside" }, `Dropped by leave-one-out: ${dropped.map((r) => `${r.id} (${r.reason || "no cost"})`).join("; ")}.`));
  }
  const booted = stack.rejected.filter((r) => !UNTRIED.includes(r.verdict));
  const unbooted = stack.rejected.filter((r) => UNTRIED.includes(r.verdict));
  if (booted.length) {
    parts.push(el("h3", {}, "Tried on the stack and left out"), plainTable("Changes left out of the stack", [
      { name: "change", cls: "name", cell: (r) => el("code", {}, r.id) },
      { name: "verdict", cell: (r) => verdictBadge(r.verdict) },
      { name: "saved, ms", right: true, cls: "saved", cell: (r) => signedMs(r.saved) },
      { name: "tried again", cell: (r) => (r.retried ? "yes" : "no") },
      { name: "why", cls: "words", cell: (r) => r.reason },
    ], booted, "figures"));
  }
  if (unbooted.length) {
    parts.push(folded(`${counted(unbooted.length, "change")} left out without a boot`, plainTable("Changes left out without a boot", [
      { name: "change", cls: "name", cell: (r) => el("code", {}, r.id) },
      { name: "why", cls: "words", cell: (r) => r.reason },
    ], unbooted, "figures")));
  }
  return section("stack", "Stack", "Every step was booted. A change stays only when the stack with it is faster and the functional check still passes.", parts);
}

function leftOut(row) {
  if (!row) return ABSENT;
  const text = row.cost === null ? "goal not reached" : signedMs(row.cost);
  return row.kept ? text : el("span", { title: row.reason }, text, " ", el("span", { class: "late" }, "dropped"));
}

function fall(row, whole) {
  const track = el("div", { class: "fall-track", "aria-hidden": "true" });
  const at = (ns) => `${(100 * ns) / whole}%`;
  if (row.after === null) return track;
  if (row.end) track.append(el("span", { class: "fall-total", style: { width: at(row.after) } }));
  else {
    const [low, high] = [Math.min(row.before, row.after), Math.max(row.before, row.after)];
    track.append(el("span", { class: "fall-rest", style: { width: at(low) } }),
      el("span", { class: row.saved >= 0 ? "fall-gain" : "fall-loss", style: { left: at(low), width: at(high - low) } }));
  }
  return track;
}

function diffWords(words) {
  return words.map(([text, fate]) => [
    fate === "added" ? el("ins", {}, text) : fate === "removed" ? el("del", {}, text) : text, " "]);
}

function systemSection(data) {
  const stack = data.stack;
  if (!stack) return null;
  const images = stack.artefacts.length ? plainTable("Images of the faster system", [
    { name: "image", cell: (a) => a.name },
    { name: "path", cls: "path", cell: (a) => el("code", {}, a.path) },
    { name: "size", right: true, cell: (a) => size(a.size) },
    { name: "SHA-256", cls: "hash", cell: (a) => el("code", {}, a.sha256) },
  ], stack.artefacts, "figures") : null;
  return section("system", "The faster system", null,
    el("h3", {}, "Kernel command line"), snippet(stack.cmdline),
    el("h3", {}, "Against the base"), el("p", { class: "diff" }, el("code", {}, diffWords(stack.cmdlineDiff))),
    stack.machine ? [el("h3", {}, "Machine"), snippet(stack.machine),
      stack.baseMachine ? el("p", { class: "aside" }, "base: ", el("code", {}, stack.baseMachine)) : null] : null,
    images, stack.path ? el("p", { class: "aside" }, "System file: ", el("code", {}, stack.path)) : null);
}
