#!/usr/bin/env python3
"""The Python part of scripts/gpu_check. It needs numpy only, except for "time".

  gpu_peers.py mlp DIR             write a small MLP as a case: graph.pbtxt, case.json, feeds and fetches by numpy
  gpu_peers.py flags CASE          print graphc's flags for the feeds and fetches of a case
  gpu_peers.py batch IN OUT N      write feeds with N rows, repeating those of IN
  gpu_peers.py compare GOT WANT T  print the largest difference over the largest value; exit status 1 above T
  gpu_peers.py time PEER MODEL N   time jax or torch on mlp, resnet50 or bert_base with batch N, as one line of JSON

The models of "time" have the shapes of the cases of the same names but other weights: they are for times only.
Times are medians of whole calls with arguments and results on the host, like a run of a program. Each call
begins when the previous one has ended, after the runs for compiling and capturing. Without a GPU the peers
run on the CPU, and the line says so. It makes at least GPU_CHECK_RUNS (50) calls; if that is 50 or more, it calls for 5 seconds.
"""
import json, os, sys, time

import numpy as np

LAYERS, WIDTH = 4, 256


def rng(seed):
    return np.random.Generator(np.random.PCG64(seed))


def mlp_weights():
    r = rng(1)
    return [(r.normal(0, WIDTH ** -0.5, (WIDTH, WIDTH)).astype(np.float32), r.normal(0, 0.1, WIDTH).astype(np.float32)) for _ in range(LAYERS)]


def mlp(out):
    """Dense layers x·w + b with ReLU between them."""
    os.makedirs(out, exist_ok=True)

    def const(name, v):
        text = "".join("\\%03o" % c for c in v.tobytes())
        dims = "".join(" dim { size: %d }" % n for n in v.shape)
        return ('node { name: "%s" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT '
                'tensor_shape {%s } tensor_content: "%s" } } } }\n' % (name, dims, text))

    def node(name, op, *ins):
        return 'node { name: "%s" op: "%s"%s attr { key: "T" value { type: DT_FLOAT } } }\n' % (name, op, "".join(' input: "%s"' % i for i in ins))
    text = ('node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } '
            'attr { key: "shape" value { shape { dim { size: -1 } dim { size: %d } } } } }\n' % WIDTH)
    x = rng(2).normal(0, 1, (1, WIDTH)).astype(np.float32)
    y, last = x.astype(np.float64), "x"
    for i, (w, b) in enumerate(mlp_weights()):
        n = "layer%d/" % i
        text += const(n + "w", w) + const(n + "b", b) + node(n + "mul", "MatMul", last, n + "w") + node(n + "add", "BiasAdd", n + "mul", n + "b")
        y, last = y @ w + b, n + "add"
        if i + 1 < LAYERS:
            text += node(n + "relu", "Relu", last)
            y, last = np.maximum(y, 0), n + "relu"
    open(os.path.join(out, "graph.pbtxt"), "w").write(text)
    np.savez(os.path.join(out, "feeds.npz"), **{"x:0": x})
    np.savez(os.path.join(out, "fetches.npz"), **{last + ":0": y.astype(np.float32)})
    case = {"name": "mlp", "origin": "scripts/gpu_peers.py: seeded random weights; outputs by numpy", "licence": "Apache-2.0", "tensorflow": "none",
            "runs": [{"feeds": "feeds.npz", "fetches": "fetches.npz", "targets": [], "names": {"feeds": ["x:0"], "fetches": [last + ":0"]}}],
            "dtypes": {"x:0": "DT_FLOAT", last + ":0": "DT_FLOAT"}, "strings": {}, "rtol": 1e-3, "atol": 1e-4, "expect": "outputs", "features": []}
    json.dump(case, open(os.path.join(out, "case.json"), "w"), indent=1)


def flags(case):
    names = json.load(open(os.path.join(case, "case.json")))["runs"][0]["names"]
    for kind in ("feeds", "fetches"):
        for n in names[kind]:
            print("--%s=%s" % ("feed" if kind == "feeds" else "fetch", n))


