"""Writes readings.pbtxt: a graph that takes each sensor's median from its readings, where
tf.py_function computes the medians with NumPy. TensorFlow itself has no op for a median.
Run with TensorFlow 2 in this folder: python make.py"""

import numpy as np
import tensorflow as tf
from google.protobuf import text_format


def median(x):
    return np.median(x.numpy(), axis=1).astype(np.float32)


with tf.Graph().as_default() as g:
    readings = tf.compat.v1.placeholder(tf.float32, [None, 5], "readings")
    medians = tf.py_function(median, [readings], tf.float32, name="median")
    medians.set_shape([None])
    tf.abs(readings - medians[:, tf.newaxis], name="deviations")
    with tf.compat.v1.Session() as s:
        got = s.run("deviations:0", {readings: [[3, 1, 2, 5, 4], [10, 10, 11, 9, 90]]})
        print(got)  # main_test.go has these numbers
with open("readings.pbtxt", "w") as f:
    f.write(text_format.MessageToString(g.as_graph_def()))
