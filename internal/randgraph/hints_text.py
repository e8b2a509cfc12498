"""Draws inputs of string, hashing, random and parsing ops."""
import numpy as np
import tensorflow as tf

import values as V
from builder import Refused, hint_table

HINTS, hint = hint_table()


def strings(g, words, shape=None):
    shape = g.shape() if shape is None else shape
    n = int(np.prod(shape, dtype=np.int64))
    a = np.array([words[i] for i in g.rng.integers(0, len(words), n)], dtype=object).reshape(shape)
    return g.leaf(V.STR, value=a)


ASCII = [b"", b"a", b"Hello World", b" x y ", b"a,b,,c", b"aXbXc", b"the the", b"12", b"zz9"]
UTF8 = ASCII + ["\u00dcn\u00ef\u20ac".encode(), "\U0001f600!".encode(), "\u03a9\u00df".encode()]
PATTERNS = [b"a", b"[a-z]+", b"\\s", b"(\\w)(\\w)", b"^$", b".*", b"X|,", b"", b"\\d+", b"(?i)THE", b"[^a]*?"]


@hint("StringUpper StringLower")
def case_(g, name):
    return [g.v(V.STR)], dict(encoding=g.r.choice(["", "", "utf-8"]))


@hint("StringStrip EncodeBase64")
def one(g, name):
    return [g.v(V.STR)], {}


@hint("StringLength")
def length(g, name):
    return [strings(g, UTF8) if g.r.random() < .5 else g.v(V.STR)], dict(unit=g.r.choice(["BYTE", "UTF8_CHAR"]))


@hint("DecodeBase64")
def decode64(g, name):
    x = g.v(V.STR)
    return [g.op("EncodeBase64", [x])[0]], {}


@hint("StringJoin")
def join(g, name):
    s = g.shape()
    return [[g.v(V.STR, s if g.r.random() < .7 else ()) for _ in range(g.r.randint(1, 4))]], dict(separator=g.r.choice(["", ",", "--"]))


@hint("ReduceJoin")
def reducejoin(g, name):
    x = g.v(V.STR)
    n = x.v.ndim
    return [x, g.i32(g.r.sample(range(n), g.r.randint(0, n)))], dict(separator=g.r.choice(["", ","]))


@hint("Substr")
def substr(g, name):
    t = g.types(name)
    x = strings(g, [b"Hello World", b"abcdefgh", "\u00dcn\u00ef\u20acxyz".encode()])
    s = g.r.choice([(), x.shape])
    return [x, g.v(t["T"], s, lo=-4 if g.r.random() < .3 else 0, hi=4), g.v(t["T"], s, lo=0, hi=12)], dict(t, unit=g.r.choice(["BYTE", "UTF8_CHAR"]))


@hint("StringSplit")
def split(g, name):
    return [g.v(V.STR, g.shape(1)), strings(g, [b"", b",", b" ", b"X"], ())], dict(skip_empty=g.r.random() < .5)


@hint("StringSplitV2")
def splitv2(g, name):
    return [g.v(V.STR, g.shape(1)), strings(g, [b"", b",", b" ", b"X", b"the"], ())], dict(maxsplit=g.r.choice([-1, -1, 0, 1, 2]))


@hint("StringToHashBucket StringToHashBucketFast StringToHashBucketStrong")
def bucket(g, name):
    a = dict(num_buckets=g.r.choice([1, 7, 1000, 1 << 40]))
    if name.endswith("Strong"):
        a["key"] = [g.r.getrandbits(62), g.r.getrandbits(62)]
    return [g.v(V.STR)], a


@hint("StringToNumber")
def tonumber(g, name):
    t = g.types(name)
    w = [b"1", b"-3", b"0", b"127"] + ([b"2.5", b"-1e3", b"inf", b"nan", b" 4 ", b"1e-40", b".5"] if t["out_type"] in V.FLOATS else [b"  9 "])
    return [strings(g, w)], t


@hint("AsString")
def asstring(g, name):
    t = g.types(name)
    a = dict(t)
    d = t["T"]
    x = g.v(d)
    if d in V.FLOATS or d in V.COMPLEX:
        u = g.r.random()
        if u < .3:
            a["precision"] = g.r.randint(0, 5)
        elif u < .5:
            a["scientific"] = True
        elif u < .7:
            a["shortest"] = True
    elif d in V.INTS and g.r.random() < .4:
        a["width"] = g.r.randint(1, 6)
    if a.get("width", -1) > 0 and d in V.INTS and g.r.random() < .5:
        a["fill"] = g.r.choice(["0", " "])
    for k in ("scientific", "shortest"):
        a.setdefault(k, False)
    return [x], a


@hint("StringFormat")
def fmt(g, name):
    n = g.r.randint(1, 3)
    xs = [g.v(g.r.choice([V.I32, V.I64, V.BOOL, V.STR, V.F32, V.U8]), kind="dyadic") for _ in range(n)]
    return [xs], dict(template=" ".join(["%s"] * n), placeholder="%s", summarize=g.r.choice([-1, 1, 3, 10]))


