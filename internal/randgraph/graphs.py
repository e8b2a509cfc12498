"""Draws graphs from seeds and records TensorFlow's results."""
import collections
import gc
import json
import os
import re

import numpy as np

import case
import values as V
import builder
from builder import Builder, Refused, kernel_types, op_def
from exclude import EXCLUDED
import hints
import hints_nn
import hints_state
import hints_text
import wrap

HINTS = hints.HINTS
for m in (hints_nn, hints_text, hints_state):
    HINTS.update(m.HINTS)

NEEDS_RANK = set(hints_state.HINTS)    # state must have ranks known when compiling


class Log:
    """Writes members of a part file; see generate.merge."""

    def __init__(self, path):
        self.f = open(path, "wb")
        self.members = []

    def writestr(self, info, data, _=None):
        self.members.append((info.filename, data if isinstance(data, bytes) else data.encode()))

    def flush(self):
        for name, data in self.members:
            self.f.write(json.dumps({"name": name, "size": len(data)}).encode() + b"\n" + data)
        self.members.clear()
        self.f.flush()

    def stats(self, s):
        self.f.write(json.dumps({"size": 0, "stats": s}).encode() + b"\n")


def drawable(names):
    """Ops that are drawn: those with a description of their inputs, and those whose signature is sufficient."""
    out = []
    for n in names:
        od = op_def(n)
        if od is None or n in EXCLUDED or n.startswith("_"):
            continue
        if n in HINTS:
            out.append(n)
            continue
        if 0 < od.deprecation.version <= 21:   # in older graphs a placeholder's shape [] means unknown
            continue
        if any(a.is_ref or a.type in (V.RES, V.VAR) for a in list(od.input_arg) + list(od.output_arg)) or od.is_stateful:
            continue
        if kernel_types(n) and len(od.output_arg) and len(od.input_arg):
            out.append(n)
    return out


def prepare(names):
    """Queries the types of TensorFlow's kernels once."""
    if not os.path.exists(builder.KERNELS):
        builder.save_kernels([n for n in names if op_def(n) is not None] + list(HINTS))


def step(b, name, keep=False):
    """Adds a node of the op and its inputs. Returns False if TensorFlow or the tolerance rejects it."""
    mark = (len(b.nodes), len(b.pool), len(b.feeds), b.last, b.effects, b.lazy_used, b.random_state, b.chained, b.has_denormal, len(b.targets), len(b.only_fetched), b.single_run)
    if b.dims == "rank" and name in NEEDS_RANK:
        return False
    b.needs_exact = name not in builder.MOVES and name not in builder.CONTINUOUS
    try:
        r = HINTS[name](b, name) if name in HINTS else hints.generic(b, name)
        if r is not None:
            ins, attrs = r
            if keep:
                corrupt(b, ins, attrs)
            d = op_def(name).deprecation.version
            if d and d <= b.producer:
                b.producer = d - 1
            b.op(name, ins, attrs, keep=keep)
        return True
    except Refused as e:
        if b.failing is None:
            del b.nodes[mark[0]:], b.pool[mark[1]:], b.feeds[mark[2]:], b.targets[mark[9]:], b.only_fetched[mark[10]:]
            b.single_run = mark[11]
            b.last, b.effects, b.lazy_used, b.random_state, b.chained, b.has_denormal = mark[3:9]
        if os.environ.get("RG_VERBOSE"):
            print(name, e.code, str(e)[:200])
        return False


def corrupt(b, ins, attrs):
    """Corrupts an input: another shape, or integers out of range."""
    if b.r.random() < 0.2 or not ins:
        return
    i = b.r.randrange(len(ins))
    x = ins[i]
    if isinstance(x, list):
        if not x:
            return
        k = b.r.randrange(len(x))
        x[k] = spoiled(b, x[k])
        return
    ins[i] = spoiled(b, x)


