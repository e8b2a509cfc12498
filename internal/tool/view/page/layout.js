// A layered layout: the children of an open item are put into rows so that edges point down; rows are ordered by the
// places of neighbours, and children are moved towards them. Places are relative to the item.
const PAD = 14,
  HEAD = 26,
  GAP_X = 16,
  GAP_Y = 34,
  ROW_WIDTH = 1500,
  MAX_BENDS = 1500;

const measure = (() => {
  const c = document.createElement("canvas").getContext("2d"),
    known = new Map();
  return (text, font) => {
    const key = font + text;
    if (!known.has(key)) {
      c.font = font;
      known.set(key, c.measureText(text).width);
    }
    return known.get(key);
  };
})();
const FONT = "12px system-ui, sans-serif",
  SMALL = "10.5px system-ui, sans-serif",
  MONO = "10px ui-monospace, Menlo, Consolas, monospace";

// shortText takes the middle out of a long text.
function shortText(s, most) {
  return s.length <= most
    ? s
    : s.slice(0, Math.ceil(most * 0.6)) + "…" + s.slice(s.length - Math.floor(most * 0.4) + 1);
}

const clipText = (s, most) => (s.length <= most ? s : s.slice(0, most - 1) + "…");

// sizeOf sets the size of an item that is folded, and its lines of text.
function sizeOf(it) {
  if (!it.lines) {
    let sub = "";
    if (it.kind === "node") sub = row.op(it.row);
    else
      sub =
        nodes(it.count) +
        (it.note ? " · " + it.note : "") +
        (it.kind === "scope" || it.kind === "group" ? " · " + summary(it) : "");
    it.lines = [shortText(it.label || "·", 48), clipText(sub, 52)];
    if (it.kind === "node" && row.op(it.row) === "Const") it.lines = [shortText(it.label, 22)];
  }
  const share = shareText(it);
  it.w = Math.ceil(
    Math.max(54, measure(it.lines[0], FONT), it.lines[1] ? measure(it.lines[1], SMALL) : 0) +
      22 +
      (share ? measure(share, SMALL) + 10 : 0) +
      (unfolds(it) ? 12 : 0),
  );
  it.h = it.lines.length > 1 ? 38 : 22;
}

function layout(it) {
  if (!it.open) {
    sizeOf(it);
    return;
  }
  const kids = it.children;
  for (const k of kids) layout(k);
  const { edges, into, outof } = links(it);
  const g = layers(kids, edges, into, outof);
  const rows = split(kids, g);
  const chains = bends(kids, edges, g, rows);
  order(rows);
  place(rows);
  finish(it, kids, edges, rows, chains, into, outof);
}

// layers finds the edges that close a circle, and the row of each child: the longest way from a source.
function layers(kids, edges, into, outof) {
  const n = kids.length,
    succ = Array.from({ length: n }, () => []),
    state = new Uint8Array(n),
    topo = [];
  for (const e of edges) {
    e.back = false;
    succ[e.a].push(e);
  }
  for (let s = 0; s < n; s++) {
    if (state[s]) continue;
    const stack = [[s, 0]];
    state[s] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1],
        list = succ[top[0]];
      if (top[1] < list.length) {
        const e = list[top[1]++];
        if (state[e.b] === 1) e.back = true;
        else if (!state[e.b]) {
          state[e.b] = 1;
          stack.push([e.b, 0]);
        }
      } else {
        state[top[0]] = 2;
        topo.push(top[0]);
        stack.pop();
      }
    }
  }
  topo.reverse();
  const layer = new Int32Array(n),
    fixed = new Uint8Array(n); // fixed: something that is fed reaches it
  for (const i of topo) {
    if (into[i] || hasFeed(kids[i])) fixed[i] = 1;
    for (const e of succ[i])
      if (!e.back) {
        layer[e.b] = Math.max(layer[e.b], layer[i] + 1);
        if (fixed[i]) fixed[e.b] = 1;
      }
  }
  for (let k = n - 1; k >= 0; k--) {
    // constants and what depends on nothing else go down to their readers
    const i = topo[k];
    if (fixed[i]) continue;
    let low = Infinity;
    for (const e of succ[i]) if (!e.back) low = Math.min(low, layer[e.b] - 1);
    if (low === Infinity && outof[i]) low = layer.reduce((a, b) => Math.max(a, b), 0);
    if (low !== Infinity) layer[i] = Math.max(layer[i], low);
  }
  return { layer };
}

