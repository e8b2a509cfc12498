// Items are what the page draws: nodes, and scopes, regions, functions and groups that unfold.
const WIDE = 80; // children that a scope shows one by one
const PAGES = 30; // groups of a scope with more

function newItem(kind, id, label, parent, space, prefix) {
  return {
    kind,
    id,
    label,
    parent,
    space,
    prefix,
    children: [],
    open: false,
    arranged: false,
    count: 0,
    row: -1,
    name: -1,
  };
}

// buildTree returns the root item of a space, with byNode: the item of each node.
function buildTree(space, id, prefix, parent) {
  const root = newItem("root", id, "", parent, space, prefix);
  root.byNode = new Map();
  const scopes = new Map(); // by id
  const regions = new Map();
  const child = (at, label, kind) => {
    const cid = at.id + "/" + label + (kind === "region" ? " " : "");
    let c = scopes.get(cid);
    if (!c) {
      c = newItem(kind, cid, label, at, space, prefix);
      scopes.set(cid, c);
      at.children.push(c);
    }
    return c;
  };
  const descend = (at, chain, from) => {
    for (let i = from; i < chain.length; i++) at = child(at, S[D.scopes[2 * chain[i] + 1]], "scope");
    return at;
  };
  // within returns the item of a region, and how many of a chain's scopes it is in already.
  const regionOf = (r) => {
    if (r < 0) return { item: root, chain: [] };
    if (regions.has(r)) return regions.get(r);
    const [name, up, loop, cond] = D.regions[r];
    const outer = regionOf(up),
      full = S[name].split("/"),
      last = full.pop();
    let at = outer.item,
      skip = common(outer.chain, full);
    for (let i = skip; i < full.length; i++) at = child(at, full[i], "scope");
    at = child(at, last, "scope");
    at = child(at, (loop ? "loop " : "branch ") + last, "region");
    at.note = (loop ? "while " : "if ") + S[cond];
    const found = { item: at, chain: full.concat(last) };
    regions.set(r, found);
    return found;
  };
  for (const [name, r] of space.nodes) {
    const chain = scopeChain(scopeOf(name));
    let at;
    if (row.region(r) >= 0) {
      const in_ = regionOf(row.region(r));
      at = descend(
        in_.item,
        chain,
        common(
          in_.chain,
          chain.map((c) => S[D.scopes[2 * c + 1]]),
        ),
      );
    } else at = descend(root, chain, 0);
    const n = newItem("node", at.id + "/" + leafOf(name) + ":", leafOf(name), at, space, prefix);
    n.name = name;
    n.row = r;
    n.calls = row.calls(r);
    n.count = 1;
    at.children.push(n);
    root.byNode.set(name, n);
  }
  adopt(root);
  shorten(root);
  count(root);
  return root;
}
function common(a, b) {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  return i;
}

// adopt moves a node into the scope of the same name: "a" to "a/b" and "a/c".
function adopt(at) {
  const scopes = new Map(at.children.filter((c) => c.kind === "scope").map((c) => [c.label, c]));
  if (scopes.size)
    at.children = at.children.filter((c) => {
      const s = c.kind === "node" && scopes.get(c.label);
      if (!s) return true;
      c.parent = s;
      c.label = "(" + c.label + ")";
      s.children.push(c);
      return false;
    });
  for (const c of at.children) if (c.kind !== "node") adopt(c);
}

// shorten joins a scope with the only scope or node in it.
function shorten(at) {
  for (let i = 0; i < at.children.length; i++) {
    let c = at.children[i];
    while (c.kind === "scope" && c.children.length === 1 && c.children[0].kind === "scope") {
      const d = c.children[0];
      d.label = c.label + "/" + d.label;
      d.parent = at;
      c = at.children[i] = d;
    }
    if (c.kind === "scope" && c.children.length === 1 && c.children[0].kind === "region") {
      c.children[0].parent = at;
      c = at.children[i] = c.children[0];
    }
    if (c.kind === "scope" && c.children.length === 1 && c.children[0].kind === "node") {
      const d = c.children[0];
      d.label = c.label + "/" + d.label;
      d.parent = at;
      c = at.children[i] = d;
    }
    if (c.kind !== "node") shorten(c);
  }
}
function count(at) {
  if (at.kind === "node") return 1;
  at.count = 0;
  for (const c of at.children) at.count += count(c);
  return at.count;
}

const unfolds = (it) => it.kind !== "node" || it.calls.length > 0;
function eachLeaf(it, f) {
  if (it.kind === "node") f(it);
  else for (const c of it.children) eachLeaf(c, f);
}

