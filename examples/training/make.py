"""Writes moons.pbtxt, a small classifier with its training step, points.csv, what it
learns from, and for the test a checkpoint and the losses of TensorFlow's steps from
there. Run with TensorFlow 2 in this folder: python make.py"""

import numpy as np
import tensorflow as tf
from google.protobuf import text_format

v1 = tf.compat.v1


def graph():
    """Two hidden layers over points of the plane; Adam on the cross entropy."""
    with tf.Graph().as_default() as g:
        v1.set_random_seed(7)
        points = v1.placeholder(tf.float32, [None, 2], "points")
        labels = v1.placeholder(tf.int32, [None], "labels")
        x, width = points, 2
        for i, n in enumerate([16, 16, 2]):
            with v1.variable_scope(f"layer{i}", use_resource=True):
                w = v1.get_variable("w", [width, n], initializer=v1.glorot_uniform_initializer())
                b = v1.get_variable("b", [n], initializer=v1.zeros_initializer())
            x, width = tf.matmul(x, w) + b, n
            if i < 2:
                x = tf.nn.relu(x)
        tf.nn.softmax(x, name="scores")
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)
        loss = tf.reduce_mean(losses, name="loss")
        step = v1.train.get_or_create_global_step()
        v1.train.AdamOptimizer(0.01).minimize(loss, step, name="train")
        v1.train.get_global_step().read_value()
        v1.variables_initializer(v1.global_variables(), name="init")
        tf.io.write_graph(g, ".", "moons.pbtxt")


def points():
    """Two half circles that reach into each other, with noise."""
    rng = np.random.RandomState(1)
    t = rng.uniform(0, np.pi, 200)
    label = np.arange(200) % 2
    x = np.where(label == 0, np.cos(t), 1 - np.cos(t)) + rng.normal(0, 0.1, 200)
    y = np.where(label == 0, np.sin(t), 0.5 - np.sin(t)) + rng.normal(0, 0.1, 200)
    with open("points.csv", "w") as f:
        f.write("# x, y, which of the two half circles\n")
        for row in zip(x, y, label):
            f.write("%.3f,%.3f,%d\n" % row)


def losses():
    """Trains 20 steps: testdata/start is a checkpoint before them."""
    rows = np.loadtxt("points.csv", delimiter=",", comments="#")
    definition = v1.GraphDef()
    with open("moons.pbtxt") as f:
        text_format.Parse(f.read(), definition)
    with tf.Graph().as_default() as g, v1.Session() as s:
        tf.import_graph_def(definition, name="")
        s.run("init")
        names = [o.name for o in g.get_operations() if o.type == "VarHandleOp"]
        values = s.run([n + "/Read/ReadVariableOp:0" for n in names])
        s.run(tf.raw_ops.SaveV2(prefix="testdata/start", tensor_names=names,
                                shape_and_slices=[""] * len(names), tensors=[tf.constant(v) for v in values]))
        feeds = {"points:0": rows[:, :2], "labels:0": rows[:, 2]}
        with open("testdata/losses.txt", "w") as f:
            for _ in range(20):
                f.write("%.9g\n" % s.run(["loss:0", "train"], feeds)[0])


graph()
points()
losses()
