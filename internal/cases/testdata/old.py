"""The source of testdata/cases/ops/old.zip, recorded by scripts/record: ops that TensorFlow's Python API no longer creates, or that
random graphs do not draw."""
import numpy as np
import tensorflow as tf

v1, raw = tf.compat.v1, tf.raw_ops
f32 = lambda *v: tf.constant(np.array(v, np.float32))
after = lambda *ops: tf.control_dependencies([o.op if hasattr(o, "op") else o for o in ops])


def fetch(*ts):
    return [t.op.outputs[0].name if False else t.name for t in ts]


def queue(q):
    first = raw.QueueEnqueueMany(handle=q, components=[tf.constant([3, 1, 2], tf.int64), f32(30, 10, 20)])
    with after(first):
        n, x = raw.QueueDequeueMany(handle=q, n=2, component_types=[tf.int64, tf.float32])
    with after(n):
        rest = raw.QueueDequeueUpTo(handle=q, n=1, component_types=[tf.int64, tf.float32])
    with after(rest[0]):
        closed = raw.QueueClose(handle=q)
    with after(closed):
        done = tf.identity(raw.QueueIsClosed(handle=q))
    return {"fetches": fetch(n, x, rest[0], rest[1], done)}


def case_fifo_queue():
    return queue(raw.FIFOQueue(component_types=[tf.int64, tf.float32], shapes=[[], []], capacity=8, name="q"))


def case_padding_fifo_queue():
    return queue(raw.PaddingFIFOQueue(component_types=[tf.int64, tf.float32], shapes=[[], []], capacity=8, name="q"))


def case_priority_queue():
    return queue(raw.PriorityQueue(component_types=[tf.float32], shapes=[[]], capacity=8, name="q"))


def case_random_shuffle_queue():
    q = raw.RandomShuffleQueue(component_types=[tf.float32], shapes=[[]], capacity=8, min_after_dequeue=0, seed=1, seed2=2, name="q")
    with after(raw.QueueEnqueueMany(handle=q, components=[f32(7, 7)])):
        x = raw.QueueDequeueMany(handle=q, n=2, component_types=[tf.float32])[0]
    return {"fetches": fetch(x)}


def case_barrier():
    b = raw.Barrier(component_types=[tf.float32, tf.int32], shapes=[[], [2]], name="b")
    keys = tf.constant(["a", "b"])
    one = raw.BarrierInsertMany(handle=b, keys=keys, values=f32(1, 2), component_index=0)
    with after(one):
        left = raw.BarrierIncompleteSize(handle=b)
    with after(left):
        two = raw.BarrierInsertMany(handle=b, keys=keys, values=tf.constant([[1, 2], [3, 4]]), component_index=1)
    with after(two):
        ready = raw.BarrierReadySize(handle=b)
    with after(ready):
        t = raw.BarrierTakeMany(handle=b, num_elements=2, component_types=[tf.float32, tf.int32])
    with after(t.keys):
        raw.BarrierClose(handle=b, name="close")
    return {"fetches": fetch(left, ready, t.keys, t.values[0], t.values[1]), "targets": ["close"]}


def table(h, keys, values):
    with after(raw.LookupTableInsert(table_handle=h, keys=keys, values=values)):
        k, v = raw.LookupTableExport(table_handle=h, Tkeys=keys.dtype, Tvalues=values.dtype)
    with after(raw.LookupTableImport(table_handle=h, keys=keys[:1], values=values[:1])):
        pass
    with after(k):
        loaded = raw.LookupTableImport(table_handle=h, keys=keys[:1], values=values[:1])
    with after(loaded):
        n = raw.LookupTableSize(table_handle=h)
    return {"fetches": fetch(tf.reduce_sum(tf.cast(k, tf.int64)), tf.reduce_sum(v), n)}


def case_mutable_hash_table():
    return table(raw.MutableHashTable(key_dtype=tf.int64, value_dtype=tf.float32, name="t"), tf.constant([5, 6], tf.int64), f32(1, 2))


def case_mutable_hash_table_of_tensors():
    return table(raw.MutableHashTableOfTensors(key_dtype=tf.int64, value_dtype=tf.float32, value_shape=[2], name="t"), tf.constant([5, 6], tf.int64),
                 tf.constant([[1.0, 2.0], [3.0, 4.0]]))



