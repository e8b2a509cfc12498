#!/usr/bin/env python3
"""Writes cases of models and loops in growing sizes, to show how times grow.

    cases.py --out DIR [--only MODEL/AXIS,...] [--list]

    conv/batch, conv/image      a residual convolutional network on pictures
    bert/batch, bert/sequence   an encoder of four layers
    mlp/batch                   three dense layers
    count/iterations            a loop of three scalar operations; count2 is the same as a While
    beam/iterations             a beam search that keeps tokens and parents in TensorArrays; beam2 in TensorLists
    lstm/iterations             an LSTM over a sequence; lstm2 is the same as a While

Needs tensorflow-cpu and numpy. A model is one graph whose batch, sequence or picture size is unknown, with seeded
random weights. Each case is a folder DIR/<model>-<axis>/<value>/ with that graph, feeds of one size and TensorFlow's
results, computed node by node without graph optimizers and oneDNN. "sweep" in case.json identifies the point.
"""
import argparse, json, math, os, zlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
f32 = np.float32


def rng(*key):
    return np.random.Generator(np.random.PCG64(zlib.crc32("/".join(map(str, key)).encode())))


def weight(model, name, shape, std=None, mean=0.0):
    if std is None:
        std = math.sqrt(2.0 / np.prod(shape[:-1])) if len(shape) > 1 else 0.05
    return tf.constant(rng(model, name).normal(mean, std, shape).astype(f32), name=name)


# ---- the models: each builds its graph in the default graph and names its fetches -----------------------------------

def conv():
    """stem, four stages of two residual blocks of 3x3 convolutions with batch-norm, global mean, dense"""
    def unit(x, n, o, k, stride):
        c = int(x.shape[-1])
        x = tf.nn.conv2d(x, weight("conv", n + "/kernel", [k, k, c, o]), stride, "SAME")
        w = [weight("conv", n + s, [o], 0.1, m) for s, m in (("/gamma", 1.0), ("/beta", 0.0), ("/mean", 0.0))]
        return v1.nn.fused_batch_norm(x, *w, tf.constant(np.ones(o, f32)), is_training=False)[0]
    x = v1.placeholder(tf.float32, [None, None, None, 3], "image")
    x = tf.nn.max_pool2d(tf.nn.relu(unit(x, "stem", 32, 7, 2)), 3, 2, "SAME")
    for i, o in enumerate((32, 64, 128, 256)):
        for j in range(2):
            n, stride = "stage%d/%d/" % (i, j), 2 if i and not j else 1
            y = unit(tf.nn.relu(unit(x, n + "a", o, 3, stride)), n + "b", o, 3, 1)
            if stride > 1:
                x = unit(x, n + "skip", o, 1, stride)
            x = tf.nn.relu(0.5 * (x + y))
    x = tf.reduce_mean(x, [1, 2])
    tf.nn.softmax(tf.matmul(x, weight("conv", "dense/kernel", [256, 100])) + weight("conv", "dense/bias", [100]), name="scores")
    return ["scores:0"]


def conv_feeds(r, batch, image):
    return {"image:0": r.uniform(-1, 1, (batch, image, image, 3)).astype(f32)}


def bert():
    """four encoder layers, hidden 256, four heads, intermediate 1024"""
    H, N, D, V = 256, 4, 64, 2000
    ids = v1.placeholder(tf.int32, [None, None], "ids")
    B, S = tf.shape(ids)[0], tf.shape(ids)[1]

    def norm(x, n):
        mu, var = tf.nn.moments(x, [-1], keepdims=True)
        return tf.nn.batch_normalization(x, mu, var, weight("bert", n + "/beta", [H]), weight("bert", n + "/gamma", [H], 0.1, 1.0), 1e-6)

    def dense(x, n, i, o):
        y = tf.nn.bias_add(tf.matmul(tf.reshape(x, [-1, i]), weight("bert", n + "/kernel", [i, o])), weight("bert", n + "/bias", [o]))
        return tf.reshape(y, [B, S, o])
    heads = lambda z: tf.transpose(tf.reshape(z, [B, S, N, D]), [0, 2, 1, 3])
    x = tf.gather(weight("bert", "words", [V, H], 0.5), ids) + weight("bert", "positions", [1024, H], 0.3)[:S]
    x = norm(x, "ln")
    for i in range(4):
        n = "layer%d/" % i
        q, k, v = [heads(dense(x, n + c, H, H)) for c in "qkv"]
        a = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * f32(1 / math.sqrt(D)))
        c = tf.reshape(tf.transpose(tf.matmul(a, v), [0, 2, 1, 3]), [B, S, H])
        x = norm(x + dense(c, n + "o", H, H), n + "ln1")
        h = dense(x, n + "up", H, 4 * H)
        h = 0.5 * h * (1.0 + tf.tanh(math.sqrt(2 / math.pi) * (h + 0.044715 * h * h * h)))
        x = norm(x + dense(h, n + "down", 4 * H, H), n + "ln2")
    tf.tanh(tf.matmul(x[:, 0], weight("bert", "pooler", [H, H])), "pooled")
    tf.identity(x, "sequence")
    return ["pooled:0", "sequence:0"]


