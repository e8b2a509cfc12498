"""Writes the graphs of this folder, the losses of 10 steps of each, and a checkpoint after 5 steps.

With TensorFlow 2.21: python make.py
"""
import os
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
STEPS, BATCH, CLASSES = 10, 4, 3


def var(rng, name, *shape):
    scale = 1 / np.sqrt(np.prod(shape[:-1])) if len(shape) > 1 else 0
    value = (rng.standard_normal(shape) * scale).astype(np.float32)
    return tf.get_variable(name, initializer=tf.constant(value), use_resource=name[0] == "r")


def mlp(rng, x):
    h = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, var(rng, "w0", 12, 8)), var(rng, "rb0", 8)))
    return tf.matmul(h, var(rng, "rw1", 8, CLASSES)) + var(rng, "b1", CLASSES), tf.train.AdamOptimizer(0.01)


def conv(rng, x):
    h = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, var(rng, "w0", 3, 3, 1, 4), 1, "SAME"), var(rng, "b0", 4)))
    h = tf.nn.max_pool2d(h, 2, 2, "SAME")
    h = tf.nn.avg_pool2d(tf.nn.relu(tf.nn.conv2d(h, var(rng, "rw1", 3, 3, 4, 4), 1, "SAME")), 2, 2, "SAME")
    return tf.matmul(tf.reshape(h, [-1, 16]), var(rng, "w2", 16, CLASSES)), tf.train.MomentumOptimizer(0.02, 0.9, use_nesterov=True)


def lstm(rng, x):
    steps, units = 5, 4
    kernel, bias = var(rng, "kernel", 3 + units, 4 * units), var(rng, "rbias", 4 * units)
    xs = tf.TensorArray(tf.float32, steps, element_shape=[None, 3]).unstack(tf.transpose(x, [1, 0, 2]))
    out = tf.TensorArray(tf.float32, steps, element_shape=[None, units])
    zero = tf.zeros(tf.stack([tf.shape(x)[0], units]))
    zero.set_shape([None, units])

    def body(t, c, h, out):
        i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([xs.read(t), h], 1), kernel), bias), 4, 1)
        c = tf.sigmoid(f + 1) * c + tf.sigmoid(i) * tf.tanh(j)
        h = tf.sigmoid(o) * tf.tanh(c)
        return t + 1, c, h, out.write(t, h)

    _, _, h, out = tf.while_loop(lambda t, *_: t < steps, body, (0, zero, zero, out))
    return tf.matmul(h + tf.reduce_mean(out.stack(), 0), var(rng, "rw", units, CLASSES)), tf.train.AdamOptimizer(0.01)


losses = []
for model, shape in [(mlp, [12]), (conv, [8, 8, 1]), (lstm, [5, 3])]:
    name = model.__name__
    tf.reset_default_graph()
    x = tf.placeholder(tf.float32, [None] + shape, name="x")
    y = tf.placeholder(tf.int64, [None], name="y")
    logits, optimizer = model(np.random.default_rng(7), x)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits), name="loss")
    optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step(), name="train")
    tf.variables_initializer(tf.global_variables(), name="init")
    saver = tf.train.Saver(name="save")
    graph = tf.get_default_graph().as_graph_def()
    for n in graph.node:
        n.attr.pop("_output_shapes", None)
    open(name + ".pb", "wb").write(graph.SerializeToString(deterministic=True))
    with tf.Session() as s:
        s.run("init")
        n = BATCH * int(np.prod(shape))
        line = [name]
        for i in range(STEPS):
            xs = (((np.arange(n) * 37 + i * 11) % 97).astype(np.float32) / np.float32(97)).reshape([BATCH] + shape)
            ys = (np.arange(BATCH) * 7 + i) % CLASSES
            line.append("%.9g" % s.run(["loss:0", "train"], {x: xs, y: ys})[0])
            if i == 4:
                saver.save(s, "./" + name, write_meta_graph=False, write_state=False)
        losses.append(" ".join(line))
open("losses.txt", "w").write("\n".join(losses) + "\n")
