"""Draws inputs of stateful ops: variables, lists and arrays of tensors, tables, queues, stacks."""
import numpy as np

import values as V
from builder import Refused, hint_table, kernel_types, op_def
from hints import nd_indices, sliced, strided

HINTS, hint = hint_table()


def shared(g, kind):
    g.count += 1
    return "%s_%d_%d" % (kind, g.seed, g.count)


# ---- lists of tensors: values of type variant

@hint("""TensorListFromTensor TensorListReserve EmptyTensorList TensorListStack TensorListSetItem TensorListGetItem TensorListPushBack
TensorListPopBack TensorListGather TensorListScatterV2 TensorListScatter TensorListScatterIntoExistingList TensorListConcatV2 TensorListConcat
TensorListSplit TensorListLength TensorListResize TensorListElementShape TensorListConcatLists TensorListPushBackBatch""")
def tensor_list(g, name):
    """Creates a list, changes it a few times and reads it, using the drawn op."""
    d, s = g.r.choice(V.DATA), g.shape(max_rank=2)
    ed = dict(element_dtype=d)
    es = lambda: g.i32(list(s)) if g.r.random() < .8 else g.i32([-1] * len(s))
    n = g.r.randint(1, 4)
    init = name if name in ("EmptyTensorList", "TensorListReserve", "TensorListSplit", "TensorListScatter", "TensorListScatterV2", "TensorListFromTensor") else \
        g.r.choice(["TensorListFromTensor", "TensorListReserve", "EmptyTensorList"])
    if init == "TensorListFromTensor":
        h = g.op(init, [g.v(d, (n,) + s), es()], ed)[0]
    elif init == "TensorListReserve":
        h = g.op(init, [es(), g.i32(n)], ed)[0]
    elif init == "EmptyTensorList":
        h = g.op(init, [es(), g.i32(-1 if g.r.random() < .8 else 9)], ed)[0]
        n = 0
    elif init == "TensorListSplit":
        if not s:
            s = (2,)
        ls = [g.dim(0, 3) for _ in range(n)]
        h = g.op(init, [g.v(d, (sum(ls),) + s[1:]), g.i32([-1] + list(s[1:])), g.ints(V.I64, ls)], ed)[0]
        x = g.op("TensorListConcatV2", [h, g.i32([-1] + list(s[1:])), g.ints(V.I64, [])], dict(element_dtype=d))
        return None
    else:
        idx = g.r.sample(range(n + 2), n)
        ins = [g.v(d, (n,) + s), g.i32(idx), g.i32(list(s))]
        if init.endswith("V2"):
            n = n + 2 if g.r.random() < .5 else -1
            ins.append(g.i32(n))
        h = g.op(init, ins, ed)[0]
        n = max(idx + [-1]) + 1 if n < 0 or not init.endswith("V2") else n
    todo = [name] if name != init else []
    todo += [g.r.choice(["TensorListSetItem", "TensorListPushBack", "TensorListPopBack", "TensorListGetItem", "TensorListLength", "TensorListGather", "TensorListResize",
                         "TensorListConcatLists", "TensorListElementShape", "TensorListScatterIntoExistingList"]) for _ in range(g.r.randint(0, 3))]
    g.r.shuffle(todo)
    for o in todo + ["TensorListStack"]:
        shape = g.i32(list(s))
        if o == "TensorListSetItem" and n:
            h = g.op(o, [h, g.i32(g.r.randrange(n)), g.v(d, s)], dict(ed, resize_if_index_out_of_bounds=False))[0]
        elif o == "TensorListGetItem" and n:
            g.op(o, [h, g.i32(g.r.randrange(n)), shape], ed)
        elif o == "TensorListPushBack":
            h = g.op(o, [h, g.v(d, s)], ed)[0]
            n += 1
        elif o == "TensorListPopBack" and n:
            h = g.op(o, [h, shape], ed)[0]
            n -= 1
        elif o == "TensorListGather":
            g.op(o, [h, g.i32([g.r.randrange(n) for _ in range(g.dim(0, 3))] if n else []), shape], ed)
        elif o == "TensorListScatterIntoExistingList" and n:
            k = g.r.sample(range(n), g.r.randint(1, n))
            h = g.op(o, [h, g.v(d, (len(k),) + s), g.i32(k)], ed)[0]
        elif o == "TensorListLength":
            g.op(o, [h])
        elif o == "TensorListElementShape":
            g.op(o, [h], dict(shape_type=g.r.choice([V.I32, V.I64])))
        elif o == "TensorListResize":
            n = g.r.randint(0, n + 2)
            h = g.op(o, [h, g.i32(n)])[0]
        elif o == "TensorListConcatLists":
            h = g.op(o, [h, h], ed)[0]
            n *= 2
        elif o in ("TensorListConcat", "TensorListConcatV2") and s:
            if o == "TensorListConcat":
                g.op(o, [h], dict(ed, element_shape=[None] + list(s[1:])))
            else:
                g.op(o, [h, g.i32(list(s)), g.ints(V.I64, [])], ed)
        elif o == "TensorListStack":
            g.op(o, [h, shape], dict(ed, num_elements=-1 if g.r.random() < .7 else n))
    return None