def arrays(ta, write, read, pack, unpack, gather, scatter, concat, split, size, close):
    flow = tf.constant(0.0)
    w = write(handle=ta, index=0, value=f32(1, 2), flow_in=flow)
    w = write(handle=ta, index=1, value=f32(3, 4), flow_in=w)
    r = read(handle=ta, index=1, flow_in=w, dtype=tf.float32)
    n = size(handle=ta, flow_in=w)
    g = gather(handle=ta, indices=[1, 0], flow_in=w, dtype=tf.float32)
    c = concat(handle=ta, flow_in=w, dtype=tf.float32)
    out = [r, n, g, c[0], c[1]]
    if pack:
        out.append(pack(handle=ta, flow_in=w, dtype=tf.float32))
    with after(*out):
        close(handle=ta, name="close")
    return {"fetches": fetch(*out), "targets": ["close"]}


def case_tensor_array(producer=1):
    ta = raw.TensorArray(size=2, dtype=tf.float32, clear_after_read=False, name="ta")
    return arrays(ta, raw.TensorArrayWrite, raw.TensorArrayRead, raw.TensorArrayPack, None, raw.TensorArrayGather, None, raw.TensorArrayConcat, None,
                  raw.TensorArraySize, raw.TensorArrayClose)


def filled(fill):
    ta = raw.TensorArray(size=2, dtype=tf.float32, clear_after_read=False, name="ta")
    f = fill(ta, tf.constant(0.0))
    return {"fetches": fetch(raw.TensorArrayPack(handle=ta, flow_in=f, dtype=tf.float32))}


def case_tensor_array_unpack(producer=1):
    return filled(lambda ta, f: raw.TensorArrayUnpack(handle=ta, value=tf.constant([[1.0, 2.0], [3.0, 4.0]]), flow_in=f))


def case_tensor_array_scatter(producer=1):
    return filled(lambda ta, f: raw.TensorArrayScatter(handle=ta, indices=[1, 0], value=tf.constant([[1.0, 2.0], [3.0, 4.0]]), flow_in=f))


def case_tensor_array_split(producer=1):
    return filled(lambda ta, f: raw.TensorArraySplit(handle=ta, value=f32(1, 2, 3, 4), lengths=tf.constant([2, 2], tf.int64), flow_in=f))


def case_tensor_array_grad(producer=1):
    ta = raw.TensorArray(size=2, dtype=tf.float32, clear_after_read=False, name="ta")
    w = raw.TensorArrayWrite(handle=ta, index=0, value=f32(1, 2), flow_in=0.0)
    with after(w):
        g = raw.TensorArrayGrad(handle=ta, flow_in=w, source="gradients")
    with after(g):
        gw = raw.TensorArrayWrite(handle=g, index=0, value=f32(5, 6), flow_in=w)
    return {"fetches": fetch(raw.TensorArrayRead(handle=g, index=0, flow_in=gw, dtype=tf.float32))}


def case_tensor_array_grad_with_shape():
    ta, flow = raw.TensorArrayV3(size=2, dtype=tf.float32, element_shape=[2], clear_after_read=False, name="ta")
    w = raw.TensorArrayWriteV3(handle=ta, index=0, value=f32(1, 2), flow_in=flow)
    g, gf = raw.TensorArrayGradWithShape(handle=ta, flow_in=w, shape_to_prepend=[3], source="gradients")
    gw = raw.TensorArrayWriteV3(handle=g, index=0, value=tf.ones([3, 2]), flow_in=gf)
    return {"fetches": fetch(raw.TensorArrayReadV3(handle=g, index=0, flow_in=gw, dtype=tf.float32))}


def case_stack():
    s = raw.Stack(elem_type=tf.float32, stack_name="s", name="s")
    p = raw.StackPush(handle=s, elem=f32(1, 2))
    with after(p):
        q = raw.StackPush(handle=s, elem=f32(3))
    with after(q):
        a = raw.StackPop(handle=s, elem_type=tf.float32)
    with after(a):
        b = raw.StackPop(handle=s, elem_type=tf.float32)
    with after(b):
        raw.StackClose(handle=s, name="close")
    return {"fetches": fetch(a, b), "targets": ["close"]}


def variable(value, name):
    v = raw.VariableV2(shape=value.shape, dtype=value.dtype, name=name)
    return v, raw.Assign(ref=v, value=value)


def case_ref_select():
    a, ia = variable(f32(1, 2), "a")
    b, ib = variable(f32(3, 4), "b")
    i = v1.placeholder(tf.int32, [], name="i")
    with after(ia, ib):
        r = raw.RefSelect(index=i, inputs=[raw.RefIdentity(input=a), raw.RefIdentity(input=b)])
        y = tf.identity(r)
    return {"feeds": [{"i:0": 1}, {"i:0": 0}], "fetches": fetch(y)}


