"""Writes hammer.pbtxt, a graph with all kinds of state and loops, and parted.pbtxt, a graph whose
nodes are placed on three devices. Run with TensorFlow 2 in this folder: python make.py"""

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

# The graph on several devices. Results of a signature go from device to device,
# and each variable is on another device than the nodes that compute its updates.
with tf.Graph().as_default() as g:
    d0, d1, d2 = ["/device:CPU:%d" % i for i in range(3)]

    def variable(name, shape, dtype, resource=True):
        return v1.get_variable(name, shape, dtype, v1.zeros_initializer(), use_resource=resource)

    # Variables on three devices.
    row = v1.placeholder(tf.int32, [3], "row")
    with tf.device(d0):
        count = variable("count", [], tf.int64)
        half = tf.fill([16, 64], 0.5)
        picked = row + 1
    with tf.device(d1):
        wide = variable("wide", [16, 64], tf.float32)
        ref = variable("ref", [16, 64], tf.float32, False)
        picked = picked - 1
        ones = tf.tile(tf.ones([1, 8], tf.int32), [tf.size(row), 1])
    with tf.device(d2):
        rows = variable("rows", [16, 8], tf.int32)
        refrows = variable("refrows", [16, 8], tf.int32, False)
        one = tf.add_n([half, half])
        amount = tf.reduce_max(tf.cast(row >= 0, tf.int64))
    tf.group(
        count.assign_add(amount, read_value=False),
        wide.assign_add(one, read_value=False),
        v1.assign_add(ref, one, use_locking=True).op,
        v1.scatter_add(rows, picked, ones).op,
        v1.scatter_add(refrows, picked, ones, use_locking=True).op,
        name="update",
    )
    for name, v in [("count", count), ("wide", wide), ("ref", ref), ("rows", rows), ("refrows", refrows)]:
        tf.identity(v, name="read_" + name)

    # A table; keys and words come from other devices, and go to others.
    key = v1.placeholder(tf.int64, [], "key")
    word = v1.placeholder(tf.string, [], "word")
    with tf.device(d0):
        longer = tf.strings.join([word, "!"])
    with tf.device(d1):
        odd = 2 * key + 1
    with tf.device(d2):
        table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.string, "none", name="words")
        tf.group(table.insert([odd], [longer]), name="insert")
        got = tf.squeeze(table.lookup([odd]))
        tf.identity(table.size(), name="held")
    with tf.device(d0):
        tf.strings.join(["<", got, ">"], name="found")
    with tf.device(d1):
        tf.strings.length(got, name="found_length")

    # A queue on another device than the nodes that use it.
    value = v1.placeholder(tf.int64, [], "value")
    with tf.device(d2):
        twice = value * 2
    with tf.device(d1):
        queue = v1.FIFOQueue(8, tf.int64, [[]], name="queue")
        tf.group(queue.enqueue(twice), name="put")
        taken = queue.dequeue()
        tf.identity(queue.size(), name="waiting")
        tf.group(queue.close(), name="close")
    with tf.device(d0):
        tf.math.floordiv(taken, 2, name="got")

    # A model with a layer on each of two devices and its steps on the third.
    x = v1.placeholder(tf.float32, [None, 2], "x")
    y = v1.placeholder(tf.float32, [None, 1], "y")
    with tf.device(d1):
        w1 = v1.get_variable("w1", [2, 4], initializer=v1.constant_initializer(0.25), use_resource=False)
        hidden = tf.matmul(x, w1)
    with tf.device(d2):
        w2 = v1.get_variable("w2", [4, 1], initializer=v1.constant_initializer(0.25), use_resource=True)
        off = tf.matmul(hidden, w2) - y
    with tf.device(d0):
        loss = tf.reduce_mean(tf.square(off), name="loss")
        step = variable("step", [], tf.int64)
        v1.train.AdamOptimizer(0.02, epsilon=0.1, use_locking=True).minimize(loss, step, name="train", colocate_gradients_with_ops=True)
    tf.matmul(w1, w2, name="read_w")
    tf.identity(step, name="read_step")

    # Conditionals: the condition is computed on one device, the branches on the others.
    p = v1.placeholder(tf.int32, [], "p")
    v = v1.placeholder(tf.float32, [None], "v")

    def branches():
        def small():
            with tf.device(d1):
                a = v * 2.0
            with tf.device(d2):
                return a + 1.0

        def large():
            with tf.device(d2):
                b = v - 3.0
                deep = p > 20

            def deeper():
                with tf.device(d1):
                    return b * b

            def shallow():
                with tf.device(d0):
                    return -b

            return tf.cond(deep, deeper, shallow)

        with tf.device(d0):
            less = p < 10
        return tf.cond(less, small, large)

    with tf.device(d1):
        tf.add(branches(), 0.5, name="branched")
    v1.enable_control_flow_v2()
    with tf.device(d2):
        tf.add(branches(), 0.5, name="branched_v2")
    v1.disable_control_flow_v2()

    # Loops: the counter is on one device, the other loop variables on others.
    turns = v1.placeholder(tf.int32, [], "turns")
    seed = v1.placeholder(tf.float32, [4], "seed")

    def loop():
        def condition(i, *_):
            with tf.device(d0):
                return i < turns

        def body(i, x, s, a):
            with tf.device(d1):
                x = tf.tanh(x * 1.5)
            with tf.device(d2):
                x = x + 0.1
                s = s + tf.reduce_sum(x)
                a = a.write(i, x)
            with tf.device(d0):
                i = i + 1
            return i, x, s, a

        with tf.device(d2):
            a = tf.TensorArray(tf.float32, turns, element_shape=[4])
        _, last, sum_, a = tf.while_loop(condition, body, [tf.constant(0), seed, tf.constant(0.0), a])
        with tf.device(d2):
            return a.stack(), last, sum_

    for suffix in ["", "_v2"]:
        if suffix:
            v1.enable_control_flow_v2()
        all_, last, sum_ = loop()
        with tf.device(d0):
            tf.identity(all_, name="written" + suffix)
            tf.identity(sum_, name="sum" + suffix)
        slope = v1.gradients(tf.reduce_sum(last), seed, colocate_gradients_with_ops=True)[0]
        with tf.device(d1):
            tf.identity(slope, name="slope" + suffix)
    v1.disable_control_flow_v2()

    # A loop in a loop, the inner one on two devices other than the outer one's.
    inner = v1.placeholder(tf.int32, [], "inner")

    def outer_body(i, s):
        def inner_body(j, s):
            with tf.device(d1):
                k = i * j + 1
            with tf.device(d2):
                return j + 1, (s * 3 + k) % 1009

        with tf.device(d2):
            _, s = tf.while_loop(lambda j, s: j < inner, inner_body, [tf.constant(0), s])
        with tf.device(d0):
            return i + 1, s + 1

    with tf.device(d0):
        nested = tf.while_loop(lambda i, s: i < turns, outer_body, [tf.constant(0), tf.constant(0)])
    with tf.device(d1):
        tf.identity(nested[1], name="nested")

    # A loop that changes variables on two devices in each turn, and one that waits in each.
    with tf.device(d1):
        turn1 = variable("turn1", [], tf.int64)
    with tf.device(d2):
        turn2 = variable("turn2", [], tf.int64, False)

    def count_up(i):
        with tf.device(d2):
            one = tf.cast(i - i + 1, tf.int64)
            second = v1.assign_add(turn2, one, use_locking=True).op
        with tf.control_dependencies([turn1.assign_add(one, read_value=False), second]):
            with tf.device(d0):
                return i + 1

    with tf.device(d0):
        counted = tf.while_loop(lambda i: i < turns, count_up, [tf.constant(0)])[0]
    tf.identity(counted, name="counted")
    tf.identity(turn1, name="read_turn1")
    tf.identity(turn2, name="read_turn2")
    with tf.device(d0):
        endless = tf.while_loop(lambda s: s >= 0, lambda s: s + queue.dequeue(), [tf.constant(0, tf.int64)])[0]
        tf.identity(endless, name="drained")

    # Sizes computed on one device that others need.
    with tf.device(d0):
        at = tf.where(v > 0)
    with tf.device(d1):
        positive = tf.gather_nd(v, at, name="positive")
        text = v1.placeholder(tf.string, [], "text")
        parts = tf.strings.split([text], sep=" ").values
    with tf.device(d2):
        distinct, _, times = tf.unique_with_counts(parts)
        tf.reduce_sum(tf.concat([positive, positive * positive], 0), name="positive_sum")
        values, back = tf.unique(tf.cast(positive, tf.int32))
    with tf.device(d0):
        tf.identity(tf.strings.reduce_join(tf.strings.join([distinct, tf.strings.as_string(times)], "="), separator=","), name="tally")
        tf.identity(distinct, name="distinct")
    with tf.device(d1):
        tf.gather(values * 2, back, name="restored")

    # Errors on one device while others compute and wait.
    what = v1.placeholder(tf.int32, [], "what")
    with tf.device(d0):
        busy = tf.while_loop(lambda i, s: i < turns, lambda i, s: (i + 1, (s * 3 + 1) % 1009), [tf.constant(0), tf.constant(0)], name="busy")[1]
        checked = tf.raw_ops.CheckNumerics(tensor=v / tf.cast(tf.not_equal(what, 3), tf.float32), message="not a number", name="bad_number")
    with tf.device(d1):
        with tf.control_dependencies([tf.raw_ops.Assert(condition=tf.not_equal(what, 1), data=[what, busy], name="bad_assert")]):
            asserted = checked + 0.0

        def divide(j, s):
            with tf.device(d2):
                by = tf.where(tf.equal(what, 4), j - 5, 1 + j - j)
            return j + 1, s + tf.math.floordiv(100 + j, by, name="bad_turn")

        divided = tf.while_loop(lambda j, s: j < 8, divide, [tf.constant(0), tf.constant(0)])[1]
    with tf.device(d2):
        quotient = tf.math.floordiv(10, what - 2, name="bad_division")
        shaped = tf.reshape(asserted, tf.where(tf.equal(what, 5), [3, 5], [-1, 1]), name="bad_shape")
        tf.add(tf.reduce_sum(shaped), tf.cast(busy + quotient + divided, tf.float32), name="survived")
    with tf.device(d1):
        never = v1.FIFOQueue(2, tf.int64, [[]], name="never")
        nothing = never.dequeue()
    with tf.device(d2):
        with tf.control_dependencies([tf.raw_ops.Assert(condition=tf.not_equal(what, 1), data=[what, busy], name="bad_while_waiting")]):
            tf.identity(nothing, name="waited")

    # Partial runs: results of a are available before b is fed, results of b before c is fed.
    a, b, c = [v1.placeholder(tf.float32, [None, 3], name) for name in "abc"]
    with tf.device(d0):
        tf.add(a, 1.0, name="first")
    with tf.device(d1):
        sum_ = tf.reduce_sum(a * b, 0)
        seen = variable("seen", [], tf.int64)
        tf.group(seen.assign_add(tf.cast(tf.reduce_sum(sum_) > -1e30, tf.int64), read_value=False), name="see")
    with tf.device(d2):
        tf.identity(sum_, name="second")
        many = tf.while_loop(lambda s: tf.reduce_sum(s) < 1000.0, lambda s: s * 2.0 + 1.0, [tf.abs(sum_)])[0]
    with tf.device(d0):
        tf.matmul(c, tf.reshape(many, [3, 1]), name="third")
    tf.identity(seen, name="read_seen")

    v1.variables_initializer(v1.global_variables(), name="init")
    tf.io.write_graph(g, ".", "parted.pbtxt")