// split makes the rows; a layer that is too wide becomes several.
function split(kids, g) {
  const by = [];
  kids.forEach((k, i) => (by[g.layer[i]] = by[g.layer[i]] || []).push(i));
  const rows = [];
  g.row = new Int32Array(kids.length);
  for (const list of by) {
    if (!list) continue;
    const total = list.reduce((w, i) => w + kids[i].w + GAP_X, 0),
      parts = Math.max(1, Math.ceil(total / ROW_WIDTH)),
      most = total / parts + 1;
    let cur = null,
      w = 0;
    for (const i of list) {
      if (!cur || w + kids[i].w / 2 > most) {
        rows.push((cur = []));
        w = 0;
      }
      cur.push({ i, it: kids[i], w: kids[i].w, x: 0, up: [], down: [] });
      g.row[i] = rows.length - 1;
      w += kids[i].w + GAP_X;
    }
  }
  return rows;
}

// bends adds a place to pass through in each row between the ends of an edge. Edges of one source share them.
function bends(kids, edges, g, rows) {
  const cell = [];
  for (const r of rows) for (const c of r) cell[c.i] = c;
  const chains = new Map(),
    trunks = kids.map(() => []);
  let made = 0;
  for (const e of edges) {
    const from = g.row[e.a],
      to = g.row[e.b];
    if (e.back || to <= from) continue;
    const trunk = trunks[e.a],
      chain = [];
    let at = cell[e.a];
    for (let r = from + 1; r < to && made < MAX_BENDS; r++) {
      let c = trunk[r];
      if (!c) {
        trunk[r] = c = { i: -1, it: null, w: 4, x: 0, up: [at], down: [] };
        at.down.push(c);
        rows[r].push(c);
        made++;
      }
      chain.push(c);
      at = c;
    }
    at.down.push(cell[e.b]);
    cell[e.b].up.push(at);
    chains.set(e, chain);
    e.long = to - from > 3;
  }
  return chains;
}

// order sorts rows by the mean place of neighbours, down and up in turns.
function order(rows) {
  const number = (r) => r.forEach((c, i) => (c.at = (i + 0.5) / r.length));
  rows.forEach(number);
  for (let k = 0; k < 8; k++) {
    const down = k % 2 === 0;
    for (let j = 0; j < rows.length; j++) {
      const r = rows[down ? j : rows.length - 1 - j];
      for (const c of r) {
        const ns = down ? c.up : c.down;
        c.key = ns.length ? ns.reduce((s, n) => s + n.at, 0) / ns.length : c.at;
      }
      r.sort((a, b) => a.key - b.key || a.at - b.at);
      number(r);
    }
  }
}

// place sets the middles x of all cells. Each row takes the places nearest to the wanted ones in its order.
function place(rows) {
  for (const r of rows) {
    let x = 0;
    for (const c of r) {
      c.x = x + c.w / 2;
      x += c.w + GAP_X;
    }
    for (const c of r) c.x -= x / 2;
  }
  for (let k = 0; k < 8; k++) {
    const down = k % 2 === 0;
    for (let j = 0; j < rows.length; j++) {
      const r = rows[down ? j : rows.length - 1 - j];
      settle(
        r,
        r.map((c) => {
          const ns = k > 5 ? c.up.concat(c.down) : down ? c.up : c.down;
          return ns.length ? ns.reduce((s, n) => s + n.x, 0) / ns.length : c.x;
        }),
      );
    }
  }
}

// settle gives a row the places of least squared distance from the wanted ones, cells not overlapping: regression by blocks.
function settle(r, want) {
  const blocks = [];
  let offset = 0;
  r.forEach((c, i) => {
    if (i) offset += (r[i - 1].w + c.w) / 2 + GAP_X;
    c.off = offset;
    const weight = c.it ? 1 : 2;
    let b = { sum: (want[i] - offset) * weight, weight, from: i };
    while (blocks.length && blocks[blocks.length - 1].sum / blocks[blocks.length - 1].weight > b.sum / b.weight) {
      const p = blocks.pop();
      b = { sum: p.sum + b.sum, weight: p.weight + b.weight, from: p.from };
    }
    blocks.push(b);
  });
  blocks.forEach((b, k) => {
    const end = k + 1 < blocks.length ? blocks[k + 1].from : r.length;
    for (let i = b.from; i < end; i++) r[i].x = b.sum / b.weight + r[i].off;
  });
}