def case_debug_gradient_ref_identity():
    a, ia = variable(f32(1, 2), "a")
    with after(ia):
        y = tf.identity(raw.DebugGradientRefIdentity(input=a))
    return {"fetches": fetch(y)}


def case_debug_identity():
    x = v1.placeholder(tf.float32, [None], name="x")
    return {"feeds": [{"x:0": [1, 2]}], "fetches": fetch(raw.DebugIdentity(input=x, tensor_name="x:0"), raw.DebugIdentityV3(input=x, tensor_name="x:0"))}


def case_placeholder_v2(producer=1):
    x = raw.PlaceholderV2(dtype=tf.float32, shape=[2], name="x")
    return {"feeds": [{"x:0": [1, 2]}], "fetches": fetch(tf.negative(x))}



def case_adjust_contrast(producer=1):
    x = tf.constant(np.arange(12, dtype=np.float32).reshape(1, 2, 2, 3))
    return {"fetches": fetch(raw.AdjustContrast(images=x, contrast_factor=1.5, min_value=0.0, max_value=9.0))}


def case_conv3d_backprop(producer=1):
    x, w = tf.constant(np.linspace(-1, 1, 54, dtype=np.float32).reshape(1, 3, 3, 3, 2)), tf.constant(np.linspace(-1, 1, 32, dtype=np.float32).reshape(2, 2, 2, 2, 2))
    dy = tf.constant(np.linspace(0, 1, 16, dtype=np.float32).reshape(1, 2, 2, 2, 2))
    k = dict(strides=[1] * 5, padding="VALID")
    return {"fetches": fetch(raw.Conv3DBackpropFilter(input=x, filter=w, out_backprop=dy, **k), raw.Conv3DBackpropInput(input=x, filter=w, out_backprop=dy, **k)),
            "rtol": 1e-4, "atol": 1e-4}


def case_audio_summary(producer=1):
    return {"fetches": fetch(raw.AudioSummary(tag="a", tensor=tf.constant(np.linspace(-1, 1, 8, dtype=np.float32).reshape(1, 8)), sample_rate=8000.0))}


def case_requantize_per_channel():
    x = tf.quantization.quantize(tf.constant([[[[1.0, -2.0], [0.5, 3.0]]]]), -4.0, 4.0, tf.qint32).output
    lo, hi = f32(-4.0, -3.0), f32(4.0, 3.0)
    r = raw.RequantizationRangePerChannel(input=x, input_min=lo, input_max=hi, clip_value_max=6.0)
    q = raw.RequantizePerChannel(input=x, input_min=lo, input_max=hi, requested_output_min=r.output_min, requested_output_max=r.output_max, out_type=tf.qint8)
    return {"fetches": fetch(r.output_min, r.output_max, tf.bitcast(q.output, tf.int8))}


def case_sparse_accumulator():
    a = raw.SparseConditionalAccumulator(dtype=tf.float32, shape=[3, 2], name="a")
    p = raw.SparseAccumulatorApplyGradient(handle=a, local_step=tf.constant(0, tf.int64), gradient_indices=tf.constant([0, 2], tf.int64),
                                           gradient_values=tf.constant([[1.0, 2.0], [3.0, 4.0]]), gradient_shape=tf.constant([3, 2], tf.int64), has_known_shape=True)
    with after(p):
        t = raw.SparseAccumulatorTakeGradient(handle=a, num_required=1, dtype=tf.float32)
    return {"fetches": fetch(t.indices, t.values, t.shape)}


def case_random_crop(producer=1):
    x = tf.fill([4, 5, 3], 7.0)
    return {"fetches": fetch(raw.RandomCrop(image=x, size=tf.constant([2, 3], tf.int64), seed=1, seed2=2))}


def case_session_handle():
    h = raw.GetSessionHandleV2(value=f32(1, 2))
    g = raw.GetSessionHandle(value=f32(5))
    return {"fetches": [], "targets": [h.op.name, g.op.name]}


def case_list_push_back_batch():
    l = raw.EmptyTensorList(element_shape=tf.constant([], tf.int32), max_num_elements=-1, element_dtype=tf.float32)
    b = raw.TensorListPushBackBatch(input_handles=tf.stack([l, l]), tensor=f32(1, 2))
    u = tf.unstack(b, num=2)
    return {"fetches": fetch(raw.TensorListStack(input_handle=u[1], element_shape=tf.constant([], tf.int32), element_dtype=tf.float32))}