def spoiled(b, x):
    if x.v is None:
        return x
    if x.dt in V.INTS and x.v.size and b.r.random() < 0.6:
        a = x.v.copy()
        a.flat[b.r.randrange(a.size)] = b.r.choice([-1, 100, 7, 3, -9] if x.dt in V.SIGNED else [100, 7])
        return b.leaf(x.dt, value=a, fixed=x.fixed, const=x.leaf == "const")
    s = list(x.shape)
    u = b.r.random()
    if u < 0.4 and s:
        s[b.r.randrange(len(s))] += b.r.choice([1, 2])
    elif u < 0.7:
        s.insert(b.r.randint(0, len(s)), b.r.choice([1, 2]))
    elif s:
        s.pop(b.r.randrange(len(s)))
    return b.leaf(x.dt, tuple(s), fixed=x.fixed, const=x.leaf == "const")


def build(seed, names, only, errors, known):
    b = Builder(seed, known)
    r = b.r
    bad = r.random() < errors
    n = r.choice([1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 12])
    done = tries = 0
    while done < n and tries < 4 * n + 8 and len(b.nodes) < 60:
        tries += 1
        name = r.choice(only or names)
        if step(b, name):
            done += 1
            b.used.append(name)
    if bad:
        for _ in range(12):
            name = r.choice(only or names)
            if step(b, name, keep=True):
                b.used.append(name)
            if b.failing:
                b.used.append(name)
                break
    return b


def ancestors(b, name):
    """Removes nodes that the named node does not need."""
    by = {n.name: n for n in b.nodes}
    want, todo = set(), [name]
    while todo:
        n = todo.pop()
        if n in want or n not in by:
            continue
        want.add(n)
        todo += [i.lstrip("^").split(":")[0] for i in by[n].input]
    b.nodes[:] = [n for n in b.nodes if n.name in want]
    b.feeds[:] = [v for v in b.feeds if v.name[:-2] in want]


def consumers(b):
    used = set()
    for n in b.nodes:
        for i in n.input:
            i = i.lstrip("^")
            used.add(i if ":" in i else i + ":0")
    return used


def choose(b):
    """The tensors to fetch: unread ones, and a few others."""
    r = b.r
    used = consumers(b)
    c = [v for v in b.pool if v.leaf == "" and v.dt not in (V.RES, V.VAR)] + b.only_fetched
    sinks = [v for v in c if v.name not in used]
    out = [v for v in sinks if r.random() < 0.85] or sinks
    out += [v for v in c if v.name in used and r.random() < 0.15]
    if not out and c:
        out = [r.choice(c)]
    if r.random() < 0.03 and b.pool:
        out.append(r.choice([v for v in b.pool if v.v is not None]))
    seen, uniq = set(), []
    for v in out:
        if v.name not in seen:
            seen.add(v.name)
            uniq.append(v)
    r.shuffle(uniq)
    return uniq[:10]


def decorate(b):
    """Adds control edges and duplicate nodes, which do not change results."""
    r = b.r
    if r.random() < 0.25:
        order = [n for n in b.nodes if n.op not in ("Placeholder",)]
        for _ in range(r.randint(1, 3)):
            if len(order) < 2:
                break
            j = r.randrange(1, len(order))
            c = order[r.randrange(j)].name
            if "^" + c not in order[j].input:
                order[j].input.append("^" + c)
    if r.random() < 0.25:
        plain = [n for n in b.nodes if n.op not in ("Placeholder",) and not op_def(n.op).is_stateful and n.op != "PlaceholderWithDefault"]
        if plain and not b.effects:
            n = r.choice(plain)
            m = builder.node_def_pb2.NodeDef()
            m.CopyFrom(n)
            m.name = b.name()
            readers = [(k, i) for k in b.nodes for i, x in enumerate(k.input) if x.split(":")[0] == n.name]
            b.nodes.insert(b.nodes.index(n) + 1, m)
            for k, i in readers:
                if r.random() < 0.5:
                    x = k.input[i].split(":")
                    x[0] = m.name
                    k.input[i] = ":".join(x)


def more_feeds(b, first):
    """The feeds of further runs: other elements, and other sizes if unknown."""
    r, out = b.r, []
    for _ in range(r.randint(1, 2)):
        f, size = {}, {}
        for v in b.feeds:
            lo, hi, kind, _ = v.meta
            if v.fixed:
                f[v.name] = v.v
                continue
            node = next(n for n in b.nodes if n.name == v.name[:-2])
            sh = node.attr["shape"].shape
            s = list(v.shape)
            if sh.unknown_rank or any(d.size < 0 for d in sh.dim):
                for i in range(len(s)):
                    if sh.unknown_rank or sh.dim[i].size < 0:
                        s[i] = size.setdefault(s[i], s[i] if r.random() < 0.5 or s[i] == 1 else b.dim())
            f[v.name] = V.data(b.rng, v.dt, tuple(s), lo, hi, kind)
        out.append(f)
    return out


