// On a narrow screen a row is a card, several lines high.
const MANY = matchMedia("(max-width: 720px)").matches ? 12 : 40;

// A table whose columns sort. One <tbody> a row, so that a row can carry its expandable evidence along.
// columns: {name, right, key(row) -> number|string|null, cell(row) -> node|text, title, cls}; rows: any;
// detail(row) -> nodes, or nothing. most: so many rows are shown before somebody asks for the others.
function sortableTable({ caption, columns, rows, detail, sorted, cls, most = MANY }) {
  const table = el("table", { class: cls });
  const bodies = rows.map((row, index) => ({ row, index, body: el("tbody"), text: "" }));
  const headers = columns.map((column, number) => {
    const label = column.key
      ? el("button", { type: "button", onclick: () => sortBy(number) }, column.name)
      : column.name;
    return el("th", { scope: "col", class: column.right ? "n" : null, title: column.title }, label);
  });
  let order = sorted || null;
  let whole = false;
  const more = el("button", { type: "button", class: "more", onclick: () => { whole = true; limit(); } });

  function limit() {
    // A button for a handful of rows would take their room.
    let left = whole || bodies.filter(({ body }) => !body.hidden).length <= most + 5 ? Infinity : most;
    let beyond = 0;
    for (const { body } of bodies) {
      const out = !body.hidden && left <= 0;
      body.classList.toggle("beyond", out);
      if (!body.hidden) left -= 1;
      beyond += out ? 1 : 0;
    }
    more.hidden = !beyond;
    more.textContent = `show ${count(beyond)} more`;
  }

  function sortBy(number) {
    const down = order && order.number === number ? !order.down : Boolean(columns[number].right);
    order = { number, down };
    apply();
  }

  function apply() {
    if (!order) { limit(); return; }
    const key = columns[order.number].key;
    headers.forEach((th, i) => {
      if (i === order.number) th.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
    const sign = order.down ? -1 : 1;
    bodies.sort((a, b) => {
      const [x, y] = [key(a.row), key(b.row)];
      // What is not known stands last, whichever way.
      if (x === null || y === null) return (x === null) - (y === null) || a.index - b.index;
      return sign * (typeof x === "number" ? x - y : String(x).localeCompare(String(y))) || a.index - b.index;
    });
    table.append(...bodies.map((b) => b.body));
    limit();
  }

  for (const entry of bodies) {
    const cells = columns.map((column, i) => el(i === 0 ? "th" : "td", {
      scope: i === 0 ? "row" : null, "data-label": i === 0 ? null : column.name || null, class: [column.right ? "n" : "", column.cls || ""].join(" ").trim() || null,
    }, column.cls === "words" ? el("div", { class: "bounded" }, column.cell(entry.row)) : column.cell(entry.row)));
    const line = el("tr", {}, cells);
    entry.body.append(line);
    if (detail) {
      const toggle = el("button", {
        type: "button", class: "fold", "aria-expanded": "false", "aria-label": "evidence", onclick: () => {
          const open = toggle.getAttribute("aria-expanded") !== "true";
          toggle.setAttribute("aria-expanded", String(open));
          entry.body.classList.toggle("open", open);
          if (open && entry.body.children.length === 1) {
            entry.body.append(el("tr", { class: "detail" }, el("td", { colspan: columns.length }, detail(entry.row))));
          }
        },
      });
      cells[0].replaceChildren(el("div", { class: "entry" }, toggle, [...cells[0].childNodes]));
    }
  }
  table.append(el("caption", {}, caption), el("thead", {}, el("tr", {}, headers)), ...bodies.map((b) => b.body));
  apply();
  return {
    node: el("div", { class: "tabled" }, el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table), more),
    table,
    filter(test) {
      let shown = 0;
      for (const { row, body } of bodies) { body.hidden = !test(row); shown += body.hidden ? 0 : 1; }
      limit();
      return shown;
    },
  };
}

function plainTable(caption, columns, rows, cls, most) {
  return sortableTable({ caption, columns: columns.map((c) => ({ ...c, key: null })), rows, cls, most }).node;
}

// What few readers ask for: one line that opens.
const folded = (summary, ...children) => el("details", { class: "folded" }, el("summary", {}, summary), ...children);
