"""Writes opinions.pbtxt: a graph that divides texts into words with an op of TensorFlow
Text, which TensorFlow alone does not have, and scores each by weights of its words.
Run with TensorFlow 2 in this folder: python make.py"""

import tensorflow as tf
from google.protobuf import text_format

WEIGHTS = {"good": 2.0, "great": 3.0, "fine": 1.0, "bad": -2.0, "awful": -3.0, "dull": -1.0}
BUCKETS = 1000

v1 = tf.compat.v1


def node(g, name, op, inputs, **attrs):
    n = g.node.add(name=name, op=op, input=inputs)
    for k, v in attrs.items():
        n.attr[k].CopyFrom(v)


with tf.Graph().as_default() as g:
    table = [0.0] * BUCKETS
    with v1.Session() as s:
        for word, weight in WEIGHTS.items():
            table[s.run(tf.strings.to_hash_bucket_fast(word, BUCKETS))] = weight

with tf.Graph().as_default() as g:
    v1.placeholder(tf.string, [None], "texts")
    tf.constant("", name="config")
    # What the op gives, in its place.
    words = v1.placeholder(tf.string, [None], "words")
    splits = v1.placeholder(tf.int64, [None], "splits")
    weights = tf.gather(tf.constant(table), tf.strings.to_hash_bucket_fast(words, BUCKETS))
    sums = tf.concat([[0.0], tf.cumsum(weights)], 0)
    tf.sigmoid(tf.gather(sums, splits[1:]) - tf.gather(sums, splits[:-1]), name="scores")
    d = g.as_graph_def()

out = v1.GraphDef(versions=d.versions)
for n in d.node:
    if n.name == "words":
        node(out, "tokens", "WhitespaceTokenizeWithOffsetsV2", ["texts", "config"])
    elif n.name != "splits":
        m = out.node.add()
        m.CopyFrom(n)
        for i, name in enumerate(m.input):
            m.input[i] = {"words": "tokens:0", "splits": "tokens:1"}.get(name, name)
with open("opinions.pbtxt", "w") as f:
    f.write(text_format.MessageToString(out))
