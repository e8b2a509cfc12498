"""Wraps a graph in a function, a branch or a loop, which does not change results."""
import numpy as np
from tensorflow.core.framework import graph_pb2

import values as V
from builder import op_def, ref, set_attr, tensor_proto

NAMED = ("TensorSummary",)    # writes its node's name, which depends on inlining
ZERO = {V.STR: b""}


def arg_names(node):
    """For each output of a node, its name in a function body: the argument and its index."""
    out = []
    for a in op_def(node.op).output_arg:
        n = node.attr[a.number_attr].i if a.number_attr else len(node.attr[a.type_list_attr].list.type) if a.type_list_attr else 1
        out += ["%s:%d" % (a.name, i) for i in range(n)]
    return out


def split(b):
    leaves = [n for n in b.nodes if n.op == "Placeholder"]
    return leaves, [n for n in b.nodes if n.op != "Placeholder"]


def const(name, d, a):
    n = graph_pb2.GraphDef().node.add()
    n.name, n.op = name, "Const"
    n.attr["dtype"].type = d
    tensor_proto(n.attr["value"].tensor, d, np.asarray(a, dtype=object if d == V.STR else V.storage(d)))
    return n


def node(name, op, ins, **attrs):
    n = graph_pb2.GraphDef().node.add()
    n.name, n.op = name, op
    n.input.extend(ins)
    kinds = {a.name: a.type for a in op_def(op).attr}
    for k, v in attrs.items():
        set_attr(n, kinds[k], k, v)
    return n


def zeros(v):
    return np.full(v.shape, b"", dtype=object) if v.dt == V.STR else np.zeros(v.shape, V.storage(v.dt))


def body(f, name, args, nodes, rets, extra=()):
    """Fills a FunctionDef: args are (name, type), nodes a graph's, rets (name, type, tensor)."""
    f.signature.name = name
    inside = {n.name: arg_names(n) for n in nodes}
    params = {a: k for a, k, _ in args}

    def inner(x):
        if x.startswith("^"):
            return None if x[1:] in params else x
        x, _, i = x.partition(":")
        if x in params:
            return params[x]
        return "%s:%s" % (x, inside[x][int(i or 0)])
    for _, k, d in args:
        a = f.signature.input_arg.add()
        a.name, a.type = k, d
    for k, d, _ in rets:
        a = f.signature.output_arg.add()
        a.name, a.type = k, d
    for n in nodes:
        m = f.node_def.add()
        m.CopyFrom(n)
        del m.input[:]
        m.input.extend([y for y in map(inner, n.input) if y is not None])
    for k, _, t in rets:
        f.ret[k] = t if ":" in t and t.split(":")[0] not in inside or t in params.values() else inner(ref(t)) if t.split(":")[0] in inside or t.split(":")[0] in params else t


