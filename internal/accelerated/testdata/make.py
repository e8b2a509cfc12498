"""Writes steps.pbtxt, pair.pbtxt and train.pbtxt: python make.py. Feeds and expected results are in the tests."""
import os

import numpy as np
import tensorflow as tf

g = tf.Graph()
with g.as_default():
    v1 = tf.compat.v1
    rng = np.random.RandomState(7)
    weight = lambda *s: tf.constant((rng.rand(*s) - 0.5).astype(np.float32))
    # dense: two layers and a softmax.
    x = v1.placeholder(tf.float32, [None, 16], "x")
    h = tf.nn.relu(tf.matmul(x, weight(16, 24)) + weight(24), name="h")
    tf.nn.softmax(tf.matmul(h, weight(24, 5)) + weight(5), name="y")
    # hop: a result of the GPU goes to the CPU and back.
    p = v1.placeholder(tf.float32, [None], "p")
    up = tf.exp(p, name="up")
    with tf.device("/cpu:0"):
        there = tf.sqrt(up, name="there")
    tf.multiply(there, up, name="back")
    tf.add(up, 1.0, name="beside")
    # loop: y = y/2 + q, n times, on the GPU except for the counter.
    q = v1.placeholder(tf.float32, [3], "q")
    n = v1.placeholder(tf.int32, [], "n")
    v1.disable_control_flow_v2()
    _, out = v1.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 0.5 + q), [0, tf.zeros([3])], name="loop")
    tf.identity(out, name="looped")
    # far: a loop where a result of the GPU goes to the CPU in each iteration.
    def far(i, y):
        with tf.device("/cpu:0"):
            z = tf.sin(y)
        return i + 1, z * 2.0 + q
    _, out = v1.while_loop(lambda i, y: i < n, far, [0, tf.zeros([3])], name="far_loop")
    tf.identity(out, name="far")
    # count: a variable.
    var = v1.get_variable("total", initializer=np.zeros(3, np.float32), use_resource=True)
    var.assign_add(q, name="bump", read_value=False)
    tf.identity(var.read_value(), name="now")
    v1.global_variables_initializer()
    d = g.as_graph_def()
here = os.path.dirname(os.path.abspath(__file__))
tf.io.write_graph(d, here, "steps.pbtxt", as_text=True)

g = tf.Graph()
with g.as_default():
    # across: GPU 0 to GPU 1 and back; both GPUs and the CPU have fetches.
    p = v1.placeholder(tf.float32, [None], "p")
    with tf.device("/gpu:0"):
        up = tf.exp(p, name="up")
    with tf.device("/gpu:1"):
        there = tf.multiply(tf.sqrt(up), 3.0, name="there")
        sum = tf.add(up, 1.0, name="sum")
    with tf.device("/gpu:0"):
        tf.multiply(there, up, name="back")
    with tf.device("/cpu:0"):
        tf.negative(sum, name="down")
    # late: GPU 1 combines a result of GPU 0 with a later feed, in a separate step.
    r = v1.placeholder(tf.float32, [None], "r")
    with tf.device("/gpu:1"):
        tf.multiply(up, r, name="late")
    # rally: a loop that goes from one GPU to the other and back in each iteration. GPU 0 does
    # not wait for the sum on GPU 1.
    q = v1.placeholder(tf.float32, [3], "q")
    n = v1.placeholder(tf.int32, [], "n")
    def rally(i, y, s):
        with tf.device("/gpu:0"):
            z = y * 0.5 + q
        with tf.device("/gpu:1"):
            w = tf.sin(z)
            s = s + z * z
        return i + 1, z + 0.25, s + w
    with tf.device("/gpu:0"):
        first = tf.zeros([3])
    with tf.device("/gpu:1"):
        sums = tf.zeros([3])
    _, y, s = v1.while_loop(lambda i, y, s: i < n, rally, [0, first, sums], name="rally")
    tf.identity(y, name="last")
    tf.identity(s, name="sums")
    d = g.as_graph_def()
tf.io.write_graph(d, here, "pair.pbtxt", as_text=True)

g = tf.Graph()
with g.as_default():
    # train: a step of Adam for two layers that returns the loss before it; and that loss alone.
    rng = np.random.RandomState(9)
    var = lambda name, *s: v1.get_variable(name, initializer=(rng.rand(*s) - 0.5).astype(np.float32), use_resource=True)
    x = v1.placeholder(tf.float32, [None, 6], "x")
    t = v1.placeholder(tf.float32, [None, 2], "t")
    h = tf.tanh(tf.matmul(x, var("w1", 6, 8)) + var("b1", 8))
    y = tf.matmul(h, var("w2", 8, 2)) + var("b2", 2)
    loss = tf.reduce_mean(tf.math.squared_difference(y, t), name="loss")
    v1.train.AdamOptimizer(0.05).minimize(loss, name="step")
    v1.global_variables_initializer()
    d = g.as_graph_def()
tf.io.write_graph(d, here, "train.pbtxt", as_text=True)