def case_uniform_quantized_dot():
    z = lambda: tf.constant(0, tf.int32)
    q = lambda v: raw.UniformQuantize(input=tf.constant(v), scales=0.5, zero_points=z(), Tout=tf.qint8, quantization_min_val=-128, quantization_max_val=127)
    y = raw.UniformQuantizedDot(lhs=q([[1.0, 2.0]]), rhs=q([[3.0], [4.0]]), lhs_scales=0.5, lhs_zero_points=z(), rhs_scales=0.5, rhs_zero_points=z(), output_scales=0.25,
                                output_zero_points=z(), Tout=tf.qint32, lhs_quantization_min_val=-128, lhs_quantization_max_val=127, rhs_quantization_min_val=-128,
                                rhs_quantization_max_val=127, output_quantization_min_val=-2147483648, output_quantization_max_val=2147483647)
    return {"fetches": fetch(tf.bitcast(y, tf.int32))}


def readers(v, make, kind, producer=None):
    r, q = make(name="r"), kind(component_types=[tf.string], name="q")
    fill = getattr(raw, "QueueEnqueueMany" + v)(handle=q, components=[tf.constant(["a", "b", "c"])])
    call = lambda op, **k: getattr(raw, op + v)(reader_handle=r, **k)
    with after(fill):
        k, x = call("ReaderRead", queue_handle=q)
    with after(k):
        ks, xs = call("ReaderReadUpTo", queue_handle=q, num_records=2)
    with after(ks):
        n, w, s = call("ReaderNumRecordsProduced"), call("ReaderNumWorkUnitsCompleted"), call("ReaderSerializeState")
    with after(n, w, s):
        reset = call("ReaderReset")
    with after(reset):
        none = call("ReaderNumRecordsProduced")
    with after(none):
        back = call("ReaderRestoreState", state=s)
    with after(back):
        again = tf.identity(call("ReaderNumRecordsProduced"))
    return {"fetches": fetch(k, x, ks, xs, n, w, none, again)}


def case_identity_reader(producer=20):
    return readers("", raw.IdentityReader, raw.FIFOQueue)


def case_identity_reader_v2():
    return readers("V2", raw.IdentityReaderV2, raw.FIFOQueueV2)


def case_tensor_array_grad_v2(producer=19):
    ta = raw.TensorArrayV2(size=2, dtype=tf.float32, clear_after_read=False, name="ta")
    w = raw.TensorArrayWriteV2(handle=ta, index=0, value=f32(1, 2), flow_in=0.0)
    with after(w):
        g = raw.TensorArrayGradV2(handle=ta, flow_in=w, source="gradients")
    with after(g):
        gw = raw.TensorArrayWriteV2(handle=g, index=0, value=f32(5, 6), flow_in=w)
    return {"fetches": fetch(raw.TensorArrayReadV2(handle=g, index=0, flow_in=gw, dtype=tf.float32))}


def case_decode_and_crop_jpeg():
    x = v1.placeholder(tf.string, [], name="x")
    y = raw.DecodeAndCropJpeg(contents=x, crop_window=tf.constant([2, 3, 8, 9]), channels=3, dct_method="INTEGER_ACCURATE")
    with tf.Graph().as_default(), v1.Session() as s:
        file = s.run(tf.io.encode_jpeg(tf.constant((np.indices((16, 16)).sum(0)[..., None] * [5, 3, 7] % 256).astype(np.uint8))))
    return {"feeds": [{"x:0": file}], "fetches": fetch(y), "atol": 1.0}


def case_power_sign():
    v, m = raw.VarHandleOp(dtype=tf.float32, shape=[2], shared_name="v"), raw.VarHandleOp(dtype=tf.float32, shape=[2], shared_name="m")
    with after(raw.AssignVariableOp(resource=v, value=f32(1, -2)), raw.AssignVariableOp(resource=m, value=f32(0.5, 0.25))):
        step = raw.ResourceApplyPowerSign(var=v, m=m, lr=0.1, logbase=1.0, sign_decay=0.5, beta=0.9, grad=f32(0.3, 0.4))
    with after(step):
        y = [raw.ReadVariableOp(resource=r, dtype=tf.float32) for r in (v, m)]
    return {"fetches": fetch(*y)}
