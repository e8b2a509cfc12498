"""Writes session.pbtxt and devices.pbtxt, whose signatures test a session's behaviours. Run with
TensorFlow 2 in this folder: python make.py"""

import tensorflow as tf

v1 = tf.compat.v1
raw = tf.raw_ops

v1.disable_control_flow_v2()
v1.disable_resource_variables()


def write(g, name):
    tf.io.write_graph(g, ".", name, as_text=True)


with tf.Graph().as_default() as g:
    # y = A x, and a target that counts.
    x = v1.placeholder(tf.float32, [2, 1], "x")
    y = tf.matmul(tf.constant([[3.0, 2.0], [-1.0, 0.0]]), x, name="y")
    z = tf.negative(y, name="z")
    hits = v1.get_variable("hits", [], tf.int64, v1.zeros_initializer(), use_resource=True)
    bump = hits.assign_add(1, read_value=False)
    tf.group(bump, name="bump")
    tf.identity(hits, name="read_hits")
    count = v1.get_variable("count", [3], tf.int32, v1.zeros_initializer(), use_resource=False)
    v1.assign_add(count, tf.ones([3], tf.int32), use_locking=True, name="add_locked")
    v1.assign_add(count, tf.ones([3], tf.int32), use_locking=False, name="add_unlocked")
    tf.identity(count, name="read_count")

    # Every type, as a scalar and as a matrix of any size.
    types = "half bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128 string qint8 quint8 qint16 quint16 qint32"
    for t in types.split():
        tf.identity(v1.placeholder(t, [], "s_" + t), name="scalar_" + t)
        tf.identity(v1.placeholder(t, [None, None], "m_" + t), name="matrix_" + t)
    words = v1.placeholder(tf.string, [None], "words")
    tf.strings.join([words, words], name="joined")
    raw.StringLength(input=words, name="length")

    # Sizes known only at run time.
    rows = v1.placeholder(tf.float32, [None, 2], "rows")
    tf.multiply(rows, 2.0, name="doubled")
    flat = v1.placeholder(tf.float32, [None], "flat")
    tf.reshape(flat, [3, 7], name="three_by_seven")
    tf.identity(tf.boolean_mask(flat, flat > 0), name="positive")
    tf.concat([flat, flat[:0]], 0, name="with_empty")
    tf.slice(flat, [0], [0], name="none_of_it")

    # Sparse tensors and slices, by component.
    sp = v1.sparse_placeholder(tf.float32, [None, None], "sp")
    tf.identity(sp.indices, name="sq_indices")
    tf.square(sp.values, name="sq_values")
    tf.identity(sp.dense_shape, name="sq_shape")
    known = v1.sparse_placeholder(tf.float32, [4, 5], "known")
    tf.identity(known.values, name="known_values")
    tf.identity(known.dense_shape, name="known_shape")
    table = v1.placeholder(tf.float32, [4, 2], "table")
    at = v1.placeholder(tf.int32, [None], "at")
    slope = tf.gradients(tf.reduce_sum(tf.square(tf.gather(table, at))), table)[0]
    tf.identity(slope.values, name="slope_values")
    tf.identity(slope.indices, name="slope_indices")

    # Variables that are never initialized.
    raw_ref = raw.VariableV2(shape=[2], dtype=tf.float32, name="raw_ref")
    tf.identity(raw_ref, name="read_raw_ref")
    handle = raw.VarHandleOp(dtype=tf.float32, shape=[2], shared_name="raw_resource", name="raw_resource")
    raw.ReadVariableOp(resource=handle, dtype=tf.float32, name="read_raw_resource")

    tf.group(v1.assign(raw_ref, [1.0, 2.0], name="set_ref"), name="set_raw_ref")
    tf.group(raw.AssignVariableOp(resource=handle, value=[3.0, 4.0]), name="set_raw_resource")

    # One node is both inputs of another; two outputs of a node have the same reader.
    v = v1.placeholder(tf.float32, [4], "v")
    neg = tf.negative(v, name="neg")
    tf.multiply(neg, neg, name="squared")
    a, b = tf.split(neg, 2)
    tf.subtract(a, b, name="difference")
    tf.concat([a, a, b], 0, name="joined_twice")
    first = neg + neg
    tf.subtract(first, neg, name="reused")
    chain = v
    for _ in range(10):
        chain = chain + chain
    tf.identity(chain, name="chain")

    # A queue: a node that waits, and an unused output that must be computed.
    value = v1.placeholder(tf.int64, [], "value")
    queue = v1.FIFOQueue(8, tf.int64, [[]], name="queue")
    tf.group(queue.enqueue(value), name="put")
    tf.identity(queue.dequeue(name="dequeue"), name="got")
    tf.identity(queue.size(), name="waiting")

    # Nodes with control inputs only, control edges from a feed, a constant and a no-op.
    order = v1.get_variable("order", [], tf.int64, v1.zeros_initializer(), use_resource=True)
    gate = v1.placeholder(tf.bool, [], "gate")
    with tf.control_dependencies([gate]):
        one = order.assign_add(1, read_value=False)
    with tf.control_dependencies([gate]):
        two = order.assign_add(1, read_value=False)
    with tf.control_dependencies([one, two]):
        five = tf.constant(5, tf.int64, name="five")
    with tf.control_dependencies([five]):
        nothing = tf.no_op("nothing")
    with tf.control_dependencies([nothing]):
        seen = order.read_value()
    with tf.control_dependencies([seen]):
        back = order.assign_sub(2, read_value=False)
    tf.add(seen, five, name="seen_and_five")
    tf.group(back, name="back")

    # An op that fails between two counters.
    before = v1.get_variable("before", [], tf.int64, v1.zeros_initializer(), use_resource=True)
    after = v1.get_variable("after", [], tf.int64, v1.zeros_initializer(), use_resource=True)
    index = v1.placeholder(tf.int32, [], "index")
    with tf.control_dependencies([before.assign_add(1, read_value=False)]):
        picked = tf.gather(tf.constant([7.0, 8.0, 9.0]), index, name="pick")
    with tf.control_dependencies([picked]):
        tf.group(after.assign_add(1, read_value=False), name="then")
    tf.identity(picked, name="picked")
    tf.identity(before, name="read_before")
    tf.identity(after, name="read_after")

    # Counters on both sides of a switch.
    live = v1.placeholder(tf.bool, [], "live")
    sides = v1.get_variable("sides", [2], tf.int32, v1.zeros_initializer(), use_resource=True)
    no, yes = raw.Switch(data=v, pred=live)
    no, yes = tf.negative(no), tf.exp(yes)
    for name, side, at_ in [("no", no, [1, 0]), ("yes", yes, [0, 1])]:
        with tf.control_dependencies([side]):
            raw.AssignAddVariableOp(resource=sides.handle, value=tf.constant(at_), name="count_" + name)
    raw.Merge(inputs=[no, yes], name="merged")
    tf.identity(sides, name="read_sides")

    # A function that fails, inlined.
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def lookup(i):
        return tf.gather([1.0, 2.0], i, name="inner")

    tf.identity(lookup(index), name="called")

    # Handles of tensors.
    keep = raw.GetSessionHandle(value=tf.square(v), name="keep")
    named = v1.placeholder(tf.string, [], "handle")
    raw.GetSessionTensor(handle=named, dtype=tf.float32, name="kept")
    raw.GetSessionTensor(handle=named, dtype=tf.int32, name="kept_int")
    raw.GetSessionHandle(value=tf.cast(v, tf.int32), name="keep_int")
    raw.DeleteSessionTensor(handle=named, name="forget")

    tf.group(*[w.initializer for w in v1.global_variables()], name="init")
    write(g, "session.pbtxt")

