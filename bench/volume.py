#!/usr/bin/env python3
"""Writes cases of networks on volumes, in float32 with seeded random weights.

    volume.py --out DIR [--only NAME,...] [--list]

    unet3d    a U-Net of three levels with convolutions of 3 x 3 x 3, on a volume of 128 x 128 x 128 voxels, 4 classes

Needs tensorflow-cpu and numpy. The architecture is that of Cicek et al., 3D U-Net (MICCAI 2016), with a quarter of its
channels and one level less. Each case is a folder DIR/<name>/ with a graph of unknown batch size, one volume, and
TensorFlow's results, computed node by node without graph optimizers and oneDNN.
"""
from cases import tf, v1, weight
from nets import run


def unit(x, name, o):
    """A convolution, batch normalization and Relu."""
    c = int(x.shape[-1])
    x = tf.nn.conv3d(x, weight("unet3d", name + "/kernel", [3, 3, 3, c, o]), [1] * 5, "SAME")
    x = x * weight("unet3d", name + "/scale", [o], 0.1, 1.0) + weight("unet3d", name + "/offset", [o], 0.1)
    return tf.nn.relu(x)


def double(x, name, size):
    """A transposed convolution that doubles the size of a volume of size^3 voxels."""
    c = int(x.shape[-1])
    k = weight("unet3d", name + "/kernel", [2, 2, 2, c, c], 0.2 * (8 / c) ** 0.5)
    shape = tf.stack([tf.shape(x)[0], 2 * size, 2 * size, 2 * size, c])
    x = tf.nn.conv3d_transpose(x, k, shape, [1, 2, 2, 2, 1], "SAME")
    x.set_shape([None, 2 * size, 2 * size, 2 * size, c])
    return tf.nn.bias_add(x, weight("unet3d", name + "/bias", [c]))


def unet3d():
    size = 128
    x = v1.placeholder(tf.float32, [None, size, size, size, 1], "volume")
    skips = []
    for i, (a, b) in enumerate(((8, 16), (16, 32), (32, 64))):
        x = unit(unit(x, "down%d/a" % i, a), "down%d/b" % i, b)
        if i < 2:
            skips.append(x)
            x = tf.nn.max_pool3d(x, 2, 2, "SAME")
    for i in (1, 0):
        x = double(x, "up%d" % i, size >> (i + 1))
        x = tf.concat([skips[i], x], -1)
        o = (16, 32)[i]
        x = unit(unit(x, "up%d/a" % i, o), "up%d/b" % i, o)
    x = tf.nn.conv3d(x, weight("unet3d", "classes/kernel", [1, 1, 1, 16, 4]), [1] * 5, "SAME")
    tf.nn.softmax(x, name="scores")
    return ["scores:0"]


if __name__ == "__main__":
    run({"unet3d": unet3d}, (1,), "volume", "bench/volume.py: a 3-D U-Net", __doc__)