@hint("RegexFullMatch")
def rfull(g, name):
    return [g.v(V.STR), strings(g, PATTERNS, ())], {}


@hint("StaticRegexFullMatch")
def srfull(g, name):
    return [g.v(V.STR)], dict(pattern=g.r.choice(PATTERNS))


@hint("RegexReplace")
def rrep(g, name):
    return [g.v(V.STR), strings(g, PATTERNS, ()), strings(g, [b"", b"-", b"<\\0>", b"zz"], ())], {}


@hint("StaticRegexReplace")
def srrep(g, name):
    return [g.v(V.STR)], dict(pattern=g.r.choice(PATTERNS), rewrite=g.r.choice([b"", b"-", b"<\\0>", b"zz"]))


@hint("UnicodeDecode UnicodeDecodeWithOffsets")
def udecode(g, name):
    return [g.v(V.STR)], dict(input_encoding="UTF-8", errors=g.r.choice(["replace", "ignore"]))


@hint("UnicodeTranscode")
def utrans(g, name):
    return [strings(g, UTF8)], dict(input_encoding="UTF-8", output_encoding=g.r.choice(["UTF-8", "UTF-16-BE", "UTF-32-BE"]), errors=g.r.choice(["replace", "ignore"]))


@hint("UnicodeEncode")
def uencode(g, name):
    t = g.types(name)
    n = g.dim()
    cuts = sorted(g.r.randint(0, n) for _ in range(g.r.randint(0, 3)))
    return [g.v(V.I32, (n,), lo=32, hi=0x3000), g.ints(t.get("Tsplits", V.I64), [0] + cuts + [n])], dict(t, output_encoding=g.r.choice(["UTF-8", "UTF-16-BE", "UTF-32-BE"]), errors=g.r.choice(["replace", "ignore"]))


@hint("DecodeRaw")
def decoderaw(g, name):
    t = g.types(name)
    if V.is_float(t["out_type"]) or t["out_type"] == V.BOOL:
        t["out_type"] = g.r.choice([V.U8, V.I16, V.I32, V.I64, V.U16, V.I8])
    return [strings(g, [b"\x01\x02\x03\x04\x05\x06\x07\x08", b"abcdefgh"] if g.r.random() < .8 else [b""], g.shape(max_rank=2))], t


@hint("DecodePaddedRaw")
def paddedraw(g, name):
    t = g.types(name)
    if V.is_float(t["out_type"]) or t["out_type"] == V.BOOL:
        t["out_type"] = g.r.choice([V.U8, V.I16, V.I32, V.I64, V.U16, V.I8])
    return [strings(g, [b"\x01\x02\x03\x04\x05\x06\x07\x08", b"abc", b"", b"aaaaaaaaaaaaaaaaaa"], g.shape(max_rank=2)), g.i32(g.r.choice([8, 16]))], t


@hint("ShardedFilename ShardedFilespec")
def sharded(g, name):
    w = strings(g, [b"f", b"x/y", b""], ())
    return [w] + ([g.i32(g.r.randint(0, 9))] if name == "ShardedFilename" else []) + [g.i32(10)], {}


@hint("""StatelessRandomUniform StatelessRandomNormal StatelessTruncatedNormal StatelessRandomUniformFullInt StatelessRandomUniformInt
StatelessRandomUniformV2 StatelessRandomNormalV2 StatelessTruncatedNormalV2 StatelessRandomUniformFullIntV2 StatelessRandomUniformIntV2""")
def stateless(g, name):
    t = g.types(name)
    shape = g.ints(t.get("T", t.get("Tshape")), g.shape())
    if name.endswith("V2"):
        ins = [shape, g.v(V.U64, (1,), fixed=True), g.v(V.U64, (2,), fixed=True), g.i32(g.r.choice([1, 1, 3]))]
    else:
        ins = [shape, g.v(t["Tseed"], (2,), fixed=True)]
    if "UniformInt" in name:
        d = t["dtype"]
        ins += [g.scalar(d, g.r.randint(0, 5)), g.scalar(d, g.r.randint(6, 100))]
    return ins, t


@hint("StatelessMultinomial")
def multinomial(g, name):
    t = g.types(name)
    return [g.v(t["T"], (g.dim(0, 3), g.dim(1))), g.i32(g.dim()), g.v(t["Tseed"], (2,))], t


@hint("StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg")
def keycounter(g, name):
    t = g.types(name)
    return [g.v(t["Tseed"], (2,))], t


@hint("StatelessShuffle")
def sshuffle(g, name):
    t = g.types(name)
    return [g.v(t["T"], min_rank=1), g.v(V.U64, (1,)), g.v(V.U64, (2,)), g.i32(1)], t


