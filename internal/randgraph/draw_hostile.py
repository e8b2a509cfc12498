"""Draws a graph with one op that TensorFlow accepts, and corrupts its operands and attributes one at a time."""
import base64
import json
import os

import numpy as np
from tensorflow.core.framework import node_def_pb2
from tensorflow.python.framework import tensor_util

import builder
import case
import graphs
import hints
import values as V
from builder import Builder, Refused, Val, op_def
from exclude import EXCLUDED


class Plain(Builder):
    """A builder whose leaves are small constants, and that accepts everything that TensorFlow accepts."""

    def __init__(self, seed, known, index, pipe):
        super().__init__(seed, known)
        self.special = self.denormal = self.exact_only = False
        self.feed_share, self.dims, self.reuse = 0.0, "static", 0.0
        self.index, self.pipe = index, pipe

    def dim(self, lo=0, hi=7):
        return min(max(self.r.choice((1, 2, 2, 3, 3, 4)), lo), hi)

    def run(self, od, flat, attrs, n):
        os.write(self.pipe, b"%d draw %s\n" % (self.index, od.name.encode()))
        trace, builder.TRACE = builder.TRACE, None
        try:
            return super().run(od, flat, attrs, n)
        finally:
            builder.TRACE = trace

    def op(self, name, ins, attrs=None, ctrl=(), keep=False, exact=None):
        od, flat, attrs, outs = self.prepare(name, ins, attrs)
        res = self.run(od, [x.t for x in flat], attrs, len(outs))
        n = self.append(od, flat, attrs, ctrl)
        out = []
        for i, (d, t) in enumerate(zip(outs, res)):
            out.append(Val("%s:%d" % (n.name, i), d, t, None if d in (V.RES, V.VAR) else V.array(d, t)))
            if d not in (V.RES, V.VAR):
                self.pool.append(out[-1])
        return out


class Base:
    """nodes, the node under test, its output types, and the leaves: constants whose elements can be corrupted."""

    def __init__(self, b, target, outs):
        self.b, self.target, self.outs = b, target, outs
        by = {n.name: n for n in b.nodes}
        want, todo = set(), [target.name] + ([b.last] if b.last else [])
        while todo:
            n = todo.pop()
            if n not in want and n in by:
                want.add(n)
                todo += [i.lstrip("^").split(":")[0] for i in by[n].input]
        self.nodes = [n for n in b.nodes if n.name in want]
        direct = [i.split(":")[0] for i in target.input if not i.startswith("^")]
        vals = {v.name[:-2]: v for v in b.pool if v.leaf == "const"}
        near = [n for n in direct if n in vals]
        for n in direct:      # the inputs of a list, an array or a table under test
            if n in by and n not in vals:
                near += [i.split(":")[0] for i in by[n].input if i.split(":")[0] in vals]
        self.leaves = {n: vals[n] for n in near}
        self.direct = [n for n in near if n in direct]


class FromCase(Base):
    """The graph of a recorded case, with constants instead of feeds."""

    def __init__(self, folder, name):
        with open(os.path.join(folder, "case.json")) as f:
            j = json.load(f)
        gd = case.graph_pb2.GraphDef()
        with open(os.path.join(folder, "graph.pb"), "rb") as f:
            gd.ParseFromString(f.read())
        if gd.library.function:
            raise ValueError("functions")
        feeds = dict(np.load(os.path.join(folder, j["runs"][0]["feeds"]), allow_pickle=False))
        b = Builder(0, set())
        b.producer = gd.versions.producer or b.producer
        for n in gd.node:
            if n.name + ":0" in j["dtypes"] and n.op in ("Placeholder", "PlaceholderV2", "Const") or n.op == "Const":
                leaf(b, n, feeds, j)
            b.nodes.append(n)
        target = [n for n in b.nodes if n.op == name][-1]
        super().__init__(b, target, types(op_def(name), target))


