(function () {
  var marks = [null, null, null, null, null];
  document.addEventListener("click", function (ev) {
    var h = ev.target.closest("h2");
    if (h) { h.parentNode.classList.toggle("fold"); return; }
    var p = ev.target.closest("p[data-n]");
    if (!p) return;
    var table = p.closest("table"), id = p.getAttribute("data-n");
    var at = marks.findIndex(function (m) { return m && m.table === table && m.id === id; });
    var on = at < 0;
    if (on) {
      at = marks.indexOf(null);
      if (at < 0) { at = 0; show(0, false); }
      marks[at] = { table: table, id: id };
    }
    show(at, on);
    if (!on) marks[at] = null;
  });
  function show(at, on) {
    var m = marks[at];
    m.table.querySelectorAll('p[data-n="' + m.id + '"]').forEach(function (e) { e.classList.toggle("m" + at, on); });
    if (!on) marks[at] = null;
  }
})();
