// SPDX-License-Identifier: MIT
// The reader of boot logs in a browser: it takes a log, has the core read it, and draws what the core says of it.
const given = JSON.parse(document.getElementById("data").textContent);
const LARGEST = 256 * 2 ** 20;
const TOLD = "Nothing leaves this machine. The page's own policy forbids it every connection; save it, and it works without a network.";

async function coreOf(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(unpacked).arrayBuffer());
}
let compiled = null;

// One log, one instance: a fault leaves nothing behind, and its memory goes with it.
async function readLog(name, bytes) {
  compiled = compiled || coreOf(given.core);
  const { exports } = await WebAssembly.instantiate(await compiled, {});
  const output = () => new TextDecoder().decode(new Uint8Array(exports.memory.buffer, exports.output(), exports.output_length()));
  const title = new TextEncoder().encode(name);
  try {
    const at = exports.input(title.length + bytes.length);
    const room = new Uint8Array(exports.memory.buffer, at, title.length + bytes.length);
    room.set(title);
    room.set(bytes, title.length);
    if (exports.read(title.length)) throw new Error(output());
    return { ...JSON.parse(output()), document: () => (exports.document() ? "" : output()) };
  } catch (fault) {
    if (!(fault instanceof WebAssembly.RuntimeError) && !(fault instanceof RangeError)) throw fault;
    // The core stopped itself: what it said last stands in its output.
    throw new Error(`bootlab could not read this file: ${output() || "the browser has not enough memory for it"}. This is a fault of bootlab; please report it.`, { cause: fault });
  }
}

// For other scripts of the page, and for tests.
globalThis.readBootLog = readLog;

// What helps against a kind of cost is a table of the catalogue.
function withRemedies(page) {
  for (const cost of page.parts.flatMap((part) => part.costs)) {
    const known = given.remedies[cost.kind] || { name: cost.kind, way: "" };
    cost.technique = known.name;
    cost.way = cost.gain === 0 ? "" : known.way;
  }
  return page;
}

const message = el("p", { class: "reader-message", role: "status" });
const tools = el("div", { class: "reader-tools" });
const pasted = el("textarea", { rows: "4", spellcheck: "false", autocomplete: "off", "aria-label": "A boot log", placeholder: "Drop a file here, or paste a log: dmesg, a serial console, journalctl -b, systemd-analyze" });
const file = el("input", { type: "file", class: "reader-file", id: "reader-file", onchange: () => { if (file.files.length) readFile(file.files[0]); } });

function saved(name, text) {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function toolButtons(answer) {
  const copied = el("button", { type: "button", onclick: async () => {
    try { await navigator.clipboard.writeText(answer.text); copied.textContent = "copied"; } catch { shown.open = true; getSelection().selectAllChildren(shown.querySelector("pre")); copied.textContent = "selected below"; }
    setTimeout(() => { copied.textContent = "Copy as text for the thread"; }, 2000);
  } }, "Copy as text for the thread");
  const shown = folded("the text", el("pre", {}, answer.text));
  const json = el("button", { type: "button", onclick: () => saved(`${answer.page.name}.json`, answer.document()) }, "Save as JSON");
  clear(tools).append(copied, json, shown);
}

async function show(name, take) {
  message.textContent = `Reading ${name} …`;
  delete message.dataset.tookMs;
  clear(tools);
  clear(document.getElementById("page"));
  document.title = "Read a boot log · bootlab";
  // What was said is painted before the core has the thread.
  await new Promise((done) => { setTimeout(done, 30); });
  try {
    const bytes = await take();
    const begun = performance.now();
    const answer = await readLog(name, bytes);
    const took = performance.now() - begun;
    if (location.protocol.startsWith("http")) answer.text += `Read in the browser, the log stayed there: ${location.origin}${location.pathname}\n`;
    const headings = answer.told.parts.map((part) => part.headline.join(" ")).filter(Boolean);
    build(withRemedies(answer.page));
    toolButtons(answer);
    document.title = `${answer.page.name} · bootlab`;
    message.textContent = headings.length ? headings[headings.length - 1] : "Nothing of a boot was found in it.";
    message.dataset.tookMs = took.toFixed(0);
  } catch (fault) {
    message.textContent = fault.message;
  }
}

function readFile(chosen) {
  if (chosen.size > LARGEST) {
    message.textContent = `${chosen.name} has ${size(chosen.size)}; this page reads up to ${size(LARGEST)}. The command line reads more: bootlab analyze FILE`;
    return;
  }
  show(chosen.name, async () => new Uint8Array(await chosen.arrayBuffer()));
}

function readText() {
  const text = pasted.value;
  if (text.trim()) show("pasted.log", async () => new TextEncoder().encode(text));
  else message.textContent = "Paste a log into the field first, or choose a file.";
}

function drop(event) {
  event.preventDefault();
  document.body.classList.remove("reader-over");
  const [chosen] = event.dataTransfer.files;
  if (chosen) readFile(chosen);
  else if (event.dataTransfer.getData("text")) { pasted.value = event.dataTransfer.getData("text"); readText(); }
}

document.body.prepend(el("section", { class: "reader", "aria-label": "Read a boot log" },
  el("h1", {}, "Read a boot log"),
  el("p", { class: "lead" }, TOLD),
  pasted,
  el("div", { class: "reader-tools" },
    el("button", { type: "button", onclick: readText }, "Read the text"),
    el("label", { class: "reader-choose", for: "reader-file" }, "Choose a file"), file,
    el("button", { type: "button", onclick: () => { pasted.value = given.example; readText(); } }, "Try an example")),
  message, tools));
addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("reader-over"); });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("reader-over"); });
addEventListener("drop", drop);