def leaf(b, n, feeds, j):
    d, key = n.attr["dtype"].type, n.name + ":0"
    if n.op != "Const" and d == V.STR:
        s = j["strings"][key]
        a = np.array([base64.b64decode(x) for x in s["base64"]] or [], object).reshape(s["shape"])
    elif n.op != "Const":
        a = feeds[key]
        a = a.view(V.NP[d]) if d == V.BF16 else a
    else:
        a = V.array(d, tensor_util.MakeNdarray(n.attr["value"].tensor))
        a = a.astype(object) if d == V.STR else a
    if a.size > 5000:
        raise ValueError("large")
    n.op = "Const"
    n.attr.clear()
    n.attr["dtype"].type = d
    builder.tensor_proto(n.attr["value"].tensor, d, a)
    v = Val(key, d, None, a, leaf="const")
    b.pool.append(v)


def recorded(folders):
    """Folders of recorded cases by op, the smallest graphs first."""
    found = {}
    for root in folders:
        for dir, _, files in os.walk(root):
            if "case.json" in files and "graph.pb" in files:
                with open(os.path.join(dir, "graph.pb"), "rb") as f:
                    raw = f.read()
                gd = case.graph_pb2.GraphDef()
                try:
                    gd.ParseFromString(raw)
                except Exception:   # a case whose bytes are not a graph
                    continue
                if gd.library.function or len(gd.node) > 40:
                    continue
                for op in {n.op for n in gd.node}:
                    found.setdefault(op, []).append(("/hostile/" in dir and "/accept/" not in dir, len(gd.node), dir))
    return {op: [d for _, _, d in sorted(l)] for op, l in found.items()}


def warm_up():
    case.execute(case.graph_def(Builder(0, set()), []), [], [], [])