// arrange makes the children of an item that is opened for the first time: the functions of a call, the groups of a wide scope.
function arrange(it) {
  if (it.arranged) return;
  it.arranged = true;
  if (it.kind === "node") {
    const prefix = it.prefix + nameOf(it.name) + "/";
    it.children = it.calls.map(([attr, f]) => {
      const r = buildTree(functionSpace(f), it.id + "→" + attr, prefix, it);
      r.kind = "function";
      r.label = (it.calls.length > 1 ? attr + ": " : "") + S[D.functions[f].name];
      return r;
    });
    if (it.children.length === 1) {
      const only = it.children[0];
      it.inner = only;
      it.children = only.children;
      for (const c of it.children) c.parent = it;
      it.function = only.label;
    }
    it.count = it.children.reduce((n, c) => n + c.count, 0);
  }
  if (it.children.length <= WIDE) return;
  const order = topological(it),
    groups = Math.min(PAGES, Math.ceil(order.length / (WIDE / 2)));
  const first = it.first || 0,
    list = [];
  for (let g = 0; g < groups; g++) {
    const lo = Math.floor((g * order.length) / groups),
      hi = Math.floor(((g + 1) * order.length) / groups);
    const p = newItem(
      "group",
      it.id + "#" + g,
      shortText(order[lo].label, 22) + " … " + shortText(order[hi - 1].label, 22),
      it,
      order[lo].space,
      order[lo].prefix,
    );
    p.first = first + lo;
    p.children = order.slice(lo, hi);
    for (const c of p.children) c.parent = p;
    p.note =
      (first + lo + 1).toLocaleString("en") +
      "–" +
      (first + hi).toLocaleString("en") +
      " of " +
      (it.of || order.length).toLocaleString("en");
    p.of = it.of || order.length;
    count(p);
    list.push(p);
  }
  it.children = list;
  it.links = null;
}

// summary names the ops that are most frequent below an item.
function summary(it) {
  if (it.summary) return it.summary;
  const m = new Map();
  eachLeaf(it, (n) => {
    const op = row.op(n.row);
    m.set(op, (m.get(op) || 0) + 1);
  });
  for (const op of ["Const", "Identity"]) if (m.size > 1) m.delete(op);
  const top = [...m].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 3);
  return (it.summary = top.map(([op, n]) => (n > 1 ? n.toLocaleString("en") + " " : "") + op).join(", "));
}

// hasFeed reports whether an input of the graph or the function is below an item.
function hasFeed(it) {
  if (it.feed === undefined) {
    it.feed = false;
    eachLeaf(it, (n) => {
      it.feed = it.feed || (row.kind(n.row) === 5 && D.nodes[n.row][6] === 0);
    });
  }
  return it.feed;
}

// topological orders the children of an item; constants come right before their first reader.
function topological(it) {
  const kids = it.children,
    preds = kids.map(() => []);
  for (const e of links(it).edges) preds[e.b].push(e.a);
  const done = new Uint8Array(kids.length),
    order = [];
  const hasPreds = (i) => preds[i].length > 0;
  for (const pass of [0, 1])
    for (let s = 0; s < kids.length; s++) {
      if (done[s] || (pass === 0 && !hasPreds(s))) continue;
      const stack = [[s, 0]];
      done[s] = 1;
      while (stack.length) {
        const top = stack[stack.length - 1],
          p = preds[top[0]];
        if (top[1] < p.length) {
          const q = p[top[1]++];
          if (!done[q]) {
            done[q] = 1;
            stack.push([q, 0]);
          }
        } else {
          order.push(kids[top[0]]);
          stack.pop();
        }
      }
    }
  return order;
}

const owner = new Int32Array(nameCount).fill(-1);

// links returns the edges between the children of an item, and which children have edges to the outside.
function links(it) {
  if (it.links) return it.links;
  const kids = it.children,
    edges = new Map(),
    into = new Uint8Array(kids.length),
    outof = new Uint8Array(kids.length);
  const leaves = [],
    body = it.kind === "function" || it.kind === "node";
  const spaceOf = kids.length ? kids[0].space : it.space;
  kids.forEach((k, i) => {
    if (k.kind !== "function")
      eachLeaf(k, (n) => {
        owner[n.name] = i;
        leaves.push(n);
      });
  });
  for (const n of leaves) {
    const b = owner[n.name],
      r = D.nodes[n.row],
      ins = r[6];
    const arg = body && (row.op(n.row) === "_Arg" ? into : row.op(n.row) === "_Retval" ? outof : null);
    if (arg) arg[b] = 1;
    for (let i = 7; i < r.length; i += i < 7 + 2 * ins ? 2 : 1) {
      const src = r[i],
        ctl = i >= 7 + 2 * ins;
      if (src < 0) continue;
      const a = owner[src];
      if (a < 0) {
        if (spaceOf.nodes.has(src)) into[b] = 1;
        continue;
      }
      if (a === b) continue;
      const key = a * kids.length + b;
      let e = edges.get(key);
      if (!e) edges.set(key, (e = { a, b, data: 0, ctl: 0, tensors: [] }));
      if (ctl) {
        e.ctl++;
        continue;
      }
      e.data++;
      const out = r[i + 1];
      if (e.tensors.length < 40 && !e.tensors.some((t) => t[0] === src && t[1] === out)) e.tensors.push([src, out]);
    }
  }
  if (it.kind !== "root") {
    const readers = spaceOf.readers;
    for (const n of leaves)
      for (const [to] of readers.get(n.name) || [])
        if (owner[to] < 0) {
          outof[owner[n.name]] = 1;
          break;
        }
  }
  for (const n of leaves) owner[n.name] = -1;
  return (it.links = { edges: [...edges.values()], into, outof });
}

// reveal opens everything around an item.
function reveal(it) {
  for (;;) {
    let top = null;
    for (let p = it.parent; p; p = p.parent) if (!p.open) top = p;
    if (!top) return;
    arrange(top);
    top.open = true;
  }
}