def record(b, stats):
    """The case of a graph, or None."""
    r = b.r
    error = None
    if b.failing:
        name, outs, _, _ = b.failing
        fetched = []
        fetch = [("%s:0" % name, outs[0])] if outs and outs[0] not in (V.RES, V.VAR) else []
        ancestors(b, name)
        targets = [] if fetch else [name]
    else:
        fetched = choose(b)
        fetch = [(v.name, v.dt) for v in fetched]
        targets = list(b.targets)
        if not fetch:
            raise case.Unusable("nothing to fetch")
        if b.last and not b.lazy_used and r.random() < 0.7:
            targets.append(b.last)
        if not b.lazy_used:
            decorate(b)
    nodes = b.nodes
    feeds = {v.name: v.v for v in b.feeds}
    wrapped = ""
    if not b.failing and not b.effects and not b.random_state and r.random() < 0.12:
        nodes2 = wrap.wrap(b, fetch)
        if nodes2 is not None:
            gd, feeds2, fetch, wrapped = nodes2     # leaves are not fetched through the function
            feeds.update(feeds2)
            names = [f for f, _ in fetch]
        else:
            gd, names = case.graph_def(b, nodes), [f for f, _ in fetch]
    else:
        gd, names = case.graph_def(b, nodes), [f for f, _ in fetch]
    if not wrapped and r.random() < 0.3:
        order = list(gd.node)
        r.shuffle(order)
        gd2 = case.graph_def(b, order)
        gd2.library.CopyFrom(gd.library)
        gd = gd2
    runs = [feeds]
    exact = all(v.exact for v in fetched)
    texts = any(v.dt == V.STR for v in b.feeds) or any(d == V.STR for _, d in fetch)   # a case can have only one value of a string tensor
    if texts:
        pass
    elif any(n.op.startswith("MaxPool") and "Grad" in n.op or n.op.startswith("ResourceScatter") for n in gd.node):
        pass    # TensorFlow leaves memory uninitialized if there is no window, and writes wide updates past a variable's rows
    elif not b.failing and not wrapped and (exact or not b.chained) and not b.lazy_used and b.feeds and exact and r.random() < 0.25:
        runs += more_feeds(b, feeds)
    elif b.effects and not b.failing and not b.single_run and r.random() < 0.5:
        runs += [feeds] * r.randint(1, 2)
    res = case.execute(gd, runs, names, targets)
    if b.failing and res.when == "compile" and any(x in res.why for x in MISTAKEN):
        raise case.Unusable("a shape function that takes what it does not know for -1")
    if b.failing and not res.code:
        raise case.Unusable("only an eager context refuses the node")
    if res.code and not b.failing and dropped(gd, names + targets, res.why):
        raise case.Unusable("refused in a node that only orders others, or has its sizes read, which optimisers take out")
    if b.failing and res.code and b.failing[0] not in res.why:
        raise case.Unusable("another node is refused")
    if res.code in ("ResourceExhausted", "DeadlineExceeded", "Internal", "Unknown", "Cancelled"):
        raise case.Unusable("code " + res.code)
    if res.code and not b.failing:
        if len(res.runs) == 0 or r.random() > 0.5:   # rejected by a shape function, possibly for a dead node
            raise case.Unusable("session refuses " + res.when)
        runs = runs[:len(res.runs) + 1]
    types = {d for _, d in fetch}
    tol = (0.0, 0.0)
    if not exact or b.lazy_used or wrapped and not all(v.exact for v in fetched):
        for d in types:
            if d in V.TOLERANCE:
                tol = (max(tol[0], V.TOLERANCE[d][0]), max(tol[1], V.TOLERANCE[d][1]))
    if fetched and not b.lazy_used and not b.random_state and not res.code and not wrapped:
        for v, x in zip(fetched, res.runs[0]):
            if v.v is not None and not b.effects and not same_as(v, x, tol):
                stats["eager differs"] += 1
                stats["differs:" + ",".join(sorted(set(b.used)))[:60]] += 1
                raise case.Unusable("eager differs")
    size = sum(np.asarray(x).size for run in res.runs for x in run)
    if size > 20000:
        raise case.Unusable("too large")
    c = dict(name="s%d" % b.seed, origin="internal/randgraph, seed %d" % b.seed, gd=gd, targets=targets, tol=tol, fetch_names=names,
             dtypes=dict([(k, v.dt) for k, v in ((v.name, v) for v in b.feeds)] + [(n, d) for n, (_, d) in zip(names, fetch)]),
             feeds=runs, fetches=[[V.array(d, x) if d != V.STR else np.asarray(x, dtype=object) for x, (_, d) in zip(run, fetch)] for run in res.runs],
             error=(res.code, res.when, res.why) if res.code else None, features=[], ops=sorted(set(n.op for n in gd.node) | {n.op for f in gd.library.function for n in f.node_def}))
    if wrapped:
        c["features"].append(wrapped)
        for k, a in runs[0].items():
            c["dtypes"].setdefault(k, V.ENUM[V.tf.dtypes.as_dtype(a.dtype)])
    if b.has_denormal or any(small(d, np.asarray(x)) for run in res.runs for x, (_, d) in zip(run, fetch)):
        c["features"].append("flush-denormals")
    if res.code:
        c["error"] = (res.code, res.when, res.why)
        c["fetches"] = c["fetches"][:len(runs) - 1]
    return c