# ---- arrays of tensors

@hint("""TensorArrayV3 TensorArrayWriteV3 TensorArrayReadV3 TensorArrayGatherV3 TensorArrayScatterV3 TensorArrayConcatV3 TensorArraySplitV3 TensorArraySizeV3
TensorArrayCloseV3 TensorArrayGradV3 TensorArrayGradWithShape TensorArrayV2 TensorArrayWriteV2 TensorArrayReadV2 TensorArrayGatherV2 TensorArrayScatterV2
TensorArrayConcatV2 TensorArraySplitV2 TensorArraySizeV2 TensorArrayCloseV2""")
def tensor_array(g, name):
    v = "V2" if name.endswith("V2") else "V3"
    T = g.types("TensorArrayScatterV3")["T"]
    if T not in V.DATA:
        raise Refused(-1, "type")
    s, n = g.shape(max_rank=2), g.r.randint(1, 4)
    dyn = g.r.random() < .3
    if v == "V2":
        g.producer = 25
    a = dict(dtype=T, dynamic_size=dyn, clear_after_read=g.r.random() < .5, tensor_array_name=shared(g, "ta"), element_shape=None if g.r.random() < .6 else list(s))
    if v == "V3":
        a["identical_element_shapes"] = True
    out = g.lazy("TensorArray" + v, [g.i32(n)], a)
    h = out[0]
    flow = out[1] if v == "V3" else g.f32(0.0)
    shape = None if a["element_shape"] is None or g.r.random() < .5 else list(s)
    reads = []
    if name.startswith("TensorArraySplit") and s:
        ls = [g.dim(0, 3) for _ in range(n)]
        for m in reversed(g.nodes):
            if m.op == "TensorArray" + v:
                m.attr["element_shape"].shape.Clear()
                m.attr["element_shape"].shape.unknown_rank = True
                if v == "V3":
                    m.attr["identical_element_shapes"].b = False
                break
        flow = g.lazy("TensorArraySplit" + v, [h, g.v(T, (sum(ls),) + s[1:]), g.ints(V.I64, ls), flow], ordered=False)[0]
        o = g.lazy("TensorArrayConcat" + v, [h, flow], dict(dtype=T), ordered=False)
        reads += [o[0], o[1]]
    else:
        if g.r.random() < .5:
            k = list(range(n))
            g.r.shuffle(k)
            flow = g.lazy("TensorArrayScatter" + v, [h, g.i32(k), g.v(T, (n,) + s), flow], ordered=False)[0]
        else:
            m = n + (1 if dyn else 0)
            order = list(range(m))
            g.r.shuffle(order)
            for i in order:
                flow = g.lazy("TensorArrayWrite" + v, [h, g.i32(i), g.v(T, s), flow], ordered=False)[0]
            n = m
        if g.r.random() < .4:
            reads.append(g.lazy("TensorArraySize" + v, [h, flow], ordered=False)[0])
        u = g.r.random()
        if u < .3 and s:
            o = g.lazy("TensorArrayConcat" + v, [h, flow], dict(dtype=T, element_shape_except0=list(s[1:]) if g.r.random() < .5 else None), ordered=False)
            reads += [o[0], o[1]]
        elif u < .7:
            k = g.r.sample(range(n), g.r.randint(1, n))
            reads.append(g.lazy("TensorArrayGather" + v, [h, g.i32(k), flow], dict(dtype=T, element_shape=shape), ordered=False)[0])
        else:
            for i in g.r.sample(range(n), g.r.randint(1, n)):
                reads.append(g.lazy("TensorArrayRead" + v, [h, g.i32(i), flow], dict(dtype=T), ordered=False)[0])
    if name.startswith("TensorArrayClose"):
        n_ = g.node("TensorArrayClose" + v, [h.name[:-2]] + ["^" + r.name.split(":")[0] for r in reads])
        g.last = n_.name
    g.only_fetched += reads


