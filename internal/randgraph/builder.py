"""Builds one random graph, executing each node eagerly as it is added."""
import json
import os
import random
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import node_def_pb2
from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import context
from tensorflow.python.eager import core
from tensorflow.python.framework import errors, kernels, op_def_registry

import values as V
from exact import EXACT, MOVES, CONTINUOUS
from exclude import unfit

MAX_ELEMENTS = 3000
CX = context.context()
TRACE = None   # a file descriptor that gets the names of executed ops
_ops, _kernels = {}, {}
KERNELS = os.path.join(tempfile.gettempdir(), "randgraph-kernels-%s.json" % tf.__version__)   # a cache, since querying TensorFlow is slow


def save_kernels(names):
    """Stores the types of kernels for other processes."""
    for n in names:
        kernel_types(n)
    with open(KERNELS + ".tmp", "w") as f:
        json.dump(_kernels, f)
    os.rename(KERNELS + ".tmp", KERNELS)


def op_def(name):
    if name not in _ops:
        _ops[name] = op_def_registry.get(name)
    return _ops[name]


def kernel_types(name):
    """For each CPU kernel of the op, the types that it accepts by attribute."""
    if not _kernels and os.path.exists(KERNELS):
        with open(KERNELS) as f:
            _kernels.update(json.load(f))
    if name not in _kernels:
        out = []
        for k in kernels.get_registered_kernels_for_op(name).kernel:
            if k.device_type == "CPU" and not k.label:
                out.append({c.name: [t for t in c.allowed_values.list.type if t < 24] for c in k.constraint})
        _kernels[name] = out
    return _kernels[name]


def hint_table():
    """A table of hints by op, and the decorator that adds a function for the named ops."""
    table = {}

    def hint(names):
        def add(f):
            for n in names.split():
                table[n] = f
            return f
        return add
    return table, hint


class Refused(Exception):
    """TensorFlow rejects the node, or the node is unsuitable."""

    def __init__(self, code, message=""):
        super().__init__(message)
        self.code = code


class Val:
    """An output of a node: name "n3:0", element type, eager tensor and elements."""
    __slots__ = ("name", "dt", "t", "v", "exact", "leaf", "fixed", "meta", "spread")

    def __init__(self, name, dt, t, v, exact=True, leaf="", fixed=False, meta=None, spread=0.0):
        self.name, self.dt, self.t, self.v, self.exact, self.leaf, self.fixed, self.meta, self.spread = name, dt, t, v, exact, leaf, fixed, meta, spread

    @property
    def shape(self):
        return self.v.shape


def ref(name):
    """A tensor's name as an input of a node."""
    return name[:-2] if name.endswith(":0") else name


def tensor_proto(p, d, a):
    p.dtype = d
    for s in a.shape:
        p.tensor_shape.dim.add().size = s
    if d == V.STR:
        p.string_val.extend(a.ravel().tolist())
    else:
        p.tensor_content = np.ascontiguousarray(a).tobytes()


def set_shape(p, shape):
    if shape is None:
        p.unknown_rank = True
        return
    for s in shape:
        p.dim.add().size = -1 if s is None else int(s)


def set_attr(n, kind, name, v):
    a = n.attr[name]
    if kind == "type":
        a.type = v
    elif kind == "int":
        a.i = v
    elif kind == "float":
        a.f = v
    elif kind == "bool":
        a.b = v
    elif kind == "string":
        a.s = v if isinstance(v, bytes) else v.encode()
    elif kind == "shape":
        a.shape.SetInParent()
        set_shape(a.shape, v)
    elif kind == "func":
        a.func.name = v
    elif kind.startswith("list("):
        a.list.SetInParent()
        k = kind[5:-1]
        if k == "shape":
            for s in v:
                set_shape(a.list.shape.add(), s)
        elif k == "func":
            for s in v:
                a.list.func.add().name = s
        elif k == "string":
            a.list.s.extend([x if isinstance(x, bytes) else x.encode() for x in v])
        else:
            getattr(a.list, {"int": "i", "float": "f", "bool": "b", "type": "type"}[k]).extend(v)
    else:
        raise ValueError(kind)