def base(name, known, seed, index, pipe, folders):
    """A graph with the op that TensorFlow accepts, or None: a recorded one for odd seeds, if available."""
    od = op_def(name)
    if od is None or name in EXCLUDED or name.startswith("_"):
        return None
    if seed % 2 or name not in graphs.HINTS:
        for k in range(min(4, len(folders))):
            try:
                return FromCase(folders[(k + seed // 2) % len(folders)], name)
            except (KeyError, IndexError, ValueError, TypeError, OSError):
                continue
    for k in range(12):
        b = Plain(seed * 1000 + k, known, index, pipe)
        try:
            if name in graphs.HINTS:
                r = graphs.HINTS[name](b, name)
            elif any(a.is_ref or a.type in (V.RES, V.VAR) for a in list(od.input_arg) + list(od.output_arg)) or not od.input_arg:
                return None
            else:
                r = hints.generic(b, name)
            if r is not None:
                d = od.deprecation.version
                if d and d <= b.producer:
                    b.producer = d - 1
                b.op(name, *r)
            target = [n for n in b.nodes if n.op == name][-1]
            outs = types(od, target)
            c = Base(b, target, outs)
            res = run(c, c.nodes, {})[0]
            if not res.code:
                return c
        except (Refused, IndexError, case.Unusable, ValueError, TypeError, OverflowError):
            continue
    return None


def types(od, node):
    out = []
    for s in od.output_arg:
        a = node.attr
        if s.type_list_attr:
            out += list(a[s.type_list_attr].list.type)
        else:
            out += [a[s.type_attr].type if s.type_attr else s.type] * (a[s.number_attr].i if s.number_attr else 1)
    return out


def fetches(c, target):
    names = [("%s:%d" % (target.name, i), d) for i, d in enumerate(c.outs) if d not in (V.RES, V.VAR) and d < 100]
    if not names and "element_dtype" in target.attr and list(c.outs) == [V.VAR]:
        names = [("read:0", target.attr["element_dtype"].type)]
    targets = [] if names else [target.name]
    if c.b.last and c.b.last != target.name:
        targets.append(c.b.last)
    return names, targets


def run(c, nodes, feeds):
    target = next(n for n in nodes if n.name == c.target.name)
    names, targets = fetches(c, target)
    if names and names[0][0] == "read:0":       # another op reads a list
        nodes = nodes + reader(target, names[0][1])
    gd = case.graph_def(c.b, nodes)
    return case.execute(gd, [feeds], [n for n, _ in names], targets), gd, names, targets


def reader(target, d):
    shape, read = node_def_pb2.NodeDef(name="shape", op="Const"), node_def_pb2.NodeDef(name="read", op="TensorListStack")
    shape.attr["dtype"].type = V.I32
    builder.tensor_proto(shape.attr["value"].tensor, V.I32, np.array(-1, np.int32))
    read.input.extend([target.name, "shape"])
    read.attr["element_dtype"].type = d
    read.attr["num_elements"].i = -1
    return [shape, read]


# ---- mutations

def shapes(a):
    """Other ranks and sizes, with the elements of a as far as possible."""
    s = list(a.shape)
    yield "rank+1", [1] + s
    if s:
        yield "rank-1", s[1:]
        yield "scalar", []
        yield "empty", [0] + s[1:]
        if len(s) > 1:
            yield "lastempty", s[:-1] + [0]
            yield "flat", [a.size]
            yield "last+1", s[:-1] + [s[-1] + 1]
            if s[-1] > 1:
                yield "last-1", s[:-1] + [s[-1] - 1]
        yield "first+1", [s[0] + 1] + s[1:]
        if s[0] > 1:
            yield "first-1", [s[0] - 1] + s[1:]
    else:
        yield "vector2", [2]
        yield "novector", [0]
        yield "matrix", [1, 1]


def fill(a, shape, d):
    n = int(np.prod(shape, dtype=np.int64))
    flat = a.ravel()
    if flat.size == 0:
        flat = np.array([b"x"], object) if d == V.STR else np.ones(1, V.storage(d))
    return np.resize(flat, n).astype(a.dtype).reshape(shape)


def elements(a, d):
    """Changes of one or all elements."""
    if not a.size:
        return
    if d in V.INTS or d in V.QUANT:
        i = np.iinfo(V.storage(d))
        vals = [("-1", -1), ("0", 0), ("min", i.min), ("max", i.max), ("7", 7), ("1000", 1000), ("-2", -2), ("2^31", 1 << 31), ("2^40", 1 << 40)]
        vals = [(n, v) for n, v in vals if i.min <= v <= i.max]
    elif d in V.FLOATS:
        vals = [("nan", np.nan), ("inf", np.inf), ("-inf", -np.inf), ("-1", -1.0), ("0", 0.0), ("1e30", 1e30 if d != V.F16 else 6e4)]
    elif d in V.COMPLEX:
        vals = [("nan", complex(np.nan, 1)), ("0", 0)]
    elif d == V.STR:
        vals = [("none", b""), ("bytes", b"\xff\xfe\x00"), ("junk", b"(*["), ("replaced", "\ufffd".encode()), ("digits", b"99999999999999999999")]
    else:
        vals = [("true", True), ("false", False)]
    for n, v in vals:
        for at in ("first", "last", "all") if a.size > 1 else ("all",):
            w = a.copy()
            with np.errstate(all="ignore"):
                w.flat[{"first": 0, "last": a.size - 1, "all": slice(None)}[at]] = v if d == V.STR else np.array(v).astype(a.dtype)
            yield "%s-%s" % (n, at), w
    if a.size > 1 and d not in (V.BOOL,):
        yield "reversed", a.ravel()[::-1].reshape(a.shape)


def attributes(od, node):
    """Other values of each attribute."""
    for a in od.attr:
        if a.type in ("type", "func", "tensor", "list(func)", "list(type)") or a.name in ("container", "shared_name") or any(
                s.number_attr == a.name for s in list(od.input_arg) + list(od.output_arg)):
            continue
        have = node.attr[a.name] if a.name in node.attr else a.default_value
        if a.type == "int":
            vals = [-1, 0, 1, 2, 3, 17, 1000, -2, (1 << 31) - 1, 1 << 40, -(1 << 63), (1 << 63) - 1]
        elif a.type == "float":
            vals = [float("nan"), float("inf"), -1.0, 0.0, 2.0, 1e-30]
        elif a.type == "bool":
            vals = [not have.b]
        elif a.type == "string":
            vals = [b"", b"junk", b"\xff\xfe"] + list(a.allowed_values.list.s)
        elif a.type == "shape":
            vals = [None, [], [2], [0], [1 << 40, 1 << 40], [3, None]]
        elif a.type == "list(int)":
            h = list(have.list.i)
            vals = [[], [0] * len(h), [-1] * len(h), h + [1], h[:-1], [1 << 40] * len(h), [-(1 << 63)] * len(h), h[:-1] + [0], h[:-1] + [2], [2] + h[1:]]
        elif a.type == "list(float)":
            h = list(have.list.f)
            vals = [[], [float("nan")] * max(1, len(h)), h + [1.0], h[:-1], [-1.0] * len(h), h[::-1]]
        elif a.type == "list(string)":
            h = list(have.list.s)
            vals = [[], [b"junk"] * len(h), h + [b"x"], h[:-1]]
        elif a.type == "list(shape)":
            n = len(have.list.shape)
            vals = [[], [None] * n, [[0]] * n, [[-2 + 1]] * n, [None] * (n + 1), [[1 << 40, 1 << 40]] * n]
        else:
            continue
        for i, v in enumerate(vals):
            yield "%s-%d" % (a.name, i), a, v


def mutations(c):
    out = [("none", None, None, fed) for fed in (False, True)]
    for n, v in c.leaves.items():
        label = "in%d" % (c.direct.index(n) if n in c.direct else 9)
        for k, s in shapes(v.v):
            out += [("%s-%s" % (label, k), n, fill(v.v, s, v.dt), fed) for fed in (False, True)]
        for k, w in elements(v.v, v.dt):
            out += [("%s-%s" % (label, k), n, w, fed) for fed in (False, True)]
    for k, a, v in attributes(op_def(c.target.op), c.target):
        out += [("at-" + k, a, v, fed) for fed in (False, True)]
    return out


def spoiled(c, m):
    """The nodes and the feeds of a mutation."""
    what, where, value, fed = m
    nodes, feeds, dts = [], {}, {}
    for n in c.nodes:
        p = node_def_pb2.NodeDef()
        p.CopyFrom(n)
        nodes.append(p)
        if p.name == c.target.name and what.startswith("at-"):
            p.attr[where.name].Clear()
            builder.set_attr(p, where.type, where.name, value)
        leaf = c.leaves.get(p.name)
        if leaf is None:
            continue
        a = value if p.name == where else leaf.v
        if fed and p.name in c.direct:
            p.op = "Placeholder"
            p.attr.clear()
            p.attr["dtype"].type = leaf.dt
            p.attr["shape"].shape.unknown_rank = True
            feeds[p.name + ":0"], dts[p.name + ":0"] = a, leaf.dt
        elif p.name == where:
            p.attr.clear()
            p.attr["dtype"].type = leaf.dt
            builder.tensor_proto(p.attr["value"].tensor, leaf.dt, a)
    return nodes, feeds, dts


def values(res, names):
    return [np.asarray(x, dtype=object) if d == V.STR else V.array(d, x) for x, (_, d) in zip(res.runs[0], names)]


def write(log, c, m, stats):
    """Writes the case of a mutation and returns TensorFlow's result."""
    try:
        nodes, feeds, dts = spoiled(c, m)
    except (ValueError, TypeError, OverflowError):
        return "cannot be written"
    if m[3] and not feeds:
        return "nothing is fed"
    try:
        res, gd, names, targets = run(c, nodes, feeds)
        dts.update(dict(names))
        tol = (0.0, 0.0)
        for _, d in names:
            if d in V.TOLERANCE:
                tol = max(tol, V.TOLERANCE[d])
        got = []
        if not res.code:
            got = [values(res, names)]
            again = run(c, nodes, feeds)[0]
            if again.code or not all(case.same(d, a, b, (0.0, 0.0)) for a, b, (_, d) in zip(got[0], values(again, names), names)):
                return "differs from run to run"
            if sum(x.size for x in got[0]) > 20000:
                return "too large"
        name = "%s-%s%s" % (c.target.op, m[0], "-fed" if m[3] else "")
        case.write(log, name, dict(
            name=name, origin="internal/randgraph/hostile.py", gd=gd, targets=targets, tol=tol, fetch_names=[n for n, _ in names], dtypes=dts, feeds=[feeds],
            fetches=got, error=(res.code, res.when, res.why) if res.code else None, features=["hostile"], ops=sorted({n.op for n in gd.node})))
    except (case.Unusable, ValueError, TypeError, KeyError, OverflowError, UnicodeDecodeError, MemoryError) as e:
        log.members.clear()
        stats["unusable: " + repr(e)[:60]] += 1
        return "unusable"
    return res.code or "accepted"