# ---- variables

def variable(g, d, s, value=None, lo=None, hi=None):
    h = g.op("VarHandleOp", [], dict(dtype=d, shape=list(s) if g.r.random() < .9 else None, shared_name=shared(g, "v"), container="", debug_name="", allowed_devices=[]))[0]
    g.effect("AssignVariableOp", [h, value or g.v(d, s, lo=lo, hi=hi)], dict(dtype=d, validate_shape=False), exact=True)
    return h


def read(g, h, d, exact):
    out = g.effect("ReadVariableOp", [h], dict(dtype=d), exact=exact)[0]
    out.exact = exact
    g.pool.remove(out)
    g.only_fetched.append(out)
    return out


SCALARS = {"lr", "alpha", "l1", "l2", "rho", "epsilon", "momentum", "beta1", "beta2", "beta1_power", "beta2_power", "l2_shrinkage", "lr_power", "global_step",
           "logbase", "sign_decay", "beta"}


def scalar_of(g, name):
    r = g.r.random()
    return {"lr_power": -.5, "epsilon": .01, "beta1_power": .5, "beta2_power": .75, "global_step": 3, "logbase": 1.0, "l1": .125 * (r < .5), "l2": .25 * (r < .5), "l2_shrinkage": .25}.get(
        name, g.r.choice([.125, .25, .5]))


def apply_inputs(g, name, t, make):
    T = t["T"]
    sparse = "SparseApply" in name
    s = g.shape(g.r.randint(1, 2), lo=1) if sparse else g.shape(lo=0, max_rank=3)
    ins, vs = [], []
    k = g.r.sample(range(s[0]), g.r.randint(1, s[0])) if sparse else []
    for a in op_def(name).input_arg:
        if a.is_ref or a.type == V.RES:
            vs.append(make(T, s, .25, 2.0))
            ins.append(vs[-1])
        elif a.name == "indices":
            ins.append(g.ints(t["Tindices"], k))
        elif a.name in SCALARS:
            ins.append(g.scalar(V.I64 if a.name == "global_step" else T, scalar_of(g, a.name), const=None))
        else:
            ins.append(g.v(T, ((len(k),) if sparse else s[:1]) + s[1:], lo=-2, hi=2, kind="dyadic"))
    return ins, vs


APPLY = [n for n in """AdaMax Adadelta Adagrad AdagradDA AdagradV2 Adam AddSign CenteredRMSProp Ftrl FtrlV2 GradientDescent Momentum PowerSign
ProximalAdagrad ProximalGradientDescent RMSProp KerasMomentum AdamWithAmsgrad""".split()]


@hint(" ".join(["ResourceApply" + n for n in APPLY] + ["ResourceSparseApply" + n for n in APPLY]))
def resource_apply(g, name):
    if g.exact_only:
        raise Refused(-1, "rounds")
    t = g.types(name)
    if t["T"] in V.COMPLEX and g.r.random() < .8:
        t = g.types(name)
    a = dict(t, use_locking=g.r.random() < .5)
    ins, vs = apply_inputs(g, name, t, lambda d, s, lo, hi: variable(g, d, s, lo=lo, hi=hi))
    g.effect(name, ins, a, exact=True)
    for v in vs:
        read(g, v, t["T"], False)


def ref_variable(g, d, s, lo=None, hi=None):
    h = g.lazy(g.r.choice(["VariableV2", "Variable"]), [], dict(dtype=d, shape=list(s), shared_name="", container=""), ordered=False)[0]
    g.lazy("Assign", [h, g.v(d, s, lo=lo, hi=hi)], dict(validate_shape=True, use_locking=True))
    return h


def ref_read(g, h):
    out = g.lazy("Identity", [h])[0]
    g.only_fetched.append(out)


