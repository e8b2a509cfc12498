"""Writes ../cpukernels.txt: the types that TensorFlow's kernels for CPUs take.

Run with a TensorFlow whose kernels are to be listed: python cpukernels.py > ../cpukernels.txt
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../partition/_gen"))
from hostmem import merge, name  # noqa: E402
from tensorflow.python.framework import kernels, op_def_registry  # noqa: E402


def main():
    by = {}
    for k in kernels.get_all_registered_kernels().kernel:
        if k.label or k.device_type not in ("CPU", "DEFAULT") or op_def_registry.get(k.op) is None:
            continue
        types = {c.name: frozenset(c.allowed_values.list.type) for c in k.constraint if c.allowed_values.list.type}
        by.setdefault(k.op, []).append((0, (), types))
    print("# op [attribute=types …]: a row for each set of types that kernels for CPUs take. Written by _gen/cpukernels.py")
    for op, rows in sorted(by.items()):
        if any(not r[2] for r in rows):
            rows = [(0, (), {})]
        for _, _, types in merge(rows):
            print(" ".join([op] + ["%s=%s" % (k, ",".join(name(t) for t in sorted(v))) for k, v in sorted(types.items())]))


main()
