// State and events.
const G = {
  sig: null,
  stage: 0,
  space: null,
  root: null,
  selected: null,
  edges: [],
  marks: new Map(),
  time: null,
  hottest: 0,
  missing: 0,
  passBoxes: new Map(),
};

function setSignature(i) {
  G.sig = D.signatures[i];
  prepare(G.sig);
  spaces = new Map();
  G.selected = null;
  const sel = $("stage");
  sel.textContent = "";
  (G.sig.stages || []).forEach((st, k) => sel.append(h("option", { value: k }, stageName(k))));
  setStage(0, true);
}
function stageName(k) {
  const st = G.sig.stages[k],
    n = nodes(stageCount(k));
  return (
    (k === 0
      ? "the file"
      : (k === G.sig.stages.length - 1 && !st.device ? "the end, after " : "after ") +
        S[st.pass] +
        (st.device ? " on " + S[st.device].replace(/^.*device:/, "") : "")) +
    " · " +
    n
  );
}
function stageCount(k) {
  const p = (G.sig.passes || []).find((p) => p.stage === k);
  return p ? p.nodes : stageSpace(G.sig, k).nodes.size;
}

// setStage shows the graph of a stage. Open scopes and the selection stay where the graph has them.
function setStage(k, first) {
  k = Math.max(0, Math.min(k, G.sig.stages.length - 1));
  const opened = new Set(),
    was = G.selected;
  if (!first) for (const it of drawn.values()) if (it.open) opened.add(it.id);
  G.stage = k;
  G.space = stageSpace(G.sig, k);
  G.marks = new Map();
  const st = G.sig.stages[k];
  if (k > 0) {
    const base = stageSpace(G.sig, st.base);
    eachRow(st.nodes, (r) => G.marks.set(row.name(r), base.nodes.has(row.name(r)) ? "changed" : "new"));
    if (G.marks.size > 0.9 * G.space.nodes.size) G.marks = new Map();
  }
  G.root = buildTree(G.space, "", "", null);
  G.root.open = true;
  arrange(G.root);
  spread();
  if (first) unfoldFirst();
  else if (!reopen(G.root, opened) && opened.size > 1) unfoldFirst();
  G.selected = null;
  if (was)
    G.selected = was.kind === "node" && !was.prefix ? G.root.byNode.get(was.name) || null : findItem(G.root, was.id);
  if (G.selected && !first) reveal(G.selected);
  $("stage").value = String(k);
  $("earlier").disabled = k === 0;
  $("later").disabled = k === G.sig.stages.length - 1;
  draw();
  if (first || !inView(G.root)) fit(0.85);
  showNode();
  showPasses();
  showTime();
  showAbout();
}
// reopen opens the children that were open, and reports whether there are any.
function reopen(it, opened) {
  const again = it.children.filter((c) => opened.has(c.id));
  for (const c of again) {
    arrange(c);
    c.open = true;
    reopen(c, opened);
  }
  return again.length > 0;
}
function findItem(it, id) {
  if (it.id === id) return it;
  for (const c of it.children) {
    const f = c.kind === "node" && !c.open ? (c.id === id ? c : null) : findItem(c, id);
    if (f) return f;
  }
  return null;
}

// unfoldFirst opens scopes while the graph would be a few boxes only.
function unfoldFirst() {
  let at = G.root;
  for (;;) {
    const inner = at.children.filter(unfolds);
    if (at.children.length > 14 || !inner.length) return;
    const big = inner.reduce((a, b) => (b.count > a.count ? b : a));
    if (big.kind === "node") {
      if (at.children.length > 6) return;
      arrange(big);
      if (!big.children.length) return;
    }
    if (big.count < 0.6 * at.count && big.kind !== "node") return;
    arrange(big);
    big.open = true;
    at = big;
  }
}

