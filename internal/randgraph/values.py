"""Element types and random tensors."""
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops

DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"

F32, F64, I32, U8, I16, I8, STR, C64, I64, BOOL = range(1, 11)
QI8, QU8, QI32, BF16, QI16, QU16, U16, C128, F16, RES, VAR, U32, U64 = range(11, 24)

NP = {d: tf.dtypes.as_dtype(d).as_numpy_dtype for d in range(1, 24) if d not in (RES, VAR)}
FLOATS = (F32, F64, F16, BF16)
COMPLEX = (C64, C128)
SIGNED = (I8, I16, I32, I64)
UNSIGNED = (U8, U16, U32, U64)
INTS = SIGNED + UNSIGNED
QUANT = {QI8: np.int8, QU8: np.uint8, QI32: np.int32, QI16: np.int16, QU16: np.uint16}
DATA = FLOATS + COMPLEX + INTS + (BOOL, STR)
NAME = {d: tf.dtypes.as_dtype(d).name for d in range(1, 24)}
ENUM = {d: tf.dtypes.as_dtype(d).as_datatype_enum for d in range(1, 24)}

# Relative changes of inputs to test the condition of a result, and
# the tolerances (relative, absolute) of rounded results.
STEP = {F32: 2.5e-7, F64: 1e-15, F16: 2e-3, BF16: 1.6e-2, C64: 2.5e-7, C128: 1e-15}
TOLERANCE = {F32: (1e-4, 1e-5), F64: (1e-8, 1e-9), F16: (8e-3, 4e-3), BF16: (4e-2, 2e-2), C64: (1e-4, 1e-5), C128: (1e-8, 1e-9)}
DENORMAL = {F32: 2.0**-126, F64: 2.0**-1022, BF16: 2.0**-126, C64: 2.0**-126, C128: 2.0**-1022}

WORDS = [b"", b"a", b"b", b"abc", b"Hello World", b" x y ", b"a,b,,c", b"3.5", b"-7", b"1e3", b"12", "\u00dcn\u00ef\u20ac".encode(),
         b"\xff\xfe", b"\x00z", b"aXbXc", b"inf", b"nan", "\U0001f600!".encode(), b"the the", b"YWJj", b"0x1F", b"2147483648"]


def storage(d):
    return QUANT.get(d, NP[d])


def is_float(d):
    return d in FLOATS or d in COMPLEX


def floats(rng, n, lo, hi, kind):
    if kind == "dyadic":
        v = rng.integers(-32, 33, n) / 8.0
    elif kind == "int":
        v = rng.integers(-5, 6, n).astype(np.float64)
    else:
        v = rng.standard_normal(n) * 1.5
    if lo is not None or hi is not None:
        a = -4.0 if lo is None else lo
        b = a + 4.0 if hi is None else hi
        v = a + (b - a) * (rng.integers(0, 65, n) / 64.0 if kind == "dyadic" else rng.random(n))
    return v


def data(rng, d, shape, lo=None, hi=None, kind=None, special=False, denormal=False):
    """Random elements: of data type d between lo and hi; special adds NaN, infinities and extremes."""
    n = int(np.prod(shape, dtype=np.int64))
    if d == STR:
        return np.array([WORDS[i] for i in rng.integers(0, len(WORDS), n)], dtype=object).reshape(shape)
    if d == BOOL:
        return (rng.random(n) < 0.5).reshape(shape)
    if d in QUANT:
        t = QUANT[d]
        i = np.iinfo(t)
        a, b = (max(i.min, -1000), min(i.max, 1000)) if lo is None else (lo, hi)
        return rng.integers(a, b + 1, n).astype(t).reshape(shape)
    kind = kind or ("dyadic", "normal", "int")[rng.integers(0, 3)]
    if d in FLOATS:
        with np.errstate(all="ignore"):
            v = floats(rng, n, lo, hi, kind).astype(NP[d])
            if special and n:
                big = {F32: 3.4e38, F64: 1.7e308, F16: 65504.0, BF16: 3.3e38}[d]
                s = [np.nan, np.inf, -np.inf, -0.0, big, -big, 0.0, 1e4, 1e-3]
                if denormal and d != F16:
                    s += [DENORMAL[d] / 4, -DENORMAL[d] / 2]
                for i in rng.integers(0, n, rng.integers(1, 4)):
                    v[i] = np.array(s[rng.integers(0, len(s))]).astype(NP[d])
        return v.reshape(shape)
    if d in COMPLEX:
        v = floats(rng, n, lo, hi, kind) + 1j * floats(rng, n, lo, hi, kind)
        v = v.astype(NP[d])
        if special and n and rng.random() < 0.5:   # results of infinite complex numbers depend on the implementation
            v[rng.integers(0, n)] = (complex(0, np.nan), complex(1e4, -1e-3), 0)[rng.integers(0, 3)]
        return v.reshape(shape)
    i = np.iinfo(NP[d])
    a = (-6 if i.min < 0 else 0) if lo is None else max(lo, i.min)
    b = max(10, a) if hi is None else min(hi, i.max)
    v = rng.integers(a, max(b, a) + 1, n).astype(NP[d])
    if special and n and lo is None and hi is None:
        s = [i.min, i.max, i.max - 1, i.max // 2, i.min // 2]
        for k in rng.integers(0, n, rng.integers(1, 3)):
            v[k] = s[rng.integers(0, len(s))]
    return v.reshape(shape)


def tensor(d, a):
    """An eager tensor of a."""
    if d in QUANT:
        return tf.bitcast(tf.constant(a, dtype=tf.dtypes.as_dtype(np.dtype(QUANT[d]))), tf.dtypes.as_dtype(d)) if d not in (QI32,) else \
            tf.bitcast(tf.constant(a, dtype=tf.int32), tf.qint32)
    return ops.EagerTensor(a, DEVICE, d)


def array(d, t):
    """The elements of an eager tensor or fetched array, by their storage type."""
    a = np.asarray(t.numpy() if hasattr(t, "numpy") else t)
    if d in QUANT:
        a = a.astype(QUANT[d]) if a.dtype.fields is None else np.frombuffer(a.tobytes(), QUANT[d]).reshape(a.shape)
    return a
