"""Writes cases of single networks, for the scripts that define them."""
import argparse, json, os

from cases import f32, rng, session, tf
import numpy as np


def write(out, name, build, batches, title, origin):
    """Writes the folder OUT/NAME. build() builds the graph, with one placeholder, and returns the names of its fetches."""
    with tf.Graph().as_default() as graph:
        fetches = build()
        feed = [n for n in graph.get_operations() if n.type == "Placeholder"][0].outputs[0]
    d = os.path.join(out, name)
    os.makedirs(d, exist_ok=True)
    with open(os.path.join(d, "graph.pb"), "wb") as f:
        f.write(graph.as_graph_def().SerializeToString(deterministic=True))
    runs = []
    with session(graph) as s:
        for batch in batches:
            feeds = {feed.name: rng(name, "feeds", batch).uniform(-1, 1, [batch] + feed.shape[1:].as_list()).astype(f32)}
            got = dict(zip(fetches, s.run(fetches, feeds)))
            assert all(np.isfinite(v).all() for v in got.values())
            files = ["%s%s.npz" % (kind, "" if batch == 1 else batch) for kind in ("feeds", "fetches")]
            for file, arrays in zip(files, (feeds, got)):
                np.savez_compressed(os.path.join(d, file), **arrays)
            runs.append({"feeds": files[0], "fetches": files[1], "targets": [], "names": {"feeds": list(feeds), "fetches": fetches}})
    meta = {"name": title, "origin": origin + " with seeded random weights", "licence": "Apache-2.0",
            "tensorflow": tf.__version__, "dtypes": {n: "DT_FLOAT" for n in [feed.name] + fetches}, "strings": {}, "rtol": 1e-3, "atol": 1e-4,
            "expect": "outputs", "runs": runs}
    with open(os.path.join(d, "case.json"), "w") as f:
        json.dump(meta, f, indent=1)
        f.write("\n")


def run(models, batches, title, origin, doc):
    """The command line of a script. models maps names to the functions that build them; a case's title is title_NAME."""
    p = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out")
    p.add_argument("--only", default="")
    p.add_argument("--list", action="store_true")
    a = p.parse_args()
    if a.list:
        print("\n".join(models))
        return
    only = [x for x in a.only.split(",") if x] or list(models)
    if not a.out or not set(only) <= set(models):
        p.error("--out DIR, and --only of %s" % ", ".join(models))
    for n in only:
        write(a.out, n, models[n], batches, title + "_" + n, origin)
