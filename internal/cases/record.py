"""Records the cases defined by the functions of a file: scripts/record describes them."""
import importlib.util
import inspect
import os
import sys

import numpy as np
import tensorflow as tf

import case
import values as V


class Folder:
    """A folder with the method of a zip file that case.write calls."""

    def __init__(self, path):
        self.path = path

    def writestr(self, info, data, compression=None):
        file = os.path.join(self.path, info.filename)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())


def record(name, build, folder):
    producer = inspect.signature(build).parameters.get("producer")
    with tf.Graph().as_default() as g:
        if producer is not None:  # for an op that newer graphs cannot have
            tf.graph_util.import_graph_def(tf.compat.v1.GraphDef(versions={"producer": producer.default}), name="")
        made = build()
        gd = g.as_graph_def()
        fetches, targets = made.get("fetches", []), made.get("targets", [])
        feeds = made.get("feeds", [{}])
        names = list(dict.fromkeys([n for f in feeds for n in f] + fetches))
        dtypes = {n: g.get_tensor_by_name(n).dtype.base_dtype.as_datatype_enum for n in names}
        first = g.get_tensor_by_name(fetches[0]).op if fetches else g.get_operation_by_name(targets[0])
        ops = sorted({n.op for n in gd.node})
    fed = [{n: np.asarray(v, dtype=None if dtypes[n] == V.STR else tf.dtypes.as_dtype(dtypes[n]).as_numpy_dtype) for n, v in f.items()} for f in feeds]
    r = case.execute(gd, fed, fetches, targets)
    error = (r.code, r.when, r.why) if r.code else None
    case.write(Folder(folder), first.type + "/" + name, {
        "name": name, "origin": "scripts/record; outputs by TensorFlow " + tf.__version__ + " on a CPU, without graph optimisers and oneDNN",
        "gd": gd, "dtypes": dtypes, "feeds": fed[:len(r.runs) + (1 if error else 0)] or fed, "fetches": r.runs, "fetch_names": fetches, "targets": targets,
        "tol": (made.get("rtol", 1e-5), made.get("atol", 1e-6)), "error": error, "features": made.get("features", []), "ops": ops})
    print(os.path.join(folder, first.type, name), "error " + r.code if error else "%d runs" % len(r.runs))


def main():
    spec = importlib.util.spec_from_file_location("cases_to_record", sys.argv[1])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    functions = {k[len("case_"):]: f for k, f in vars(module).items() if k.startswith("case_")}
    if not functions:
        sys.exit(sys.argv[1] + " has no function whose name begins with case_")
    for name, build in functions.items():
        record(name, build, sys.argv[2])


if __name__ == "__main__":
    main()
