// Search.
let results = [],
  chosen = 0;
function search(text) {
  const input = $("find"),
    list = $("found");
  if (input.value !== text) input.value = text;
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((w) => w);
  results = words.length ? findNodes(words) : [];
  chosen = 0;
  list.textContent = "";
  list.hidden = !words.length;
  results
    .slice(0, 200)
    .forEach((r, i) =>
      list.append(h("li", { role: "option", "data-i": i }, h("span", {}, r.text), h("span", {}, r.op))),
    );
  if (results.length > 200)
    list.append(
      h("li", { class: "more" }, `${(results.length - 200).toLocaleString("en")} more: say more of the name`),
    );
  if (words.length && !results.length) list.append(h("li", { class: "more" }, "nothing found"));
  mark();
}
// isOp reports whether an op is the wanted one, or begins with what is before a star.
const isOp = (op, want) => (want.endsWith("*") ? op.startsWith(want.slice(0, -1)) : op === want);
// findNodes returns the nodes whose names or ops have all words: those whose last part begins with the first word come first.
function findNodes(words) {
  const found = [];
  const match = (name, r, prefix, go) => {
    const full = prefix + nameOf(name),
      low = full.toLowerCase(),
      op = row.op(r),
      lop = op.toLowerCase();
    for (const w of words)
      if (w.startsWith("op:") ? !isOp(lop, w.slice(3)) : !low.includes(w) && !lop.includes(w)) return;
    found.push({
      text: full,
      op,
      go,
      rank: low === words[0] ? 0 : leafOf(name).toLowerCase().startsWith(words[0]) ? 1 : 2,
    });
  };
  for (const [name, r] of G.space.nodes) match(name, r, "", () => goTo(name));
  for (const [f, at] of callers())
    for (const [name, r] of functionSpace(f).nodes)
      match(name, r, S[D.functions[f].name] + ": ", () => goInto(at.concat([[f, name]])));
  return found.sort((a, b) => a.rank - b.rank);
}
// callers maps the functions of the graph to a way to them: the function and the node that calls, from the graph on.
function callers() {
  if (G.space.callers) return G.space.callers;
  const ways = new Map(),
    todo = [[-1, [], G.space]];
  while (todo.length) {
    const [f, way, sp] = todo.shift();
    for (const [name, r] of sp.nodes)
      for (const [, g] of row.calls(r))
        if (!ways.has(g)) {
          const w = way.concat([[f, name]]);
          ways.set(g, w);
          todo.push([g, w, functionSpace(g)]);
        }
  }
  return (G.space.callers = ways);
}
function goInto(way) {
  let items = G.root.byNode,
    it = null;
  way.forEach(([, name], i) => {
    it = items.get(name);
    if (!it || i === way.length - 1) return;
    reveal(it);
    arrange(it);
    it.open = true;
    const f = it.inner || it.children.find((c) => c.space === functionSpace(way[i + 1][0]));
    if (!it.inner) f.open = true;
    items = f.byNode;
  });
  if (it) show(it);
}
function mark() {
  [...$("found").children].forEach((li, i) => {
    li.classList.toggle("on", i === chosen);
    if (i === chosen) li.scrollIntoView({ block: "nearest" });
  });
}
function choose(i) {
  const r = results[i];
  if (!r) return;
  $("found").hidden = true;
  r.go();
  $("svg").focus();
}
