// The panel of the selected node or scope.

function showNode() {
  const box = $("tab-node"),
    it = G.selected;
  box.textContent = "";
  if (!it) {
    box.append(
      h(
        "p",
        { class: "dim" },
        "Click a node to see its op, attributes, inputs and outputs, and what the passes did to it. Click a scope, or its triangle, to unfold it.",
      ),
    );
    return;
  }
  if (it.kind !== "node") return scopeDetails(box, it);
  const name = it.name,
    sig = G.sig,
    own = !it.prefix;
  box.append(
    h("h2", {}, leafOf(name)),
    h("p", { class: "mono dim" }, it.prefix + nameOf(name)),
    h(
      "p",
      {},
      h("span", { class: "badge" }, row.op(it.row)),
      G.marks.has(name) && own
        ? h("span", { class: "badge " + G.marks.get(name) }, G.marks.get(name) + " in this graph")
        : "",
    ),
  );
  const share = G.time && own ? G.time.get(name) : 0;
  if (share) box.append(h("p", {}, `${shareText(it)} of the time: ${duration(share)} a run`));
  if (own) became(box, it);
  if (row.attrs(it.row).length) box.append(h("h3", {}, "Attributes"), attributes(it.row));
  const ins = row.ins(it.row),
    ctl = row.controls(it.row);
  box.append(h("h3", {}, "Inputs"));
  box.append(
    ins.length + ctl.length
      ? longList([...ins.map((x, i) => [i, ...x]), ...ctl.map((c) => ["control", c, -1])], ([i, n, o]) =>
          n < 0
            ? "none"
            : [
                h("span", { class: "dim" }, i === "control" ? "control " : i + " "),
                here(it, n),
                o > 0 ? ":" + o : "",
                o >= 0 ? typeText(it, n, o) : "",
              ],
        )
      : h("p", { class: "dim" }, "none"),
  );
  outputs(box, it);
  const device = row.device(it.row),
    notes = own ? sig.notesOf.get(name) || [] : [],
    placed = notes.find((n) => n[1] === 4);
  if (device || placed) box.append(h("h3", {}, "Device"), h("p", { class: "mono" }, placed ? S[placed[2]] : device));
  const steps = stepsOf(name);
  if (own && steps.length)
    box.append(
      h("h3", {}, "Steps of the program"),
      longList(steps, (n) => h("span", { class: "mono" }, S[n[2]])),
    );
}

// here links to a node of the same space.
function here(it, name) {
  if (!it.prefix) return link(name);
  return does(tailOf(nameOf(name)), () => {
    const o = bodyOf(it).get(name);
    if (o) show(o);
  });
}
// bodyOf returns the items of the function that an item is in.
function bodyOf(it) {
  for (let p = it.parent; p; p = p.parent) {
    if (p.byNode) return p.byNode;
    if (p.inner && p.inner.space === it.space) return p.inner.byNode;
  }
  return G.root.byNode;
}
function typeText(it, n, o) {
  const f = factOf(G.sig, it.space, it.prefix, n, o);
  return f ? h("span", { class: "mono dim" }, "  " + f) : "";
}
function attributes(r) {
  const a = row.attrs(r),
    rows = [];
  for (let i = 0; i < a.length; i += 2) rows.push([S[a[i]], h("code", {}, S[a[i + 1]])]);
  return table(...rows);
}
function outputs(box, it) {
  const facts = factsOf(it),
    readers = it.space.readers.get(it.name) || [];
  box.append(h("h3", {}, "Outputs"));
  facts.forEach((f, i) => box.append(h("p", { class: "mono" }, i + "  " + f)));
  if (!facts.length && !readers.length) box.append(h("p", { class: "dim" }, "none"));
  if (readers.length)
    box.append(
      h("p", { class: "dim" }, "read by"),
      longList(readers, ([n, i]) => [here(it, n), h("span", { class: "dim" }, i < 0 ? " control" : " input " + i)]),
    );
}
// stepsOf returns the steps that compute a node, or what replaces it.
function stepsOf(name) {
  const of = (n) => (G.sig.notesOf.get(n) || []).filter((x) => x[1] === 2),
    own = of(name),
    f = G.sig.fateOf.get(name);
  return own.length || !f || f[3] < 0 ? own : of(f[3]);
}

