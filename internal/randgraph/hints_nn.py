"""Draws inputs of neural network, image, loss and quantized ops."""
import numpy as np

import values as V
from builder import Refused, hint_table
from hints import linalg

HINTS, hint = hint_table()


def window(g, dims):
    """Sizes, window, strides, padding and the output's sizes of a pooling or convolution."""
    pad = g.r.choice(["SAME", "VALID"])
    k = [g.r.choice([1, 2, 3]) for _ in range(dims)]
    s = [g.r.choice([1, 1, 2, 3]) for _ in range(dims)]
    n = [max(g.dim(1), x) if pad == "VALID" else g.dim(1) for x in k]
    out = [-(-a // c) if pad == "SAME" else (a - b) // c + 1 for a, b, c in zip(n, k, s)]
    return n, k, s, pad, out


def channels(g):
    return g.r.choice([1, 2, 3, 4, 8, 17])


@hint("Conv2D Conv2DBackpropInput Conv2DBackpropFilter DepthwiseConv2dNative DepthwiseConv2dNativeBackpropInput DepthwiseConv2dNativeBackpropFilter")
def conv2d(g, name):
    t = g.types(name)
    n, k, s, pad, out = window(g, 2)
    a = dict(t, strides=[1] + s + [1], padding=pad, dilations=[1, 1, 1, 1])
    depth = name.startswith("Depth")
    if depth:
        a["strides"] = [1, s[0], s[0], 1]
        out = [-(-x // s[0]) if pad == "SAME" else (x - y) // s[0] + 1 for x, y in zip(n, k)]
    b, c, m = g.dim(0, 3), channels(g), g.r.choice([1, 2, 3])
    if name == "Conv2D":
        if g.r.random() < .2:
            d = g.r.choice([2, 3])
            a["dilations"] = [1, d, d, 1]
            e = [(x - 1) * d + 1 for x in k]
            n = [max(x, y) for x, y in zip(n, e)]
        if g.r.random() < .15:
            a["padding"] = "EXPLICIT"
            p = [g.r.randint(0, 2) for _ in range(4)]
            a["explicit_paddings"] = [0, 0] + p + [0, 0]
    groups = g.r.choice([1, 1, 1, 1, 2]) if name == "Conv2D" and c % 2 == 0 else 1
    f = (k[0], k[1], c, m) if depth else (k[0], k[1], c // groups, m * groups)
    x, w, y = (b, n[0], n[1], c), f, (b, out[0], out[1], c * m if depth else m * groups)
    T = t["T"]
    if name.endswith("Input"):
        return [g.i32(x), g.v(T, w), g.v(T, y)], a
    if name.endswith("Filter"):
        return [g.v(T, x), g.i32(w), g.v(T, y)], a
    return [g.v(T, x), g.v(T, w)], a


@hint("Conv3D Conv3DBackpropInputV2 Conv3DBackpropFilterV2")
def conv3d(g, name):
    t = g.types(name)
    n, k, s, pad, out = window(g, 3)
    a = dict(t, strides=[1] + s + [1], padding=pad, dilations=[1] * 5)
    b, c, m = g.dim(0, 2), g.r.choice([1, 2, 3]), g.r.choice([1, 2])
    x, w, y = (b,) + tuple(n) + (c,), tuple(k) + (c, m), (b,) + tuple(out) + (m,)
    T = t["T"]
    if "Input" in name:
        return [g.ints(t["Tshape"], x), g.v(T, w), g.v(T, y)], a
    if "Filter" in name:
        return [g.v(T, x), g.i32(w), g.v(T, y)], a
    return [g.v(T, x), g.v(T, w)], a


@hint("AvgPool MaxPool MaxPoolV2 MaxPoolWithArgmax AvgPoolGrad MaxPoolGrad MaxPoolGradGrad MaxPoolGradV2 MaxPoolGradWithArgmax")
def pool2(g, name):
    t = g.types(name)
    n, k, s, pad, out = window(g, 2)
    b, c = g.dim(0, 3), channels(g)
    x, y = (b,) + tuple(n) + (c,), (b,) + tuple(out) + (c,)
    a = dict(t, ksize=[1] + k + [1], strides=[1] + s + [1], padding=pad)
    T = t["T"]
    if name in ("AvgPool", "MaxPool", "MaxPoolWithArgmax"):
        return [g.v(T, x)], a
    if name == "MaxPoolV2":
        del a["ksize"], a["strides"]
        return [g.v(T, x), g.i32([1] + k + [1], const=True), g.i32([1] + s + [1], const=True)], a
    if name == "AvgPoolGrad":
        return [g.i32(x), g.v(T, y)], a
    xv = g.v(T, x)
    if name == "MaxPoolGradWithArgmax":
        o = g.op("MaxPoolWithArgmax", [xv], dict(T=T, ksize=a["ksize"], strides=a["strides"], padding=pad, Targmax=t["Targmax"], include_batch_in_index=False))
        return [xv, g.v(T, y), o[1]], dict(a, include_batch_in_index=False)
    o = g.op("MaxPool", [xv], dict(T=T, ksize=a["ksize"], strides=a["strides"], padding=pad))[0]
    gr = g.v(T, x if name == "MaxPoolGradGrad" else y)
    if name == "MaxPoolGradV2":
        ks, st = a.pop("ksize"), a.pop("strides")
        return [xv, o, gr, g.i32(ks, const=True), g.i32(st, const=True)], a
    return [xv, o, gr], a


@hint("AvgPool3D MaxPool3D AvgPool3DGrad MaxPool3DGrad MaxPool3DGradGrad")
def pool3(g, name):
    t = g.types(name)
    n, k, s, pad, out = window(g, 3)
    b, c = g.dim(0, 2), g.r.choice([1, 2, 3])
    x, y = (b,) + tuple(n) + (c,), (b,) + tuple(out) + (c,)
    a = dict(t, ksize=[1] + k + [1], strides=[1] + s + [1], padding=pad)
    T = t["T"]
    if pad == "SAME" and any(p > q for p, q in zip(s, k)):
        raise Refused(-1, "TensorFlow's pools of volumes begin at different places there")
    if not name.endswith("Grad"):
        return [g.v(T, x)], a
    if name == "AvgPool3DGrad":
        return [g.i32(x), g.v(T, y)], a
    xv = g.v(T, x)
    o = g.op("MaxPool3D", [xv], dict(T=T, ksize=a["ksize"], strides=a["strides"], padding=pad))[0]
    return [xv, o, g.v(T, x if name.endswith("GradGrad") else y)], dict(a, TInput=T) if name == "MaxPool3DGrad" else a


@hint("Dilation2D Dilation2DBackpropInput Dilation2DBackpropFilter")
def dilation(g, name):
    t = g.types(name)
    n, k, s, pad, out = window(g, 2)
    b, c = g.dim(0, 2), g.r.choice([1, 2, 3])
    a = dict(t, strides=[1] + s + [1], rates=[1, 1, 1, 1], padding=pad)
    x, w, y = (b,) + tuple(n) + (c,), tuple(k) + (c,), (b,) + tuple(out) + (c,)
    ins = [g.v(t["T"], x), g.v(t["T"], w)]
    return ins + ([g.v(t["T"], y)] if "Back" in name else []), a


@hint("ExtractImagePatches")
def patches(g, name):
    t = g.types(name)
    n, k, s, pad, _ = window(g, 2)
    r = g.r.choice([1, 1, 2])
    if pad == "VALID":
        n = [max(x, (y - 1) * r + 1) for x, y in zip(n, k)]
    return [g.v(t["T"], (g.dim(0, 2),) + tuple(n) + (g.dim(1, 3),))], dict(t, ksizes=[1] + k + [1], strides=[1] + s + [1], rates=[1, r, r, 1], padding=pad)


@hint("ExtractVolumePatches")
def vpatches(g, name):
    t = g.types(name)
    n, k, s, pad, _ = window(g, 3)
    if pad == "SAME" and any(p > q for p, q in zip(s, k)):
        raise Refused(-1, "TensorFlow's windows of volumes begin at different places there")
    return [g.v(t["T"], (g.dim(0, 2),) + tuple(n) + (g.dim(1, 2),))], dict(t, ksizes=[1] + k + [1], strides=[1] + s + [1], padding=pad)


@hint("BiasAdd BiasAddV1")
def biasadd(g, name):
    t = g.types(name)
    s = g.shape(min_rank=2, max_rank=4)
    s = s if len(s) >= 2 else (2, 3)
    if name == "BiasAdd" and g.r.random() < .3:
        return [g.v(t["T"], s), g.v(t["T"], (s[1],))], dict(t, data_format="NCHW")
    return [g.v(t["T"], s), g.v(t["T"], (s[-1],))], t


@hint("BiasAddGrad")
def biasaddgrad(g, name):
    t = g.types(name)
    return [g.v(t["T"], min_rank=2)], dict(t, data_format=g.r.choice(["NHWC", "NCHW"]))


@hint("FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3")
def fbn(g, name):
    t = g.types(name)
    c = channels(g)
    s = (g.dim(1, 3), g.dim(1), g.dim(1), c)
    U = t.get("U", t["T"])
    tr = g.r.random() < .4
    st = (0,) if tr else (c,)
    out = g.op(name, [g.v(t["T"], s), g.v(U, (c,)), g.v(U, (c,)), g.v(U, st), g.v(U, st, lo=.25, hi=3)], dict(t, is_training=tr, epsilon=.01, exponential_avg_factor=1.0))
    for o in out[3:] if tr else out[1:]:    # the reserves depend on the implementation
        g.pool.remove(o)


@hint("FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3")
def fbng(g, name):
    t = g.types(name)
    c = channels(g)
    s = (g.dim(1, 3), g.dim(1), g.dim(1), c)
    U = t.get("U", t["T"])
    tr = g.r.random() < .5
    ins = [g.v(t["T"], s), g.v(t["T"], s), g.v(U, (c,)), g.v(U, (c,)), g.v(U, (c,), lo=.25, hi=3)]
    if name.endswith("V3"):
        ins.append(g.leaf(V.F32, (0,)))
    out = g.op(name, ins, dict(t, is_training=tr, epsilon=.01))
    for o in out[3:]:
        g.pool.remove(o)


@hint("BatchNormWithGlobalNormalization")
def bnglobal(g, name):
    raise Refused(-1, "deprecated")


@hint("LRN")
def lrn(g, name):
    t = g.types(name)
    x = g.v(t["T"], (g.dim(1, 2), g.dim(1, 3), g.dim(1, 3), channels(g)))
    if not np.all(np.isfinite(x.v.astype(np.float64))):
        raise Refused(-1, "the kernel multiplies by a band matrix: an infinity spoils all channels or few, by their number")
    return [x], dict(t, depth_radius=g.r.randint(0, 4), bias=1.0, alpha=g.r.choice([.5, 1.0]), beta=g.r.choice([.5, .75]))


@hint("LRNGrad")
def lrngrad(g, name):
    t = g.types(name)
    s = (g.dim(1, 2), g.dim(1, 3), g.dim(1, 3), channels(g))
    x = g.v(t["T"], s)
    a = dict(t, depth_radius=g.r.randint(0, 4), bias=1.0, alpha=.5, beta=.5)
    return [g.v(t["T"], s), x, g.op("LRN", [x], a)[0]], a


@hint("Softmax LogSoftmax")
def softmax(g, name):
    t = g.types(name)
    return [g.v(t["T"], min_rank=1)], t


@hint("SoftmaxCrossEntropyWithLogits")
def sce(g, name):
    t = g.types(name)
    s = (g.dim(), g.dim(1))
    return [g.v(t["T"], s), g.v(t["T"], s if g.r.random() < .8 else (1, s[1]), lo=0, hi=1)], t


@hint("SparseSoftmaxCrossEntropyWithLogits")
def ssce(g, name):
    t = g.types(name)
    s = (g.dim(), g.dim(1))
    return [g.v(t["T"], s), g.v(t["Tlabels"], (s[0],), lo=0, hi=s[1] - 1)], t


def images(g, d, h=None):
    if d == V.U8 or d in V.INTS:
        return g.v(d, (g.dim(0, 2), g.dim(1), g.dim(1), g.dim(1, 4)), lo=0, hi=100)
    return g.v(d, (g.dim(0, 2), g.dim(1), g.dim(1), g.dim(1, 4)))


@hint("ResizeArea ResizeBicubic ResizeBilinear ResizeNearestNeighbor")
def resize(g, name):
    t = g.types(name)
    a, h = g.r.choice([(False, False), (True, False), (False, True)])
    at = dict(t, align_corners=a)
    if name != "ResizeArea":
        at["half_pixel_centers"] = h
    return [images(g, t["T"]), g.i32([g.dim(1), g.dim(1)])], at


@hint("ResizeBicubicGrad ResizeBilinearGrad")
def resizegrad(g, name):
    t = g.types(name)
    a, h = g.r.choice([(False, False), (True, False), (False, True)])
    x = images(g, t["T"])
    return [g.v(V.F32, (x.shape[0], g.dim(1), g.dim(1), x.shape[3])), x], dict(t, align_corners=a, half_pixel_centers=h)


@hint("ResizeNearestNeighborGrad")
def resizenngrad(g, name):
    t = g.types(name)
    a, h = g.r.choice([(False, False), (True, False), (False, True)])
    return [images(g, t["T"]), g.i32([g.dim(1), g.dim(1)])], dict(t, align_corners=a, half_pixel_centers=h)


@hint("CropAndResize")
def crop(g, name):
    t = g.types(name)
    x = images(g, t["T"])
    n = g.dim(0, 3)
    if x.shape[0] == 0:
        n = 0
    b = V.data(g.rng, V.F32, (n, 4), lo=-.25, hi=1.25, kind="dyadic")
    return [x, g.leaf(V.F32, value=b), g.v(V.I32, (n,), lo=0, hi=max(x.shape[0] - 1, 0)), g.i32([g.dim(1, 4), g.dim(1, 4)])], dict(t, extrapolation_value=.5)


@hint("RGBToHSV HSVToRGB")
def hsv(g, name):
    t = g.types(name)
    return [g.v(t["T"], g.shape(max_rank=3) + (3,), lo=0, hi=1)], t


@hint("AdjustHue AdjustSaturation AdjustContrastv2")
def adjust(g, name):
    t = g.types(name)
    s = g.shape(g.r.randint(2, 3), lo=1)
    return [g.v(t["T"], s + (3,), lo=0, hi=1), g.v(V.F32, (), lo=-1 if name == "AdjustHue" else 0, hi=1 if name == "AdjustHue" else 2)], t


@hint("ImageProjectiveTransformV2 ImageProjectiveTransformV3")
def projective(g, name):
    t = g.types(name)
    x = images(g, t["dtype"])
    n = g.r.choice([1, x.shape[0]])
    m = np.tile([1, 0, 0, 0, 1, 0, 0, 0], (n, 1)).astype(np.float32) + V.data(g.rng, V.F32, (n, 8), lo=-.5, hi=.5, kind="normal") * np.array([1, 1, 2, 1, 1, 2, 0, 0], np.float32)
    ins = [x, g.leaf(V.F32, value=m), g.i32([g.dim(1), g.dim(1)])]
    if name.endswith("3"):
        ins.append(g.f32(g.r.choice([0.0, 1.5])))
    return ins, dict(t, interpolation=g.r.choice(["NEAREST", "BILINEAR"]), fill_mode=g.r.choice(["CONSTANT", "REFLECT", "WRAP", "NEAREST"]))


def boxes(g, d, lead=()):
    n = g.dim(0)
    p = V.data(g.rng, d, lead + (n, 2), lo=0, hi=1, kind="normal")
    q = p + V.data(g.rng, d, lead + (n, 2), lo=.05, hi=.75, kind="normal")
    return np.concatenate([p, q], -1).astype(V.NP[d]), n


@hint("NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppressionV5")
def nms(g, name):
    t = g.types(name)
    d = t.get("T", V.F32)
    b, n = boxes(g, d)
    th = t.get("T_threshold", d)
    ins = [g.leaf(d, value=b), g.v(d, (n,)), g.i32(g.r.randint(0, 5))]
    if name == "NonMaxSuppression":
        return ins, dict(iou_threshold=g.r.choice([.3, .5, .7]))
    ins.append(g.scalar(th, g.r.choice([.3, .5, .7])))
    if name[-1] in "345":
        ins.append(g.scalar(th, g.r.choice([-10.0, 0.0, .5])))
    if name[-1] == "5":
        ins.append(g.scalar(d, g.r.choice([0.0, 0.5])))
    return ins, t


@hint("NonMaxSuppressionWithOverlaps")
def nmso(g, name):
    n = g.dim()
    return [g.v(V.F32, (n, n), lo=0, hi=1), g.v(V.F32, (n,)), g.i32(g.r.randint(0, 5)), g.f32(.5), g.f32(g.r.choice([-9.0, 0.0]))], {}


@hint("CombinedNonMaxSuppression")
def cnms(g, name):
    b, c = g.dim(1, 2), g.r.randint(1, 3)
    q = g.r.choice([1, c])
    x, n = boxes(g, V.F32, (b, q))
    x = np.transpose(x, (0, 2, 1, 3))
    return [g.leaf(V.F32, value=x), g.v(V.F32, (b, n, c), lo=0, hi=1), g.i32(g.r.randint(1, 4)), g.i32(g.r.randint(1, 5)), g.f32(.5, const=True), g.f32(g.r.choice([0.0, .3]), const=True)], {}


@hint("FakeQuantWithMinMaxArgs FakeQuantWithMinMaxArgsGradient")
def fqargs(g, name):
    x = g.v(V.F32)
    a = dict(min=g.r.choice([-6.0, -1.5, 0.0, 0.5]), max=g.r.choice([1.0, 6.0, 3.3]), num_bits=g.r.choice([2, 4, 8, 16]))
    return ([x] if name.endswith("Args") else [g.v(V.F32, x.shape), x]), a


@hint("FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsGradient FakeQuantWithMinMaxVarsPerChannel FakeQuantWithMinMaxVarsPerChannelGradient")
def fqvars(g, name):
    x = g.v(V.F32, min_rank=1)
    s = (x.shape[-1],) if "Channel" in name else ()
    lo = g.leaf(V.F32, s, lo=-5, hi=0, special=False)
    hi = g.leaf(V.F32, s, lo=.5, hi=5, special=False)
    a = dict(num_bits=g.r.choice([2, 4, 8, 16]))
    return ([g.v(V.F32, x.shape)] if name.endswith("Gradient") else []) + [x, lo, hi], a


@hint("QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4 QuantizeAndDequantizeV4Grad")
def qdq(g, name):
    t = g.types(name)
    T = t["T"]
    x = g.v(T)
    lo, hi = g.scalar(T, g.r.choice([-3.0, -1.0, 0.0])), g.scalar(T, g.r.choice([1.0, 2.5]))
    a = dict(t, axis=-1)
    if name.endswith("Grad"):
        return [g.v(T, x.shape), x, lo, hi], a
    if name.endswith("V3"):
        return [x, lo, hi, g.i32(g.r.choice([4, 8]))], a
    return [x, lo, hi], dict(a, num_bits=g.r.choice([4, 8, 16]))


def qrange(g, lo=None, hi=None):
    return g.f32(lo if lo is not None else g.r.choice([-4.0, -1.0, 0.0]), const=None), g.f32(hi if hi is not None else g.r.choice([1.0, 3.5, 6.0]))


@hint("QuantizeV2")
def quantize(g, name):
    t = g.types(name)
    if t["T"] == V.QI32:
        raise Refused(-1, "the largest value overflows")
    lo, hi = qrange(g)
    mode = g.r.choice(["MIN_COMBINED", "MIN_FIRST", "SCALED"])
    return [g.v(V.F32), lo, hi], dict(t, mode=mode, round_mode=g.r.choice(["HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN"]) if mode == "SCALED" else "HALF_AWAY_FROM_ZERO")


@hint("Dequantize")
def dequantize(g, name):
    t = g.types(name)
    lo, hi = qrange(g)
    return [g.v(t["T"]), lo, hi], dict(t, mode=g.r.choice(["MIN_COMBINED", "MIN_FIRST", "SCALED"]))


@hint("QuantizeDownAndShrinkRange RequantizationRange")
def qshrink(g, name):
    t = g.types(name)
    lo, hi = qrange(g, -100.0, 100.0)
    return [g.v(t["Tinput"]), lo, hi], t


@hint("Requantize")
def requantize(g, name):
    t = g.types(name)
    lo, hi = qrange(g, -100.0, 100.0)
    a, b = qrange(g)
    return [g.v(t["Tinput"]), lo, hi, a, b], t


@hint("QuantizedAdd QuantizedMul")
def qadd(g, name):
    t = g.types(name)
    a, b = g.r.choice([((), ()), ((3,), (2, 3)), ((2, 3), (2, 3)), ((4,), ()), ((), (4,)), ((2, 4), (4,))])
    return [g.v(t["T1"], a), g.v(t["T2"], b), *qrange(g), *qrange(g)], t


@hint("QuantizedAvgPool QuantizedMaxPool")
def qpool(g, name):
    t = g.types(name)
    n, k, s, pad, _ = window(g, 2)
    return [g.v(t["T"], (g.dim(1, 2),) + tuple(n) + (channels(g),)), *qrange(g)], dict(t, ksize=[1] + k + [1], strides=[1] + s + [1], padding=pad)


@hint("QuantizedBiasAdd")
def qbias(g, name):
    t = g.types(name)
    c = channels(g)
    return [g.v(t["T1"], (g.dim(1), c)), g.v(t["T2"], (c,)), *qrange(g), *qrange(g)], t


@hint("QuantizedConcat")
def qconcat(g, name):
    t = g.types(name)
    s = list(g.shape(min_rank=1, lo=1))
    a, n = g.r.randrange(len(s)), g.r.randint(2, 3)
    vs = []
    for _ in range(n):
        s[a] = g.dim(1)
        vs.append(g.v(t["T"], tuple(s)))
    return [g.i32(a), vs, [g.f32(g.r.choice([-1.0, -4.0])) for _ in vs], [g.f32(g.r.choice([1.0, 4.0])) for _ in vs]], t


@hint("QuantizedConv2D")
def qconv(g, name):
    t = g.types(name)
    if t["Tfilter"] != V.QU8 or t["Tinput"] != V.QU8:
        raise Refused(-1, "TensorFlow's kernel for these types is empty")
    n, k, s, pad, _ = window(g, 2)
    c = g.r.choice([1, 2, 3])
    q = g.r.choice([1, 2])
    return [g.v(t["Tinput"], (g.dim(1, 2),) + tuple(n) + (c,)), g.v(t["Tfilter"], tuple(k) + (c, g.dim(1, 3))), *qrange(g), *qrange(g)], dict(t, strides=[1, q, q, 1], padding=pad, dilations=[1, 1, 1, 1])


@hint("QuantizedInstanceNorm")
def qinorm(g, name):
    t = g.types(name)
    return [g.v(t["T"], (g.dim(1, 2), g.dim(1, 4), g.dim(1, 4), g.dim(1, 3))), *qrange(g)], t


@hint("QuantizedMatMul")
def qmatmul(g, name):
    t = g.types(name)
    m, k, n = g.dim(1), g.dim(1), g.dim(1)
    ta, tb = g.r.random() < .3, g.r.random() < .3
    return [g.v(t["T1"], (k, m) if ta else (m, k)), g.v(t["T2"], (n, k) if tb else (k, n)), *qrange(g), *qrange(g)], dict(t, transpose_a=ta, transpose_b=tb)


@hint("QuantizedRelu QuantizedRelu6")
def qrelu(g, name):
    t = g.types(name)
    return [g.v(t["Tinput"]), *qrange(g)], t


@hint("QuantizedReshape")
def qreshape(g, name):
    t = g.types(name)
    x = g.v(t["T"])
    return [x, g.ints(t["Tshape"], [-1] if x.v.size else [0]), *qrange(g)], t


@hint("QuantizedResizeBilinear")
def qresize(g, name):
    t = g.types(name)
    if t["T"] == V.F32:
        raise Refused(-1, "graphc does not take it")
    if t["T"] != V.F32:
        x = g.v(t["T"], (g.dim(1, 2), g.dim(1), g.dim(1), g.r.choice([1, 2, 3, 8])))
    else:
        x = images(g, V.F32)
    a, h = g.r.choice([(False, False), (True, False), (False, True)])
    return [x, g.i32([g.dim(1), g.dim(1)]), *qrange(g)], dict(t, align_corners=a, half_pixel_centers=h)


@hint("QuantizedBatchNormWithGlobalNormalization")
def qbn(g, name):
    t = g.types(name)
    c = g.r.choice([1, 2, 3])
    ins = [g.v(t["Tinput"], (1, 2, 2, c)), *qrange(g)]
    for _ in range(4):
        ins += [g.v(t["Tinput"], (c,)), *qrange(g, 0.0)]
    return ins, dict(t, variance_epsilon=.01, scale_after_normalization=g.r.random() < .5)


def uq(d):
    return {V.QI8: (-128, 127), V.QI32: (-2147483648, 2147483647), V.QU8: (0, 255)}[d]


@hint("UniformQuantize UniformDequantize")
def uquant(g, name):
    t = g.types(name)
    x = g.v(t["Tin"], g.shape(min_rank=1, lo=1))
    ax = g.r.choice([-1, g.r.randrange(x.v.ndim)])
    s = () if ax < 0 else (x.shape[ax],)
    lo, hi = uq(t["Tout"] if name == "UniformQuantize" else t["Tin"])
    return [x, g.leaf(V.F32, s, lo=.25, hi=2, kind="dyadic", special=False), g.v(V.I32, s, lo=-3, hi=3)], dict(t, quantization_axis=ax, quantization_min_val=lo, quantization_max_val=hi)


@hint("Svd")
def svd(g, name):
    """Signs of singular vectors depend on the implementation; their products do not."""
    ins, t = linalg(g, name)
    out = g.op("Svd", ins, dict(t, compute_uv=True, full_matrices=False))
    s, u, v = out
    g.pool.remove(u), g.pool.remove(v)
    if u.v.size and v.v.size:
        e = g.op("ExpandDims", [s, g.i32(-2)])[0]
        g.op("BatchMatMulV2", [g.op("Mul", [u, e if s.dt == u.dt else g.op("Cast", [e], dict(DstT=u.dt))[0]])[0], v], dict(adj_x=False, adj_y=True))


@hint("SelfAdjointEigV2")
def eigh(g, name):
    ins, t = linalg(g, name)
    e, v = g.op(name, ins, dict(t, compute_v=True))
    g.pool.remove(v)
    if v.v.size:
        d = g.op("ExpandDims", [e, g.i32(-2)])[0]
        g.op("BatchMatMulV2", [g.op("Mul", [v, d])[0], v], dict(adj_x=False, adj_y=True))


@hint("Eig")
def eig(g, name):
    """Vectors may have any phase: values of symmetric matrices are compared by their sum and product."""
    raise Refused(-1, "the order of eigenvalues is not defined")


@hint("EncodePng EncodeJpeg EncodeJpegVariableQuality")
def encode_image(g, name):
    """A file's bytes depend on the encoder; the decoded picture does not."""
    if name != "EncodePng":
        raise Refused(-1, "depends on the encoder")
    t = g.types(name)
    c = g.r.choice([1, 2, 3, 4])
    s = g.op("EncodePng", [g.v(t["T"], (g.dim(1), g.dim(1), c))], dict(t, compression=g.r.choice([-1, 0, 9])))[0]
    g.pool.remove(s)
    g.op("DecodePng", [s], dict(channels=g.r.choice([0, c]), dtype=t["T"]))


@hint("Qr")
def qr(g, name):
    ins, t = linalg(g, name)
    q, r = g.op(name, ins, dict(t, full_matrices=g.r.random() < .3))
    g.pool.remove(q), g.pool.remove(r)
    if q.v.size and r.v.size:
        g.op("BatchMatMulV2", [q, r], dict(adj_x=False, adj_y=False))
