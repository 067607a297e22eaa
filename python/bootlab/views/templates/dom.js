// SPDX-License-Identifier: MIT
// Elements are built here and nowhere else. Text goes in as text nodes; no string is ever parsed as markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, v] of Object.entries(value)) node.style.setProperty(key, v);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
const clear = (node) => { node.replaceChildren(); return node; };

// A phrase with a needle marked in it, as nodes.
function marked(text, needle) {
  if (!needle) return [text];
  const out = [];
  const low = text.toLowerCase();
  let at = 0;
  for (let hit = low.indexOf(needle); hit >= 0 && out.length < 200; hit = low.indexOf(needle, at)) {
    out.push(text.slice(at, hit), el("mark", {}, text.slice(hit, hit + needle.length)));
    at = hit + needle.length;
  }
  out.push(text.slice(at));
  return out;
}

// A sentence in which what stands between backticks is code: a line of a log, a command, a name.
function prose(text) {
  return String(text).split(/(`[^`]+`)/).map((piece) => (/^`[^`]+`$/.test(piece) ? el("code", {}, piece.slice(1, -1)) : piece));
}

function section(id, title, lead, ...children) {
  return el("section", { id, "aria-labelledby": `${id}-title` },
    el("h2", { id: `${id}-title` }, title), lead ? el("p", { class: "lead" }, prose(lead)) : null, ...children);
}

function searchBox(label, onInput, onEnter) {
  return el("input", {
    type: "search", class: "search", placeholder: label, "aria-label": label, autocomplete: "off", spellcheck: "false",
    oninput: (event) => onInput(event.target.value.trim().toLowerCase()),
    onkeydown: (event) => {
      if (event.key === "Enter" && onEnter) { event.preventDefault(); onEnter(event.shiftKey ? -1 : 1); }
    },
  });
}

// Choice of one among few: a row of toggle buttons.
function choice(label, options, onChoose) {
  const buttons = options.map(([value, text], index) => el("button", {
    type: "button", "aria-pressed": String(index === 0),
    onclick: (event) => {
      for (const b of buttons) b.setAttribute("aria-pressed", String(b === event.currentTarget));
      onChoose(value);
    },
  }, text));
  return el("div", { class: "choice", role: "group", "aria-label": label }, buttons);
}

function copyButton(text) {
  return el("button", {
    type: "button", class: "copy", onclick: async (event) => {
      const button = event.currentTarget;
      try { await navigator.clipboard.writeText(text); button.textContent = "copied"; } catch {
        const range = document.createRange();
        range.selectNodeContents(button.parentElement.querySelector("code"));
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        button.textContent = "selected";
      }
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    },
  }, "copy");
}

const snippet = (text, content) => el("div", { class: "snippet" }, el("code", {}, content || text), copyButton(text));

function themeButton() {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  return el("button", { type: "button", class: "theme", onclick: () => { root.dataset.theme = dark() ? "light" : "dark"; } }, "light / dark");
}

// What the navigation calls a section: a long heading up to its first comma, else whole words of it.
function shortHeading(text, most = 40) {
  if (text.length <= most) return text;
  const first = text.split(", ")[0];
  if (first.length <= most) return first;
  const space = first.lastIndexOf(" ", most);
  return `${first.slice(0, space > 0 ? space : most)}…`;
}

// What every page is put into. head: what stands above the sections; label: what the navigation calls one.
function drawPage({ name, kind, head, sections, label, notes = [], trail, footer }) {
  document.getElementById("page").append(
    el("a", { class: "skip", href: "#main" }, "Skip to the figures"),
    el("header", {}, trail ? el("p", { class: "trail" }, trail.map(([text, href], i) => [i ? " / " : null, el("a", { href }, text)])) : null,
      el("div", { class: "title" }, el("p", { class: "brand" }, "bootlab"), el("h1", {}, name), el("p", { class: "kind" }, kind), themeButton()), head),
    el("div", { class: "nav-bar" }, el("nav", { "aria-label": "sections" }, el("ul", {}, sections.map((s) => el("li", {}, el("a", { href: `#${s.id}` }, label(s))))))),
    el("main", { id: "main" }, sections),
    el("footer", {}, notes.map((note) => el("p", {}, note)), el("p", {}, footer || "One file, no network. Times in milliseconds on the clock named beside them.")));
}

const headingOf = (node) => node.querySelector("h2").textContent;
