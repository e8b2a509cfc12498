// Keys and the pointer.

// neighbour returns the item that an arrow key goes to.
function neighbour(it, key) {
  const linked = (a, b) => G.edges.filter((e) => e[a] === it && e[b]).map((e) => e[b]);
  const mid = (k) => k.X + k.w / 2,
    near = (l) => l.sort((p, q) => Math.abs(mid(p) - mid(it)) - Math.abs(mid(q) - mid(it)))[0];
  if (key === "ArrowUp") return near(linked("to", "from")) || it.parent;
  if (key === "ArrowDown") return near(linked("from", "to")) || (it.open ? it.children[0] : null);
  const side = key === "ArrowLeft" ? -1 : 1;
  return it.parent.children
    .filter((k) => (mid(k) - mid(it)) * side > 0)
    .sort(
      (p, q) => Math.abs(p.Y - it.Y) - Math.abs(q.Y - it.Y) || Math.abs(mid(p) - mid(it)) - Math.abs(mid(q) - mid(it)),
    )[0];
}
function onKey(ev) {
  if (ev.ctrlKey || ev.metaKey || ev.altKey) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(ev.target.tagName);
  if (ev.key === "/" && !typing) {
    ev.preventDefault();
    $("find").focus();
    $("find").select();
    return;
  }
  if (typing || $("keys").open) return;
  const it = G.selected,
    on = ev.target === $("svg") || ev.target === document.body;
  const keys = {
    "[": () => setStage(G.stage - 1),
    "]": () => setStage(G.stage + 1),
    "+": () => zoom(1.25),
    "=": () => zoom(1.25),
    "-": () => zoom(0.8),
    0: () => fit(),
    f: foldAll,
    "?": () => $("keys").showModal(),
    Escape: () => select(null),
  };
  if (on && ev.key.startsWith("Arrow")) {
    const to = it ? neighbour(it, ev.key) : G.root.children[0];
    if (to && to !== G.root) {
      select(to);
      intoView(to);
    }
  } else if (on && (ev.key === "Enter" || ev.key === " ")) {
    if (it) toggle(it);
  } else if (on && ev.key === "Backspace") {
    if (it && it.parent && it.parent !== G.root) {
      select(it.parent);
      intoView(it.parent);
    }
  } else if (keys[ev.key]) keys[ev.key]();
  else return;
  ev.preventDefault();
}
function foldAll() {
  for (const it of drawn.values()) if (it !== G.root) it.open = false;
  if (G.selected) {
    let it = G.selected;
    while (it.parent && it.parent !== G.root) it = it.parent;
    G.selected = it;
  }
  draw();
  fit();
}

function listen() {
  const svg = $("svg");
  let from = null,
    moved = false;
  svg.addEventListener("pointerdown", (ev) => {
    from = [ev.clientX, ev.clientY, view.x, view.y];
    moved = false;
  });
  window.addEventListener("pointermove", (ev) => {
    if (!from) return;
    const dx = ev.clientX - from[0],
      dy = ev.clientY - from[1];
    if (!moved && Math.abs(dx) + Math.abs(dy) < 4) return;
    moved = true;
    svg.classList.add("drag");
    view.x = from[2] + dx;
    view.y = from[3] + dy;
    transform();
  });
  window.addEventListener("pointerup", () => {
    from = null;
    svg.classList.remove("drag");
  });
  svg.addEventListener("click", (ev) => {
    if (moved) return;
    const g = ev.target.closest(".item"),
      it = g && drawn.get(g.dataset.id);
    if (!it) return select(null);
    select(it);
    if (it.kind !== "node" && (!it.open || ev.offsetY < (it.Y + HEAD) * view.k + view.y)) toggle(it);
    else if (unfolds(it) && ev.offsetX < (it.X + 24) * view.k + view.x && ev.offsetY < (it.Y + 38) * view.k + view.y)
      toggle(it);
  });
  svg.addEventListener("dblclick", (ev) => {
    const g = ev.target.closest(".item"),
      it = g && drawn.get(g.dataset.id);
    if (it && it.kind === "node") toggle(it);
  });
  svg.addEventListener(
    "wheel",
    (ev) => {
      ev.preventDefault();
      const r = svg.getBoundingClientRect();
      if (ev.ctrlKey || !ev.shiftKey)
        zoom(Math.exp(-ev.deltaY * (ev.ctrlKey ? 0.01 : 0.0015)), ev.clientX - r.left, ev.clientY - r.top);
      else {
        view.x -= ev.deltaY;
        transform();
      }
    },
    { passive: false },
  );
  $("sig").addEventListener("change", () => setSignature(+$("sig").value));
  $("stage").addEventListener("change", () => setStage(+$("stage").value));
  $("earlier").addEventListener("click", () => setStage(G.stage - 1));
  $("later").addEventListener("click", () => setStage(G.stage + 1));
  $("fold").addEventListener("click", foldAll);
  $("fit").addEventListener("click", () => fit());
  $("in").addEventListener("click", () => zoom(1.25));
  $("out").addEventListener("click", () => zoom(0.8));
  $("help").addEventListener("click", () => $("keys").showModal());
  $("find").addEventListener("input", () => search($("find").value));
  $("find").addEventListener("focus", () => search($("find").value));
  $("find").addEventListener("blur", () =>
    setTimeout(() => {
      $("found").hidden = true;
    }, 200),
  );
  $("find").addEventListener("keydown", (ev) => {
    if (ev.key === "ArrowDown" || ev.key === "ArrowUp") {
      chosen = Math.max(0, Math.min(Math.min(results.length, 200) - 1, chosen + (ev.key === "ArrowDown" ? 1 : -1)));
      mark();
      ev.preventDefault();
    } else if (ev.key === "Enter") choose(chosen);
    else if (ev.key === "Escape") {
      $("find").value = "";
      $("found").hidden = true;
      svg.focus();
    }
  });
  $("found").addEventListener("mousedown", (ev) => {
    const li = ev.target.closest("li[data-i]");
    if (li) {
      ev.preventDefault();
      choose(+li.dataset.i);
    }
  });
  for (const b of document.querySelectorAll("nav button")) b.addEventListener("click", () => tab(b.dataset.tab));
  const grip = $("grip"),
    aside = document.querySelector("aside");
  grip.addEventListener("pointerdown", (ev) => {
    ev.preventDefault();
    const move = (e) => {
      aside.style.width = window.innerWidth - e.clientX + "px";
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", () => window.removeEventListener("pointermove", move), { once: true });
  });
  document.addEventListener("keydown", onKey);
}
