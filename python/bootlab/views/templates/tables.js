// SPDX-License-Identifier: MIT
// On a narrow screen a row is a card, several lines high.
const MANY = matchMedia("(max-width: 720px)").matches ? 12 : 40;

// What a card writes beside a value: a name or a sentence speaks for itself, a figure does not.
const SENTENCES = ["proof or reason", "evidence and what to do", "what it does", "detail", "what is counted", "why", "reason", "evidence"];
const cardLabel = (column, i) => ((i === 0 && !column.right) || SENTENCES.includes(column.name) ? null : column.name || null);

// A table whose columns sort. One <tbody> a row, so that a row can carry its expandable evidence along.
// columns: {name, right, key(row) -> number|string|null, cell(row) -> node|text, title, cls}; rows: any;
// detail(row) -> nodes, or nothing. most: so many rows are shown before somebody asks for the others.
function sortableTable({ caption, columns, rows, detail, sorted, cls, most = MANY }) {
  const table = el("table", { class: cls });
  const bodies = rows.map((row, index) => ({ row, index, body: el("tbody", { class: row.faint ? "faint" : null }) }));
  const headers = columns.map((column, number) => {
    // A heading breaks between title and unit alone.
    const name = column.name.split(", ").flatMap((word, i, all) => [el("span", {}, i < all.length - 1 ? `${word},` : word), " "]).slice(0, -1);
    const label = column.key ? el("button", { type: "button", onclick: () => sortBy(number) }, name) : name;
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
    const cells = columns.map((column, i) => [column, i, column.cell(entry.row)]).map(([column, i, content]) => el(i === 0 ? "th" : "td", {
      scope: i === 0 ? "row" : null, "data-label": content === "" || content === null ? null : cardLabel(column, i), class: [column.right ? "n" : "", column.cls || ""].join(" ").trim() || null,
    }, column.cls === "words" ? el("div", { class: "bounded" }, content) : content));
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
    node: el("div", { class: "tabled" }, el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `table: ${caption}` }, table), more),
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

const textOf = (cell) => (Array.isArray(cell) ? cell[0] : cell);
const valueOf = (cell) => (Array.isArray(cell) ? cell[1] : cell);
const linked = (cell) => {
  const shown = Array.isArray(cell) && cell[2] ? el("a", { href: cell[2] }, cell[0]) : textOf(cell);
  return Array.isArray(cell) && cell[3] ? el("span", { class: `verdict v-${cell[3]}` }, shown) : shown;
};
const rowsOf = (made) => made.rows.map((cells, i) => ({ cells, id: made.ids && made.ids[i], faint: made.faint && made.faint[i] }));
const columnOf = (made, key) => made.columns.findIndex((column) => column[2] === key);
const cellOf = (made, row, key) => (columnOf(made, key) < 0 ? null : valueOf(row.cells[columnOf(made, key)]));

// A table that was made in Python: {caption, columns: [[name, right, key, look]], rows: [[cell]], ids, faint}.
// draw: by key, what makes the nodes of a cell of its row; pictures: by key, a column behind that one; only, without: keys.
function madeTable(made, { rows = rowsOf(made), draw = {}, pictures = {}, only, without = [], sorted, still, cls = "figures", ...others } = {}) {
  const columns = made.columns.flatMap(([name, right, key, look], i) => {
    if ((only && !only.includes(key)) || without.includes(key)) return [];
    const text = (row) => textOf(row.cells[i]);
    const order = (row) => (name === "verdict" ? VERDICTS.indexOf(text(row)) : valueOf(row.cells[i]));
    const column = {
      name, right, cls: look === undefined ? (right ? null : i === 0 ? "name" : "words") : look, id: key, key: still ? null : order,
      cell: (row) => (draw[key] ? draw[key](row, text(row)) : name === "verdict" ? verdictBadge(text(row)) : linked(row.cells[i])),
    };
    const picture = pictures[key];
    return picture ? [column, { name: picture.name || "", cls: picture.cls, cell: (row) => picture.cell(row, valueOf(row.cells[i])) }] : [column];
  });
  const number = columns.findIndex((column) => sorted && column.id === sorted.key);
  return sortableTable({ caption: made.caption, cls, columns, rows, sorted: number < 0 ? null : { number, down: sorted.down }, ...others });
}

const holds = (row, needle) => row.cells.some((cell) => String(textOf(cell)).toLowerCase().includes(needle));

// What few readers ask for: one line that opens.
const folded = (summary, ...children) => el("details", { class: "folded" }, el("summary", {}, summary), ...children);