def batch(src, dst, n):
    """Repeats rows in feeds whose first dimension is the batch: the smallest first dimension of all feeds."""
    feeds = dict(np.load(src))
    rows = min((v.shape[0] for v in feeds.values() if v.ndim), default=1)
    np.savez(dst, **{k: np.resize(v, (n,) + v.shape[1:]) if v.ndim and v.shape[0] == rows else v for k, v in feeds.items()})


def compare(got, want, most):
    got, want, worst = dict(np.load(got)), dict(np.load(want)), 0.0
    for k, w in want.items():
        g = got.get(k, got.get(k.split(":")[0]))
        if g is None or g.shape != w.shape:
            raise SystemExit("%s: %s, not %s" % (k, None if g is None else g.shape, w.shape))
        if w.dtype.kind in "fc":
            g, w = g.astype(np.float64), w.astype(np.float64)
            if not np.array_equal(np.isfinite(g), np.isfinite(w)):
                raise SystemExit("%s: values that are not finite differ" % k)
            if w.size:
                worst = max(worst, float(np.nanmax(np.abs(g - w)) / (np.nanmax(np.abs(w)) + 1e-30)))
        elif not np.array_equal(g, w):
            worst = float("inf")
    print("%.2e" % worst)
    sys.exit(worst > float(most))


# ---- peers -------------------------------------------------------------------------------------------------------

STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # of ResNet50: width, blocks, stride
BERT = dict(layers=12, width=768, heads=12, inner=3072, tokens=128, words=30522)


def bert_feeds(n):
    return rng(3).integers(0, BERT["words"], (n, BERT["tokens"])).astype(np.int32)