def wrap(b, fetch):
    """(graph, additional feeds, fetches, description), or None if the graph is unsuitable."""
    r = b.r
    leaves, nodes = split(b)
    by = {v.name: v for v in b.pool + b.only_fetched}
    names = {n.name for n in nodes}
    outs = [(t, d) for t, d in fetch if t.split(":")[0] in names and t in by and by[t].v is not None]
    if not outs or any(d in (V.RES, V.VAR) for _, d in outs) or any(op_def(n.op).is_stateful or n.op in NAMED for n in nodes):
        return None
    gd = graph_pb2.GraphDef()
    gd.versions.producer = b.producer
    gd.node.extend(leaves)
    kind = r.choice(["call", "if", "case", "while", "switch", "frame"])
    feeds = {}

    def scalar(d, v):
        if r.random() < 0.5:
            n = const("w_c", d, v)
            gd.node.append(n)
        else:
            n = node("w_c", "Placeholder", [], dtype=d, shape=[])
            gd.node.append(n)
            feeds["w_c:0"] = np.array(v, V.storage(d))
        return n.name
    args = [(n.name, "a_%s" % n.name, n.attr["dtype"].type) for n in leaves]
    tin, tout = [d for _, _, d in args], [d for _, d in outs]
    ins = [n.name for n in leaves]
    fetches = [("w:%d" % i, d) for i, (_, d) in enumerate(outs)]
    if kind in ("call", "if", "case", "while"):
        rets = [("r_%d" % i, d, t) for i, (t, d) in enumerate(outs)]
        body(gd.library.function.add(), "f", args, nodes, rets)
    shapes = [[None] * by[t].v.ndim if r.random() < .5 else list(by[t].shape) for t, _ in outs]
    if kind == "call":
        gd.node.append(node("w", r.choice(["PartitionedCall", "StatefulPartitionedCall"]), ins, Tin=tin, Tout=tout, f="f"))
    elif kind in ("if", "case"):
        cs = [const("z_%d" % i, d, zeros(by[t])) for i, (t, d) in enumerate(outs)]
        body(gd.library.function.add(), "g", args, cs, [("r_%d" % i, d, "z_%d:0" % i) for i, (_, d) in enumerate(outs)])
        if kind == "if":
            c = scalar(V.BOOL, r.random() < .7)
            gd.node.append(node("w", r.choice(["If", "StatelessIf"]), [c] + ins, Tcond=V.BOOL, Tin=tin, Tout=tout, then_branch="f", else_branch="g", output_shapes=shapes))
        else:
            c = scalar(V.I32, r.randint(-1, 3))
            gd.node.append(node("w", r.choice(["Case", "StatelessCase"]), [c] + ins, Tin=tin, Tout=tout, branches=["g", "f", "g"] if r.random() < .5 else ["f", "g"], output_shapes=shapes))
    elif kind == "while":
        n = r.randint(0, 3)
        c = scalar(V.I32, n)
        init = [const("z_%d" % i, d, zeros(by[t])) for i, (t, d) in enumerate(outs)]
        gd.node.extend(init + [const("w_i", V.I32, 0)])
        T = [V.I32, V.I32] + tin + tout
        vs = [("i", "i", V.I32), ("n", "n", V.I32)] + args + [("o_%d" % i, "o_%d" % i, d) for i, d in enumerate(tout)]
        cond = gd.library.function.add()
        body(cond, "c", vs, [node("less", "Less", ["i", "n"], T=V.I32)], [("r", V.BOOL, "less:0")])
        step = gd.library.function.add()
        inner = nodes + [const("one", V.I32, 1), node("next", "Add", ["i", "one"], T=V.I32)]
        rets = [("q_i", V.I32, "next:0"), ("q_n", V.I32, "n:0")] + [("q_%s" % a, d, "%s:0" % n_) for n_, a, d in args] + [("q_o%d" % i, d, t) for i, (t, d) in enumerate(outs)]
        body(step, "b", vs, inner, rets)
        # Arguments that pass through unchanged need an Identity.
        for k, _, t in rets:
            if step.ret[k] in ("n", "i") or step.ret[k].startswith("a_"):
                m = step.node_def.add()
                m.name, m.op = "id_" + k, "Identity"
                m.input.append(step.ret[k])
                m.attr["T"].type = next(d for kk, d, _ in rets if kk == k)
                step.ret[k] = m.name + ":output:0"
        gd.node.append(node("w", r.choice(["While", "StatelessWhile"]), ["w_i", c] + ins + [i.name for i in init], T=T, cond="c", body="b",
                            output_shapes=[[], []] + [None] * len(tin) + [[None] * len(s) for s in shapes]))
        fetches = [("w:%d" % (2 + len(tin) + i), d) for i, d in enumerate(tout)]
    else:
        return old(b, gd, kind, leaves, nodes, outs, by, scalar, feeds)
    return gd, feeds, fetches, "wrapped-" + kind