// spread divides the profile's time among the nodes of the graph that is shown: to those that became the node that
// was timed, or to the expensive ones of them.
function spread() {
  const t = G.sig.time;
  G.time = null;
  G.hottest = G.missing = 0;
  if (!t) return;
  G.time = new Map();
  let found = 0;
  const add = (n, ns) => {
    G.time.set(n, (G.time.get(n) || 0) + ns);
    found += ns;
  };
  for (const [n, ns] of t.nodes || []) {
    let from = (G.sig.became.get(n) || []).map((f) => f[0]).filter((m) => m !== n && G.space.nodes.has(m));
    if (G.space.nodes.has(n)) from.push(n);
    const kindOf = (m) => row.kind(G.space.nodes.get(m));
    from = from.length > 1 ? from.filter((m) => kindOf(m) !== 4) : from;
    if (from.some((m) => kindOf(m) === 1)) from = from.filter((m) => kindOf(m) === 1);
    for (const m of from) add(m, ns / from.length);
  }
  G.missing = t.total ? 1 - found / t.total : 0;
  for (const ns of G.time.values()) G.hottest = Math.max(G.hottest, ns / t.total);
}
function shareOf(it) {
  if (!G.time || it.prefix || it.kind === "function") return 0;
  if (it.share === undefined) {
    let ns = 0;
    eachLeaf(it, (n) => {
      if (!n.prefix) ns += G.time.get(n.name) || 0;
    });
    it.share = ns / G.sig.time.total;
  }
  return it.share;
}
function shareText(it) {
  const s = shareOf(it);
  return s >= 0.0005 ? percent(s) : "";
}

// select marks an item and its edges.
function select(it, quiet) {
  if (G.selected && G.selected.g) G.selected.g.classList.remove("sel");
  G.selected = it;
  for (const { from, to, p } of G.edges) {
    p.classList.toggle("in", !!it && to === it && !!from);
    p.classList.toggle("outof", !!it && from === it);
  }
  if (it && it.g) it.g.classList.add("sel");
  if (!quiet) {
    showNode();
    hint();
    if (it) tab("node");
  }
}
// around returns the labels of an item and of those around it.
const around = (it) => (it.parent && it.parent.label ? around(it.parent) + " / " : "") + it.label;
function hint() {
  const it = G.selected;
  $("hint").textContent = it ? (it.kind === "node" ? it.prefix + nameOf(it.name) : around(it)) : nodes(G.root.count);
}

function toggle(it) {
  if (!unfolds(it) || it === G.root) return;
  const x = it.X,
    y = it.Y,
    w = it.w;
  arrange(it);
  if (it.kind === "node" && !it.children.length) return;
  it.open = !it.open;
  draw();
  view.x += (x + w / 2 - it.X - it.w / 2) * view.k; // the item stays where it was
  view.y += (y - it.Y) * view.k;
  transform();
}
// show unfolds what is around an item, selects it and moves it into view.
function show(it) {
  reveal(it);
  draw();
  select(it);
  center(it);
}
// goTo shows a node, in the nearest stage that has it.
function goTo(name) {
  if (!G.root.byNode.has(name)) {
    let k = -1;
    for (let i = 0; i < G.sig.stages.length; i++)
      if (stageSpace(G.sig, i).nodes.has(name) && (k < 0 || Math.abs(i - G.stage) < Math.abs(k - G.stage))) k = i;
    if (k < 0) {
      $("hint").textContent = nameOf(name) + " is not in any graph of this page";
      return;
    }
    setStage(k);
  }
  show(G.root.byNode.get(name));
}

function tab(name) {
  for (const b of document.querySelectorAll("nav button")) {
    const on = b.dataset.tab === name;
    b.setAttribute("aria-selected", String(on));
    $("tab-" + b.dataset.tab).hidden = !on;
  }
}

function start() {
  $("model").textContent = D.model;
  $("model").title = D.model;
  if (D.error) {
    $("error").hidden = false;
    $("error").textContent = "The model does not compile; the graphs are as far as the passes went.\n" + D.error;
  }
  D.signatures.forEach((s, i) =>
    $("sig").append(h("option", { value: i }, s.name === "__init" ? "(initialisation)" : s.name || "(the graph)")),
  );
  $("sigbox").hidden = D.signatures.length < 2;
  const used = new Set(kinds.values());
  for (let k = 1; k < KIND_NAMES.length; k++)
    if (used.has(k)) {
      const i = document.createElement("i");
      i.style.background = `var(--${["", "heavy", "state", "view", "const", "feed", "call"][k]})`;
      $("legend").append(h("li", {}, i, KIND_NAMES[k]));
    }
  listen();
  tab(D.signatures[0].time ? "time" : "about");
  setSignature(0);
  document.documentElement.dataset.drawn = String(Math.round(performance.now()));
}
start();
