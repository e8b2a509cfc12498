// The panels of passes, times and the model.

// showPasses lists the passes; those that changed nothing come together.
function showPasses() {
  const box = $("tab-passes");
  box.textContent = "";
  box.append(
    h(
      "p",
      { class: "dim" },
      "Each pass with the nodes it left, and how many are ",
      h("span", { class: "plus" }, "new"),
      ", ",
      h("span", { class: "tilde" }, "changed"),
      " and ",
      h("span", { class: "minus" }, "gone"),
      ".",
    ),
  );
  let idle = [],
    before = null,
    device = 0;
  const flush = () => {
    if (idle.length) box.append(h("p", { class: "dim" }, "no change: " + idle.join(", ")));
    idle = [];
  };
  G.passBoxes = new Map();
  for (const p of G.sig.passes || []) {
    if (p.device !== device) {
      flush();
      device = p.device;
      before = null;
      box.append(h("h3", { class: "own" }, S[device]));
    }
    const [plus, tilde, minus] = p.counts;
    if (before !== null && plus + tilde + minus + p.edits[1] === 0) {
      idle.push(S[p.name]);
      continue;
    }
    flush();
    box.append(passBox(p, before));
    before = p.nodes;
  }
  flush();
}
function passBox(p, before) {
  const [plus, tilde, minus] = p.counts,
    name = S[p.name],
    read = before === null && name === "read";
  const counts = read
    ? []
    : [
        h("span", { class: "plus" }, plus ? "+" + plus : ""),
        h("span", { class: "tilde" }, tilde ? "~" + tilde : ""),
        h("span", { class: "minus" }, minus ? "−" + minus : ""),
      ];
  const d = h(
    "div",
    { class: "pass" + (p.stage === G.stage ? " on" : "") },
    h(
      "button",
      { "aria-expanded": "false", onclick: () => toggle() },
      h("b", {}, read ? "the file" : name),
      counts,
      h(
        "span",
        { class: "dim" },
        (before !== null && before !== p.nodes ? before.toLocaleString("en") + " → " : "") +
          p.nodes.toLocaleString("en"),
      ),
    ),
  );
  let body = null;
  const toggle = () => {
    d.firstChild.setAttribute("aria-expanded", String(!body));
    if (body) {
      body.remove();
      body = null;
      return;
    }
    body = h("div", { class: "body" });
    const doc = passDocs.get(name.split(".")[0]);
    if (doc) body.append(h("p", { class: "dim" }, doc));
    if (p.stage >= 0)
      body.append(
        h("button", { onclick: () => setStage(p.stage) }, read ? "show this graph" : "show the graph after it"),
      );
    const why = new Map();
    for (let i = p.edits[0]; i < p.edits[0] + p.edits[1]; i++) {
      const e = G.sig.edits[i].concat(i);
      if (!why.has(e[2])) why.set(e[2], []);
      why.get(e[2]).push(e);
    }
    for (const [text, list] of [...why].sort((a, b) => b[1].length - a[1].length)) {
      body.append(
        h("h3", {}, ""),
        h("p", {}, S[text] + (list.length > 1 ? ` (${list.length})` : "")),
        longList(list, ([n, to]) => [link(n), to >= 0 && to !== n ? [" → ", link(to)] : ""], 5),
      );
    }
    d.append(body);
  };
  if (!G.passBoxes.has(name)) G.passBoxes.set(name, [d, toggle, () => body]);
  d.stageOf = p.stage;
  return d;
}
function openPass(name) {
  tab("passes");
  const found = G.passBoxes.get(name) || G.passBoxes.get(name.split(".")[0]);
  if (!found) return;
  if (!found[2]()) found[1]();
  found[0].scrollIntoView({ block: "start" });
}

// showTime lists where a run spends its time.
function showTime() {
  const box = $("tab-time"),
    t = G.sig.time;
  box.textContent = "";
  if (!t) {
    box.append(
      h("p", {}, "No profile was given. Make one and give it to graphc view:"),
      h("p", { class: "mono" }, `graphc run ${D.model} --feed … --profile p.json`),
      h("p", { class: "mono" }, `graphc view ${D.model} --profile p.json`),
    );
    return;
  }
  box.append(
    h(
      "p",
      {},
      `A run takes ${duration(t.total)} in the steps of the profile, which has ${t.runs} run${t.runs === 1 ? "" : "s"}.`,
    ),
  );
  if (G.missing > 0.0005)
    box.append(h("p", { class: "dim" }, `${percent(G.missing)} is in nodes that this graph does not have.`));
  box.append(
    h(
      "p",
      { class: "dim" },
      "The time of a step that computes several nodes is divided among them by estimated work. In graphs from before a fusion, the time of the fused node belongs to the nodes that became it, to the expensive ones if there are any.",
    ),
  );
  const bars = (list, max) =>
    h(
      "table",
      {},
      list.map(([share, what, op]) =>
        h(
          "tr",
          {},
          h("td", { class: "n" }, percent(share)),
          h(
            "td",
            {},
            what,
            op ? h("span", { class: "dim" }, " " + op) : "",
            h("div", { class: "bar", style: `width:${(100 * share) / max}%` }),
          ),
        ),
      ),
    );
  const scopes = G.root.children
    .filter((c) => c.kind !== "node" && shareOf(c) > 0)
    .sort((a, b) => shareOf(b) - shareOf(a))
    .slice(0, 40);
  if (scopes.length > 1)
    box.append(
      h("h3", {}, "Scopes"),
      bars(
        scopes.map((c) => [shareOf(c), does(c.label, () => show(c))]),
        shareOf(scopes[0]),
      ),
    );
  const ops = new Map(),
    nodes = [...G.time].sort((a, b) => b[1] - a[1]);
  for (const [n, ns] of nodes) {
    const op = row.op(G.space.nodes.get(n));
    ops.set(op, (ops.get(op) || 0) + ns / t.total);
  }
  const byOp = [...ops].sort((a, b) => b[1] - a[1]).slice(0, 20);
  if (byOp.length)
    box.append(
      h("h3", {}, "Ops"),
      bars(
        byOp.map(([op, s]) => [s, op]),
        byOp[0][1],
      ),
    );
  if (nodes.length)
    box.append(
      h("h3", {}, "Nodes"),
      bars(
        nodes.slice(0, 200).map(([n, ns]) => [ns / t.total, link(n), row.op(G.space.nodes.get(n))]),
        nodes[0][1] / t.total,
      ),
    );
}

function showAbout() {
  const box = $("tab-about"),
    sig = G.sig;
  box.textContent = "";
  const list = (ports) =>
    ports && ports.length
      ? table(...ports.map((p) => [p.key, h("code", {}, p.type ? brief(p.type) : ""), h("div", {}, link(p.node))]))
      : h("p", { class: "dim" }, "none");
  box.append(
    h("h2", {}, D.model),
    h(
      "p",
      { class: "dim" },
      nodes(G.space.nodes.size) + " in this graph" + (D.functions.length ? `, ${D.functions.length} functions` : ""),
    ),
  );
  box.append(h("h3", {}, "Feeds"), list(sig.feeds), h("h3", {}, "Fetches"), list(sig.fetches));
  if (sig.targets && sig.targets.length)
    box.append(
      h("h3", {}, "Targets"),
      longList(sig.targets, (n) => link(n)),
    );
  const ops = new Map();
  for (const r of G.space.nodes.values()) ops.set(row.op(r), (ops.get(row.op(r)) || 0) + 1);
  box.append(h("h3", {}, "Ops"), countTable([...ops].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))));
}