def old(b, gd, kind, leaves, nodes, outs, by, scalar, feeds):
    """Branches built from Switch and Merge, and frames."""
    r = b.r
    moved = {}

    def through(n, new):
        """n with its inputs replaced; if it has none, with a control edge from a pivot."""
        m = graph_pb2.GraphDef().node.add()
        m.CopyFrom(n)
        m.name = "in_" + n.name
        del m.input[:]
        for x in n.input:
            c = x.startswith("^")
            k, _, i = x.lstrip("^").partition(":")
            if c:
                m.input.append("^" + moved.get(k, "in_" + k).split(":")[0])
            elif k in moved:
                m.input.append(moved[k])
            else:
                m.input.append("in_" + k + (":" + i if i else ""))
        if not any(not x.startswith("^") for x in n.input):
            m.input.append("^" + new)
        return m
    if kind == "switch":
        c = scalar(V.BOOL, r.random() < .7)
        gd.node.append(node("p", "Switch", [c, c], T=V.BOOL))
        gd.node.append(node("pt", "Identity", ["p:1"], T=V.BOOL))
        gd.node.append(node("pf", "Identity", ["p"], T=V.BOOL))
        for n in leaves:
            gd.node.append(node("s_" + n.name, "Switch", [n.name, c], T=n.attr["dtype"].type))
            moved[n.name] = "s_" + n.name + ":1"
        for n in nodes:
            gd.node.append(through(n, "pt"))
        fetches = []
        for i, (t, d) in enumerate(outs):
            z = const("z_%d" % i, d, zeros(by[t]))
            z.input.append("^pf")
            x, _, k = t.partition(":")
            gd.node.extend([z, node("m_%d" % i, "Merge", [ref("in_%s:%s" % (x, k)), z.name], T=d, N=2)])
            fetches.append(("m_%d:0" % i, d))
        return gd, feeds, fetches, "wrapped-switch"
    c = scalar(V.I32, r.randint(0, 3))
    F = dict(frame_name="frame", parallel_iterations=10)
    gd.node.append(const("w_i", V.I32, 0))
    gd.node.append(node("e_n", "Enter", [c], T=V.I32, is_constant=True, **F))
    loop = [("i", V.I32, "w_i")]
    for i, (t, d) in enumerate(outs):
        gd.node.append(const("z_%d" % i, d, zeros(by[t])))
        loop.append(("o%d" % i, d, "z_%d" % i))
    for k, d, init in loop:
        gd.node.append(node("e_" + k, "Enter", [init], T=d, is_constant=False, **F))
        gd.node.append(node("m_" + k, "Merge", ["e_" + k, "x_" + k], T=d, N=2))
    gd.node.append(node("lt", "Less", ["m_i", "e_n"], T=V.I32))
    gd.node.append(node("lc", "LoopCond", ["lt"]))
    for k, d, _ in loop:
        gd.node.append(node("s_" + k, "Switch", ["m_" + k, "lc"], T=d))
        gd.node.append(node("q_" + k, "Exit", ["s_" + k], T=d))
    gd.node.append(node("pv", "Identity", ["s_i:1"], T=V.I32))
    one = const("one", V.I32, 1)
    one.input.append("^pv")
    gd.node.extend([one, node("inc", "Add", ["pv", "one"], T=V.I32), node("x_i", "NextIteration", ["inc"], T=V.I32)])
    for n in leaves:
        gd.node.append(node("l_" + n.name, "Enter", [n.name], T=n.attr["dtype"].type, is_constant=True, **F))
        gd.node.append(node("g_" + n.name, "Identity", ["l_" + n.name, "^pv"], T=n.attr["dtype"].type))   # dead after the last iteration
        moved[n.name] = "g_" + n.name
    for n in nodes:
        gd.node.append(through(n, "pv"))
    for i, (t, d) in enumerate(outs):
        x, _, k = t.partition(":")
        gd.node.append(node("x_o%d" % i, "NextIteration", [ref("in_%s:%s" % (x, k))], T=d))
    return gd, feeds, [("q_o%d:0" % i, d) for i, (_, d) in enumerate(outs)], "wrapped-frame"