def jax_model(model, n):
    import jax, jax.numpy as jnp
    r = rng(4)
    mat = lambda *s: jnp.asarray(r.normal(0, np.prod(s[:-1]) ** -0.5, s).astype(np.float32))
    if model == "mlp":
        ws = [(jnp.asarray(w), jnp.asarray(b)) for w, b in mlp_weights()]

        def f(ws, x):
            for i, (w, b) in enumerate(ws):
                x = x @ w + b
                x = jax.nn.relu(x) if i + 1 < LAYERS else x
            return x
        return f, ws, rng(2).normal(0, 1, (n, WIDTH)).astype(np.float32)
    if model == "resnet50":
        ws = []

        def layer(k, cin, cout):
            ws.append((mat(k, k, cin, cout), jnp.ones(cout), jnp.zeros(cout)))
        layer(7, 3, 64)
        cin = 64
        for width, blocks, _ in STAGES:
            for b in range(blocks):
                if b == 0:
                    layer(1, cin, 4 * width)
                layer(1, cin, width), layer(3, width, width), layer(1, width, 4 * width)
                cin = 4 * width
        ws.append((mat(2048, 1000), jnp.zeros(1000)))

        def conv(x, p, stride=1, relu=True):
            w, g, b = p
            x = jax.lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) * g + b
            return jax.nn.relu(x) if relu else x

        def f(ws, x):
            it = iter(ws)
            x = conv(x, next(it), 2)
            x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
            for _, blocks, stride in STAGES:
                for b in range(blocks):
                    s = stride if b == 0 else 1
                    short = conv(x, next(it), s, False) if b == 0 else x
                    y = conv(conv(x, next(it), s), next(it))
                    x = jax.nn.relu(conv(y, next(it), 1, False) + short)
            w, b = next(it)
            return jax.nn.softmax(x.mean((1, 2)) @ w + b)
        return f, ws, r.random((n, 224, 224, 3)).astype(np.float32)
    d, h, t = BERT["width"], BERT["heads"], BERT["tokens"]
    norm = lambda: (jnp.ones(d), jnp.zeros(d))
    lin = lambda a, b: (mat(a, b), jnp.zeros(b))
    ws = dict(words=mat(BERT["words"], d), places=mat(t, d), first=norm(), pool=lin(d, d),
              layers=[dict(q=lin(d, d), k=lin(d, d), v=lin(d, d), o=lin(d, d), n1=norm(), i=lin(d, BERT["inner"]), u=lin(BERT["inner"], d), n2=norm()) for _ in range(BERT["layers"])])

    def ln(x, p):
        return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-12) * p[0] + p[1]

    def f(ws, ids):
        dense = lambda x, p: x @ p[0] + p[1]
        x = ln(ws["words"][ids] + ws["places"], ws["first"])
        split = lambda x: x.reshape(x.shape[0], t, h, d // h).transpose(0, 2, 1, 3)
        for p in ws["layers"]:
            q, k, v = (split(dense(x, p[c])) for c in "qkv")
            a = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) * (d // h) ** -0.5) @ v
            x = ln(x + dense(a.transpose(0, 2, 1, 3).reshape(x.shape), p["o"]), p["n1"])
            x = ln(x + dense(jax.nn.gelu(dense(x, p["i"]), approximate=False), p["u"]), p["n2"])
        return x, jnp.tanh(dense(x[:, 0], ws["pool"]))
    return f, ws, bert_feeds(n)


def jax_call(model, n):
    import jax
    jax.config.update("jax_default_matmul_precision", "tensorfloat32")
    f, ws, x = jax_model(model, n)
    g = jax.jit(f)
    return lambda: jax.tree.map(np.asarray, g(ws, x)), jax.devices()[0].platform


def torch_call(model, n):
    import torch
    from torch import nn
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    if model == "mlp":
        net = nn.Sequential(*[m for i in range(LAYERS) for m in ([nn.Linear(WIDTH, WIDTH), nn.ReLU()] if i + 1 < LAYERS else [nn.Linear(WIDTH, WIDTH)])])
        x = torch.randn(n, WIDTH)
    elif model == "resnet50":
        import torchvision
        net, x = torchvision.models.resnet50(weights=None), torch.rand(n, 3, 224, 224)
    else:
        class Bert(nn.Module):
            def __init__(self):
                super().__init__()
                d = BERT["width"]
                self.words, self.places, self.first = nn.Embedding(BERT["words"], d), nn.Parameter(torch.randn(BERT["tokens"], d)), nn.LayerNorm(d)
                self.layers = nn.ModuleList(nn.TransformerEncoderLayer(d, BERT["heads"], BERT["inner"], 0.0, "gelu", batch_first=True) for _ in range(BERT["layers"]))
                self.pool = nn.Linear(d, d)

            def forward(self, ids):
                x = self.first(self.words(ids) + self.places)
                for m in self.layers:
                    x = m(x)
                return x, torch.tanh(self.pool(x[:, 0]))
        net, x = Bert(), torch.from_numpy(bert_feeds(n))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = net.eval().to(device)
    x = x.pin_memory() if device == "cuda" else x
    run = torch.compile(net, mode="reduce-overhead")

    def call():
        with torch.inference_mode():
            y = run(x.to(device, non_blocking=True))
            return [v.cpu() for v in y] if isinstance(y, tuple) else y.cpu()
    return call, device


def measure(peer, model, n):
    start = time.perf_counter()
    call, device = {"jax": jax_call, "torch": torch_call}[peer](model, n)
    call()
    first = time.perf_counter() - start
    least = int(os.environ.get("GPU_CHECK_RUNS", "50"))
    for _ in range(min(10, least)):
        call()
    took, end = [], time.perf_counter() + (5 if least >= 50 else 0)
    while len(took) < least or time.perf_counter() < end:
        t = time.perf_counter()
        call()
        took.append(time.perf_counter() - t)
    took.sort()
    print(json.dumps({"peer": peer, "device": device, "model": model, "batch": n, "calls": len(took), "min_us": round(took[0] * 1e6, 1),
                      "median_us": round(took[len(took) // 2] * 1e6, 1), "p90_us": round(took[len(took) * 9 // 10] * 1e6, 1), "first_s": round(first, 2)}))


def main():
    what, args = sys.argv[1], sys.argv[2:]
    if what == "time":
        measure(args[0], args[1], int(args[2]))
    elif what == "batch":
        batch(args[0], args[1], int(args[2]))
    else:
        {"mlp": mlp, "flags": flags, "compare": compare}[what](*args)


if __name__ == "__main__":
    main()
