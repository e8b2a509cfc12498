"""Writes hammer.pbtxt, a graph of all kinds of state and loops. Run with TensorFlow 2 in
this folder: python make.py"""

import tensorflow as tf

v1 = tf.compat.v1

v1.disable_control_flow_v2()
with tf.Graph().as_default() as g:
    n = 16
    row = v1.placeholder(tf.int32, [3], "row")
    count = v1.get_variable("count", [], tf.int64, v1.zeros_initializer(), use_resource=True)
    wide = v1.get_variable("wide", [n, 64], tf.float32, v1.zeros_initializer(), use_resource=True)
    ref = v1.get_variable("ref", [n, 64], tf.float32, v1.zeros_initializer(), use_resource=False)
    rows = v1.get_variable("rows", [n, 8], tf.int32, v1.zeros_initializer(), use_resource=True)
    refrows = v1.get_variable("refrows", [n, 8], tf.int32, v1.zeros_initializer(), use_resource=False)
    one = tf.ones([n, 64])
    ones = tf.ones([3, 8], tf.int32)
    tf.group(
        count.assign_add(1, read_value=False),
        wide.assign_add(one, read_value=False),
        v1.assign_add(ref, one, use_locking=True).op,
        v1.scatter_add(rows, row, ones).op,
        v1.scatter_add(refrows, row, ones, use_locking=True).op,
        name="add",
    )
    for name, v in [("count", count), ("wide", wide), ("ref", ref), ("rows", rows), ("refrows", refrows)]:
        tf.identity(v, name="read_" + name)

    key = v1.placeholder(tf.int64, [], "key")
    word = v1.placeholder(tf.string, [], "word")
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.string, "none", name="words")
    tf.group(table.insert([key], [word]), name="insert")
    tf.squeeze(table.lookup([key]), name="found")
    tf.identity(table.size(), name="held")

    value = v1.placeholder(tf.int64, [], "value")
    queue = v1.FIFOQueue(8, tf.int64, [[]], name="queue")
    tf.group(queue.enqueue(value), name="put")
    tf.identity(queue.dequeue(), name="got")
    tf.identity(queue.size(), name="waiting")
    tf.group(queue.close(), name="close")

    # A model that learns y = 2a - b.
    x = v1.placeholder(tf.float32, [None, 2], "x")
    y = v1.placeholder(tf.float32, [None, 1], "y")
    w = v1.get_variable("w", [2, 1], initializer=v1.zeros_initializer(), use_resource=False)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y), name="loss")
    step = v1.get_variable("step", [], tf.int64, v1.zeros_initializer(), use_resource=False)
    v1.train.AdamOptimizer(0.05, use_locking=True).minimize(loss, step, name="train")
    tf.identity(w, name="read_w")
    tf.identity(step, name="read_step")

    # Loops: a TensorArray, its gradient with stacks, and lists.
    turns = v1.placeholder(tf.int32, [], "turns")
    seed = v1.placeholder(tf.float32, [4], "seed")

    def body(i, a, x):
        x = tf.tanh(x * 1.5) + 0.1
        return i + 1, a.write(i, x), x

    def loop():
        a = tf.TensorArray(tf.float32, turns, element_shape=[4])
        _, a, last = tf.while_loop(lambda i, *_: i < turns, body, [tf.constant(0), a, seed])
        return a.stack(), last

    all_, last = loop()
    tf.identity(all_, name="written")
    tf.identity(tf.gradients(tf.reduce_sum(last), seed)[0], name="slope")
    v1.enable_control_flow_v2()
    all_, last = loop()
    tf.identity(all_, name="listed")
    tf.identity(tf.gradients(tf.reduce_sum(last), seed)[0], name="slope_v2")
    v1.disable_control_flow_v2()

    # A loop that changes a variable in each turn, and one that waits for the queue in each.
    turn = v1.get_variable("turn", [], tf.int64, v1.zeros_initializer(), use_resource=True)

    def count_up(i):
        with tf.control_dependencies([turn.assign_add(1, read_value=False)]):
            return i + 1

    tf.while_loop(lambda i: i < turns, count_up, [tf.constant(0)], name="count_up")[0].op
    tf.identity(g.get_tensor_by_name("count_up/Exit:0"), name="counted")
    tf.identity(turn, name="read_turn")
    endless = tf.while_loop(lambda s: s >= 0, lambda s: s + queue.dequeue(), [tf.constant(0, tf.int64)])
    tf.identity(endless, name="drained")

    # Tensors kept by handles.
    handle = v1.placeholder(tf.string, [], "handle")
    tf.raw_ops.GetSessionHandle(value=tf.reshape(x, [-1]), name="kept")
    tf.raw_ops.GetSessionTensor(handle=handle, dtype=tf.float32, name="held_tensor")
    tf.raw_ops.DeleteSessionTensor(handle=handle, name="forget")

    v1.variables_initializer(v1.global_variables(), name="init")
    tf.io.write_graph(g, ".", "hammer.pbtxt")
