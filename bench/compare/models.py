#!/usr/bin/env python3
"""Writes the models of docs/comparison.md as cases: models.py DIR [NAME...]

Needs tensorflow-cpu 2.21 with Keras 3. Each case is a folder DIR/NAME with saved_model/, case.json, feeds and fetches,
as docs/verify-and-bench.md describes them. The feeds of the second and third run have another batch or length.
"""
import base64, json, os, shutil, sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
import keras
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import types_pb2

f32 = np.float32
rng = np.random.default_rng(1)


def spec(shape, dtype, name):
    return tf.TensorSpec(shape, dtype, name)


def module(**state):
    m = tf.Module()
    for k, v in state.items():
        setattr(m, k, v)
    return m


def dense(*sizes):
    return tf.constant(rng.normal(0, 0.5, sizes).astype(f32))


# ---- the models: each returns a Keras model, or a module and its function, and the feeds of its runs ----------------

def mlp():
    m = keras.Sequential([keras.Input((784,)), keras.layers.Dense(512, "relu"), keras.layers.Dense(10, "softmax")])
    return m, None, [[rng.random((n, 784), f32)] for n in (1, 3)]


def mobilenet():
    m = keras.applications.MobileNetV2((96, 96, 3), 0.35, weights=None, classes=10)
    return m, None, [[rng.random((n, 96, 96, 3), f32)] for n in (1, 3)]


def lstm():
    m = keras.Sequential([keras.Input((None,), dtype="int32"), keras.layers.Embedding(1000, 32, mask_zero=True),
                          keras.layers.LSTM(64), keras.layers.Dense(3, "softmax")])
    return m, None, [[rng.integers(1, 1000, s).astype(np.int32)] for s in ((1, 12), (3, 7))]


def text():
    words = keras.layers.TextVectorization(max_tokens=100, output_sequence_length=8)
    words.adapt(["loved it", "what a great film", "hated it", "a terrible cast"])
    m = keras.Sequential([keras.Input((), dtype="string"), words, keras.layers.Embedding(100, 16),
                          keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(1, "sigmoid")])
    return m, None, [[np.array(a, object)] for a in (["A great film!"], ["loved it", "a dull cast", ""])]


def vocabulary():
    table = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(
        ["red", "green", "blue"], tf.constant([0, 1, 2], tf.int64)), 2)
    w = dense(5, 4)
    m = module(table=table)
    f = tf.function(lambda colour: {"y": tf.gather(w, table.lookup(colour))}, [spec([None], tf.string, "colour")])
    return m, f, [[np.array(a, object)] for a in (["blue"], ["red", "pink", "green"])]


def loop():
    """a loop with a TensorArray whose number of steps is fed"""
    w = dense(8, 8)

    def f(x, steps):
        out = tf.TensorArray(tf.float32, steps)
        _, _, out = tf.while_loop(lambda i, *_: i < steps,
                                  lambda i, h, o: (i + 1, tf.tanh(h @ w), o.write(i, h)), (0, x, out))
        return {"y": tf.transpose(out.stack(), [1, 0, 2])}
    f = tf.function(f, [spec([None, 8], tf.float32, "x"), spec([], tf.int32, "steps")])
    return module(), f, [[rng.random((n, 8), f32), np.int32(s)] for n, s in ((1, 5), (3, 9))]


def training():
    """a step of gradient descent: the second call must see the variables that the first one left"""
    w, b = tf.Variable(dense(4, 1)), tf.Variable(tf.zeros([1]))

    def f(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w + b - y))
        for v, g in zip((w, b), tape.gradient(loss, (w, b))):
            v.assign_sub(0.1 * g)
        return {"loss": loss}
    f = tf.function(f, [spec([None, 4], tf.float32, "x"), spec([None, 1], tf.float32, "y")])
    return module(w=w, b=b), f, [[rng.random((n, 4), f32), rng.random((n, 1), f32)] for n in (4, 6, 6)]


def rank():
    f = tf.function(lambda x: {"y": tf.nn.softmax(tf.transpose(x) * 2.0)}, [spec(None, tf.float32, "x")])
    return module(), f, [[rng.random(s, f32)] for s in ((4,), (3, 5), (2, 3, 4))]


