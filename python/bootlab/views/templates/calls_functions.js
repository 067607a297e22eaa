// SPDX-License-Identifier: MIT
// The table of functions: rows are made as far as they are looked at. Columns are [count, self, total, wait] by side.
const FUNCTION_STEP = MANY;

function functionTable(model, onChoose) {
  const { data } = model, two = Boolean(data.functionsWas), anyWait = data.functionsNow.some((row) => row[3] > 0);
  const rows = data.functions.map((f, k) => ({ f, name: data.names[f], low: data.names[f].toLowerCase(), now: data.functionsNow[k], was: two ? data.functionsWas[k] : null }));
  const change = (r) => (!r.was[0] && !r.was[2] ? "new" : !r.now[0] && !r.now[2] ? "vanished" : r.now[2] > r.was[2] ? "slower" : r.now[2] < r.was[2] ? "faster" : "same");
  const value = (at, show) => ({ key: (r) => r.now[at], cell: (r) => show(r.now[at]) });
  const between = (at, show) => ({ key: (r) => r.now[at] - r.was[at], cell: (r) => show(r.now[at] - r.was[at]) });
  const columns = two ? [
    { name: "change", key: change, cell: (r) => el("span", { class: `change c-${change(r)}` }, change(r)) },
    { name: "total", right: true, ...between(2, model.signed) }, { name: "self", right: true, ...between(1, model.signed) },
    { name: "count", right: true, ...between(0, signedCount) },
    ...(anyWait ? [{ name: "waiting", right: true, ...between(3, model.signed) }] : []),
    { name: "total was", right: true, key: (r) => r.was[2], cell: (r) => model.weight(r.was[2]) },
    { name: "total is", right: true, ...value(2, model.weight) },
  ] : [
    { name: "count", right: true, ...value(0, count) }, { name: "total", right: true, ...value(2, model.weight) },
    { name: "self", right: true, ...value(1, model.weight) },
    { name: "per call", right: true, key: (r) => r.now[2] / Math.max(1, r.now[0]), cell: (r) => model.weight(Math.round(r.now[2] / Math.max(1, r.now[0]))) },
    ...(anyWait ? [{ name: "waiting", right: true, title: "time in which nothing of it ran", ...value(3, model.weight) }] : []),
  ];
  const all = [{ name: "function", key: (r) => r.name, cell: (r) => link(r.f) }, ...columns];
  const link = (f) => el("button", { type: "button", class: "jump", onclick: () => onChoose(f) }, data.names[f]);
  const shown = el("output", { class: "count" }), body = el("tbody");
  const more = el("button", { type: "button", onclick: () => extend() }, "more");
  let needle = "", order = two ? null : { column: 2, down: true }, listed = rows, made = 0;

  const heads = all.map((column, k) => el("th", { scope: "col", class: column.right ? "n" : null, title: column.title },
    el("button", { type: "button", onclick: () => { order = { column: k, down: order && order.column === k ? !order.down : Boolean(column.right) }; apply(); } }, column.name)));

  function extend() {
    for (const r of listed.slice(made, made + FUNCTION_STEP)) {
      body.append(el("tr", {}, all.map((column, k) => el(k ? "td" : "th", { scope: k ? null : "row", "data-label": k ? column.name : null, class: column.right ? "n" : "name" }, column.cell(r)))));
    }
    made = Math.min(listed.length, made + FUNCTION_STEP);
    more.hidden = made >= listed.length;
    more.textContent = `${count(Math.min(FUNCTION_STEP, listed.length - made))} more`;
  }

  function apply() {
    listed = rows.filter((r) => r.low.includes(needle));
    if (order) {
      const { key } = all[order.column], sign = order.down ? -1 : 1;
      listed.sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        return sign * (typeof x === "number" ? x - y : x < y ? -1 : x > y ? 1 : 0) || a.low.localeCompare(b.low);
      });
    }
    heads.forEach((th, k) => { if (order && order.column === k) th.setAttribute("aria-sort", order.down ? "descending" : "ascending"); else th.removeAttribute("aria-sort"); });
    clear(body);
    made = 0;
    extend();
    shown.textContent = `${count(listed.length)} of ${count(rows.length + data.functionsLeft)} functions${data.functionsLeft ? `; ${count(data.functionsLeft)} smaller ones are left out` : ""}`;
  }
  apply();

  function side(title, map, f) {
    const list = [...map].sort((a, b) => Math.abs(b[1][2]) - Math.abs(a[1][2]) || b[1][0] - a[1][0] || b[1][1] - a[1][1]);
    const name = (key) => (key < 0 ? model.name(-1 - key) : link(key));
    return el("div", {}, el("h4", {}, `${title} of ${data.names[f]}`), list.length ? el("table", { class: "figures small" },
      el("thead", {}, el("tr", {}, ["function", "total", two ? "difference" : "calls"].map((h, k) => el("th", { scope: "col", class: k ? "n" : null }, h)))),
      el("tbody", {}, list.slice(0, 40).map(([key, [weight, calls, apart]]) => el("tr", {}, el("th", { scope: "row", class: "name" }, name(key)),
        el("td", { class: "n" }, model.weight(weight)), el("td", { class: "n" }, two ? model.signed(apart) : count(calls)))))) : el("p", { class: "aside" }, "none in the paths kept"));
  }
  const detail = el("div", { class: "calls-detail" });
  return {
    node: el("div", { class: "calls-functions" },
      el("div", { class: "controls" }, searchBox("Filter functions", (text) => { needle = text; apply(); }), shown), detail,
      el("div", { class: "tabled" }, el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Functions" },
        el("table", { class: "figures" }, el("caption", {}, "Functions"), el("thead", {}, el("tr", {}, heads)), body))), more),
    show(f) {
      const { callers, callees } = model.neighbours(f);
      clear(detail).append(el("div", { class: "evidence" }, side("Callers", callers, f), side("Callees", callees, f)));
    },
  };
}
