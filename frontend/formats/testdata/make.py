"""Writes the models that TestFormats detects. Usage: make.py DIR (needs TensorFlow, Keras, h5py)."""
import gzip
import os
import shutil
import sys
import tarfile
import zipfile

import keras
import numpy as np
import tensorflow as tf

out = sys.argv[1]
os.makedirs(out, exist_ok=True)
os.chdir(out)


def pack(name, folder):
    """pack writes a folder as TF Hub and Kaggle offer it for download."""
    with tarfile.open(name + ".tar.gz", "w:gz") as t:
        t.add(folder, arcname=".")
    with zipfile.ZipFile(name + ".zip", "w", zipfile.ZIP_DEFLATED) as z:
        for d, _, files in sorted(os.walk(folder)):
            for f in sorted(files):
                p = os.path.join(d, f)
                z.write(p, os.path.relpath(p, folder))


keras.utils.set_random_seed(1)
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
model.save("m.keras")
model.save("m.h5")
model.save_weights("m.weights.h5")
with open("keras_config.json", "w") as f:
    f.write(model.to_json())


class Module(tf.Module):
    def __init__(self):
        self.w = tf.Variable([1.0, 2.0], name="w")

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def __call__(self, x):
        return {"y": self.w * x}


class Unsigned(tf.Module):
    def __init__(self):
        self.w = tf.Variable([1.0, 2.0], name="w")

    @tf.function
    def scale(self, x):
        return self.w * x


m = Unsigned()
m.scale(tf.zeros([2]))
tf.saved_model.save(m, "no_signatures")
m = Module()
tf.saved_model.save(m, "signed/1", signatures=m.__call__)
pack("signed", "signed/1")

with open("m.tflite", "wb") as f:
    f.write(tf.lite.TFLiteConverter.from_saved_model("signed/1").convert())

tf.train.Checkpoint(w=m.w).write("checkpoint2/model")
tf.train.CheckpointManager(tf.train.Checkpoint(w=m.w), "checkpoint2", 1).save()

v1 = tf.compat.v1


def affine(name):
    x = v1.placeholder(tf.float32, [2], name="x")
    w = v1.get_variable("w", initializer=tf.constant([1.0, 2.0]))
    return x, tf.multiply(x, w, name=name)


with tf.Graph().as_default(), v1.Session() as s:
    x, y = affine("y")
    s.run(v1.global_variables_initializer())
    saver = v1.train.Saver()
    saver.save(s, "checkpoint1/model.ckpt")
    v1.train.export_meta_graph("metagraph.pbtxt", as_text=True, clear_devices=True)
    v1.train.export_meta_graph("metagraph.pb", clear_devices=True)
    tf.io.write_graph(s.graph_def, "graphs", "graph.pb", as_text=False)
    tf.io.write_graph(s.graph_def, "graphs", "graph.pbtxt")

# A module as tensorflow_hub 0.12 wrote it: meta graphs without a tag and for training, variables saved apart.
builder = v1.saved_model.builder.SavedModelBuilder("hub")
for tags in ([], ["train"]):
    with tf.Graph().as_default(), v1.Session() as s:
        x, y = affine("y")
        s.run(v1.global_variables_initializer())
        sig = {"default": v1.saved_model.signature_def_utils.build_signature_def(
            {"default": v1.saved_model.utils.build_tensor_info(x)},
            {"default": v1.saved_model.utils.build_tensor_info(y)})}
        if not tags:
            builder.add_meta_graph_and_variables(s, tags, signature_def_map=sig)
        else:
            builder.add_meta_graph(tags, signature_def_map=sig)
builder.save()
with open("hub/tfhub_module.pb", "wb") as f:
    f.write(b"\x08\x03")  # ModuleDef { format: FORMAT_V3 }

np.save("x.npy", np.zeros(2, np.float32))
np.savez("x.npz", x=np.zeros(2, np.float32))
shutil.copy("no_signatures/saved_model.pb", "renamed.pb")
with open("graphs/graph.pb", "rb") as f, gzip.GzipFile("graph.pb.gz", "wb", mtime=0) as z:
    z.write(f.read())
with tarfile.open("stuff.tar", "w") as t:
    t.add("graphs/graph.pbtxt")
with zipfile.ZipFile("stuff.zip", "w") as z:
    z.write("graphs/graph.pbtxt")
