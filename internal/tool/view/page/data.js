// The page's tables. A node is known by the number of its name; a row of D.nodes is a node as some stage has it.
const D = JSON.parse(document.getElementById("data").textContent);
for (const k of ["kinds", "docs", "regions", "attrs", "calls", "origins", "nodes", "facts", "functions", "signatures"])
  D[k] = D[k] || [];
const S = D.strings;

const scopeNames = [];
function scopeName(i) {
  // with a slash behind it
  if (i === 0) return "";
  if (scopeNames[i] === undefined) scopeNames[i] = scopeName(D.scopes[2 * i]) + S[D.scopes[2 * i + 1]] + "/";
  return scopeNames[i];
}
function scopeChain(i) {
  // numbers of scopes from the outermost on
  const chain = [];
  for (; i > 0; i = D.scopes[2 * i]) chain.push(i);
  return chain.reverse();
}
const leafOf = (name) => S[D.names[2 * name + 1]];
const scopeOf = (name) => D.names[2 * name];
const nameOf = (name) => scopeName(scopeOf(name)) + leafOf(name);
const nameCount = D.names.length / 2;

const kinds = new Map();
for (let i = 0; i < D.kinds.length; i += 2) kinds.set(D.kinds[i], D.kinds[i + 1]);
const KIND_NAMES = [
  "",
  "computes much",
  "state or effects",
  "passes its input through",
  "constant",
  "input or output",
  "calls, loops, branches",
];
const passDocs = new Map();
for (let i = 0; i < D.docs.length; i += 2) passDocs.set(S[D.docs[i]], S[D.docs[i + 1]]);
const callsOf = new Map(); // attributes → [attribute's name, function]
for (let i = 0; i < D.calls.length; i += 3) {
  if (!callsOf.has(D.calls[i])) callsOf.set(D.calls[i], []);
  callsOf.get(D.calls[i]).push([S[D.calls[i + 1]], D.calls[i + 2]]);
}

const row = {
  name: (r) => D.nodes[r][0],
  op: (r) => S[D.nodes[r][1]],
  kind: (r) => kinds.get(D.nodes[r][1]) || 0,
  attrs: (r) => D.attrs[D.nodes[r][2]],
  calls: (r) => callsOf.get(D.nodes[r][2]) || [],
  device: (r) => S[D.nodes[r][3]],
  region: (r) => D.nodes[r][4] - 1,
  origin: (r) => D.origins[D.nodes[r][5]],
  ins: (r) => {
    const n = D.nodes[r],
      l = [];
    for (let i = 0; i < n[6]; i++) l.push([n[7 + 2 * i], n[8 + 2 * i]]);
    return l;
  },
  controls: (r) => D.nodes[r].slice(7 + 2 * D.nodes[r][6]),
};

function eachRow(ranges, f) {
  for (let i = 0; ranges && i < ranges.length; i += 2) for (let k = 0; k < ranges[i + 1]; k++) f(ranges[i] + k);
}

// A Space is a graph: that of a stage, or the body of a function. prefix is the name that the nodes of a function get where it is inlined.
class Space {
  constructor(base) {
    this.nodes = new Map(base ? base.nodes : []);
    this.facts = new Map(base ? base.facts : []);
  }
  add(nodes, facts) {
    eachRow(nodes, (r) => this.nodes.set(row.name(r), r));
    eachRow(facts, (r) => this.facts.set(D.facts[r][0], r));
    return this;
  }
  // readers maps a node to the nodes that read it, each with its input's number, -1 for a control edge.
  get readers() {
    if (this.read) return this.read;
    this.read = new Map();
    const add = (from, to, i) => {
      if (!this.read.has(from)) this.read.set(from, []);
      this.read.get(from).push([to, i]);
    };
    for (const [name, r] of this.nodes) {
      const n = D.nodes[r],
        ins = n[6];
      for (let i = 0; i < ins; i++) add(n[7 + 2 * i], name, i);
      for (let i = 7 + 2 * ins; i < n.length; i++) add(n[i], name, -1);
    }
    return this.read;
  }
}

let spaces = new Map(); // of the signature's stages
function stageSpace(sig, k) {
  if (k < 0) return new Space(null);
  let s = spaces.get(k);
  if (s) return s;
  const st = sig.stages[k];
  s = new Space(stageSpace(sig, st.base));
  for (const n of st.gone || []) {
    s.nodes.delete(n);
    s.facts.delete(n);
  }
  s.add(st.nodes, st.facts);
  if (spaces.size > 4) spaces = new Map();
  spaces.set(k, s);
  return s;
}
const functionSpaces = [];
function functionSpace(i) {
  if (!functionSpaces[i]) functionSpaces[i] = new Space(null).add(D.functions[i].nodes, D.functions[i].facts);
  return functionSpaces[i];
}

// prepare makes the indices of a signature.
function prepare(sig) {
  if (sig.ready) return;
  sig.ready = true;
  sig.best = new Map(); // the last facts of a node
  for (const st of sig.stages || []) eachRow(st.facts, (r) => sig.best.set(D.facts[r][0], r));
  sig.fateOf = new Map((sig.fates || []).map((f) => [f[0], f]));
  sig.notesOf = group(sig.notes, (n) => n[0]);
  sig.editsOf = new Map();
  (sig.edits || []).forEach((e, i) => {
    for (const n of new Set([e[0], e[1]]))
      if (n >= 0) {
        if (!sig.editsOf.has(n)) sig.editsOf.set(n, []);
        sig.editsOf.get(n).push(i);
      }
  });
  sig.became = group(sig.fates, (f) => f[3]);
  sig.byName = new Map();
  if (D.functions.length) for (const n of sig.best.keys()) sig.byName.set(nameOf(n), n);
}
function group(rows, key) {
  const m = new Map();
  for (const r of rows || []) {
    const k = key(r);
    if (!m.has(k)) m.set(k, []);
    m.get(k).push(r);
  }
  return m;
}

// factOf returns the type and the shape of a tensor. A stage before shapes are known shows those that were found later.
function factOf(sig, space, prefix, name, out) {
  const of = (r) => (r === undefined ? "" : S[D.facts[r][1 + out]] || "");
  const own = of(space.facts.get(name));
  if (own && !own.includes("[*]")) return own;
  if (!prefix) return of(sig.best.get(name)) || own;
  return of(sig.best.get(sig.byName.get(prefix + nameOf(name)))) || own;
}
const nodes = (n) => n.toLocaleString("en") + (n === 1 ? " node" : " nodes");
const brief = (fact) => fact.split(" = ")[0].replace(/ const$/, "");
