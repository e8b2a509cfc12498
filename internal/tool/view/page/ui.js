// Elements of the panels beside the graph. Texts of the model become text nodes, never HTML.
function h(name, attrs, ...inside) {
  const e = document.createElement(name);
  for (const k in attrs)
    if (k === "onclick") e.addEventListener("click", attrs[k]);
    else if (attrs[k] !== null) e.setAttribute(k, attrs[k]);
  for (const c of inside.flat(Infinity)) if (c !== null && c !== undefined && c !== "") e.append(c);
  return e;
}
const MOST = 60; // lines of a list before "more"

// does makes a text that does something when it is clicked.
function does(text, f, title) {
  const onclick = (ev) => {
    ev.preventDefault();
    f();
  };
  return h("a", { class: "go", href: "#", title: title || null, onclick }, text);
}

// longList adds lines, and a button for the rest.
function longList(items, line, most) {
  const ul = h("ul", { class: "list" });
  let n = 0;
  const more = (k) => {
    for (const end = Math.min(items.length, n + k); n < end; n++) ul.append(h("li", {}, line(items[n])));
    if (n < items.length) {
      const b = h(
        "button",
        {
          onclick: () => {
            b.parentNode.remove();
            more(500);
          },
        },
        `${(items.length - n).toLocaleString("en")} more`,
      );
      ul.append(h("li", {}, b));
    }
  };
  more(most || MOST);
  return ul;
}

// link goes to a node if the graph that is shown has it, and to the last stage that has it otherwise.
function link(name, text) {
  if (!G.sig.fateOf.has(name)) return tailOf(nameOf(name)); // no graph has it: it stands for the nodes of an inlined function
  return does(text || tailOf(nameOf(name)), () => goTo(name), nameOf(name));
}
// tailOf leaves out the beginning of a long name.
function tailOf(s) {
  if (s.length <= 56) return s;
  const parts = s.split("/");
  let t = parts.pop();
  while (parts.length && t.length + parts[parts.length - 1].length < 52) t = parts.pop() + "/" + t;
  return parts.length ? "…/" + t : t;
}

function table(...rows) {
  return h(
    "table",
    {},
    rows.filter((r) => r).map(([k, ...v]) => h("tr", {}, h("th", {}, k), h("td", {}, ...v))),
  );
}

function countTable(rows) {
  return h(
    "table",
    {},
    rows.slice(0, 200).map(([op, n]) =>
      h(
        "tr",
        {},
        h(
          "td",
          {},
          does(op, () => search("op:" + op)),
        ),
        h("td", { class: "n" }, n.toLocaleString("en")),
      ),
    ),
  );
}

function duration(ns) {
  for (const [by, unit] of [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
  ])
    if (ns >= by) return (ns / by).toPrecision(3) + " " + unit;
  return Math.round(ns) + " ns";
}
function percent(x) {
  return (100 * x).toFixed(x < 0.0995 ? 1 : 0) + "%";
}