@hint(" ".join(["Apply" + n for n in APPLY] + ["SparseApply" + n for n in APPLY]))
def ref_apply(g, name):
    if g.exact_only or op_def(name) is None:
        raise Refused(-1, "rounds")
    t = g.types(name)
    ins, vs = apply_inputs(g, name, t, lambda d, s, lo, hi: ref_variable(g, d, s, lo, hi))
    g.lazy(name, ins, dict(t, use_locking=g.r.random() < .5))
    for v in vs:
        ref_read(g, v)


@hint("AssignVariableOp ReadVariableOp VarHandleOp AssignAddVariableOp AssignSubVariableOp VariableShape VarIsInitializedOp DestroyResourceOp ResourceCountUpTo DisableCopyOnRead")
def resource_var(g, name):
    t = g.types("AssignAddVariableOp") if "Add" in name or "Sub" in name else {"dtype": g.r.choice([d for d in V.DATA])}
    if name == "ResourceCountUpTo":
        t = {"dtype": g.types(name)["T"]}
    d = t["dtype"]
    s = () if name == "ResourceCountUpTo" else g.shape()
    h = variable(g, d, s, lo=0 if name == "ResourceCountUpTo" else None, hi=3 if name == "ResourceCountUpTo" else None)
    for _ in range(g.r.randint(1, 3)):
        u = g.r.random()
        o = name if u < .5 else g.r.choice(["AssignVariableOp", "ReadVariableOp", "VariableShape"])
        if o in ("AssignAddVariableOp", "AssignSubVariableOp"):
            g.effect(o, [h, g.v(d, s, kind="dyadic")], dict(dtype=d), exact=True)
        elif o == "AssignVariableOp":
            g.effect(o, [h, g.v(d, s)], dict(dtype=d, validate_shape=False), exact=True)
        elif o == "VariableShape":
            x = g.effect(o, [h], dict(out_type=g.r.choice([V.I32, V.I64])))
        elif o == "VarIsInitializedOp":
            g.effect(o, [h])
        elif o == "ResourceCountUpTo":
            x = g.effect(o, [h], dict(limit=9, T=d))
            g.pool.remove(x[0]), g.only_fetched.append(x[0])
        elif o == "ReadVariableOp":
            read(g, h, d, True)
    read(g, h, d, True)
    if name == "DestroyResourceOp":
        g.effect(name, [h])


@hint("ResourceScatterAdd ResourceScatterSub ResourceScatterMul ResourceScatterDiv ResourceScatterMin ResourceScatterMax ResourceScatterUpdate ResourceGather ResourceGatherNd")
def resource_scatter(g, name):
    t = g.types(name)
    d = t["dtype"]
    s = (g.dim(1),) + g.shape(max_rank=2)
    h = variable(g, d, s)
    if name == "ResourceGatherNd":
        i, _ = nd_indices(g, t["Tindices"], s)
        x = g.effect(name, [h, i], t)
        g.pool.remove(x[0]), g.only_fetched.append(x[0])
        return
    k = g.shape(max_rank=2)
    i = g.v(t["Tindices"], k, lo=0, hi=s[0] - 1)
    if name == "ResourceGather":
        x = g.effect(name, [h, i], dict(t, batch_dims=0))
        g.pool.remove(x[0]), g.only_fetched.append(x[0])
        return
    kw = dict(lo=1, hi=4) if name.endswith("Div") else {}
    u = g.v(d, k + s[1:] if g.r.random() < .8 else (), **kw)
    if not u.exact:
        raise Refused(-1, "order")
    g.effect(name, [h, i, u], t, exact=True)
    read(g, h, d, not V.is_float(d))


@hint("ResourceScatterNdAdd ResourceScatterNdSub ResourceScatterNdMin ResourceScatterNdMax ResourceScatterNdUpdate")
def resource_scatternd(g, name):
    t = g.types(name)
    d = t["T"]
    if d == V.BOOL:
        raise Refused(-1, "graphc adds and subtracts no truth values in variables")
    s = g.shape(min_rank=1, lo=1)
    h = variable(g, d, s)
    i, u = nd_indices(g, t["Tindices"], s, unique=name.endswith("Update"))
    g.effect(name, [h, i, g.v(d, u)], dict(t, bad_indices_policy=""), exact=True)
    read(g, h, d, not V.is_float(d))


