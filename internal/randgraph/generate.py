#!/usr/bin/env python3
"""Random graphs with TensorFlow's own results, in zip files of recorded cases. See README.md."""
import argparse
import collections
import json
import os
import subprocess
import sys
import time
import zipfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"


CRASHES = collections.Counter()


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--ops", required=True, help="JSON list of op names: `graphc ops --json`, or one name a line")
    p.add_argument("--seed", type=int, default=0, help="of the first graph")
    p.add_argument("--count", type=int, default=500, help="graphs a file")
    p.add_argument("--batches", type=int, default=1)
    p.add_argument("--out", required=True, help="folder of the files")
    p.add_argument("--only", default="", help="comma-separated ops to draw from")
    p.add_argument("--errors", type=float, default=0.08, help="share of graphs that TensorFlow must refuse")
    p.add_argument("--variants", type=int, default=3, help="graphs a seed: with other leaves fed, other fetches, in another function or loop")
    p.add_argument("--dead", default="", help="file that collects the seeds that end TensorFlow's process")
    return p.parse_args()


def read_ops(path):
    text = open(path).read()
    try:
        return [r["name"] for r in json.loads(text)]
    except (ValueError, TypeError, KeyError):
        return text.split()


def main():
    if sys.argv[1:2] == ["--work"]:
        import graphs
        j = json.loads(sys.argv[2])
        graphs.prepare(j["names"])
        graphs.work(range(j["first"], j["end"]), j["names"], j["only"], j["path"], j["pipe"], j["errors"], j["variants"])
        return
    a = parse_args()
    os.makedirs(a.out, exist_ok=True)
    names = read_ops(a.ops)
    only = [n for n in a.only.split(",") if n]
    for k in range(a.batches):
        first = a.seed + k * a.count
        path = os.path.join(a.out, "b%07d.zip" % first)
        batch(a, names, only, first, path)


def batch(a, names, only, first, path):
    """Writes one file. A child process builds it, since some graphs crash it; then another child builds the rest."""
    at, part, parts, end = first, 0, [], first + a.count
    stats = collections.Counter()
    t0 = time.time()
    while at < end:
        r, w = os.pipe()
        p = "%s.part%d" % (path, part)
        job = json.dumps({"first": at, "end": end, "names": names, "only": only, "path": p, "pipe": w, "errors": a.errors, "variants": a.variants})
        child = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--work", job], pass_fds=(w,))
        os.close(w)
        last, what, status = watch(r, child)
        parts.append(p)
        part += 1
        if status == 0:
            break
        print("seed %d: TensorFlow's process ended (%d): %s" % (last, status, what), flush=True)
        if a.dead:
            with open(a.dead, "a") as f:
                f.write("%d %d %s\n" % (last, status, what))
        at = max(last, at) + 1
        if " " not in what:           # an op that was executed separately
            CRASHES[what] += 1
            if CRASHES[what] >= 2 and what in names:
                print("%s is drawn no more" % what, flush=True)
                names.remove(what)
    n = merge(parts, path, stats)
    print("%s: %d graphs, %.0f s; %s" % (os.path.basename(path), n, time.time() - t0, dict(stats)), flush=True)


def watch(r, child, patience=60, start=0):
    """Reads the seeds that a process starts. Ends the process if it is silent for patience seconds, or before its first seed for start."""
    import select
    last, what, buf = -1, "", b""
    while True:
        ready, _, _ = select.select([r], [], [], patience if last >= 0 else max(patience, start))
        if not ready:
            child.kill()
            break
        d = os.read(r, 65536)
        if not d:
            break
        buf += d
        lines = buf.split(b"\n")
        buf = lines[-1]
        if len(lines) > 1:
            last, what = int(lines[-2].split()[0]), lines[-2].split(maxsplit=1)[1].decode()
    os.close(r)
    return last, what, child.wait()


def merge(parts, path, stats):
    """Merges parts: a JSON line and the bytes for each member. An interrupted part ends early."""
    n = 0
    with zipfile.ZipFile(path + ".tmp", "w", zipfile.ZIP_DEFLATED) as z:
        for p in parts:
            if not os.path.exists(p):
                continue
            with open(p, "rb") as f:
                while True:
                    h = f.readline()
                    if not h.endswith(b"\n"):
                        break
                    j = json.loads(h)
                    body = f.read(j["size"])
                    if len(body) < j["size"]:
                        break
                    if "stats" in j:
                        stats.update(j["stats"])
                        continue
                    if j["name"].endswith("case.json"):
                        n += 1
                    z.writestr(zipfile.ZipInfo(j["name"]), body, zipfile.ZIP_DEFLATED)
            os.remove(p)
    os.rename(path + ".tmp", path)
    return n


if __name__ == "__main__":
    main()
