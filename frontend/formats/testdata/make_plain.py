"""Writes by hand what other tools write, beside the models of make.py. Usage: make_plain.py DIR (needs Python only)."""
import json
import os
import pickle
import sys
import zipfile

os.chdir(sys.argv[1])


def write(name, data):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


# torch.save's archive, and what it wrote before version 1.6: a magic number, a version and the object, pickled.
with zipfile.ZipFile("m.pt", "w") as z:
    z.writestr("m/data.pkl", pickle.dumps({"w": [1.0]}, 2))
    z.writestr("m/version", "3\n")
    z.writestr("m/data/0", b"\0" * 8)
write("old.pth", b"".join(pickle.dumps(o, 2) for o in (0x1950A86A20F9469CFC6C, 1001, {"w": [1.0]})))
write("m.pkl", pickle.dumps({"w": [1.0]}))

dense = {"class_name": "Sequential", "config": {"layers": [{"class_name": "Dense", "config": {"units": 1}}]}}
manifest = [{"paths": ["group1-shard1of1.bin"], "weights": [{"name": "dense/kernel", "shape": [2, 1], "dtype": "float32"}]}]
write("layers/model.json", json.dumps({"format": "layers-model", "generatedBy": "keras v2.4.0", "convertedBy": "TensorFlow.js Converter v2.0.1",
                                       "modelTopology": {"keras_version": "2.4.0", "backend": "tensorflow", "model_config": dense}, "weightsManifest": manifest}))
write("old_layers.json", json.dumps({"modelTopology": dense, "weightsManifest": manifest}))
write("m.mlpackage/Manifest.json", '{"fileFormatVersion": "1.0.0"}')
write("m.mlpackage/Data/com.apple.CoreML/model.mlmodel", b"\x08\x07")
write("m.mlir", 'module @jit_f attributes {mhlo.num_partitions = 1 : i32} {\n  func.func public @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n'
      '    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>\n    return %0 : tensor<2xf32>\n  }\n}\n')
write("m.mlirbc", b"ML\xefR\x0dStableHLO_v1.0.0\x00")
write("m.gguf", b"GGUF\x03\x00\x00\x00" + b"\0" * 16)
write("lfs.pb", "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12345\n")
write("page.pb", "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Not found</title></head></html>\n")
write("denied.pb", "<?xml version='1.0' encoding='UTF-8'?><Error><Code>AccessDenied</Code></Error>")
write("empty.pb", b"")
write("train.py", "#!/usr/bin/env python3\n\"\"\"Trains a model.\"\"\"\nimport tensorflow as tf\n\nmodel = tf.keras.Sequential()\n")
write("train.ipynb", json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
