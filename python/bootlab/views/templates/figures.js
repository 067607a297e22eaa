// SPDX-License-Identifier: MIT
// Numbers as text. Times come in nanoseconds and are shown in milliseconds, with as many places as they carry: three of
// exact ones, of noisy ones as many as their boot or trial says.
const ABSENT = "—";
const THIN = "\u202f";
const MINUS = "\u2212";

const grouped = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, THIN);

function ms(ns, places = 3) {
  if (ns === null || ns === undefined) return ABSENT;
  const [whole, part] = (Math.abs(ns) / 1e6).toFixed(places).split(".");
  return (ns < 0 ? MINUS : "") + grouped(whole) + (part ? `.${part}` : "");
}

function signedMs(ns, places = 3) {
  if (ns === null || ns === undefined) return ABSENT;
  if (Number((Math.abs(ns) / 1e6).toFixed(places)) === 0) return (0).toFixed(places);
  return (ns > 0 ? "+" : "") + ms(ns, places);
}

function percent(part, whole, places = 1) {
  return part === null || part === undefined || !whole ? ABSENT : `${((100 * part) / whole).toFixed(places)}${THIN}%`;
}

const count = (n) => {
  if (n === null || n === undefined) return ABSENT;
  const [whole, part] = String(Math.abs(n)).split(".");
  return (n < 0 ? MINUS : "") + grouped(whole) + (part ? `.${part}` : "");
};
// "one change", "2 changes": the noun with its number.
const counted = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;
const signedCount = (n) => (n > 0 ? "+" : "") + count(n);

function size(bytes) {
  if (bytes === null || bytes === undefined) return ABSENT;
  let value = bytes;
  for (const unit of ["B", "KiB", "MiB"]) {
    if (Math.abs(value) < 1024) return unit === "B" ? `${bytes}${THIN}B` : `${value.toFixed(1)}${THIN}${unit}`;
    value /= 1024;
  }
  return `${value.toFixed(1)}${THIN}GiB`;
}

// A time with the unit that suits it, for axes and single spans.
function shortTime(ns, step) {
  const base = step === undefined ? Math.abs(ns) : step;
  if (base >= 1e9) return `${(ns / 1e9).toFixed(step === undefined ? 3 : 0)}${THIN}s`;
  if (base >= 1e6) return `${grouped((ns / 1e6).toFixed(step === undefined ? 3 : 0))}${THIN}ms`;
  if (base >= 1e3) {
    return step === undefined ? `${(ns / 1e3).toFixed(3)}${THIN}µs` : `${grouped((ns / 1e6).toFixed(step >= 1e5 ? 1 : step >= 1e4 ? 2 : 3))}${THIN}ms`;
  }
  return step === undefined ? `${ns}${THIN}ns` : `${grouped((ns / 1e3).toFixed(3))}${THIN}µs`;
}

const STAGES = ["firmware", "kernel set-up", "decompression", "kernel start", "kernel", "user space", "RC scripts", "application"];
const LIKE = { "boot loader": "firmware", initrd: "user space", initramfs: "user space", units: "RC scripts" };
const stageClass = (name) => { const i = STAGES.indexOf(LIKE[name] || name); return `stage-${i < 0 ? "other" : i}`; };
const VERDICTS = ["faster", "same", "no effect shown", "unknown", "slower", "broken", "not applicable", "not booted"];
const UNTRIED = ["not applicable", "not booted"];
const verdictBadge = (verdict) => el("span", { class: `verdict v-${verdict.replaceAll(" ", "-")}` }, verdict);
const RISKS = { S: "security", F: "function", R: "run time", d: "debugging" };

function riskFlags(risk) {
  return Object.entries(risk).filter(([, text]) => text).map(([flag, text]) =>
    el("span", { class: `risk r-${flag}`, title: `${RISKS[flag]}: ${text}` }, RISKS[flag]));
}