def quantized():
    """a convolution and a matrix product trained for int8: weights and activations pass through FakeQuant"""
    k, w = dense(3, 3, 1, 8), dense(392, 10)

    def q(x, low, high):
        return tf.quantization.fake_quant_with_min_max_args(x, low, high)

    def f(x):
        x = tf.nn.relu6(tf.nn.conv2d(q(x, 0, 1), q(k, -2, 2), 4, "SAME"))
        x = tf.reshape(q(x, 0, 6), [-1, 392])
        return {"y": q(x @ q(w, -2, 2), -60, 60)}
    f = tf.function(f, [spec([None, 28, 28, 1], tf.float32, "x")])
    return module(), f, [[rng.random((n, 28, 28, 1), f32)] for n in (1, 3)]


def boxes():
    """suppression of overlapping boxes: the number of results depends on the values"""
    def f(boxes, scores):
        i = tf.image.non_max_suppression(boxes, scores, 20, 0.3, 0.4)
        return {"kept": tf.gather(boxes, i), "values": tf.gather(scores, i)}
    f = tf.function(f, [spec([None, 4], tf.float32, "boxes"), spec([None], tf.float32, "scores")])

    def feed(n):
        a = rng.random((n, 2), f32)
        return [np.concatenate([a, a + 0.3], 1), rng.random(n, f32)]
    return module(), f, [feed(n) for n in (10, 50)]


MODELS = {f.__name__: f for f in (mlp, mobilenet, lstm, text, vocabulary, loop, training, rank, quantized, boxes)}


# ---- the cases ------------------------------------------------------------------------------------------------------

def save(name, root):
    keras.utils.set_random_seed(1)
    m, f, feeds = MODELS[name]()
    model = os.path.join(root, name, "saved_model")
    if f is None:
        m.export(model, verbose=False)
    else:
        m.f = f
        tf.saved_model.save(m, model, signatures=f.get_concrete_function())
    call = tf.saved_model.load(model).signatures["serving_default"]
    with tf.Graph().as_default(), tf.compat.v1.Session() as s:     # the tensor names of the MetaGraph
        sig = tf.compat.v1.saved_model.load(s, ["serve"], model).signature_def["serving_default"]
    args = [a.name for a in f.input_signature] if f else list(sig.inputs)
    ins, outs = [sig.inputs[a] for a in args], sorted(sig.outputs)
    tensors = ins + [sig.outputs[k] for k in outs]
    case = {"name": name, "origin": "bench/compare/models.py", "licence": "Apache-2.0", "tensorflow": tf.__version__,
            "signature": "serving_default", "runs": [], "strings": {}, "rtol": 1e-4, "atol": 1e-5, "expect": "outputs",
            "dtypes": {t.name: types_pb2.DataType.Name(t.dtype) for t in tensors}, "args": args, "outs": outs}
    for i, vals in enumerate(feeds):
        out = os.path.join(root, name)
        texts = [(t.name, v) for t, v in zip(ins, vals) if v.dtype == object]
        if texts:       # a case has one value of a string tensor: one case for each run
            case["runs"] = []
            case["strings"] = {k: {"shape": list(v.shape), "base64": [base64.b64encode(x.encode()).decode() for x in v]}
                               for k, v in texts}
            if i:
                out += "_%d" % i
                shutil.copytree(model, out + "/saved_model")
        got = call(**{a: tf.constant(v, tf.as_dtype(t.dtype)) for a, t, v in zip(args, ins, vals)})
        run = {"feeds": "feeds_%d.npz" % i, "fetches": "fetches_%d.npz" % i,
               "names": {"feeds": [t.name for t in ins], "fetches": [sig.outputs[k].name for k in outs]}}
        np.savez(out + "/" + run["feeds"], **{t.name: v for t, v in zip(ins, vals) if v.dtype != object})
        np.savez(out + "/" + run["fetches"], **{sig.outputs[k].name: got[k].numpy() for k in outs})
        case["runs"].append(run)
        with open(out + "/case.json", "w") as file:
            json.dump(case, file, indent=1)


def main():
    for name in sys.argv[2:] or MODELS:
        save(name, sys.argv[1])
        print(name, flush=True)


if __name__ == "__main__":
    main()