@hint("ResourceStridedSliceAssign")
def resource_sslice(g, name):
    t = g.types(name)
    s = g.shape(min_rank=1)
    spec = strided(g, len(s), s)
    h = variable(g, t["T"], s)
    y = g.v(t["T"], sliced(g, s, spec))
    g.effect(name, [h] + [g.ints(t["Index"], k) for k in spec[:3]] + [y], dict(t, **spec[3]), exact=True)
    read(g, h, t["T"], True)


@hint("Assign AssignAdd AssignSub VariableV2 Variable IsVariableInitialized CountUpTo RefIdentity")
def ref_var(g, name):
    t = g.types("AssignAdd")
    d = t["T"] if name != "CountUpTo" else V.I32
    s = g.shape() if name != "CountUpTo" else ()
    h = ref_variable(g, d, s, *((0, 3) if name == "CountUpTo" else ()))
    for _ in range(g.r.randint(1, 3)):
        o = name if g.r.random() < .5 else g.r.choice(["Assign", "AssignAdd", "AssignSub"])
        if o == "Assign":
            g.lazy(o, [h, g.v(d, s)], dict(validate_shape=True))
        elif o in ("AssignAdd", "AssignSub"):
            g.lazy(o, [h, g.v(d, s, kind="dyadic")])
        elif o == "IsVariableInitialized":
            g.only_fetched += g.lazy(o, [h], dict(dtype=d))
        elif o == "CountUpTo":
            g.only_fetched += g.lazy(o, [h], dict(limit=9))
        ref_read(g, h)


@hint("ScatterAdd ScatterSub ScatterMul ScatterDiv ScatterMin ScatterMax ScatterUpdate")
def ref_scatter(g, name):
    t = g.types(name)
    d = t["T"]
    s = (g.dim(1),) + g.shape(max_rank=2)
    h = ref_variable(g, d, s)
    k = g.shape(max_rank=2)
    kw = dict(lo=1, hi=4) if name.endswith("Div") else {}
    u = g.v(d, k + s[1:] if g.r.random() < .8 else (), **kw)
    g.lazy(name, [h, g.v(t["Tindices"], k, lo=0, hi=s[0] - 1), u], t)
    ref_read(g, h)


@hint("ScatterNdAdd ScatterNdSub ScatterNdMin ScatterNdMax ScatterNdUpdate")
def ref_scatternd(g, name):
    t = g.types(name)
    d = t["T"]
    s = g.shape(min_rank=1, lo=1)
    h = ref_variable(g, d, s)
    i, u = nd_indices(g, t["Tindices"], s, unique=name.endswith("Update"))
    g.lazy(name, [h, i, g.v(d, u)], dict(t, bad_indices_policy=""))
    ref_read(g, h)


@hint("StridedSliceAssign")
def ref_sslice(g, name):
    t = g.types(name)
    s = g.shape(min_rank=1)
    spec = strided(g, len(s), s)
    h = ref_variable(g, t["T"], s)
    y = g.v(t["T"], sliced(g, s, spec))
    g.lazy(name, [h] + [g.ints(t["Index"], k) for k in spec[:3]] + [y], dict(t, **spec[3]))
    ref_read(g, h)


@hint("TemporaryVariable DestroyTemporaryVariable")
def temporary(g, name):
    d, s = g.types("AssignAdd")["T"], g.shape()
    n = shared(g, "tmp")
    h = g.lazy("TemporaryVariable", [], dict(dtype=d, shape=list(s), var_name=n), ordered=False)[0]
    a = g.lazy("Assign", [h, g.v(d, s)], dict(validate_shape=True))[0]
    a = g.lazy("AssignAdd", [a, g.v(d, s)])[0]
    g.only_fetched += g.lazy("DestroyTemporaryVariable", [a], dict(T=d, var_name=n))


# ---- tables

TABLES = [(V.STR, V.I64), (V.I64, V.STR), (V.I64, V.I64), (V.STR, V.STR), (V.I32, V.I32), (V.I64, V.F32), (V.STR, V.F32), (V.I32, V.STR), (V.STR, V.I32), (V.I64, V.I32), (V.STR, V.BOOL), (V.I64, V.F64)]