// finish sets places and sizes, and the points of edges.
function finish(it, kids, edges, rows, chains, into, outof) {
  let left = Infinity,
    right = -Infinity,
    y = HEAD + PAD;
  for (const r of rows)
    for (const c of r) {
      left = Math.min(left, c.x - c.w / 2);
      right = Math.max(right, c.x + c.w / 2);
    }
  const backs = edges.filter((e) => e.back).length,
    title = measure(headOf(it), FONT) + 60;
  let width = right - left + 2 * PAD + (backs ? 14 + 6 * Math.min(backs, 8) : 0),
    shift = PAD - left;
  if (width < title) {
    shift += (title - width) / 2;
    width = title;
  }
  if (into.includes(1)) y += 16;
  for (const r of rows) {
    const h = Math.max(...r.map((c) => (c.it ? c.it.h : 0)));
    for (const c of r) {
      c.x += shift;
      c.top = y;
      c.bottom = y + h;
      if (c.it) {
        c.it.x = c.x - c.it.w / 2;
        c.it.y = y + (h - c.it.h) / 2;
      }
    }
    y += h + GAP_Y;
  }
  it.w = width;
  it.h = y - GAP_Y + PAD + (outof.includes(1) ? 16 : 0);
  ports(kids, edges, chains);
  let back = 0;
  it.paths = edges.map((e) => {
    const a = kids[e.a],
      b = kids[e.b],
      pts = [[e.x1, a.y + a.h]];
    if (!chains.has(e)) {
      const x = it.w - PAD - 6 * (back++ % 8);
      return {
        e,
        d: `M${a.x + a.w} ${a.y + a.h / 2}C${x} ${a.y + a.h / 2} ${x} ${a.y + a.h / 2} ${x} ${(a.y + b.y) / 2}S${x} ${b.y + b.h / 2} ${b.x + b.w} ${b.y + b.h / 2}`,
        pts,
      };
    }
    for (const c of chains.get(e)) pts.push([c.x, c.top], [c.x, c.bottom]);
    pts.push([e.x2, b.y]);
    return { e, d: curve(pts), pts };
  });
  it.hubs = [];
  kids.forEach((k, i) => {
    if (into[i])
      it.hubs.push({
        i,
        d: curve([
          [it.w / 2, HEAD],
          [k.x + k.w / 2, k.y],
        ]),
      });
    if (outof[i])
      it.hubs.push({
        i,
        d: curve([
          [k.x + k.w / 2, k.y + k.h],
          [it.w / 2, it.h],
        ]),
      });
  });
}

// ports divides the sides of children among their edges, in the order of the next bends; edges that share a bend share a port.
function ports(kids, edges, chains) {
  const mid = (k) => k.x + k.w / 2;
  const next = (e, from) => {
    const c = chains.get(e);
    return c && c.length ? c[from ? 0 : c.length - 1] : null;
  };
  for (const [own, other, x] of [
    ["a", "b", "x1"],
    ["b", "a", "x2"],
  ]) {
    const by = new Map();
    for (const e of edges)
      if (!e.back) {
        if (!by.has(e[own])) by.set(e[own], new Map());
        const m = by.get(e[own]),
          key = next(e, own === "a") || e;
        if (!m.has(key)) m.set(key, []);
        m.get(key).push(e);
      }
    for (const [i, m] of by) {
      const k = kids[i],
        room = Math.min(k.w * 0.6, (m.size - 1) * 14);
      const at = (key) => (key.up ? key.x : mid(kids[key[other]]));
      const list = [...m].sort((p, q) => at(p[0]) - at(q[0]));
      list.forEach(([, es], j) => {
        for (const e of es) e[x] = mid(k) + (list.length > 1 ? (j / (list.length - 1) - 0.5) * room : 0);
      });
    }
  }
}

function curve(p) {
  let d = `M${p[0][0].toFixed(1)} ${p[0][1].toFixed(1)}`;
  for (let i = 1; i < p.length; i++) {
    const [x0, y0] = p[i - 1],
      [x, y] = p[i],
      m = (y0 + y) / 2;
    d +=
      Math.abs(x - x0) < 0.5
        ? `L${x.toFixed(1)} ${y.toFixed(1)}`
        : `C${x0.toFixed(1)} ${m.toFixed(1)} ${x.toFixed(1)} ${m.toFixed(1)} ${x.toFixed(1)} ${y.toFixed(1)}`;
  }
  return d;
}
