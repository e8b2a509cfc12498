"""Runs a built graph in a session and writes it as a recorded case."""
import base64
import io
import json
import zipfile

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import graph_pb2
from tensorflow.python.framework import errors, importer

import values as V

v1 = tf.compat.v1
CONFIG = v1.ConfigProto()
CONFIG.graph_options.rewrite_options.disable_meta_optimizer = True
CONFIG.graph_options.optimizer_options.opt_level = -1
CONFIG.inter_op_parallelism_threads = 1
CONFIG.intra_op_parallelism_threads = 1
CODES = {1: "Cancelled", 2: "Unknown", 3: "InvalidArgument", 4: "DeadlineExceeded", 5: "NotFound", 6: "AlreadyExists", 7: "PermissionDenied",
         8: "ResourceExhausted", 9: "FailedPrecondition", 10: "Aborted", 11: "OutOfRange", 12: "Unimplemented", 13: "Internal"}


class Unusable(Exception):
    pass


def graph_def(b, nodes):
    gd = graph_pb2.GraphDef()
    gd.versions.producer = b.producer
    gd.node.extend(nodes)
    return gd


class Result:
    """The result of a graph in a session: the fetches of the runs, or the error of the last run."""

    def __init__(self):
        self.runs, self.code, self.when, self.why = [], None, None, ""


def execute(gd, feeds, fetches, targets):
    """feeds has a dictionary of arrays for each run."""
    out = Result()
    g = tf.Graph()
    try:
        with g.as_default():
            importer.import_graph_def(gd, name="")
    except ValueError as e:
        out.code, out.when, out.why = "InvalidArgument", "compile", str(e)
        return out
    except errors.OpError as e:
        out.code, out.when, out.why = CODES[e.error_code], "compile", e.message
        return out
    want = list(fetches) + [g.get_operation_by_name(t) for t in targets]
    with v1.Session(graph=g, config=CONFIG) as s:
        for f in feeds:
            try:
                r = s.run(want, f, options=v1.RunOptions(timeout_in_ms=10000))
            except errors.OpError as e:
                out.code, out.when, out.why = CODES[e.error_code], "run", e.message
                return out
            except (ValueError, TypeError) as e:
                raise Unusable("session: " + str(e)[:100])
            out.runs.append([x for x in r[:len(fetches)]])
    return out


def same(d, a, b, tol):
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if d in V.FLOATS or d in V.COMPLEX:
        w = np.complex128 if d in V.COMPLEX else np.float64
        p, q = a.astype(w), b.astype(w)
        with np.errstate(all="ignore"):
            return bool(np.all((p == q) | (np.isnan(p) & np.isnan(q)) | (np.abs(p - q) <= tol[1] + tol[0] * np.abs(q))))
    return np.array_equal(a, b)


def npz(arrays):
    buf = io.BytesIO()
    with zipfile.ZipFile(buf, "w", zipfile.ZIP_STORED) as z:
        for k, a in arrays.items():
            f = io.BytesIO()
            np.lib.format.write_array(f, a, allow_pickle=False)
            z.writestr(zipfile.ZipInfo(k + ".npy"), f.getvalue())
    return buf.getvalue()


def stored(d, a):
    a = np.asarray(a)
    return a.view(np.uint16) if d == V.BF16 else a


def write(z, folder, c):
    """c: name, origin, gd, dtypes (name → enum), feeds, fetches (lists of dictionaries), targets, tol, error, features."""
    dts = {k: "DT_" + {V.F32: "FLOAT", V.F64: "DOUBLE", V.F16: "HALF"}.get(d, V.NAME[d].upper()) for k, d in c["dtypes"].items()}
    strings, runs = {}, []

    def add(file, arrays):
        plain = {}
        for k, a in arrays.items():
            if c["dtypes"][k] == V.STR:
                a = np.asarray(a, dtype=object)
                strings[k] = {"shape": list(a.shape), "base64": [base64.b64encode(x).decode() for x in a.ravel().tolist()]}
            else:
                plain[k] = stored(c["dtypes"][k], a)
        z.writestr(zipfile.ZipInfo(folder + "/" + file), npz(plain), zipfile.ZIP_DEFLATED)
    for i, f in enumerate(c["feeds"]):
        e = "_%d" % i if i else ""
        add("feeds%s.npz" % e, f)
        r = {"feeds": "feeds%s.npz" % e, "fetches": "fetches%s.npz" % e, "targets": c["targets"], "names": {"feeds": list(f), "fetches": c["fetch_names"]}}
        if i < len(c["fetches"]):
            add("fetches%s.npz" % e, dict(zip(c["fetch_names"], c["fetches"][i])))
        else:
            r["fetches"] = ""
        runs.append(r)
    j = {"name": c["name"], "origin": c["origin"], "licence": "Apache-2.0", "tensorflow": tf.__version__, "runs": runs, "dtypes": dts, "strings": strings,
         "rtol": c["tol"][0], "atol": c["tol"][1], "expect": "outputs", "features": c["features"], "ops": c["ops"]}
    if c["error"]:
        j["expect"] = "error"
        j["error"] = {"code": c["error"][0], "when": c["error"][1], "why": c["error"][2][:300]}
    z.writestr(zipfile.ZipInfo(folder + "/case.json"), json.dumps(j), zipfile.ZIP_DEFLATED)
    z.writestr(zipfile.ZipInfo(folder + "/graph.pb"), c["gd"].SerializeToString(deterministic=True), zipfile.ZIP_DEFLATED)