def bert_feeds(r, batch, sequence):
    return {"ids:0": r.integers(0, 2000, (batch, sequence)).astype(np.int32)}


def mlp():
    """784-512-256-10 with relu"""
    x = v1.placeholder(tf.float32, [None, 784], "x")
    sizes = (784, 512, 256, 10)
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        x = tf.nn.bias_add(tf.matmul(x, weight("mlp", "w%d" % i, [a, b])), weight("mlp", "b%d" % i, [b]))
        x = tf.nn.relu(x) if i < 2 else x
    tf.nn.softmax(x, name="scores")
    return ["scores:0"]


def mlp_feeds(r, batch):
    return {"x:0": r.uniform(0, 1, (batch, 784)).astype(f32)}


def looped(make, v2):
    """a graph whose loops are TensorFlow 1's ops, or with v2 While"""
    def graph():
        (v1.enable_control_flow_v2 if v2 else v1.disable_control_flow_v2)()
        try:
            return make()
        finally:
            v1.disable_control_flow_v2()
    graph.__doc__ = make.__doc__
    return graph


def count():
    """i < n; i + 1; x * 0.999 + 0.5"""
    n, x = v1.placeholder(tf.int32, [], "n"), v1.placeholder(tf.float32, [], "x")
    i, y = tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, x * 0.999 + 0.5), (tf.constant(0), x))
    tf.identity(i, name="i"), tf.identity(y, name="y")
    return ["i:0", "y:0"]


def count_feeds(r, iterations):
    return {"n:0": np.int32(iterations), "x:0": f32(1)}


def beam():
    """8 beams over 128 tokens: product, log-softmax, top-k, gathers, tanh"""
    k, v, h = 8, 128, 64
    n, start = v1.placeholder(tf.int32, [], "n"), v1.placeholder(tf.float32, [k, h], "start")
    table, out = weight("beam", "table", [v, h], 0.5), weight("beam", "out", [h, v], 0.3)

    def step(i, state, total, tokens, parents):
        scores = tf.reshape(tf.nn.log_softmax(tf.matmul(state, out)) + total[:, None], [k * v])
        total, best = tf.nn.top_k(scores, k)
        parent, token = best // v, best % v
        state = tf.tanh(tf.gather(state, parent) + tf.gather(table, token))
        return i + 1, state, total, tokens.write(i, token), parents.write(i, parent)
    arrays = [tf.TensorArray(tf.int32, n, element_shape=[k]) for _ in range(2)]
    first = tf.constant(np.array([0] + [-1e9] * (k - 1), f32))
    r = tf.while_loop(lambda i, *_: i < n, step, (tf.constant(0), start, first, *arrays))
    tf.identity(r[2], name="total"), tf.identity(r[3].stack(), name="tokens"), tf.identity(r[4].stack(), name="parents")
    return ["total:0", "tokens:0", "parents:0"]


def beam_feeds(r, iterations):
    return {"n:0": np.int32(iterations), "start:0": r.normal(0, 1, (8, 64)).astype(f32)}


def lstm():
    """an LSTM of 128 units, batch 1"""
    units = 128
    x = v1.placeholder(tf.float32, [1, None, units], "x")
    w, b = weight("lstm", "kernel", [2 * units, 4 * units], 0.1), weight("lstm", "bias", [4 * units])
    n = tf.shape(x)[1]
    xs = tf.TensorArray(tf.float32, n, element_shape=[1, units]).unstack(tf.transpose(x, [1, 0, 2]))

    def step(t, c, h, ys):
        i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([xs.read(t), h], 1), w), b), 4, 1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
        return t + 1, c, h, ys.write(t, h)
    zero = tf.zeros([1, units])
    r = tf.while_loop(lambda t, *_: t < n, step, (tf.constant(0), zero, zero, tf.TensorArray(tf.float32, n, element_shape=[1, units])))
    tf.identity(r[2], name="h"), tf.identity(r[3].stack(), name="y")
    return ["h:0", "y:0"]


