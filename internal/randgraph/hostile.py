#!/usr/bin/env python3
"""Writes hostile graphs of single ops with TensorFlow's results to zip files of recorded cases. See README.md.

For each op it draws a graph that TensorFlow accepts, then corrupts one of its operands or attributes at a time, as a
constant and as a feed of unknown rank."""
import argparse
import collections
import json
import os
import random
import resource
import signal
import sys
import traceback
import zlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

MEMORY = 3 << 30    # limit of a process's address space beyond TensorFlow's own


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--ops", required=True, help="JSON list of op names: `graphc ops --json`, or one name a line")
    p.add_argument("--seed", type=int, default=0, help="chooses the inputs, and what is spoiled")
    p.add_argument("--cases", type=int, default=12, help="cases an op; 0 is all there are")
    p.add_argument("--out", required=True, help="the zip file")
    p.add_argument("--recorded", default="", help="comma-separated folders of recorded cases, whose graphs are spoiled for odd seeds")
    p.add_argument("--only", default="", help="comma-separated ops")
    return p.parse_args()


class Child:
    """A process forked from this one, which has loaded TensorFlow but not started its threads."""

    def __init__(self, work, *args):
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                work(*args)
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)

    def wait(self):
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def main():
    a = parse_args()
    import draw_hostile
    import generate
    import graphs
    names = generate.read_ops(a.ops)
    only = [n for n in a.only.split(",") if n] or names
    graphs.prepare(names)
    found = draw_hostile.recorded([d for d in a.recorded.split(",") if d])
    first, skip, part, parts, stats, dead = 0, 0, 0, [], collections.Counter(), collections.Counter()
    while first < len(only):
        r, w = os.pipe()
        p = "%s.part%d" % (a.out, part)
        child = Child(work, dict(names=names, only=only, first=first, skip=skip, path=p, pipe=w, seed=a.seed, cases=a.cases), found)
        os.close(w)
        at, what, status = generate.watch(r, child, patience=15, start=120)
        parts.append(p)
        part += 1
        if status == 0:
            break
        at = max(at, first)
        if not what.isdigit() and not what.startswith("draw"):   # an op, while a graph is being drawn
            what = "draw"
        print("%s %s: TensorFlow's process ended (%d)" % (only[at], what, status), flush=True)
        dead[only[at]] += 1
        first, skip = (at, int(what) + 1) if what.isdigit() and dead[only[at]] < 6 else (at + 1, 0)
    n = generate.merge(parts, a.out, stats)
    print("%s: %d cases; %s" % (os.path.basename(a.out), n, dict(stats)), flush=True)


def work(j, found):
    import graphs
    import builder
    import draw_hostile
    builder.CX.ensure_initialized()
    builder.TRACE = j["pipe"]
    known = set(j["names"])
    log = graphs.Log(j["path"])
    stats = collections.Counter()
    draw_hostile.warm_up()
    with open("/proc/self/statm") as f:
        size = int(f.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    for k in range(j["first"], len(j["only"])):
        name = j["only"][k]
        os.write(j["pipe"], b"%d draw\n" % k)
        base = draw_hostile.base(name, known, j["seed"], k, j["pipe"], found.get(name, []))
        if base is None:
            print("%s: no graph is drawn" % name, flush=True)
            stats["no graph is drawn"] += 1
            continue
        all = draw_hostile.mutations(base)
        r = random.Random(zlib.crc32(name.encode()) + j["seed"])
        r.shuffle(all)
        if j["cases"]:
            all = all[:j["cases"]]
        for i, m in enumerate(all):
            if k == j["first"] and i < j["skip"]:
                continue
            os.write(j["pipe"], b"%d %d\n" % (k, i))
            what = draw_hostile.write(log, base, m, stats)
            stats[what] += 1
            log.flush()
    log.stats(stats)
    log.f.close()


if __name__ == "__main__":
    main()