@hint("RandomUniform RandomStandardNormal TruncatedNormal RandomUniformInt Multinomial RandomShuffle")
def stateful(g, name):
    t = g.types(name)
    a = dict(t, seed=g.r.randint(1, 1000), seed2=g.r.randint(1, 1000))
    g.random_state = True
    if name == "Multinomial":
        ins = [g.v(t["T"], (g.dim(0, 3), g.dim(1))), g.i32(g.dim())]
    elif name == "RandomShuffle":
        ins = [g.v(t["T"], min_rank=1)]
    else:
        ins = [g.ints(t["T"], g.shape())]
        if name == "RandomUniformInt":
            ins += [g.scalar(t["Tout"], g.r.randint(0, 5)), g.scalar(t["Tout"], g.r.randint(6, 100))]
    out = g.op(name, ins, a)
    for o in out:          # each executor draws other numbers: they must not select anything
        g.pool.remove(o)
        g.only_fetched.append(o)


def feature(r, rng, kind):
    n = r.randint(0, 3)
    f = tf.train.Feature()
    if kind == V.F32:
        f.float_list.value.extend([r.randint(-8, 8) / 4 for _ in range(n)])
    elif kind == V.I64:
        f.int64_list.value.extend([r.randint(-99, 99) for _ in range(n)])
    else:
        f.bytes_list.value.extend([r.choice(V.WORDS) for _ in range(n)])
    return f


@hint("ParseExample ParseExampleV2 ParseSingleExample")
def parse(g, name):
    r = g.r
    kinds = [V.F32, V.I64, V.STR]
    sparse = [("s%d" % i, r.choice(kinds)) for i in range(r.randint(0, 2))]
    dense = [("d%d" % i, r.choice(kinds), r.choice([(), (2,), (1, 2), "var"])) for i in range(r.randint(0, 2))]
    ragged = [("r%d" % i, r.choice(kinds), r.choice([V.I32, V.I64])) for i in range(r.randint(0, 2))] if name.endswith("V2") else []
    if not sparse and not dense and not ragged:
        sparse = [("s0", V.F32)]
    single = name == "ParseSingleExample"
    n = 1 if single else r.randint(0 if dense == [] else 1, 3)
    recs = []
    for _ in range(n):
        e = tf.train.Example()
        for k, d in sparse + [(k, d) for k, d, _ in ragged]:
            if r.random() < .8:
                e.features.feature[k].CopyFrom(feature(r, g.rng, d))
        for k, d, s in dense:
            if r.random() < .2:
                continue
            m = int(np.prod(s)) if s != "var" else 2 * r.randint(0, 2)
            a = V.data(g.rng, d, (m,), lo=-4, hi=4, kind="dyadic") if d != V.STR else V.data(g.rng, d, (m,))
            f = e.features.feature[k]
            {V.F32: f.float_list, V.I64: f.int64_list, V.STR: f.bytes_list}[d].value.extend(a.tolist())
        recs.append(e.SerializeToString(deterministic=True))
    defaults = []
    for k, d, s in dense:
        defaults.append(g.leaf(d, () if s == "var" else s, lo=-4, hi=4, special=False))
    shapes = [[None, 2] if s == "var" else list(s) for _, _, s in dense]
    s1 = lambda xs: g.leaf(V.STR, value=np.array([x.encode() for x in xs], dtype=object), const=True, fixed=True)
    ser = g.leaf(V.STR, value=np.array(recs[0] if single else recs, dtype=object))
    if single:
        if any(s == "var" for _, _, s in dense):
            shapes = [[None] if s == [None, 2] else s for s in shapes]
        return [ser, defaults], dict(num_sparse=len(sparse), sparse_keys=[k for k, _ in sparse], dense_keys=[k for k, _, _ in dense], sparse_types=[d for _, d in sparse],
                                     Tdense=[d for _, d, _ in dense], dense_shapes=shapes)
    names = g.leaf(V.STR, value=np.array([], dtype=object), const=True, fixed=True)
    if name == "ParseExampleV2":
        return [ser, names, s1([k for k, _ in sparse]), s1([k for k, _, _ in dense]), s1([k for k, _, _ in ragged]), defaults], dict(
            Tdense=[d for _, d, _ in dense], num_sparse=len(sparse), sparse_types=[d for _, d in sparse], ragged_value_types=[d for _, d, _ in ragged],
            ragged_split_types=[d for _, _, d in ragged], dense_shapes=shapes)
    k0 = lambda k: g.leaf(V.STR, value=np.array(k.encode(), dtype=object), const=True, fixed=True)
    return [ser, names, [k0(k) for k, _ in sparse], [k0(k) for k, _, _ in dense], defaults], dict(
        Nsparse=len(sparse), Ndense=len(dense), sparse_types=[d for _, d in sparse], Tdense=[d for _, d, _ in dense], dense_shapes=shapes)


@hint("TensorSummaryV2")
def summary2(g, name):
    """The metadata is a message, since parsers differ in how they keep other bytes."""
    t = g.types(name)
    m = g.r.choice([b"", b"\n\x05\n\x03abc", b"\x12\x02ab", b"\n\x07\n\x01p\x12\x02xy"])
    return [g.v(V.STR, ()), g.v(t["T"]), g.leaf(V.STR, value=np.array(m, dtype=object), fixed=True)], t