def keys_of(g, d, n):
    if d == V.STR:
        w = g.r.sample(V.WORDS, n)
        return g.leaf(d, value=np.array(w, dtype=object), fixed=g.r.random() < .7)
    return g.leaf(d, value=np.array(g.r.sample(range(-3, 12), n), V.NP[d]), fixed=g.r.random() < .7)


@hint("""HashTableV2 InitializeTableV2 LookupTableFindV2 LookupTableSizeV2 LookupTableExportV2 MutableHashTableV2 LookupTableInsertV2 LookupTableRemoveV2 LookupTableImportV2
MutableHashTableOfTensorsV2 MutableDenseHashTableV2 AnonymousHashTable AnonymousMutableHashTable AnonymousMutableHashTableOfTensors AnonymousMutableDenseHashTable""")
def table(g, name):
    kinds = ["HashTableV2", "MutableHashTableV2", "MutableHashTableOfTensorsV2", "MutableDenseHashTableV2"]
    if name.startswith("Anonymous"):
        kind = name
    elif name in kinds:
        kind = name
    elif name == "InitializeTableV2":
        kind = "HashTableV2"
    elif name in ("LookupTableInsertV2", "LookupTableRemoveV2", "LookupTableImportV2"):
        kind = g.r.choice(kinds[1:])
    else:
        kind = g.r.choice(kinds)
    opts = [(k["key_dtype"][0], k["value_dtype"][0]) for k in kernel_types(kind) if k.get("key_dtype") and k.get("value_dtype")]
    opts = [o for o in opts if o[0] < 20 and o[1] < 20]
    if not opts:
        raise Refused(-1, "types")
    kd, vd = g.r.choice(opts)
    a = dict(key_dtype=kd, value_dtype=vd)
    if not kind.startswith("Anonymous"):
        a.update(container="", shared_name=shared(g, "t"), use_node_name_sharing=False)
    vs = ()
    ins = []
    dense = "Dense" in kind
    if "OfTensors" in kind or dense:
        vs = g.shape(max_rank=2, lo=1) if "OfTensors" in kind else g.shape(max_rank=1, lo=1)
        if "OfTensors" in kind and len(vs) == 0:
            vs = (2,)
        a["value_shape"] = list(vs)
    if dense:
        a.update(initial_num_buckets=g.r.choice([4, 16, 64]), max_load_factor=.8)
        mk = lambda i: g.leaf(kd, value=np.array((b"<e>", b"<d>")[i] if kd == V.STR else (100, 101)[i], dtype=object if kd == V.STR else V.NP[kd]), const=True, fixed=True)
        if kd == V.BOOL:
            raise Refused(-1, "keys")
        ins = [mk(0), mk(1)]
    h = g.op(kind, ins, a)[0]
    n = g.r.randint(0, 5)
    k = keys_of(g, kd, n)
    vals = lambda m: g.v(vd, (m,) + tuple(vs))
    tin = dict(Tin=kd, Tout=vd)
    if kind in ("HashTableV2", "AnonymousHashTable"):
        g.effect("InitializeTableV2", [h, k, vals(n)], dict(Tkey=kd, Tval=vd))
        todo = []
    else:
        g.effect("LookupTableInsertV2", [h, k, vals(n)], tin, exact=True)
        todo = [g.r.choice(["LookupTableInsertV2", "LookupTableRemoveV2", "LookupTableImportV2"]) for _ in range(g.r.randint(0, 2))]
        if name in ("LookupTableRemoveV2", "LookupTableImportV2"):
            todo.append(name)
    for o in todo:
        m = g.r.randint(0, 4)
        q = keys_of(g, kd, m)
        if o == "LookupTableRemoveV2":
            g.effect(o, [h, q], dict(Tin=kd))
        else:
            g.effect(o, [h, q, vals(m)], tin, exact=True)
    q = g.v(kd, g.shape(max_rank=2)) if g.r.random() < .5 else k
    out = g.effect("LookupTableFindV2", [h, q, g.v(vd, vs)], tin, exact=True)
    if g.r.random() < .5 or name == "LookupTableSizeV2":
        out += g.effect("LookupTableSizeV2", [h])
    for o in out:
        g.pool.remove(o)
        g.only_fetched.append(o)
    if name == "LookupTableExportV2" and not dense:   # a dense table exports its empty buckets, too
        # The order of an export depends on the implementation: only its size is compared.
        e = g.effect("LookupTableExportV2", [h], dict(Tkeys=kd, Tvalues=vd), exact=True)
        for o in e:
            g.pool.remove(o)
        z = g.op("Shape", [e[0]], dict(out_type=V.I32))[0]
        g.pool.remove(z)
        g.only_fetched.append(z)


