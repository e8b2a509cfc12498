#!/usr/bin/env python3
"""Runs a converted model on the feeds of its case: run.py TOOL CASE FILE

TOOL is litert, ort, openvino, tract, iree, tf (whose FILE is ignored), or tfcompile (whose FILE is what ./link made). All runs of the case go through one instance. It
prints a JSON object: for each run "right", the largest difference, or the error; the resident peak in MB; and the shared
libraries of the tool that were mapped after the last run, with their MB.
"""
import base64, json, os, resource, sys

import numpy as np


def litert(case, file):
    from ai_edge_litert.interpreter import Interpreter
    r = Interpreter(model_path=file, num_threads=1).get_signature_runner("serving_default")
    return lambda feeds: r(**feeds)


def ort(case, file):
    import onnxruntime
    o = onnxruntime.SessionOptions()
    o.intra_op_num_threads = 1
    if "onnx-extensions" in file:
        import onnxruntime_extensions
        o.register_custom_ops_library(onnxruntime_extensions.get_library_path())
    s = onnxruntime.InferenceSession(file, o, providers=["CPUExecutionProvider"])
    names = {i.name.split(":")[0]: i.name for i in s.get_inputs()}
    outs = [i.name for i in s.get_outputs()]
    return lambda feeds: dict(zip(outs, s.run(outs, {names[k]: v for k, v in feeds.items()})))


def openvino(case, file):
    import openvino as ov
    if "openvino-tokenizers" in file:
        import openvino_tokenizers      # registers its ops
    core = ov.Core()
    m = core.compile_model(core.read_model(file), "CPU", {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32"})
    r = m.create_infer_request()

    def call(feeds):
        got = r.infer({k: v.astype(str) if v.dtype == object else v for k, v in feeds.items()})
        return {n: np.array(got[o]) for o in m.outputs for n in o.get_names()}
    return call


def tract(case, file):
    import tract
    m = tract.onnx().load(file).into_model()
    names = [m.input_name(i).split(":")[0] for i in range(m.input_count())]
    outs = [m.output_name(i) for i in range(m.output_count())]
    r = m.into_runnable()
    return lambda feeds: dict(zip(outs, [t.to_numpy() for t in r.run([feeds[n] for n in names])]))


def iree(case, file):
    import iree.runtime as rt
    m = rt.load_vm_flatbuffer_file(file, driver="local-sync")
    f = m[[n for n in m.vm_module.function_names if n.isidentifier() and not n.startswith("__")][0]]
    outs = case["outs"]

    def call(feeds):
        got = f(*[feeds[k] for k in sorted(feeds)])
        return dict(zip(outs, [np.asarray(g) for g in (got if isinstance(got, (list, tuple)) else [got])]))
    return call


def tfcompile(case, file):
    def call(feeds):
        import subprocess, tempfile
        want = load(sys.argv[2], case, case["runs"][0])[1]
        with tempfile.TemporaryDirectory() as d:
            for k, v in feeds.items():
                v.tofile(d + "/" + k)
            subprocess.run([file, *["feed_%s=%s/%s" % (k, d, k) for k in feeds], "--",
                            *["fetch_%s=%s/%s" % (k, d, k) for k in want]], check=True)
            return {k: np.fromfile(d + "/" + k, v.dtype).reshape(v.shape) for k, v in want.items()}
    return call


def tf(case, file):
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    import tensorflow
    m = tensorflow.saved_model.load(sys.argv[2] + "/saved_model")
    f = m.signatures["serving_default"]
    return lambda feeds: {k: v.numpy() for k, v in f(**{k: tensorflow.constant(v) for k, v in feeds.items()}).items()}


def load(folder, case, run):
    a = dict(np.load(os.path.join(folder, run["feeds"])))
    for k, v in case["strings"].items():
        a[k] = np.array([base64.b64decode(x).decode() for x in v["base64"]], object).reshape(v["shape"])
    want = dict(np.load(os.path.join(folder, run["fetches"])))
    return ({n: a[k] for n, k in zip(case["args"], run["names"]["feeds"])},
            {n: want[k] for n, k in zip(case["outs"], run["names"]["fetches"])})


def find(got, name, i):
    for k, v in got.items():
        if k.split(":")[0] == name:
            return v
    return list(got.values())[i]


def compare(case, got, want):
    worst, wrong, n = 0.0, 0, 0
    for i, (k, w) in enumerate(want.items()):
        g = np.asarray(find(got, k, i))
        if g.shape != w.shape:
            return "shape %s, not %s" % (g.shape, w.shape)
        if not np.allclose(g, w, case["rtol"], case["atol"]):
            d = np.abs(np.float64(g) - w)
            worst, wrong = max(worst, float(np.max(d))), wrong + int(np.sum(~np.isclose(g, w, case["rtol"], case["atol"])))
        n += w.size
    return "wrong by %.2g in %d of %d" % (worst, wrong, n) if wrong else "right"


def mapped(*folders):
    with open("/proc/self/maps") as f:
        files = {l.split()[-1] for l in f if ".so" in l}
    return {os.path.basename(p): round(os.path.getsize(p) / 1e6, 1) for p in files if any("/%s/" % d in p for d in folders)}


FOLDERS = {"litert": ["ai_edge_litert"], "ort": ["onnxruntime", "onnxruntime_extensions"], "openvino": ["openvino", "openvino_tokenizers"], "tract": ["tract"],
           "iree": ["iree"], "tfcompile": [], "tf": ["tensorflow"]}


def main():
    tool, folder, file = sys.argv[1:4]
    with open(folder + "/case.json") as f:
        case = json.load(f)
    res = []
    try:
        call = globals()[tool](case, file)
        for run in case["runs"]:
            feeds, want = load(folder, case, run)
            res.append(compare(case, call(feeds), want))
    except Exception as e:
        res.append("%s: %s" % (type(e).__name__, str(e)[:600]))
    print(json.dumps({"tool": tool, "case": os.path.basename(folder), "runs": res,
                      "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                      "libraries": mapped(*FOLDERS[tool])}))


if __name__ == "__main__":
    main()
