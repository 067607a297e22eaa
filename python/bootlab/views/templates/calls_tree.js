// SPDX-License-Identifier: MIT
// The call tree: rows are made when their caller is opened. Keys as in the ARIA pattern of a tree.
const TREE_STEP = 60;

function callTree(model, onChoose) {
  const root = el("ul", { class: "tree", role: "tree", "aria-label": "Call tree", onkeydown: onKey });
  const items = new Map();
  let test = null, found = [], hit = -1;

  const marked = (i) => (test && test(model.fn[i]) ? el("mark", {}, model.name(i)) : model.name(i));
  function row(i) {
    const side = model[model.side], kids = [...model.kidsOf(i)].some((kid) => seen(kid));
    const node = el("li", {
      role: "treeitem", tabindex: "-1", "aria-expanded": kids ? "false" : null, "aria-level": model.depth[i],
      onclick: (event) => { event.stopPropagation(); focus(node); if (kids) toggle(i); },
    }, el("div", { class: "tree-row" },
      el("span", { class: "tree-name", style: { "--depth": Math.min(model.depth[i] - 1, 40) } },
        el("span", { class: "twist", "aria-hidden": "true" }), el("span", { class: "tree-text" }, marked(i))),
      el("span", { class: "n" }, percent(model.total[i], model.total[0], 2)),
      el("span", { class: "n" }, model.weight(model.total[i])),
      el("span", { class: "n" }, model.weight(side.own[i])),
      el("span", { class: "n" }, model.was ? model.signed(model.delta(i)) : side.count[i] ? count(side.count[i]) : "")));
    node.calls = i;
    items.set(i, node);
    return node;
  }
  const seen = (i) => model.total[i] > 0 || (model.other && model.other[i] > 0);

  function fillFrom(list, above, from, until) {
    const kids = [...model.kidsOf(above)].filter(seen);
    const end = Math.max(from + TREE_STEP, until === undefined ? 0 : kids.indexOf(until) + 1);
    for (const kid of kids.slice(from, end)) list.append(row(kid));
    if (end < kids.length) {
      const more = el("li", { role: "none", class: "tree-more" }, el("button", {
        type: "button", onclick: (event) => { event.stopPropagation(); more.remove(); fillFrom(list, above, end); },
      }, `${count(kids.length - end)} more`));
      list.append(more);
    } else {
      const rest = model.data[model.side].rest[above];
      if (above && rest > 0) list.append(el("li", { role: "none", class: "tree-more soft" }, `callees below the limit: ${model.weight(rest)}`));
    }
  }

  function toggle(i, wanted, until) {
    const node = items.get(i);
    if (!node || !node.hasAttribute("aria-expanded")) return;
    const open = wanted ?? node.getAttribute("aria-expanded") !== "true";
    node.setAttribute("aria-expanded", String(open));
    let list = node.querySelector(":scope > ul");
    if (open && !list) { list = el("ul", { role: "group" }); node.append(list); fillFrom(list, i, 0, until); }
    if (list) list.hidden = !open;
  }

  function focus(node, quiet) {
    root.querySelectorAll('[tabindex="0"]').forEach((n) => n.setAttribute("tabindex", "-1"));
    root.querySelectorAll('[aria-selected="true"]').forEach((n) => n.removeAttribute("aria-selected"));
    node.setAttribute("tabindex", "0");
    node.setAttribute("aria-selected", "true");
    // Only the tree's own box scrolls: a search must not take the page away from the reader.
    const row = node.querySelector(".tree-row").getBoundingClientRect(), room = box.getBoundingClientRect();
    if (row.top < room.top + 30) box.scrollTop -= room.top + 30 - row.top;
    else if (row.bottom > room.bottom) box.scrollTop += row.bottom - room.bottom + 60;
    if (!quiet) { node.focus({ preventScroll: true }); onChoose(node.calls); }
  }

  function reveal(i, quiet) {
    const way = model.path(i);
    way.forEach((at, k) => {
      if (!items.has(at)) {
        const list = k ? items.get(way[k - 1]).querySelector(":scope > ul") : root;
        list.querySelectorAll(":scope > .tree-more").forEach((n) => n.remove());
        fillFrom(list, k ? way[k - 1] : 0, list.querySelectorAll(':scope > [role="treeitem"]').length, at);
      }
      if (k + 1 < way.length) toggle(at, true, way[k + 1]);
    });
    if (items.has(i)) focus(items.get(i), quiet);
  }

  function onKey(event) {
    const node = document.activeElement.closest('[role="treeitem"]');
    if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = [...root.querySelectorAll('[role="treeitem"]')].filter((n) => n.offsetParent !== null);
    const here = rows.indexOf(node), open = node.getAttribute("aria-expanded");
    const go = (n) => n && focus(n);
    const keys = {
      ArrowDown: () => go(rows[here + 1]), ArrowUp: () => go(rows[here - 1]), Home: () => go(rows[0]), End: () => go(rows[rows.length - 1]),
      ArrowRight: () => (open === "false" ? toggle(node.calls) : open ? go(rows[here + 1]) : null),
      ArrowLeft: () => (open === "true" ? toggle(node.calls) : go(node.parentElement.closest('[role="treeitem"]'))),
      Enter: () => toggle(node.calls), " ": () => toggle(node.calls),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  function rebuild() {
    items.clear();
    clear(root);
    fillFrom(root, 0, 0);
    const first = root.querySelector('[role="treeitem"]');
    if (first) first.setAttribute("tabindex", "0");
  }
  rebuild();
  const box = el("div", { class: model.was ? "scroll tree-box two" : "scroll tree-box" }, el("div", { class: "tree-row tree-head", "aria-hidden": "true" },
      el("span", {}, "path"), el("span", { class: "n" }, "share"), el("span", { class: "n" }, "total"), el("span", { class: "n" }, "self"),
      el("span", { class: "n" }, model.was ? "difference" : "count")), root);

  return {
    node: box, rebuild, reveal,
    highlight(matches) {
      test = matches;
      found = [];
      hit = -1;
      if (test) for (let i = 1; i < model.size; i++) if (test(model.fn[i])) found.push(i);
      found.sort((a, b) => model.total[b] - model.total[a]);
      for (const [i, node] of items) node.querySelector(".tree-text").replaceChildren(marked(i));
    },
    // The next match, the heaviest first: its node and what to say.
    step(by) {
      if (!found.length) return null;
      hit = (hit + by + found.length) % found.length;
      reveal(found[hit], true);
      return { node: found[hit], text: `${count(hit + 1)} of ${count(found.length)} in the tree` };
    },
  };
}
