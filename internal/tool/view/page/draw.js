// Drawing: SVG elements for everything that is unfolded.
const $ = (id) => document.getElementById(id);
const NS = "http://www.w3.org/2000/svg";
function el(name, attrs, text, parent) {
  const e = document.createElementNS(NS, name);
  for (const k in attrs) e.setAttribute(k, attrs[k]);
  if (text !== undefined && text !== null && text !== "") e.textContent = text;
  if (parent) parent.appendChild(e);
  return e;
}

const headOf = (it) =>
  shortText(it.label, 60) +
  (it.function ? "  →  " + shortText(it.function, 50) : "") +
  (it.note ? "  ·  " + shortText(it.note, 60) : "");

let drawn = new Map(); // items by id
const view = { x: 0, y: 0, k: 1 };

function draw() {
  layout(G.root);
  const world = $("world");
  world.textContent = "";
  drawn = new Map();
  G.edges.length = 0;
  const labels = el("g", {}, "");
  open(G.root, -G.root.w / 2, 0, world, labels, 0);
  world.appendChild(labels);
  select(G.selected, true);
  transform();
  hint();
}

// open draws an item at a place of the page, and what is in it if it is open: edges first, so that boxes cover them.
function open(it, x, y, world, labels, depth) {
  it.X = x;
  it.Y = y;
  drawn.set(it.id, it);
  if (it.kind !== "root") box(it, world, depth);
  if (!it.open) return;
  edgesOf(it, world, labels);
  for (const k of it.children) open(k, x + k.x, y + k.y, world, labels, depth + 1);
}

function box(it, world, depth) {
  const g = el(
    "g",
    {
      class: "item " + classOf(it, depth),
      transform: `translate(${it.X.toFixed(1)} ${it.Y.toFixed(1)})`,
      "data-id": it.id,
    },
    "",
    world,
  );
  it.g = g;
  el(
    "rect",
    { class: "box", width: it.w.toFixed(1), height: it.h.toFixed(1), rx: it.open ? 9 : unfolds(it) ? 7 : 5 },
    "",
    g,
  );
  const share = shareOf(it);
  const heat = 0.06 + 0.6 * Math.sqrt(Math.min(1, share / Math.max(G.hottest, 1e-9)));
  if (heat > 0.3) g.classList.add("hot");
  if (share > 0 && !it.open) {
    el(
      "rect",
      {
        width: it.w.toFixed(1),
        height: it.h.toFixed(1),
        rx: unfolds(it) ? 7 : 5,
        fill: "hsl(var(--heat))",
        "fill-opacity": heat.toFixed(3),
      },
      "",
      g,
    );
  }
  el("title", {}, titleOf(it), g);
  if (it.open) {
    el("text", { x: 28, y: 18, "font-weight": 600 }, headOf(it), g);
    fold(g, it, 12, 9);
    return;
  }
  if (it.kind === "node")
    el(
      "rect",
      { class: "k" + row.kind(it.row), x: 0.5, y: 4, width: 3.5, height: (it.h - 8).toFixed(1), rx: 1.5 },
      "",
      g,
    );
  const tx = unfolds(it) ? 24 : 11;
  if (unfolds(it)) fold(g, it, 9, it.h / 2 - 5);
  el("text", { x: tx, y: it.lines.length > 1 ? 16 : 15 }, it.lines[0], g);
  if (it.lines[1]) el("text", { class: "sub", x: tx, y: 30 }, it.lines[1], g);
  if (share > 0) el("text", { class: "share", x: (it.w - 8).toFixed(1), y: 16 }, shareText(it), g);
}

function fold(g, it, x, y) {
  el("path", { d: it.open ? `M${x} ${y + 2}l4.5 6l4.5 -6z` : `M${x} ${y}l7 5l-7 5z`, fill: "var(--dim)" }, "", g);
}

function classOf(it, depth) {
  let c = it.kind === "node" ? (unfolds(it) ? "call" : "leaf") : it.kind === "scope" ? "scope" : "scope " + it.kind;
  if (it.open) c += " open" + (depth % 2 ? "" : " deep");
  const mark = markOf(it);
  return mark ? c + " " + mark : c;
}

// markOf returns "new" or "changed" if the pass made or changed the node, or a node in a folded scope.
function markOf(it) {
  if (it.prefix || !G.marks.size) return "";
  if (it.kind === "node") return G.marks.get(it.name) || "";
  if (it.open || it.kind === "function") return "";
  let mark = "";
  eachLeaf(it, (n) => {
    const m = n.prefix ? "" : G.marks.get(n.name);
    if (m && mark !== "changed") mark = m;
  });
  return mark;
}

function titleOf(it) {
  if (it.kind !== "node") return it.label + (it.note ? "\n" + it.note : "") + "\n" + nodes(it.count);
  let t = it.prefix + nameOf(it.name) + "\n" + row.op(it.row);
  const facts = factsOf(it);
  if (facts.length) t += "\n" + facts.join("\n");
  return t;
}
function factsOf(it) {
  const n = D.facts[it.space.facts.get(it.name)],
    list = [];
  for (let i = 0; n && i < n.length - 1; i++) list.push(factOf(G.sig, it.space, it.prefix, it.name, i));
  return list.filter((f) => f);
}