with tf.Graph().as_default() as g:
    with tf.device("/cpu:1"):
        x = v1.placeholder(tf.float32, [None, 2], "x")
        s = v1.placeholder(tf.string, [None], "s")
        y = tf.matmul(x, tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    with tf.device("/cpu:2"):
        z = tf.nn.relu(y, name="z")
        tf.strings.join([s, s], name="ss")
    with tf.device("/cpu:0"):
        tf.identity(y + z, name="w")
        live = v1.placeholder(tf.bool, [], "live")
        no, yes = raw.Switch(data=x, pred=live)
        sides = v1.get_variable("sides", [2], tf.int32, v1.zeros_initializer(), use_resource=True)
    with tf.device("/cpu:1"):
        no = tf.negative(no)
    with tf.device("/cpu:2"):
        yes = tf.exp(yes)
    with tf.device("/cpu:0"):
        for name, side, at_ in [("no", no, [1, 0]), ("yes", yes, [0, 1])]:
            with tf.control_dependencies([side]):
                raw.AssignAddVariableOp(resource=sides.handle, value=tf.constant(at_), name="count_" + name)
        raw.Merge(inputs=[no, yes], name="merged")
        tf.identity(sides, name="read_sides")
    tf.group(*[w.initializer for w in v1.global_variables()], name="init")
    # A part that waits beside one that fails.
    with tf.device("/cpu:1"):
        queue = v1.FIFOQueue(8, tf.float32, [[]], name="queue")
        got = queue.dequeue(name="got")
        tf.group(queue.close(), name="close")
    with tf.device("/cpu:2"):
        picked = tf.gather(tf.constant([7.0, 8.0, 9.0]), v1.placeholder(tf.int32, [], "index"), name="pick")
    with tf.device("/cpu:0"):
        tf.add(got, picked, name="both")
    write(g, "devices.pbtxt")