MISTAKEN = ("can't split axis", "range of [1, -2]", "but got [-1]")
SIZES = {"Shape", "ShapeN", "Size", "Rank", "TensorListLength", "TensorListElementShape"}


def dropped(gd, ends, why):
    """Whether the node named in an error is needed only for its control edges or its sizes."""
    m = re.search(r"\{\{node ([^}]+)\}\}", why)
    by = {n.name: n for n in gd.node}
    if not m or m[1] not in by:
        return False
    want, todo = set(), [e.split(":")[0] for e in ends] + [n.name for n in gd.node if op_def(n.op).is_stateful]
    while todo:
        n = todo.pop()
        if n not in want and n in by:
            want.add(n)
            if by[n].op in SIZES:
                continue
            todo += [i.split(":")[0] for i in by[n].input if not i.startswith("^")]
    return m[1] not in want


def small(d, a):
    if d not in V.DENORMAL or not a.size:
        return False
    with np.errstate(all="ignore"):
        m = np.abs(a.astype(np.complex128 if d in V.COMPLEX else np.float64))
        return bool(((m > 0) & (m < V.DENORMAL[d])).any())


def same_as(v, x, tol):
    if v.dt == V.STR:
        return np.array_equal(np.asarray(x, dtype=object), v.v)
    a = V.array(v.dt, x)
    return case.same(v.dt, a, v.v, tol)


def work(seeds, names, only, path, pipe, errors, variants=1):
    builder.CX.ensure_initialized()
    builder.TRACE = pipe
    known = set(names)
    names = drawable(names)
    log = Log(path)
    stats = collections.Counter()
    for k, s in enumerate(seeds):
        os.write(pipe, b"%d begin\n" % s)
        try:
            b = build(s, names, only, errors, known)
            os.write(pipe, b"%d session %s\n" % (s, ",".join(b.used).encode()))
            for v in range(variants):
                if v:
                    b.turn()
                try:
                    c = record(b, stats)
                except case.Unusable as e:
                    stats["unusable: " + str(e)[:40]] += 1
                    continue
                case.write(log, "s%07d%s" % (s, " bcdefgh"[v].strip()), c)
                log.flush()
            continue
        except (case.Unusable, Refused) as e:
            stats["unusable: " + str(e)[:40]] += 1
            if not isinstance(e, case.Unusable) and os.environ.get("RG_VERBOSE"):
                print(repr(e))
            continue
        except Exception as e:  # a defect of this generator
            import traceback
            stats["fault: " + traceback.format_exc().strip().split("\n")[-1][:80]] += 1
            log.members.clear()
            if stats.total() < 40 or os.environ.get("RG_VERBOSE"):
                traceback.print_exc()
            continue
        if k % 300 == 299:
            gc.collect()
    log.stats(stats)
    log.f.close()