def lstm_feeds(r, iterations):
    return {"x:0": r.normal(0, 1, (1, iterations, 128)).astype(f32)}


BATCHES = (1, 2, 4, 8, 16, 32, 64)
SWEEPS = {   # model, axis: the model's graph and feeds, the axis' values, and the other sizes
    ("conv", "batch"): (conv, conv_feeds, BATCHES, {"image": 128}),
    ("conv", "image"): (conv, conv_feeds, (96, 128, 160, 224, 320, 416, 512), {"batch": 1}),
    ("bert", "batch"): (bert, bert_feeds, BATCHES, {"sequence": 64}),
    ("bert", "sequence"): (bert, bert_feeds, (16, 32, 64, 128, 256, 512, 1024), {"batch": 1}),
    ("mlp", "batch"): (mlp, mlp_feeds, BATCHES, {}),
    **{(name + suffix, "iterations"): (looped(make, suffix == "2"), feeds, values, {})
       for name, make, feeds, values in (("count", count, count_feeds, (1000, 10000, 100000, 1000000)),
                                         ("beam", beam, beam_feeds, (16, 64, 256)), ("lstm", lstm, lstm_feeds, (32, 128, 512)))
       for suffix in ("", "2")},
}


# ---- writing -------------------------------------------------------------------------------------------------------

def session(graph):
    c = v1.ConfigProto()
    c.graph_options.rewrite_options.disable_meta_optimizer = True
    c.graph_options.optimizer_options.opt_level = -1
    return v1.Session(graph=graph, config=c)


def write(out, model, axis):
    make, feeds_of, values, others = SWEEPS[model, axis]
    graph = tf.Graph()
    with graph.as_default():
        fetches = make()
    text = graph.as_graph_def().SerializeToString(deterministic=True)
    first = None
    with session(graph) as s:
        for value in values:
            d = os.path.join(out, "%s-%s" % (model, axis), "%04d" % value)
            os.makedirs(d, exist_ok=True)
            feeds = feeds_of(rng(model, axis, value), **{axis: value}, **others)
            got = dict(zip(fetches, s.run(fetches, feeds)))
            pb = os.path.join(d, "graph.pb")
            if os.path.exists(pb):
                os.remove(pb)
            if first is None:
                first = pb
                with open(pb, "wb") as f:
                    f.write(text)
            else:
                os.link(first, pb)
            np.savez_compressed(os.path.join(d, "feeds.npz"), **feeds)
            np.savez_compressed(os.path.join(d, "fetches.npz"), **got)
            dtypes = {k: "DT_FLOAT" if v.dtype == f32 else "DT_INT32" for k, v in {**feeds, **got}.items()}
            meta = {"name": "%s_%s_%d" % (model, axis, value), "origin": "bench/cases.py: seeded random weights", "licence": "Apache-2.0",
                    "tensorflow": tf.__version__, "dtypes": dtypes, "strings": {}, "rtol": 1e-3, "atol": 1e-4, "expect": "outputs",
                    "runs": [{"feeds": "feeds.npz", "fetches": "fetches.npz", "targets": [],
                              "names": {"feeds": list(feeds), "fetches": fetches}}],
                    "sweep": {"model": model, "axis": axis, "value": value}}
            with open(os.path.join(d, "case.json"), "w") as f:
                json.dump(meta, f, indent=1)
                f.write("\n")
            assert all(np.isfinite(v).all() for v in got.values())


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out")
    p.add_argument("--only", default="")
    p.add_argument("--list", action="store_true")
    a = p.parse_args()
    names = ["/".join(k) for k in SWEEPS]
    if a.list:
        print("\n".join(names))
        return
    only = [x for x in a.only.split(",") if x] or names
    if not a.out or not set(only) <= set(names):
        p.error("--out DIR, and --only of %s" % ", ".join(names))
    for n in only:
        write(a.out, *n.split("/"))


if __name__ == "__main__":
    main()
