"""Writes ../hostmem.txt: which inputs and outputs of TensorFlow's kernels are in host memory.

Run with a TensorFlow whose kernels are to be listed: python hostmem.py > ../hostmem.txt
"""
from tensorflow.python.framework import dtypes, kernels, op_def_registry

GO = {"float": "f32", "double": "f64", "int32": "i32", "uint8": "u8", "int16": "i16", "int8": "i8", "string": "str",
      "complex64": "c64", "int64": "i64", "bool": "bool", "qint8": "qi8", "quint8": "qu8", "qint32": "qi32",
      "bfloat16": "bf16", "qint16": "qi16", "quint16": "qu16", "uint16": "u16", "complex128": "c128", "half": "f16",
      "resource": "resource", "variant": "variant", "uint32": "u32", "uint64": "u64"}


def name(t):
    n = dtypes.as_dtype(t).name
    n = {"float32": "float", "float64": "double", "float16": "half"}.get(n, n)
    return GO.get(n, "#%d" % t)


def merge(rows):
    """Joins rows that differ in the types of one attribute only."""
    rows = list(rows)
    changed = True
    while changed:
        changed = False
        for i in range(len(rows)):
            for j in range(i + 1, len(rows)):
                a, b = rows[i], rows[j]
                if a[0] != b[0] or a[1] != b[1] or a[2].keys() != b[2].keys():
                    continue
                differ = [k for k in a[2] if a[2][k] != b[2][k]]
                if len(differ) > 1:
                    continue
                types = dict(a[2])
                for k in differ:
                    types[k] = a[2][k] | b[2][k]
                rows[i] = (a[0], a[1], types)
                del rows[j]
                changed = True
                break
            if changed:
                break
    return rows


def main():
    by = {}
    for k in kernels.get_all_registered_kernels().kernel:
        if k.label or k.device_type not in ("CPU", "GPU", "DEFAULT") or op_def_registry.get(k.op) is None:
            continue
        types = {c.name: frozenset(c.allowed_values.list.type) for c in k.constraint}
        by.setdefault((k.op, k.device_type), []).append((k.priority, tuple(sorted(k.host_memory_arg)), types))
    print("# op device host-memory-arguments [attribute=types …]; the first row that fits counts. Written by _gen/hostmem.py")
    for (op, device), rows in sorted(by.items()):
        if len({r[1] for r in rows}) == 1 and device == "CPU" and (op, "DEFAULT") not in by:
            rows = [(0, rows[0][1], {})]
            if not rows[0][1]:
                continue  # what has no row has no such arguments on a CPU
        rows.sort(key=lambda r: (-r[0], r[1], sorted((k, sorted(v)) for k, v in r[2].items())))
        for _, host, types in merge(rows):
            limits = ["%s=%s" % (k, ",".join(name(t) for t in sorted(v))) for k, v in sorted(types.items())]
            print(" ".join([op, device, ",".join(host) or "-"] + limits))


if __name__ == "__main__":
    main()