# ---- queues, stages and stacks

@hint("""FIFOQueueV2 PaddingFIFOQueueV2 PriorityQueueV2 QueueEnqueueV2 QueueEnqueueManyV2 QueueDequeueV2 QueueDequeueManyV2 QueueDequeueUpToV2 QueueSizeV2 QueueCloseV2 QueueIsClosedV2
RandomShuffleQueueV2""")
def queue(g, name):
    kind = name if name.endswith("QueueV2") and not name.startswith("Queue") else g.r.choice(["FIFOQueueV2", "FIFOQueueV2", "PaddingFIFOQueueV2"])
    n = g.r.randint(1, 2)
    ds = [g.r.choice(V.DATA) for _ in range(n)]
    ss = [g.shape(max_rank=2, lo=1) for _ in range(n)]   # empty components crash TensorFlow
    a = dict(component_types=ds, shapes=[list(s) for s in ss], capacity=g.r.choice([-1, 20]), container="", shared_name=shared(g, "q"))
    pri = kind == "PriorityQueueV2"
    if pri:
        a["component_types"] = ds
    if kind == "RandomShuffleQueueV2":
        a.update(min_after_dequeue=0, seed=g.r.randint(1, 99), seed2=g.r.randint(1, 99))
    h = g.lazy(kind, [], a, ordered=False)[0]
    have = 0
    ts = ([V.I64] if pri else []) + ds
    used = 0
    for _ in range(g.r.randint(1, 3)):
        if name == "QueueEnqueueManyV2" or g.r.random() < .4:
            m = g.dim(1, 3)
            xs = [g.v(d, (m,) + s) for d, s in zip(ds, ss)]
            if pri:
                xs = [g.leaf(V.I64, value=np.array(g.r.sample(range(100 * used, 100 * used + 50), m)))] + xs
            g.lazy("QueueEnqueueManyV2", [h, xs], dict(Tcomponents=ts))
            have += m
        else:
            xs = [g.v(d, s) for d, s in zip(ds, ss)]
            if pri:
                xs = [g.leaf(V.I64, value=np.array(g.r.randrange(100 * used, 100 * used + 50)))] + xs
            g.lazy("QueueEnqueueV2", [h, xs], dict(Tcomponents=ts))
            have += 1
        used += 1
    if g.r.random() < .4 or name == "QueueSizeV2":
        g.only_fetched += g.lazy("QueueSizeV2", [h])
    closed = name in ("QueueCloseV2", "QueueIsClosedV2", "QueueDequeueUpToV2") or g.r.random() < .2
    if closed:
        g.lazy("QueueCloseV2", [h])
        g.single_run = True
        if name == "QueueIsClosedV2":
            g.only_fetched += g.lazy("QueueIsClosedV2", [h])
    if have:
        u = g.r.random()
        if name == "QueueDequeueManyV2" or u < .3:
            k = g.r.randint(1, have)   # 0 crashes TensorFlow
            g.only_fetched += g.lazy("QueueDequeueManyV2", [h, g.i32(k)], dict(component_types=ts))
            have -= k
        elif name == "QueueDequeueUpToV2" and closed:
            g.only_fetched += g.lazy("QueueDequeueUpToV2", [h, g.i32(have + 2)], dict(component_types=ts))
            have = 0
        else:
            for _ in range(g.r.randint(1, have)):
                g.only_fetched += g.lazy("QueueDequeueV2", [h], dict(component_types=ts))
                have -= 1
    g.only_fetched += g.lazy("QueueSizeV2", [h])
    g.single_run = g.single_run or have > 5 or a["capacity"] > 0


