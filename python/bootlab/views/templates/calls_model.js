// SPDX-License-Identifier: MIT
// Call paths as typed arrays: node 0 is the whole, its children are tasks, parents stand before their children.
// A side is `now` or `was` (the base of a comparison). Weights are in data.unit.
function callsModel(data) {
  const size = data.fn.length;
  const parent = Int32Array.from(data.up, (up, i) => i - up);
  const fn = Int32Array.from(data.fn);
  const isWait = new Uint8Array(data.names.length);
  for (const f of data.waits) isWait[f] = 1;
  const depth = new Int32Array(size), firstKid = new Int32Array(size + 1), kids = new Int32Array(Math.max(0, size - 1));
  for (let i = 1; i < size; i++) { depth[i] = depth[parent[i]] + 1; firstKid[parent[i] + 1] += 1; }
  for (let i = 0; i < size; i++) firstKid[i + 1] += firstKid[i];
  const next = firstKid.slice();
  for (let i = 1; i < size; i++) kids[next[parent[i]]++] = i;
  const task = new Int32Array(size);
  for (let i = 1; i < size; i++) task[i] = depth[i] === 1 ? i : task[parent[i]];

  const roll = (own, rest) => {
    const total = Float64Array.from(own, (v, i) => v + rest[i]);
    for (let i = size - 1; i > 0; i--) total[parent[i]] += total[i];
    return total;
  };
  const side = (given) => given && {
    count: given.count, own: given.own,
    work: roll(given.own.map((v, i) => (isWait[fn[i]] ? 0 : v)), given.rest),
    wait: roll(given.own.map((v, i) => (isWait[fn[i]] ? v : 0)), given.restWait),
  };
  const model = {
    data, size, parent, fn, depth, task, isWait, now: side(data.now), was: side(data.was),
    side: "now", waits: false, total: null, other: null,
    name: (i) => (i ? data.names[fn[i]] : "all"),
    kidsOf: (i) => kids.subarray(firstKid[i], firstKid[i + 1]),
    weight: (value) => (data.unit === "ns" ? shortTime(Math.round(value)) : `${count(value)}${THIN}${data.unit}`),
    signed: (value) => (value > 0 ? "+" : value < 0 ? MINUS : "±") + model.weight(Math.abs(value)),
    of(which) {
      const s = model[which];
      return model.waits ? s.work.map((v, i) => v + s.wait[i]) : s.work;
    },
    // Which side gives the widths, and whether waiting counts.
    choose(which, waits) {
      model.side = which;
      model.waits = waits;
      model.total = model.of(which);
      model.other = model.was ? model.of(which === "now" ? "was" : "now") : null;
      for (let i = 0; i < size; i++) kids.subarray(firstKid[i], firstKid[i + 1]).sort((a, b) => model.total[b] - model.total[a] || a - b);
    },
    delta: (i) => (model.was ? (model.side === "now" ? 1 : -1) * (model.total[i] - model.other[i]) : 0),
    path(i) {
      const out = [];
      for (let at = i; at; at = parent[at]) out.unshift(at);
      return out;
    },
    // Weight of the nodes below `root` (or root itself) that match and stand under no other match.
    matched(root, test) {
      let sum = 0, nodes = 0;
      const stack = [root];
      while (stack.length) {
        const at = stack.pop();
        if (at && test(fn[at])) { sum += model.total[at]; nodes += 1; } else stack.push(...model.kidsOf(at));
      }
      return { sum, nodes };
    },
    // Callers and callees of a function in the paths kept: {name index: [weight, calls, difference]}; recursion counts once.
    neighbours(f) {
      const callers = new Map(), callees = new Map();
      const inside = new Uint8Array(size);
      const add = (map, key, i, counted) => {
        const row = map.get(key) || [0, 0, 0];
        map.set(key, [row[0] + (counted ? model.total[i] : 0), row[1] + model[model.side].count[i], row[2] + (counted ? model.delta(i) : 0)]);
      };
      for (let i = 1; i < size; i++) {
        const up = parent[i];
        inside[i] = inside[up] | (fn[i] === f && depth[i] > 1 ? 1 : 0);
        if (depth[i] < 2) continue;
        if (fn[i] === f) add(callers, depth[up] > 1 ? fn[up] : -1 - up, i, !inside[up]);
        if (fn[up] === f && depth[up] > 1 && fn[i] !== f) add(callees, fn[i], i, !nestedEdge(up, fn[i]));
      }
      function nestedEdge(up, callee) {
        for (let at = up; at > 0 && inside[at]; at = parent[at]) if (fn[at] === callee && fn[parent[at]] === f) return true;
        return false;
      }
      return { callers, callees };
    },
  };
  model.choose("now", false);
  return model;
}
