"""Draws inputs of ops on arrays, of arithmetic and of shapes."""
import numpy as np

import values as V
from builder import Refused, hint_table, op_def

HINTS, hint = hint_table()


def generic(g, name):
    """Inputs of the signature's types with equal shapes, with shapes that broadcast, or with arbitrary shapes."""
    od, t = op_def(name), g.types(name)
    same = g.shape() if g.r.random() < 0.7 else None
    ins = []

    def one(d):
        if d in (V.RES, V.VAR):
            raise Refused(-1, "handle")
        return g.v(d, same)
    for a in od.input_arg:
        if a.is_ref:
            raise Refused(-1, "ref")
        if a.type_list_attr:
            ins.append([one(g.r.choice(V.DATA)) for _ in range(g.r.randint(1, 3))])
        elif a.number_attr:
            d = t[a.type_attr] if a.type_attr else a.type
            ins.append([one(d) for _ in range(g.r.randint(1, 4))])
        else:
            ins.append(one(t[a.type_attr] if a.type_attr else a.type))
    return ins, t


@hint("""Abs Acos Acosh Asin Asinh Atan Atanh BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e
BesselY0 BesselY1 Ceil Cos Cosh Dawsn DeepCopy Digamma Elu Erf Erfc Erfinv Exp Expint Expm1 Floor FresnelCos FresnelSin Identity Inv Invert
IsFinite IsInf IsNan LeakyRelu Lgamma Log Log1p LogicalNot Ndtri Neg OnesLike PopulationCount Reciprocal Relu Relu6 Rint Round Rsqrt Selu
Sigmoid Sign Sin Sinh Snapshot Softplus Softsign Spence Sqrt Square Tan Tanh ZerosLike Shape Size Rank StopGradient PreventGradient Conj Real Imag
Angle ComplexAbs L2Loss GuaranteeConst DebugGradientIdentity CheckNumerics CheckNumericsV2""")
def unary(g, name):
    t = g.types(name)
    a = op_def(name).input_arg[0]
    d = t[a.type_attr] if a.type_attr else a.type
    return [g.v(d, max_rank=5)], t


@hint("""Add AddV2 Atan2 BitwiseAnd BitwiseOr BitwiseXor Div DivNoNan Equal FloorDiv FloorMod Greater GreaterEqual Igamma Igammac
LeftShift Less LessEqual LogicalAnd LogicalOr Maximum Minimum Mod Mul MulNoNan NextAfter NotEqual Polygamma Pow RealDiv RightShift SquaredDifference
Sub TruncateDiv TruncateMod Xdivy Xlog1py Xlogy Zeta Complex""")
def binary(g, name):
    t = g.types(name)
    a = op_def(name).input_arg[0]
    d = t[a.type_attr] if a.type_attr else a.type
    x = g.v(d, max_rank=5)
    y = g.broadcast(1, x.shape)[0]
    kw = {}
    if name in ("Pow", "Polygamma", "LeftShift", "RightShift") and d in V.INTS and g.r.random() < 0.8:
        kw = dict(lo=0, hi=4)
    if name in ("Div", "FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod") and d in V.INTS and g.r.random() < 0.9:
        kw = dict(lo=1, hi=9)
    if name in ("Zeta", "Igamma", "Igammac", "Polygamma") and g.r.random() < 0.8:
        x, kw = g.v(d, x.shape, lo=1, hi=6), dict(lo=0.5, hi=6)
    if name == "Complex":
        kw = dict(lo=-4, hi=4)      # results of infinite complex numbers depend on the implementation
        x = g.v(d, x.shape, **kw)
    if name == "Polygamma":
        x = g.leaf(d, x.shape, lo=0, hi=4, kind="dyadic") if d == V.F32 or d == V.F64 else x
    if g.r.random() < 0.15 and x.v.ndim < 4:
        y = (g.dim(1),) + y
    w = g.v(d, y, **kw)
    return ([x, w] if g.r.random() < 0.6 or kw else [w, x]), t


@hint("EluGrad LeakyReluGrad ReluGrad Relu6Grad ReciprocalGrad InvGrad RsqrtGrad SeluGrad SigmoidGrad SoftplusGrad SoftsignGrad SqrtGrad TanhGrad ApproximateEqual")
def same2(g, name):
    t = g.types(name)
    x = g.v(t["T"])
    return [x, g.v(t["T"], x.shape)], t


@hint("Betainc")
def betainc(g, name):
    t = g.types(name)
    s = g.shape()
    return [g.v(t["T"], s, lo=0.25, hi=5), g.v(t["T"], s if g.r.random() < .7 else (), lo=0.25, hi=5), g.v(t["T"], s if g.r.random() < .7 else (), lo=0, hi=1)], t


@hint("AccumulateNV2 AddN")
def addn(g, name):
    t = g.types(name)
    s = g.shape()
    return [[g.v(t["T"], s) for _ in range(g.r.randint(1, 4))]], dict(t, shape=list(s))