@hint("Stage Unstage StagePeek StageSize StageClear MapStage MapUnstage MapPeek MapSize MapClear MapUnstageNoKey MapIncompleteSize OrderedMapStage OrderedMapUnstage OrderedMapPeek OrderedMapSize OrderedMapClear OrderedMapUnstageNoKey OrderedMapIncompleteSize")
def stage(g, name):
    pre = "OrderedMap" if name.startswith("Ordered") else "Map" if name.startswith("Map") else ""
    ds = [g.r.choice(V.DATA) for _ in range(g.r.randint(1, 2))]
    a = dict(dtypes=ds, shared_name=shared(g, "st"), container="", capacity=0, memory_limit=0)
    n = g.r.randint(1, 3)
    g.single_run = True
    keys = g.r.sample(range(20), n)
    ss = [g.shape() for _ in ds]
    for k in keys:
        xs = [g.v(d, s) for d, s in zip(ds, ss)]
        if pre:
            g.lazy(pre + "Stage", [g.scalar(V.I64, k), g.i32(list(range(len(ds))), const=True), xs], dict(a, fake_dtypes=ds))
        else:
            g.lazy("Stage", [xs], a)
    size = (pre or "Stage") + "Size"
    if name.endswith("IncompleteSize"):
        g.only_fetched += g.lazy(pre + "IncompleteSize", [], a)
    if name.endswith("Peek"):
        g.only_fetched += g.lazy(name, [g.scalar(V.I64, keys[-1]), g.i32(list(range(len(ds))), const=True)] if pre else [g.i32(0)], a)
    if name.endswith("Clear"):
        g.lazy(name, [], a)
        n = 0
    elif name.endswith("NoKey") and (pre == "OrderedMap" or n == 1):
        g.only_fetched += g.lazy(name, [g.i32(list(range(len(ds))), const=True)], a)
    elif n:
        g.only_fetched += g.lazy(pre + "Unstage", [g.scalar(V.I64, keys[0]), g.i32(list(range(len(ds))), const=True)], a) if pre else g.lazy("Unstage", [], a)
    g.only_fetched += g.lazy(size, [], a)


@hint("StackV2 StackPushV2 StackPopV2 StackCloseV2")
def stack(g, name):
    d = g.r.choice(V.DATA)
    h = g.lazy("StackV2", [g.i32(-1)], dict(elem_type=d, stack_name=shared(g, "s")), ordered=False)[0]
    n, s = 0, g.shape()
    for _ in range(g.r.randint(1, 4)):
        if n and g.r.random() < .4:
            g.only_fetched += g.lazy("StackPopV2", [h], dict(elem_type=d))
            n -= 1
        else:
            g.only_fetched += g.lazy("StackPushV2", [h, g.v(d, s)], dict(swap_memory=False))
            n += 1
    if n:
        g.only_fetched += g.lazy("StackPopV2", [h], dict(elem_type=d))
    if name == "StackCloseV2":
        g.lazy("StackCloseV2", [h])


@hint("ResourceConditionalAccumulator ResourceAccumulatorApplyGradient ResourceAccumulatorTakeGradient ResourceAccumulatorNumAccumulated ResourceAccumulatorSetGlobalStep ConditionalAccumulator AccumulatorApplyGradient AccumulatorTakeGradient AccumulatorNumAccumulated AccumulatorSetGlobalStep")
def accumulator(g, name):
    res = "Resource" if name.startswith("Resource") else ""
    d, s = g.r.choice([V.F32, V.F64, V.F16]), g.shape(max_rank=2)
    h = g.lazy(res + "ConditionalAccumulator", [], dict(dtype=d, shape=list(s), container="", shared_name=shared(g, "acc"), reduction_type=g.r.choice(["MEAN", "SUM"])), ordered=False)[0]
    n = g.r.randint(1, 3)
    for _ in range(n):
        g.lazy(res + "AccumulatorApplyGradient", [h, g.ints(V.I64, g.r.randint(0, 3)), g.v(d, s, lo=-3, hi=3, kind="dyadic")], dict(dtype=d))
    g.only_fetched += g.lazy(res + "AccumulatorNumAccumulated", [h])
    if name.endswith("SetGlobalStep"):
        g.lazy(name, [h, g.ints(V.I64, 2)])
        g.single_run = True
        return
    g.single_run = True
    g.only_fetched += g.lazy(res + "AccumulatorTakeGradient", [h, g.i32(1)], dict(dtype=d))


@hint("Assert")
def assert_(g, name):
    g.effect("Assert", [g.leaf(V.BOOL, value=np.array(True)), [g.v(V.I32)]], dict(summarize=3))


@hint("Print")
def print_(g, name):
    raise Refused(-1, "writes")