// edgesOf draws the edges between the children of an open item, with types where there is room for them.
function edgesOf(it, world, labels) {
  const g = el("g", { transform: `translate(${it.X.toFixed(1)} ${it.Y.toFixed(1)})` }, "", world),
    taken = [];
  for (const h of it.hubs)
    G.edges.push({ from: null, to: it.children[h.i], p: el("path", { class: "edge hub", d: h.d }, "", g) });
  for (const { e, d, pts } of it.paths) {
    const p = el(
      "path",
      {
        class: "edge" + (e.data ? "" : " ctl") + (e.back ? " back" : "") + (e.long ? " long" : ""),
        d,
        "stroke-width": Math.min(1 + Math.log2(Math.max(e.data, 1)) * 0.6, 4).toFixed(2),
      },
      "",
      g,
    );
    G.edges.push({ from: it.children[e.a], to: it.children[e.b], p });
    const text = edgeText(it, e);
    el("title", {}, text.long, p);
    if (text.short && !e.back) label(labels, it, text, pts, taken);
  }
}

function edgeText(it, e) {
  if (!e.data) return { short: "", long: "control" };
  const sp = it.children[e.a].space,
    prefix = it.children[e.a].prefix;
  const facts = e.tensors.map(([n, o]) => brief(factOf(G.sig, sp, prefix, n, o)));
  const long = e.tensors.map(([n, o], i) => nameOf(n) + ":" + o + "  " + facts[i]).join("\n");
  const kinds = [...new Set(facts.filter((f) => f))];
  let short = "";
  if (e.tensors.length === 1) short = facts[0];
  else if (kinds.length === 1) short = e.tensors.length + (e.tensors.length === 40 ? "+" : "") + " × " + kinds[0];
  else short = e.tensors.length + (e.tensors.length === 40 ? "+" : "") + " tensors";
  const a = it.children[e.a];
  if (a.kind === "node" && row.op(a.row) === "Const" && short.length > 8) short = "";
  return { short, long: long + (e.ctl ? "\nand control" : "") };
}

// label writes a text beside the beginning of an edge unless another one is there.
function label(g, it, { short, long }, pts, taken) {
  const text = shortText(short, 40);
  const w = measure(text, MONO) + 6,
    end = pts[1],
    begin = pts[0];
  const x = begin[0] * 0.5 + end[0] * 0.5,
    y = (begin[1] + end[1]) / 2;
  const low = pts.length > 2 ? begin[1] + GAP_Y / 2 : y;
  if (taken.some((t) => Math.abs(t[1] - low) < 11 && Math.abs(t[0] - x) < (t[2] + w) / 2)) return;
  taken.push([x, low, w]);
  const under = el(
    "rect",
    {
      class: "under",
      x: (it.X + x - w / 2).toFixed(1),
      y: (it.Y + low - 7).toFixed(1),
      width: w.toFixed(1),
      height: 13,
      rx: 3,
    },
    "",
    g,
  );
  el("title", {}, long, under);
  el("text", { class: "type", x: (it.X + x).toFixed(1), y: (it.Y + low + 3).toFixed(1) }, text, g);
}

function transform() {
  $("world").setAttribute(
    "transform",
    `translate(${view.x.toFixed(1)} ${view.y.toFixed(1)}) scale(${view.k.toFixed(4)})`,
  );
}
function paneSize() {
  const r = $("svg").getBoundingClientRect();
  return [r.width || 800, r.height || 600];
}

// fit shows the whole graph, or its top if it would be smaller than least.
function fit(least) {
  const [w, h] = paneSize(),
    r = G.root;
  const whole = Math.min(1.25, (w - 40) / r.w, (h - 50) / r.h);
  view.k = !least || whole > 0.6 ? Math.max(whole, 0.02) : least;
  view.x = w / 2;
  view.y = r.h * view.k < h ? (h - r.h * view.k) / 2 : 10;
  transform();
}
function zoom(by, cx, cy) {
  const [w, h] = paneSize(),
    k = Math.min(4, Math.max(0.02, view.k * by));
  if (cx === undefined) {
    cx = w / 2;
    cy = h / 2;
  }
  view.x = cx - ((cx - view.x) * k) / view.k;
  view.y = cy - ((cy - view.y) * k) / view.k;
  view.k = k;
  transform();
}
// center moves an item into the middle of the pane.
function center(it) {
  const [w, h] = paneSize();
  if (view.k < 0.5) view.k = 1;
  view.x = w / 2 - (it.X + it.w / 2) * view.k;
  view.y = it.open ? 40 - it.Y * view.k : h / 2 - (it.Y + it.h / 2) * view.k;
  transform();
}
// inView reports whether a part of an item is in the pane.
function inView(it) {
  const [w, h] = paneSize(),
    x = it.X * view.k + view.x,
    y = it.Y * view.k + view.y;
  return x < w && y < h && x + it.w * view.k > 0 && y + it.h * view.k > 0;
}
// intoView moves the graph as little as shows an item.
function intoView(it) {
  const [w, h] = paneSize(),
    x = it.X * view.k + view.x,
    y = it.Y * view.k + view.y,
    iw = it.w * view.k,
    ih = Math.min(it.h * view.k, h - 60);
  if (x < 20) view.x += 20 - x;
  else if (x + iw > w - 20) view.x -= x + iw - w + 20;
  if (y < 20) view.y += 20 - y;
  else if (y + ih > h - 30) view.y -= y + ih - h + 30;
  transform();
}