@hint("Cast")
def cast(g, name):
    t = g.types(name)
    x = g.v(t["SrcT"], max_rank=5)
    if V.is_float(x.dt) and not V.is_float(t["DstT"]) and t["DstT"] != V.BOOL:
        with np.errstate(all="ignore"):
            a = np.real(x.v).astype(np.float64)
        lo, hi = (0, 127) if t["DstT"] in V.UNSIGNED else (-127, 127)
        if not np.all(np.isfinite(a)) or a.size and (a.min() < lo or a.max() > hi):
            raise Refused(-1, "out of the type's range: what comes is not defined")
    return [x], t


@hint("Bitcast")
def bitcast(g, name):
    t = g.types("Bitcast")
    x = g.v(t["T"])
    if V.is_float(x.dt) and (x.leaf == "" or np.isnan(x.v.astype(np.complex128)).any()):
        raise Refused(-1, "the bits of NaN and zero are not the same everywhere")
    o = g.r.choice([d for d in V.INTS + V.FLOATS])
    a, b = np.dtype(V.storage(x.dt)).itemsize, np.dtype(V.storage(o)).itemsize
    if b > a:
        if b % a:
            raise Refused(-1, "sizes")
        x = g.leaf(x.dt, g.shape(max_rank=2) + (b // a,), lo=0, hi=9)
    if V.is_float(o) or x.dt == V.BOOL:
        o = g.r.choice(V.INTS)
    return [x], {"T": x.dt, "type": o}


@hint("ClipByValue")
def clip(g, name):
    t = g.types(name)
    if t["T"] in V.COMPLEX:
        raise Refused(-1, "complex numbers have no order")
    x = g.v(t["T"])
    s = x.shape if g.r.random() < 0.3 else ()
    return [x, g.v(t["T"], s), g.v(t["T"], s)], t


@hint("Select")
def select(g, name):
    t = g.types(name)
    x = g.v(t["T"])
    c = g.r.choice([x.shape, x.shape, x.shape[:1], ()])
    return [g.v(V.BOOL, c), x, g.v(t["T"], x.shape)], t


@hint("SelectV2")
def select2(g, name):
    t = g.types(name)
    a, b, c = g.broadcast(3)
    return [g.v(V.BOOL, a), g.v(t["T"], b), g.v(t["T"], c)], t


@hint("Cross")
def cross(g, name):
    t = g.types(name)
    s = g.shape(max_rank=2) + (3,)
    return [g.v(t["T"], s), g.v(t["T"], s)], t


def axis_of(g, rank, d=None, scalar=True):
    """A valid axis, sometimes negative."""
    a = g.r.randint(-rank, rank - 1) if rank else g.r.choice([0, -1])
    return g.ints(d or g.r.choice([V.I32, V.I64]), a if scalar else [a])


@hint("Sum Mean Prod Max Min EuclideanNorm All Any")
def reduction(g, name):
    t = g.types(name)
    x = g.v(t.get("T", V.BOOL), max_rank=5)
    n = x.v.ndim
    axes = g.r.sample(range(n), g.r.randint(0, n)) if g.r.random() < 0.85 else list(range(n))
    axes = [a - n if g.r.random() < 0.3 else a for a in axes]
    if len(axes) == 1 and g.r.random() < 0.4:
        axes = axes[0]
    return [x, g.ints(t.get("Tidx", V.I32), axes)], t


@hint("Cumsum Cumprod CumulativeLogsumexp")
def scan(g, name):
    t = g.types(name)
    x = g.v(t["T"], min_rank=1)
    return [x, axis_of(g, x.v.ndim, t["Tidx"])], t


@hint("ArgMax ArgMin")
def arg(g, name):
    t = g.types(name)
    if t["Tidx"] not in (V.I32, V.I64):
        raise Refused(-1, "an axis of int16 is read as one of int32")
    x = g.v(t["T"], min_rank=1)
    return [x, axis_of(g, x.v.ndim, t["Tidx"])], t


@hint("TopKV2 TopK")
def topk(g, name):
    t = g.types(name)
    x = g.v(t["T"], min_rank=1)
    k = g.r.randint(0, x.shape[-1])
    if name == "TopK":
        return [x], dict(t, k=k)
    return [x, g.scalar(t.get("Tk", V.I32), k)], dict(t, sorted=True)


@hint("NthElement")
def nth(g, name):
    t = g.types(name)
    x = g.v(t["T"], g.shape(max_rank=2) + (g.dim(1),))
    return [x, g.scalar(V.I32, g.r.randint(0, x.shape[-1] - 1))], t


@hint("InTopK InTopKV2")
def intopk(g, name):
    t = g.types(name)
    b, c = g.dim(0), g.dim(1)
    k = g.r.randint(0, c)
    ins = [g.v(V.F32, (b, c)), g.v(t["T"], (b,), lo=-1, hi=c)]
    if name == "InTopK":
        return ins, dict(t, k=k)
    return ins + [g.scalar(t["T"], k)], t


@hint("Unique UniqueWithCounts ListDiff")
def unique(g, name):
    t = g.types(name)
    x = g.v(t["T"], g.shape(1))
    return ([x] if name != "ListDiff" else [x, g.v(t["T"], g.shape(1))]), t


@hint("UniqueV2 UniqueWithCountsV2")
def unique2(g, name):
    t = g.types(name)
    x = g.v(t["T"], min_rank=1)
    if x.v.ndim > 1 or g.r.random() < 0.5:
        return [x, g.ints(t["Taxis"], [g.r.randint(-x.v.ndim, x.v.ndim - 1)], const=True)], t
    return [x, g.ints(t["Taxis"], np.zeros(0), const=True)], t


@hint("Where")
def where(g, name):
    t = g.types(name)
    return [g.v(t["T"], min_rank=1, max_rank=5)], t


@hint("Reshape")
def reshape(g, name):
    t = g.types(name)
    x = g.v(t["T"])
    return [x, g.ints(t["Tshape"], factor(g, x.v.size))], t


def factor(g, n):
    """A shape of n elements, sometimes with an unknown size."""
    s = []
    m = n
    while m > 1 and len(s) < 4:
        d = g.r.choice([k for k in range(1, m + 1) if m % k == 0][:6] + [m])
        s.append(d)
        m //= d
    if m != 1:
        s.append(m)
    if n == 0:
        s = [g.dim() for _ in range(g.r.randint(0, 2))] + [0]
    g.r.shuffle(s)
    if s and g.r.random() < 0.4 and n:
        s[g.r.randrange(len(s))] = -1
    return s


@hint("ExpandDims")
def expand(g, name):
    t = g.types(name)
    x = g.v(t["T"])
    return [x, g.ints(t["Tdim"], g.r.randint(-x.v.ndim - 1, x.v.ndim))], t


@hint("Squeeze")
def squeeze(g, name):
    t = g.types(name)
    s = list(g.shape(max_rank=3))
    for _ in range(g.r.randint(0, 2)):
        s.insert(g.r.randint(0, len(s)), 1)
    ones = [i for i, d in enumerate(s) if d == 1]
    dims = g.r.sample(ones, g.r.randint(0, len(ones)))
    if not dims and g.dims != "static":
        raise Refused(-1, "the rank is not known when compiling")
    x = g.v(t["T"], tuple(s)) if dims else g.leaf(t["T"], tuple(s), fixed=True)   # the rank must be known when compiling
    return [x], dict(t, squeeze_dims=[d - len(s) if g.r.random() < .3 else d for d in dims])


@hint("Transpose ConjugateTranspose")
def transpose(g, name):
    t = g.types(name)
    x = g.v(t["T"], max_rank=6)
    p = list(range(x.v.ndim))
    g.r.shuffle(p)
    return [x, g.ints(t["Tperm"], p)], t


@hint("InvertPermutation")
def invert(g, name):
    t = g.types(name)
    p = list(range(g.dim()))
    g.r.shuffle(p)
    return [g.ints(t["T"], p)], t


@hint("Concat ConcatV2")
def concat(g, name):
    t = g.types(name)
    s = list(g.shape(min_rank=1))
    a = g.r.randrange(len(s))
    vs = []
    for _ in range(g.r.randint(2, 4)):
        s[a] = g.dim()
        vs.append(g.v(t["T"], tuple(s)))
    ax = g.ints(t.get("Tidx", V.I32), a - len(s) if g.r.random() < .3 else a)
    return ([ax, vs] if name == "Concat" else [vs, ax]), t


@hint("ParallelConcat")
def pconcat(g, name):
    t = g.types(name)
    s = (1,) + g.shape(max_rank=2)
    n = g.r.randint(1, 4)
    return [[g.leaf(t["T"], s, fixed=True) for _ in range(n)]], dict(t, shape=[n] + list(s[1:]))   # shapes must be known


@hint("ConcatOffset")
def concatoffset(g, name):
    t = g.types(name)
    s = list(g.shape(min_rank=1))
    a = g.r.randrange(len(s))
    vs = []
    for _ in range(g.r.randint(2, 4)):
        s[a] = g.dim()
        vs.append(g.ints(t["shape_type"], s))
    return [g.i32(a), vs], t


@hint("Split")
def split(g, name):
    t = g.types(name)
    s = list(g.shape(min_rank=1))
    a, n = g.r.randrange(len(s)), g.r.randint(1, 4)
    s[a] = n * g.dim(0, 3)
    return [g.i32(a - len(s) if g.r.random() < .3 else a), g.v(t["T"], tuple(s))], dict(t, num_split=n)


@hint("SplitV")
def splitv(g, name):
    t = g.types(name)
    x = g.v(t["T"], min_rank=1)
    a, n = g.r.randrange(x.v.ndim), g.r.randint(1, 4)
    cuts = sorted(g.r.randint(0, x.shape[a]) for _ in range(n - 1))
    sizes = [b - c for b, c in zip(cuts + [x.shape[a]], [0] + cuts)]
    if g.r.random() < .3:
        sizes[g.r.randrange(n)] = -1
    return [x, g.ints(t["Tlen"], sizes, const=True), g.i32(a)], dict(t, num_split=n)


@hint("Pack")
def pack(g, name):
    t = g.types(name)
    s = g.shape(max_rank=3)
    return [[g.v(t["T"], s) for _ in range(g.r.randint(1, 4))]], dict(t, axis=g.r.randint(-len(s) - 1, len(s)))


@hint("Unpack")
def unpack(g, name):
    t = g.types(name)
    x = g.v(t["T"], min_rank=1)
    a = g.r.randrange(x.v.ndim)
    return [x], dict(t, axis=a - x.v.ndim if g.r.random() < .3 else a, num=x.shape[a])


@hint("Slice")
def slice_(g, name):
    t = g.types(name)
    x = g.v(t["T"])
    b = [g.r.randint(0, d) for d in x.shape]
    s = [-1 if g.r.random() < .2 else g.r.randint(0, d - c) for d, c in zip(x.shape, b)]
    return [x, g.ints(t["Index"], b), g.ints(t["Index"], s)], t


def strided(g, rank, shape):
    """begin, end, strides and masks over some axes of a shape."""
    b, e, s = [], [], []
    m = dict(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)
    axis, ell = 0, False
    for i in range(g.r.randint(0, rank + 2)):
        u = g.r.random()
        if u < .12:
            m["new_axis_mask"] |= 1 << i
            b.append(0), e.append(0), s.append(1)
            continue
        if u < .2 and not ell:
            m["ellipsis_mask"] |= 1 << i
            ell = True
            b.append(0), e.append(0), s.append(1)
            continue
        if axis >= rank:
            break
        d = shape[axis]
        axis += 1
        if g.r.random() < .2 and d and not ell:
            m["shrink_axis_mask"] |= 1 << i
            k = g.r.randint(-d, d - 1)
            b.append(k), e.append(k + 1), s.append(1)
            continue
        b.append(g.r.randint(-d - 2, d + 1)), e.append(g.r.randint(-d - 2, d + 3)), s.append(g.r.choice([1, 1, 1, 2, 3, -1, -2]))
        if g.r.random() < .25:
            m["begin_mask"] |= 1 << i
        if g.r.random() < .25:
            m["end_mask"] |= 1 << i
    return b, e, s, m


@hint("StridedSlice")
def sslice(g, name):
    t = g.types(name)
    x = g.v(t["T"])
    b, e, s, m = strided(g, x.v.ndim, x.shape)
    return [x] + [g.ints(t["Index"], k) for k in (b, e, s)], dict(t, **m)


def sliced(g, shape, spec):
    b, e, s, m = spec
    x = g.leaf(V.F32, shape, const=True, special=False)
    y = g.op("StridedSlice", [x] + [g.i32(k, const=True) for k in (b, e, s)], dict(m))[0]
    return y.shape


@hint("StridedSliceGrad TensorStridedSliceUpdate")
def sslicegrad(g, name):
    t = g.types(name)
    s = g.shape(min_rank=1)
    spec = strided(g, len(s), s)
    y = g.v(t["T"], sliced(g, s, spec))
    k = [g.ints(t["Index"], k) for k in spec[:3]]
    if name == "StridedSliceGrad":
        return [g.ints(t["Index"], s)] + k + [y], dict(t, **spec[3])
    return [g.v(t["T"], s)] + k + [y], dict(t, **spec[3])


@hint("Pad PadV2 MirrorPad MirrorPadGrad")
def pad(g, name):
    t = g.types(name)
    x = g.v(t["T"])
    mode = g.r.choice(["REFLECT", "SYMMETRIC"])
    p = [[g.r.randint(0, 3), g.r.randint(0, 3)] for _ in x.shape]
    if name.startswith("Mirror"):
        p = [[min(k, d if mode == "SYMMETRIC" else max(d - 1, 0)) for k in q] for q, d in zip(p, x.shape)]
    if name == "MirrorPadGrad":
        x = g.v(t["T"], tuple(d + a + b for d, (a, b) in zip(x.shape, p)))
    ins = [x, g.ints(t["Tpaddings"], np.reshape(p, (x.v.ndim, 2)))]
    if name == "PadV2":
        ins.append(g.v(t["T"], ()))
    return ins, dict(t, mode=mode) if name.startswith("Mirror") else t


@hint("Tile")
def tile(g, name):
    t = g.types(name)
    x = g.v(t["T"])
    return [x, g.ints(t["Tmultiples"], [g.r.choice([0, 1, 1, 2, 3]) for _ in x.shape])], t


@hint("BroadcastTo")
def broadcastto(g, name):
    t = g.types(name)
    s = g.shape()
    x = g.broadcast(2, s)[0]
    return [g.v(t["T"], x), g.ints(t["Tidx"], s)], t


@hint("BroadcastArgs BroadcastGradientArgs")
def bargs(g, name):
    t = g.types(name)
    a, b = g.broadcast(2)
    return [g.ints(t["T"], a), g.ints(t["T"], b)], t


@hint("Fill")
def fill(g, name):
    t = g.types(name)
    return [g.ints(t["index_type"], g.shape()), g.v(t["T"], ())], t


@hint("Gather GatherV2")
def gather(g, name):
    t = g.types(name)
    p = g.v(t["Tparams"], min_rank=1)
    if name == "Gather":
        if p.shape[0] == 0:
            raise Refused(-1, "empty")
        return [p, g.v(t["Tindices"], None, lo=0, hi=p.shape[0] - 1)], t
    a = g.r.randrange(p.v.ndim)
    bd = g.r.randint(0, min(a, 2)) if g.r.random() < .3 else 0
    s = p.shape[:bd] + g.shape(max_rank=2)
    if p.shape[a] == 0:
        s = p.shape[:bd] + (0,)
    return [p, g.v(t["Tindices"], s, lo=0, hi=max(p.shape[a] - 1, 0)), g.ints(t["Taxis"], a - p.v.ndim if g.r.random() < .3 else a)], dict(t, batch_dims=bd)


def nd_indices(g, d, shape, unique=False):
    """Indices of tuples into a shape, and the shape of what they select."""
    k = g.r.randint(0 if not unique else 1, len(shape))
    outer = g.shape(max_rank=2) if not unique else (g.dim(1),)
    if any(x == 0 for x in shape[:k]):
        outer = (0,)
    n = int(np.prod(outer, dtype=np.int64))
    cols = [g.rng.integers(0, max(x, 1), n) for x in shape[:k]]
    idx = np.stack(cols, -1).reshape(outer + (k,)) if k else np.zeros(outer + (0,))
    if unique and n:
        idx = np.unique(idx, axis=0)
        g.rng.shuffle(idx)
        outer = idx.shape[:1]
    return g.ints(d, idx, fixed=g.r.random() < .8), tuple(outer) + tuple(shape[k:])


@hint("GatherNd")
def gathernd(g, name):
    t = g.types(name)
    p = g.v(t["Tparams"], min_rank=1)
    i, _ = nd_indices(g, t["Tindices"], p.shape)
    return [p, i], dict(t, bad_indices_policy="")


@hint("ScatterNd ScatterNdNonAliasingAdd TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin TensorScatterUpdate")
def scatternd(g, name):
    t = g.types(name)
    s = g.shape(min_rank=1)
    i, u = nd_indices(g, t["Tindices"], s, unique=name.endswith("Update") or g.r.random() < .3)
    if name == "ScatterNd":
        return [i, g.v(t["T"], u), g.ints(t["Tindices"], s)], dict(t, bad_indices_policy="")
    return [g.v(t["T"], s), i, g.v(t["T"], u)], dict(t, bad_indices_policy="")


@hint("InplaceAdd InplaceSub InplaceUpdate")
def inplace(g, name):
    t = g.types(name)
    s = (g.dim(1),) + g.shape(max_rank=2)
    n = g.r.randint(0, s[0])
    i = g.r.sample(range(s[0]), n)
    if t["T"] in (V.BOOL, V.STR):
        raise Refused(-1, "no sum")
    y = g.op("AddV2", [g.v(t["T"], s), g.leaf(t["T"], value=np.zeros((), V.NP[t["T"]]))])[0]   # the op writes into its input
    if y in g.pool:
        g.pool.remove(y)
    return [y, g.i32(i), g.v(t["T"], (n,) + s[1:])], t


@hint("Reverse")
def reverse1(g, name):
    t = g.types(name)
    x = g.v(t["T"], max_rank=5)
    return [x, g.v(V.BOOL, (x.v.ndim,), fixed=True)], t


@hint("ReverseV2")
def reverse2(g, name):
    t = g.types(name)
    x = g.v(t["T"], max_rank=5)
    n = x.v.ndim
    a = [k - n if g.r.random() < .3 else k for k in g.r.sample(range(n), g.r.randint(0, n))]
    return [x, g.ints(t["Tidx"], a)], t


@hint("ReverseSequence")
def revseq(g, name):
    t = g.types(name)
    x = g.v(t["T"], min_rank=2)
    b, s = g.r.sample(range(x.v.ndim), 2)
    return [x, g.v(t["Tlen"], (x.shape[b],), lo=0, hi=x.shape[s])], dict(t, batch_dim=b, seq_dim=s)


@hint("Roll")
def roll(g, name):
    t = g.types(name)
    x = g.v(t["T"], min_rank=1)
    n = g.r.randint(1, 3)
    a = [g.r.randint(-x.v.ndim, x.v.ndim - 1) for _ in range(n)]
    k = [g.r.randint(-9, 9) for _ in range(n)]
    if n == 1 and g.r.random() < .5:
        a, k = a[0], k[0]
    return [x, g.ints(t["Tshift"], k), g.ints(t["Taxis"], a)], t


@hint("SpaceToBatchND BatchToSpaceND")
def s2bnd(g, name):
    t = g.types(name)
    m = g.r.randint(1, 2)
    bl = [g.r.choice([1, 2, 3]) for _ in range(m)]
    p, dims = [], []
    for k in bl:
        d = g.dim(1)
        a = g.r.randint(0, 2)
        b = (-(d + a)) % k
        p.append([a, b])
        dims.append(d)
    batch, rest = g.dim(0, 3), g.shape(max_rank=1)
    if name == "SpaceToBatchND":
        s = (batch,) + tuple(dims) + rest
    else:
        s = (batch * int(np.prod(bl)),) + tuple((d + a + b) // k for d, (a, b), k in zip(dims, p, bl)) + rest
    return [g.v(t["T"], s), g.ints(t["Tblock_shape"], bl), g.ints(t["Tpaddings" if name[0] == "S" else "Tcrops"], p)], t


@hint("SpaceToBatch BatchToSpace")
def s2b(g, name):
    t = g.types(name)
    k = g.r.choice([2, 3])
    h, w = g.dim(1), g.dim(1)
    a, c = g.r.randint(0, 2), g.r.randint(0, 2)
    p = [[a, (-(h + a)) % k], [c, (-(w + c)) % k]]
    b, ch = g.dim(0, 3), g.dim(0, 3)
    if name == "SpaceToBatch":
        return [g.v(t["T"], (b, h, w, ch)), g.ints(t["Tpaddings"], p)], dict(t, block_size=k)
    return [g.v(t["T"], (b * k * k, (h + sum(p[0])) // k, (w + sum(p[1])) // k, ch)), g.ints(t["Tidx"], p)], dict(t, block_size=k)


@hint("SpaceToDepth DepthToSpace")
def s2d(g, name):
    t = g.types(name)
    k = g.r.choice([2, 3])
    b, h, w, c = g.dim(0, 3), g.dim(0, 3), g.dim(0, 3), g.dim(0, 3)
    s = (b, h * k, w * k, c) if name == "SpaceToDepth" else (b, h, w, c * k * k)
    return [g.v(t["T"], s)], dict(t, block_size=k)


@hint("OneHot")
def onehot(g, name):
    t = g.types(name)
    n = g.dim()
    x = g.v(t["TI"], None, lo=-1, hi=n + 1, max_rank=3) if g.r.random() < .9 else g.v(t["TI"])
    return [x, g.scalar(V.I32, n), g.v(t["T"], ()), g.v(t["T"], ())], dict(t, axis=g.r.randint(-1, x.v.ndim))


@hint("Diag")
def diag(g, name):
    t = g.types(name)
    return [g.v(t["T"], g.shape(g.r.randint(1, 3), hi=4))], t


@hint("DiagPart")
def diagpart(g, name):
    t = g.types(name)
    s = g.shape(g.r.randint(1, 2))
    return [g.v(t["T"], s + s)], t


@hint("MatrixDiag")
def mdiag(g, name):
    t = g.types(name)
    return [g.v(t["T"], min_rank=1)], t


@hint("MatrixDiagPart")
def mdiagpart(g, name):
    t = g.types(name)
    return [g.v(t["T"], min_rank=2)], t


def band(g, r, c):
    a = g.r.randint(-r + 1, c - 1)
    if g.r.random() < .5:
        return [a, a]
    return sorted([a, g.r.randint(-r + 1, c - 1)])


def diag_shape(r, c, k):
    longest = max(min(r + min(d, 0), c - max(d, 0)) for d in range(k[0], k[1] + 1))
    return ((k[1] - k[0] + 1,) if k[0] != k[1] else ()) + (longest,)


def kval(g, k):
    return g.i32(k[0]) if k[0] == k[1] and g.r.random() < .5 else g.i32(k, const=True)


@hint("MatrixDiagPartV2 MatrixDiagPartV3 MatrixSetDiagV2 MatrixSetDiagV3 MatrixDiagV2 MatrixDiagV3 MatrixSetDiag")
def mdiagv(g, name):
    t = g.types(name)
    r, c, lead = g.dim(1), g.dim(1), g.shape(max_rank=2)
    k = band(g, r, c)
    d = diag_shape(r, c, k)
    if name == "MatrixSetDiag":
        return [g.v(t["T"], lead + (r, c)), g.v(t["T"], lead + (min(r, c),))], t
    if name.startswith("MatrixDiagPart"):
        return [g.v(t["T"], lead + (r, c)), kval(g, k), g.v(t["T"], ())], t
    if name.startswith("MatrixSetDiag"):
        return [g.v(t["T"], lead + (r, c)), g.v(t["T"], lead + d), kval(g, k)], t
    return [g.v(t["T"], lead + d), kval(g, k), g.i32(r if g.r.random() < .7 else -1), g.i32(c if g.r.random() < .7 else -1), g.v(t["T"], ())], t


@hint("MatrixBandPart")
def bandpart(g, name):
    t = g.types(name)
    x = g.v(t["T"], min_rank=2)
    return [x, g.ints(t["Tindex"], g.r.randint(-1, x.shape[-2])), g.ints(t["Tindex"], g.r.randint(-1, x.shape[-1]))], t


@hint("DynamicPartition")
def dynpart(g, name):
    t = g.types(name)
    x = g.v(t["T"])
    n = g.r.randint(1, 4)
    return [x, g.v(V.I32, x.shape[:g.r.randint(0, x.v.ndim)], lo=0, hi=n - 1)], dict(t, num_partitions=n)


@hint("DynamicStitch ParallelDynamicStitch")
def stitch(g, name):
    t = g.types(name)
    tail = g.shape(max_rank=2)
    ix, xs, k = [], [], 0
    for _ in range(g.r.randint(1, 3)):
        s = g.shape(max_rank=2)
        n = int(np.prod(s, dtype=np.int64))
        ix.append(np.arange(k, k + n))
        xs.append((s, n))
        k += n
    p = g.rng.permutation(k)
    if name == "DynamicStitch" and g.r.random() < .3:
        p = g.rng.integers(0, max(k, 1), k)
    return [[g.i32(p[i].reshape(s)) for i, (s, _) in zip(ix, xs)], [g.v(t["T"], s + tail) for s, _ in xs]], t


@hint("EnsureShape")
def ensure(g, name):
    t = g.types(name)
    x = g.v(t["T"])
    return [x], dict(t, shape=[d if g.r.random() < .6 else None for d in x.shape] if g.r.random() < .9 else None)


@hint("ShapeN")
def shapen(g, name):
    t = g.types(name)
    return [[g.v(t["T"]) for _ in range(g.r.randint(1, 3))]], t


@hint("IdentityN")
def identityn(g, name):
    return [[g.v(g.r.choice(V.DATA)) for _ in range(g.r.randint(1, 4))]], {}


@hint("Range")
def range_(g, name):
    t = g.types(name)
    d = t["Tidx"]
    if d in V.INTS:
        a, b = g.r.randint(0 if d in V.UNSIGNED else -5, 9), g.r.randint(0, 15)
        s = g.r.randint(1, 4)
        if b < a:
            if d in V.UNSIGNED:
                a, b = b, a
            else:
                s = -s
        return [g.scalar(d, a), g.scalar(d, b), g.scalar(d, s)], t
    a, b = g.r.randint(-8, 8) / 4, g.r.randint(-8, 20) / 4
    return [g.scalar(d, a), g.scalar(d, b), g.scalar(d, g.r.choice([.25, .5, 1, 2]) * (1 if b >= a else -1))], t


@hint("LinSpace")
def linspace(g, name):
    t = g.types(name)
    return [g.v(t["T"], ()), g.v(t["T"], ()), g.scalar(t["Tidx"], g.r.randint(1, 9))], t


@hint("UnravelIndex")
def unravel(g, name):
    t = g.types(name)
    s = g.shape(g.r.randint(1, 3), lo=1)
    return [g.v(t["Tidx"], g.r.choice([(), (g.dim(),)]), lo=0, hi=int(np.prod(s)) - 1), g.ints(t["Tidx"], s)], t


@hint("LowerBound UpperBound")
def bound(g, name):
    t = g.types(name)
    b = g.dim(1)
    x = V.data(g.rng, t["T"], (b, g.dim(0)), kind="dyadic")
    x = np.sort(x, -1)
    return [g.leaf(t["T"], value=x), g.v(t["T"], (b, g.dim(0)))], t


@hint("Bucketize")
def bucketize(g, name):
    t = g.types(name)
    return [g.v(t["T"])], dict(t, boundaries=sorted(g.r.randint(-16, 16) / 4 for _ in range(g.r.randint(0, 5))))


@hint("Bincount")
def bincount(g, name):
    t = g.types(name)
    x = g.v(V.I32, None, lo=0, hi=9)
    return [x, g.scalar(V.I32, g.dim()), g.v(t["T"], x.shape) if g.r.random() < .6 else g.leaf(t["T"], (0,))], t


@hint("DenseBincount")
def densebincount(g, name):
    t = g.types(name)
    x = g.v(t["Tidx"], g.shape(g.r.randint(1, 2)), lo=0, hi=9)
    return [x, g.scalar(t["Tidx"], g.dim(1)), g.v(t["T"], x.shape) if g.r.random() < .6 else g.leaf(t["T"], (0,))], t


@hint("HistogramFixedWidth")
def histogram(g, name):
    t = g.types(name)
    a = g.r.randint(-4, 2)
    return [g.v(t["T"], kind="dyadic"), g.leaf(t["T"], value=np.array([a, a + g.r.choice([1, 2, 4])]).astype(V.NP[t["T"]])), g.scalar(V.I32, g.r.choice([1, 2, 4, 8]))], t


@hint("SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum")
def segment(g, name):
    t = g.types(name)
    x = g.v(t["T"], min_rank=1)
    ids = np.sort(g.rng.integers(0, 5, x.shape[0]))
    return [x, g.ints(t["Tindices"], ids, fixed=False)], t


@hint("UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum")
def usegment(g, name):
    t = g.types(name)
    x = g.v(t["T"], min_rank=1)
    n = g.dim(1)
    k = g.r.randint(0, x.v.ndim)
    return [x, g.v(t["Tindices"], x.shape[:k], lo=-1, hi=n - 1), g.scalar(t["Tnumsegments"], n)], t


@hint("""SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN SparseSegmentSumWithNumSegments SparseSegmentMeanWithNumSegments
SparseSegmentSqrtNWithNumSegments SparseSegmentSumGrad SparseSegmentMeanGrad SparseSegmentSqrtNGrad""")
def ssegment(g, name):
    t = g.types(name)
    x = g.v(t["T"], (g.dim(1),) + g.shape(max_rank=2))
    n = g.dim(0)
    ids = np.sort(g.rng.integers(0, 4, n))
    if name.endswith("Grad"):
        ids = np.sort(g.rng.integers(0, x.shape[0], n))
        return [x, g.v(t["Tidx"], (n,), lo=0, hi=4), g.ints(t["Tsegmentids"], ids), g.i32(5)], t
    ins = [x, g.v(t["Tidx"], (n,), lo=0, hi=x.shape[0] - 1), g.ints(t["Tsegmentids"], ids)]
    if "With" in name:
        ins.append(g.scalar(t["Tnumsegments"], g.r.randint(4, 6)))
    return ins, t


@hint("DataFormatDimMap")
def dimmap(g, name):
    t = g.types(name)
    return [g.v(t["T"], None, lo=-4, hi=3)], dict(t, src_format=g.r.choice(["NHWC", "NCHW", "HWNC"]), dst_format=g.r.choice(["NCHW", "NHWC", "HWCN_"[:4]]))


@hint("DataFormatVecPermute")
def vecpermute(g, name):
    t = g.types(name)
    f = g.r.choice([("NHWC", "NCHW"), ("NCHW", "NHWC"), ("NDHWC", "NCDHW"), ("NCDHW", "NDHWC")])
    n = len(f[0]) - g.r.choice([0, 0, 2])
    return [g.v(t["T"], (n,) + ((2,) if g.r.random() < .4 else ()))], dict(t, src_format=f[0], dst_format=f[1])


@hint("PlaceholderWithDefault")
def pwd(g, name):
    x = g.v(g.r.choice(V.DATA))
    return [x], dict(dtype=x.dt, shape=[None] * x.v.ndim if g.r.random() < .5 else list(x.shape))


@hint("Empty")
def empty(g, name):
    t = g.types(name)
    return [g.i32(g.shape())], dict(t, init=True)


@hint("MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3 SparseMatMul")
def matmul(g, name):
    t = g.types(name)
    m, k, n = g.dim(), g.dim(), g.dim()
    ta, tb = g.r.random() < .3, g.r.random() < .3
    la, lb = (), ()
    if name.startswith("Batch"):
        la = g.shape(max_rank=2, hi=3)
        lb = la if name == "BatchMatMul" else g.broadcast(2, la)[0]
    a, b = la + ((k, m) if ta else (m, k)), lb + ((n, k) if tb else (k, n))
    da, db = t.get("T", t.get("Ta")), t.get("T", t.get("Tb"))
    keys = ("adj_x", "adj_y") if name.startswith("Batch") else ("transpose_a", "transpose_b")
    return [g.v(da, a), g.v(db, b)], dict(t, **{keys[0]: ta, keys[1]: tb})


@hint("Einsum")
def einsum(g, name):
    t = g.types(name)
    sizes = {c: g.dim(0, 4) for c in "abcdef"}
    eq = g.r.choice(["ab,bc->ac", "ab,ab->", "ab,cb->ac", "abc,bcd->ad", "ab->ba", "abc,abd->acd", "a,b->ab", "abc->b", "ab,bc,cd->ad",
                     "...ab,...bc->...ac", "a...->...", "ab->", "abc,cd->abd", "aa->a", "aa->", "...a,...a->...", "ab,a->b"])
    lhs = eq.split("->")[0].split(",")
    lead = g.shape(max_rank=2, hi=3)
    ins = []
    for l in lhs:
        s = ()
        i = 0
        while i < len(l):
            if l[i] == ".":
                s += lead
                i += 3
                continue
            s += (sizes[l[i]],)
            i += 1
        ins.append(g.v(t["T"], s))
    return [ins], dict(t, equation=eq)


@hint("Cholesky MatrixInverse MatrixDeterminant LogMatrixDeterminant Lu Qr Svd SelfAdjointEigV2 MatrixSolve MatrixTriangularSolve MatrixSolveLs MatrixSquareRoot MatrixLogarithm MatrixExponential Eig")
def linalg(g, name):
    t = g.types(name)
    d = t.get("T", V.F32)
    lead, n = g.shape(max_rank=1, hi=3), g.r.choice([0, 1, 2, 3, 4])
    m = g.r.choice([n, n, 1, 2, 5]) if name in ("Qr", "Svd", "MatrixSolveLs") else n
    if name == "MatrixSolveLs":
        m, n = max(m, 1), max(n, 1)
    a = V.data(g.rng, d, lead + (m, n), kind="normal")
    if name in ("Cholesky", "SelfAdjointEigV2", "MatrixSquareRoot", "MatrixLogarithm"):
        a = (a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(n) * 2).astype(V.NP[d])
    elif m == n and name != "Svd":
        a = (a + np.eye(n) * 4).astype(V.NP[d])
    ins = [g.leaf(d, value=a)]
    if name in ("MatrixSolve", "MatrixTriangularSolve", "MatrixSolveLs"):
        ins.append(g.v(d, lead + (m, g.dim(0, 3))))
    if name == "MatrixSolveLs":
        ins.append(g.leaf(V.F64, value=np.array(g.r.choice([0.0, 0.5]))))
    return ins, t


@hint("FFT IFFT FFT2D IFFT2D FFT3D IFFT3D")
def fft(g, name):
    t = g.types(name)
    r = int(name[-2]) if name.endswith("D") else 1
    return [g.v(t["Tcomplex"], g.shape(max_rank=1, hi=3) + g.shape(r, lo=0, hi=7))], t


@hint("RFFT RFFT2D RFFT3D IRFFT IRFFT2D IRFFT3D")
def rfft(g, name):
    t = g.types(name, **{})
    if (t["Treal"], t["Tcomplex"]) not in ((V.F32, V.C64), (V.F64, V.C128)):
        t["Treal"], t["Tcomplex"] = g.r.choice([(V.F32, V.C64), (V.F64, V.C128)])
    r = int(name[-2]) if name.endswith("D") else 1
    n = [g.r.randint(1, 6) for _ in range(r)]
    s = list(n)
    if name[0] == "I":
        s[-1] = n[-1] // 2 + 1
    s = [k + g.r.choice([0, 0, 2]) for k in s]
    return [g.v(t["Tcomplex" if name[0] == "I" else "Treal"], g.shape(max_rank=1, hi=3) + tuple(s)), g.i32(n)], t
