#!/usr/bin/env python3
"""Writes cases of the four networks of MLPerf Tiny v1.x, in float32 with seeded random weights.

    tiny.py --out DIR [--only NAME,...] [--list]

    kws    keyword spotting: DS-CNN on 49 x 10 cepstral coefficients, 12 words
    vww    visual wake words: MobileNetV1 with width 0.25 on pictures of 96 x 96, 2 classes
    ic     image classification: ResNet-8 on pictures of 32 x 32, 10 classes
    ad     anomaly detection: an autoencoder of fully connected layers on 640 numbers

Needs tensorflow-cpu and numpy. The architectures are those of the reference implementations
(github.com/mlcommons/tiny). Each case is a folder DIR/<name>/ with a graph of unknown batch size, feeds of one and of
eight examples, and TensorFlow's results, computed node by node without graph optimizers and oneDNN.
"""
from cases import f32, tf, v1, weight
from nets import run
import numpy as np


def unit(model, x, name, kernel, stride, act=True, depthwise=False):
    """A convolution without bias, batch normalization, and Relu if act is set. kernel is [height, width, channels]."""
    h, w, o = kernel
    c = int(x.shape[-1])
    if depthwise:
        k = weight(model, name + "/kernel", [h, w, c, 1], (2.0 / (h * w)) ** 0.5)
        x, o = tf.nn.depthwise_conv2d(x, k, [1, stride, stride, 1], "SAME"), c
    else:
        x = tf.nn.conv2d(x, weight(model, name + "/kernel", [h, w, c, o]), stride, "SAME")
    p = [weight(model, name + s, [o], 0.1, m) for s, m in (("/gamma", 1.0), ("/beta", 0.0), ("/mean", 0.0))]
    x = v1.nn.fused_batch_norm(x, *p, tf.constant(np.ones(o, f32)), is_training=False)[0]
    return tf.nn.relu(x) if act else x


def classify(model, x, classes):
    x = tf.reduce_mean(x, [1, 2])
    x = tf.nn.bias_add(tf.matmul(x, weight(model, "dense/kernel", [int(x.shape[-1]), classes])), weight(model, "dense/bias", [classes]))
    tf.nn.softmax(x, name="scores")
    return ["scores:0"]


def kws():
    x = v1.placeholder(tf.float32, [None, 49, 10, 1], "mfcc")
    x = unit("kws", x, "conv", [10, 4, 64], 2)
    for i in range(4):
        x = unit("kws", x, "block%d/depthwise" % i, [3, 3, 0], 1, depthwise=True)
        x = unit("kws", x, "block%d/pointwise" % i, [1, 1, 64], 1)
    return classify("kws", x, 12)


def vww():
    x = v1.placeholder(tf.float32, [None, 96, 96, 3], "image")
    x = unit("vww", x, "conv", [3, 3, 8], 2)
    for i, (o, s) in enumerate(((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (128, 1), (128, 1), (128, 1), (128, 1), (256, 2), (256, 1))):
        x = unit("vww", x, "block%d/depthwise" % i, [3, 3, 0], s, depthwise=True)
        x = unit("vww", x, "block%d/pointwise" % i, [1, 1, o], 1)
    return classify("vww", x, 2)


def ic():
    x = v1.placeholder(tf.float32, [None, 32, 32, 3], "image")
    x = unit("ic", x, "conv", [3, 3, 16], 1)
    for i, o in enumerate((16, 32, 64)):
        s = 2 if i else 1
        y = unit("ic", x, "block%d/a" % i, [3, 3, o], s)
        y = unit("ic", y, "block%d/b" % i, [3, 3, o], 1, act=False)
        if i:
            k = weight("ic", "block%d/skip" % i, [1, 1, int(x.shape[-1]), o])
            x = tf.nn.bias_add(tf.nn.conv2d(x, k, s, "SAME"), weight("ic", "block%d/bias" % i, [o]))
        x = tf.nn.relu(x + y)
    return classify("ic", x, 10)


def ad():
    x = v1.placeholder(tf.float32, [None, 640], "frames")
    sizes = (640, 128, 128, 128, 128, 8, 128, 128, 128, 128, 640)
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        x = tf.nn.bias_add(tf.matmul(x, weight("ad", "dense%d/kernel" % i, [a, b])), weight("ad", "dense%d/bias" % i, [b]))
        if i < len(sizes) - 2:
            # batch normalization, as a product and a sum
            x = tf.nn.relu(x * weight("ad", "norm%d/scale" % i, [b], 0.1, 1.0) + weight("ad", "norm%d/offset" % i, [b], 0.1))
    tf.identity(x, "frames_again")
    return ["frames_again:0"]


MODELS = {"kws": kws, "vww": vww, "ic": ic, "ad": ad}


if __name__ == "__main__":
    run(MODELS, (1, 8), "tiny", "bench/tiny.py: the architecture of MLPerf Tiny", __doc__)