// became tells what the passes did to a node.
function became(box, it) {
  const f = G.sig.fateOf.get(it.name),
    notes = G.sig.notesOf.get(it.name) || [];
  const rows = [];
  if (f) {
    const [, status, pass, into, why, made] = f;
    rows.push([
      "made by",
      made ? passLink(S[made]) : "the file",
      notes.filter((n) => n[1] === 3).map((n) => h("span", { class: "dim" }, " " + S[n[2]])),
    ]);
    rows.push([
      "at the end",
      h("b", {}, S[status]),
      pass ? [" by ", passLink(S[pass])] : "",
      into >= 0 && into !== it.name ? [" → ", link(into)] : "",
      why ? h("div", { class: "dim" }, S[why]) : "",
    ]);
  }
  for (const n of notes) if (n[1] === 0) rows.push(["use", S[n[2]]]);
  for (const n of notes) if (n[1] === 5) rows.push(["short name", h("code", {}, S[n[2]])]);
  const from = row.origin(it.row),
    sources = new Set(from);
  for (const b of G.sig.became.get(it.name) || []) if (b[0] !== it.name && !b[5]) sources.add(b[0]);
  if (sources.size) rows.push(["made from", longList([...sources], (n) => inFile(n), 12)]);
  box.append(h("h3", {}, "What the passes did"), table(...rows));
  const edits = G.sig.editsOf.get(it.name) || [];
  if (edits.length)
    box.append(
      longList(
        edits.map((i) => G.sig.edits[i].concat(i)),
        (e) => editLine(e, it.name),
        8,
      ),
    );
  const refused = notes.filter((n) => n[1] === 1);
  if (refused.length)
    box.append(
      h("h3", {}, "Not done"),
      longList(refused, (n) => S[n[2]], 8),
    );
}
function inFile(name) {
  return does(
    tailOf(nameOf(name)),
    () => {
      if (!stageSpace(G.sig, 0).nodes.has(name)) goTo(name);
      else {
        setStage(0);
        goTo(name);
      }
    },
    nameOf(name) + "\nin the graph of the file",
  );
}
function passOfEdit(i) {
  return G.sig.passes.find((p) => i >= p.edits[0] && i < p.edits[0] + p.edits[1]);
}
function editLine([node, to, why, , i], self) {
  const p = passOfEdit(i);
  return [
    h("span", { class: "dim" }, (p ? S[p.name] : "") + ": "),
    node === self ? "" : link(node),
    to >= 0 && to !== node ? [" → ", to === self ? "this" : link(to)] : "",
    " " + S[why],
  ];
}
function passLink(name) {
  return does(name, () => openPass(name));
}

function scopeDetails(box, it) {
  box.append(
    h("h2", {}, it.label || D.model),
    h("p", { class: "dim" }, nodes(it.count) + (it.note ? ", " + it.note : "")),
  );
  if (shareOf(it)) box.append(h("p", {}, shareText(it) + " of the time"));
  const ops = new Map();
  eachLeaf(it, (n) => ops.set(row.op(n.row), (ops.get(row.op(n.row)) || 0) + 1));
  box.append(h("h3", {}, "Ops"), countTable([...ops].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))));
  if (it.children.length && it.children[0].kind !== "node") box.append(h("h3", {}, "Holds"));
  if (it.open || it.arranged || it.children.length <= WIDE)
    box.append(
      longList(
        it.children.filter((c) => c.kind !== "node"),
        (c) => does(c.label + ` (${c.count.toLocaleString("en")})`, () => show(c)),
      ),
    );
}