def default(a):
    """The default of an attribute as a Python value."""
    d, t = a.default_value, a.type
    if t == "shape":
        return None if d.shape.unknown_rank else [x.size if x.size >= 0 else None for x in d.shape.dim]
    if t.startswith("list("):
        k = t[5:-1]
        if k == "shape":
            return [None if s.unknown_rank else [x.size for x in s.dim] for s in d.list.shape]
        return list(getattr(d.list, {"int": "i", "float": "f", "bool": "b", "type": "type", "string": "s", "func": "func", "tensor": "tensor"}[k]))
    return getattr(d, {"int": "i", "float": "f", "bool": "b", "type": "type", "string": "s", "tensor": "tensor", "func": "func"}[t])


class Builder:
    def __init__(self, seed, ops):
        self.seed, self.known = seed, ops
        self.r = r = random.Random(seed)
        self.rng = np.random.Generator(np.random.PCG64(seed))
        self.nodes, self.pool, self.feeds = [], [], []
        self.count = 0
        self.special = r.random() < 0.15      # NaN, infinities, extremes
        self.denormal = self.special and r.random() < 0.3
        self.has_denormal = False
        self.exact_only = r.random() < 0.4
        self.feed_share = r.choice([0.0, 0.3, 0.6, 0.6, 1.0, 1.0])
        self.dims = r.choice(["static"] * 4 + ["batch", "batch", "all", "all", "rank"])
        self.reuse = r.choice([0.3, 0.7, 0.9])
        self.last = None                      # the last node with effects
        self.needs_exact = False
        self.lazy_used = False                # there are values that only a session computes
        self.random_state = False             # there is a stateful random op
        self.chained = False                  # a rounded value was used
        self.effects = False
        self.failing = None
        self.targets = []
        self.producer = 2000                  # version of the graph's format
        self.used = []                        # drawn ops of the graph
        self.only_fetched = []                # values that select nothing and that no other op reads
        self.single_run = False               # a second run would wait forever, or fail

    # ---- names and nodes

    def name(self):
        self.count += 1
        return "n%d" % self.count

    def node(self, op, ins=(), name=None):
        n = node_def_pb2.NodeDef()
        n.name = name or self.name()
        n.op = op
        n.input.extend(ins)
        self.nodes.append(n)
        return n

    # ---- shapes

    def dim(self, lo=0, hi=7):
        d = self.r.choices((0, 1, 2, 3, 4, 5, 7), (3, 12, 25, 25, 15, 8, 5))[0]
        return min(max(d, lo), hi)

    def shape(self, rank=None, lo=0, hi=7, min_rank=0, max_rank=4):
        if rank is None:
            rank = self.r.choices((0, 1, 2, 3, 4), (10, 30, 30, 18, 8))[0]
            rank = min(max(rank, min_rank), max_rank)
        return tuple(self.dim(lo, hi) for _ in range(rank))

    def broadcast(self, n, base=None):
        """n shapes that broadcast to one."""
        base = self.shape() if base is None else base
        out = []
        for _ in range(n):
            s = [1 if self.r.random() < 0.15 else d for d in base]
            if self.r.random() < 0.3 and s:
                s = s[self.r.randint(0, len(s)):]
            out.append(tuple(s))
        if n > 1 and self.r.random() < 0.7:
            out[self.r.randrange(n)] = tuple(base)
        return out

    # ---- values

    def leaf(self, d, shape=None, value=None, lo=None, hi=None, kind=None, fixed=False, const=None, special=None):
        """A constant or a fed tensor; fixed keeps its shape known."""
        forced = const is not None
        if const is None:
            const = self.r.random() >= (self.feed_share * 0.4 if fixed else self.feed_share)
        if value is None:
            sp = self.special and self.r.random() < 0.4 if special is None else special
            den = self.denormal and lo is None and hi is None and not const   # the comparison can replace these by zeros
            value = V.data(self.rng, d, self.shape() if shape is None else shape, lo, hi, kind, sp and lo is None and hi is None, den)
            if den and d in V.DENORMAL and value.size:
                with np.errstate(all="ignore"):
                    m = np.abs(value.astype(np.complex128 if d in V.COMPLEX else np.float64))
                self.has_denormal = self.has_denormal or bool(((m > 0) & (m < V.DENORMAL[d])).any())
        else:
            value = np.asarray(value, dtype=object if d == V.STR else V.storage(d))
        t = V.tensor(d, value)
        if const:
            n = self.node("Const")
            n.attr["dtype"].type = d
            tensor_proto(n.attr["value"].tensor, d, value)
        else:
            n = self.node("Placeholder")
            n.attr["dtype"].type = d
            s = self.declared(value.shape, fixed)
            n.attr["shape"].shape.SetInParent()
            set_shape(n.attr["shape"].shape, s)
        v = Val(n.name + ":0", d, t, value, True, "const" if const else "feed", fixed)
        v.meta = (lo, hi, kind, forced)
        if not const:
            self.feeds.append(v)
        self.pool.append(v)
        return v

    def declared(self, shape, fixed):
        """The declared shape of a placeholder."""
        s = list(shape)
        if fixed or self.dims == "static":
            return s
        if self.dims == "batch":
            return [None] + s[1:] if s else s
        if self.dims == "all":
            return [None if self.r.random() < 0.8 else x for x in s]
        return None if self.r.random() < 0.7 else [None] * len(s)

    def turn(self):
        """Turns some placeholders into constants and vice versa: another graph with the same values."""
        r = self.r
        dims = ["static", "static", "batch", "all"]
        if self.dims == "static":
            dims = ["static"]     # drawn ops may need it
        self.dims = r.choice(dims) if self.dims != "rank" else r.choice(dims + ["rank"])
        by = {n.name: n for n in self.nodes}
        share = r.choice([0.0, 0.5, 1.0])
        for v in self.pool:
            n = by.get(v.name[:-2])
            if not v.leaf or n is None or v.meta[3] or self.has_denormal or n.op not in ("Const", "Placeholder") or any(not i.startswith("^") for i in n.input):
                continue
            n.attr.clear()
            n.attr["dtype"].type = v.dt
            if r.random() >= share * (0.4 if v.fixed else 1):
                n.op, v.leaf = "Const", "const"
                tensor_proto(n.attr["value"].tensor, v.dt, v.v)
                continue
            n.op, v.leaf = "Placeholder", "feed"
            n.attr["shape"].shape.SetInParent()
            set_shape(n.attr["shape"].shape, self.declared(v.shape, v.fixed))
        self.feeds = [v for v in self.pool if v.leaf == "feed" and v.name[:-2] in by]

    def fits(self, v, d, shape, lo, hi):
        if v.dt != d or v.v is None or v.fixed or (shape is not None and v.shape != tuple(shape)):
            return False
        if not v.exact and (self.needs_exact or self.exact_only):
            return False
        if (lo is not None or hi is not None) and d not in (V.STR, V.BOOL):
            if d in V.COMPLEX:
                return False
            with np.errstate(all="ignore"):
                a = v.v.astype(np.float64)
                return bool(np.all(np.isfinite(a))) and (lo is None or bool(np.all(a >= lo))) and (hi is None or bool(np.all(a <= hi)))
        return True

    def v(self, d, shape=None, lo=None, hi=None, kind=None, min_rank=0, max_rank=9, pred=None, **kw):
        """A suitable value of the pool, an adapted one, or a new leaf."""
        if self.r.random() < self.reuse and self.pool:
            for v in self.r.sample(self.pool, min(len(self.pool), 12)):
                if self.fits(v, d, shape, lo, hi) and min_rank <= v.v.ndim <= max_rank and (pred is None or pred(v.v)):
                    return v
            if shape is not None and lo is None and hi is None and pred is None and self.r.random() < 0.35:
                w = self.adapt(d, tuple(shape))
                if w is not None:
                    return w
        if shape is None:
            for _ in range(9):
                shape = self.shape(min_rank=min_rank, max_rank=max_rank)
                if min_rank <= len(shape) <= max_rank:
                    break
        w = self.leaf(d, shape, lo=lo, hi=hi, kind=kind, **kw)
        if pred is not None and not pred(w.v):
            raise Refused(-1, "unsuitable")
        return w

    def adapt(self, d, shape):
        """Another value of the pool, reshaped, and truncated or repeated to fit the shape."""
        c = [v for v in self.pool if v.v is not None and not v.fixed and v.v.size and v.dt == d and self.fits(v, d, None, None, None)]
        if not c:
            return None
        v = self.r.choice(c[-6:])
        want = int(np.prod(shape, dtype=np.int64))
        if v.v.size != want:
            v = self.op("Reshape", [v, self.i32([-1])])[0]
            if v.v.size < want:
                v = self.op("Tile", [v, self.i32([-(-want // v.v.size)])])[0]
            if v.v.size > want:
                v = self.op("Slice", [v, self.i32([self.r.randint(0, v.v.size - want)]), self.i32([want])])[0]
        return self.op("Reshape", [v, self.i32(list(shape))])[0] if v.shape != shape else v

    def ints(self, d, value, **kw):
        """A leaf with the given integers and a known shape."""
        kw.setdefault("fixed", True)
        if d == V.I16:
            kw["const"] = True      # sizes and indices of this type must be constants
        return self.leaf(d, value=np.asarray(value, V.storage(d)), **kw)

    def i32(self, value, **kw):
        return self.ints(V.I32, value, **kw)

    def f32(self, value, **kw):
        return self.leaf(V.F32, value=np.asarray(value, np.float32), **kw)

    def scalar(self, d, value, **kw):
        if d == V.I16:
            kw["const"] = True
        return self.leaf(d, value=np.asarray(value, V.storage(d)), fixed=True, **kw)

    # ---- types and attributes

    def types(self, name, **want):
        """Types for the op's type attributes that some CPU kernel accepts."""
        ks = kernel_types(name)
        if not ks:
            raise Refused(-1, "no kernel")
        if want:
            ks = [k for k in ks if all(a not in k or k[a] == [] or t in k[a] for a, t in want.items())]
            if not ks:
                raise Refused(-1, "no kernel of these types")
        k, t = self.r.choice(ks), dict(want)
        for a in op_def(name).attr:
            if a.type != "type" or a.name in t:
                continue
            allowed = [x for x in a.allowed_values.list.type if x < 24] or list(V.DATA)
            have = k.get(a.name)
            if have:
                allowed = [x for x in allowed if x in have] or have
            allowed = [x for x in allowed if x not in (V.RES, V.VAR) and x < 24]
            if not allowed:
                raise Refused(-1, "handles")
            pooled = [v.dt for v in self.pool if v.dt in allowed and v.v is not None]
            if pooled and self.r.random() < self.reuse * 0.8:
                t[a.name] = self.r.choice(pooled)
            elif V.F32 in allowed and self.r.random() < 0.25:
                t[a.name] = V.F32
            else:
                t[a.name] = self.r.choice(allowed)
        return t

    def attr(self, a):
        """A random value for an attribute without a chosen value."""
        r, t = self.r, a.type
        if t == "bool":
            return r.random() < 0.5
        if t == "int":
            lo = a.minimum if a.has_minimum else 0
            return lo + r.randint(0, 3)
        if t == "float":
            return r.choice([0.0, 0.5, 1.0, 0.1])
        if t == "string":
            return r.choice(list(a.allowed_values.list.s) or [b""])
        if t == "shape":
            return None
        if t == "type":
            return r.choice([x for x in a.allowed_values.list.type if x < 24] or list(V.DATA))
        if t == "list(int)":
            return [r.randint(0, 2) for _ in range(r.randint(0, 3))]
        if t == "list(float)":
            return sorted(r.uniform(-3, 3) for _ in range(r.randint(0, 3)))
        if t == "list(type)":
            return []
        raise Refused(-1, "attribute " + a.name)

    KEEP = {"data_format", "use_cudnn_on_gpu", "Truncate", "container", "shared_name", "grad_x", "grad_y", "grad_a", "grad_b",
            "encoding", "input_encoding", "output_encoding", "src_format", "dst_format", "use_locking", "explicit_paddings",
            "incompatible_shape_error"}    # without it, unknown sizes determine the rank

    def prepare(self, name, ins, attrs):
        """Flat inputs, all attributes, and the outputs' types."""
        od = op_def(name)
        if od is None or name not in self.known and name not in ("Const", "Placeholder"):
            raise Refused(-1, "no op " + name)
        attrs, flat = dict(attrs or {}), []
        for s, x in zip(od.input_arg, ins):
            if s.number_attr or s.type_list_attr:
                if s.number_attr:
                    attrs.setdefault(s.number_attr, len(x))
                if s.type_list_attr:
                    attrs.setdefault(s.type_list_attr, [v.dt for v in x])
                elif s.type_attr and x:
                    attrs.setdefault(s.type_attr, x[0].dt)
                flat += x
            else:
                if s.type_attr:
                    attrs.setdefault(s.type_attr, x.dt)
                flat.append(x)
        for a in od.attr:
            if a.name in attrs:
                continue
            if not a.HasField("default_value"):
                attrs[a.name] = self.attr(a)
            elif a.type == "bool" and a.name not in self.KEEP and self.r.random() < 0.3:
                attrs[a.name] = self.r.random() < 0.5
            elif a.type == "string" and a.allowed_values.list.s and a.name not in self.KEEP and self.r.random() < 0.5:
                attrs[a.name] = self.r.choice(list(a.allowed_values.list.s))
            elif a.type == "type":
                attrs[a.name] = a.default_value.type
        outs = []
        for s in od.output_arg:
            n = attrs[s.number_attr] if s.number_attr else 1
            if s.type_list_attr:
                outs += list(attrs[s.type_list_attr])
            else:
                outs += [attrs[s.type_attr] if s.type_attr else s.type] * n
        return od, flat, attrs, outs

    def append(self, od, flat, attrs, ctrl):
        n = self.node(od.name, [ref(x.name) for x in flat] + ["^" + c for c in ctrl])
        for a in od.attr:
            if a.name in attrs:
                set_attr(n, a.type, a.name, attrs[a.name])
        return n

    # ---- execution

    def run(self, od, flat, attrs, n):
        ea = []
        for a in od.attr:
            if a.name in attrs:
                v = attrs[a.name]
                ea += [a.name, v.encode() if isinstance(v, str) else v]
        if TRACE is not None:
            os.write(TRACE, b"%d %s\n" % (self.seed, od.name.encode()))
        try:
            return pywrap_tfe.TFE_Py_Execute(CX._handle, None, od.name, flat, tuple(ea), n)
        except core._NotOkStatusException as e:
            raise Refused(e.code, e.message)
        except errors.OpError as e:
            raise Refused(e.error_code, e.message)
        except (TypeError, ValueError, OverflowError, UnicodeDecodeError) as e:
            raise Refused(-1, str(e))

    def op(self, name, ins, attrs=None, ctrl=(), keep=False, exact=None):
        """Adds a node and returns its outputs. keep keeps a rejected node for an error case."""
        od, flat, attrs, outs = self.prepare(name, ins, attrs)
        if sum(x.v.size for x in flat if x.v is not None) > 4 * MAX_ELEMENTS:
            raise Refused(-1, "too large")
        try:
            res = self.run(od, [x.t for x in flat], attrs, len(outs))
        except Refused as e:
            if keep and e.code > 0:
                n = self.append(od, flat, attrs, ctrl)
                self.failing = (n.name, outs, e.code, str(e))
            raise
        vals, size = [], 0
        for d, t in zip(outs, res):
            if d in (V.RES, V.VAR):
                vals.append(None)
                continue
            a = V.array(d, t)
            size += a.size
            if d == V.STR:
                size += sum(len(x) for x in a.ravel()) // 8
            vals.append(a)
        if size > MAX_ELEMENTS:
            raise Refused(-1, "too large")
        why = unfit(name, [(x.dt, x.v) for x in flat if x.v is not None and V.is_float(x.dt)],
                    [(d, a) for d, a in zip(outs, vals) if a is not None and V.is_float(d)], name in MOVES,
                    any(x.v is not None and not V.is_float(x.dt) and not x.v.size for x in flat))
        if why:
            raise Refused(-1, why)
        clean = all(x.exact for x in flat)
        rounded = [d for d in outs if V.is_float(d)]
        if exact is None:
            exact = clean and (name in EXACT or not rounded and not any(V.is_float(x.dt) for x in flat) or name in MOVES)
            if any(d in V.COMPLEX for d in outs) and name not in MOVES:
                exact = False
            if not exact and not (not clean and name in MOVES) and name not in self.EFFECTLESS:
                if not rounded and not clean:
                    raise Refused(-1, "discontinuous behind rounding")
                if not clean:
                    if name not in CONTINUOUS and name not in EXACT:
                        raise Refused(-1, "unsuitable behind rounding")
                    self.chained = True
                self.condition(od, flat, attrs, outs, vals)
        if self.exact_only and not exact:
            raise Refused(-1, "rounds")
        n = self.append(od, flat, attrs, ctrl)
        out = []
        for i, (d, t, a) in enumerate(zip(outs, res, vals)):
            if d in (V.RES, V.VAR):
                out.append(Val("%s:%d" % (n.name, i), d, t, None, True))
                continue
            out.append(Val("%s:%d" % (n.name, i), d, t, a, exact or not V.is_float(d)))
            self.pool.append(out[-1])
        return out

    EFFECTLESS = {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}

    def condition(self, od, flat, attrs, outs, vals):
        """Rejects a node whose results change by more than half of the tolerance if its inputs
        change by a few units in the last place, or by as much as rounding may have changed them."""
        for sign in (1.0,):
            moved = []
            for x in flat:
                if not V.is_float(x.dt) or x.v is None or not x.v.size:
                    moved.append(x.t)
                    continue
                step = V.STEP[x.dt]
                with np.errstate(all="ignore"):
                    s = np.where(self.rng.random(x.v.shape) < 0.5, sign, -sign)
                    if x.exact:
                        w = x.v * (1 + step * s)
                    else:
                        rt, at = V.TOLERANCE[x.dt]
                        w = x.v + s * (rt * np.abs(x.v) + at) / 4
                    w = np.where(np.isfinite(x.v), w, x.v).astype(V.NP[x.dt])
                moved.append(V.tensor(x.dt, w))
            try:
                res = self.run(od, moved, attrs, len(outs))
            except Refused:
                raise Refused(-1, "ill-conditioned")
            for d, t, a in zip(outs, res, vals):
                if d in (V.RES, V.VAR) or a is None:
                    continue
                b = V.array(d, t)
                if b.shape != a.shape:
                    raise Refused(-1, "ill-conditioned")
                if not V.is_float(d):
                    if not np.array_equal(a, b):
                        raise Refused(-1, "ill-conditioned")
                    continue
                rt, at = V.TOLERANCE[d]
                wide = np.complex128 if d in V.COMPLEX else np.float64
                with np.errstate(all="ignore"):
                    p, q = a.astype(wide), b.astype(wide)
                    fin = np.isfinite(p)
                    if not np.array_equal(fin, np.isfinite(q)) or not np.array_equal(p[~fin], q[~fin], equal_nan=True):
                        raise Refused(-1, "ill-conditioned")
                    if np.any(np.abs(p[fin] - q[fin]) > (at + rt * np.abs(p[fin])) / 2):
                        raise Refused(-1, "ill-conditioned")

    def effect(self, name, ins, attrs=None, keep=False, exact=None):
        """A node that runs after all earlier nodes with effects."""
        out = self.op(name, ins, attrs, ctrl=[self.last] if self.last else [], keep=keep, exact=exact)
        self.last = self.nodes[-1].name
        self.effects = True
        return out

    def lazy(self, name, ins, attrs=None, shapes=(), ordered=True):
        """A node that only a session can execute: its outputs have types, and no elements here."""
        od, flat, attrs, outs = self.prepare(name, ins, attrs)
        n = self.append(od, flat, attrs, [self.last] if ordered and self.last else [])
        if ordered:
            self.last = n.name
        self.lazy_used = self.effects = True
        return [Val("%s:%d" % (n.name, i), d, None, None, False) for i, d in enumerate(outs)]
