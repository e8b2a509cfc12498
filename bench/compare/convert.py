#!/usr/bin/env python3
"""Converts the SavedModel of a case for another tool: convert.py KIND CASE FILE

KIND is onnx (tf2onnx), onnx-extensions (with the ops of onnxruntime-extensions), tflite, tflite-select (with the ops of
TensorFlow), tfcompile (saved_model_cli), openvino, openvino-tokenizers (with its ops), iree (iree-tools-tf, and
iree-compile on PATH), or iree-onnx (tf2onnx, and iree-import-onnx on PATH). All but openvino and openvino-tokenizers need tensorflow-cpu. Shapes stay as the model gives
them, except for tfcompile, which refuses inputs of unknown size and gets those of the first run.
"""
import json, os, subprocess, sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"


def onnx(model, case, out, flags=()):
    subprocess.run([sys.executable, "-m", "tf2onnx.convert", "--saved-model", model, "--signature_def", "serving_default",
                    "--tag", "serve", "--opset", "18", "--output", out, *flags], check=True)


def onnx_extensions(model, case, out):
    onnx(model, case, out, ["--extra_opset", "ai.onnx.contrib:1"])


def tflite(model, case, out, select=False):
    import tensorflow as tf
    c = tf.lite.TFLiteConverter.from_saved_model(model, signature_keys=["serving_default"])
    c.experimental_enable_resource_variables = True
    if select:
        c.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS]
    data = c.convert()
    with open(out, "wb") as f:
        f.write(data)


def tflite_select(model, case, out):
    tflite(model, case, out, True)


def tfcompile(model, case, out):
    from tensorflow.python.tools import saved_model_aot_compile as aot
    from tensorflow.python.tools import saved_model_utils
    meta = saved_model_utils.get_meta_graph_def(model, "serve")
    names = meta.signature_def["serving_default"]
    fixed = first_shapes(case)
    for node in meta.graph_def.node:
        if node.name + ":0" in fixed:
            node.attr["shape"].shape.CopyFrom(fixed[node.name + ":0"])
    for t in names.inputs.values():
        t.tensor_shape.CopyFrom(fixed[t.name])
    for fed in ((), None):      # variables as constants; and, for a model that writes them, as inputs and outputs
        try:
            return aot.aot_compile_cpu_meta_graph_def(
                checkpoint_path=os.path.join(model, "variables", "variables"), meta_graph_def=meta, output_prefix=out,
                signature_def_key="serving_default", cpp_class="Model", target_triple="x86_64-pc-linux", target_cpu="",
                variables_to_feed=fed)
        except Exception as e:
            error = e
            print("variables_to_feed=%s: %s: %s" % (fed, type(e).__name__, str(e)[:2000]))
    raise error


def first_shapes(case):
    import numpy as np
    import tensorflow as tf
    with open(case + "/case.json") as f:
        c = json.load(f)
    shapes = {k: v.shape for k, v in np.load(os.path.join(case, c["runs"][0]["feeds"])).items()}
    shapes.update({k: v["shape"] for k, v in c["strings"].items()})
    return {k: tf.TensorShape(v).as_proto() for k, v in shapes.items()}


def openvino(model, case, out):
    import openvino as ov
    ov.save_model(ov.convert_model(model), out, compress_to_fp16=False)


def openvino_tokenizers(model, case, out):
    import openvino_tokenizers      # registers its ops
    openvino(model, case, out)


def iree(model, case, out):
    subprocess.run([sys.executable, "-m", "iree.tools.tf.scripts.iree_import_tf", "--tf-import-type=savedmodel_v1", "--tf-savedmodel-exported-names=serving_default",
                    "--tf-savedmodel-tags=serve", model, "-o", out + ".mlir"], check=True)
    iree_compile(out)


def iree_onnx(model, case, out):
    onnx(model, case, out + ".onnx")
    subprocess.run(["iree-import-onnx", out + ".onnx", "-o", out + ".mlir"], check=True)
    iree_compile(out)


def iree_compile(out):
    subprocess.run(["iree-compile", "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
                    "--iree-llvmcpu-target-cpu=generic", out + ".mlir", "-o", out], check=True)


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")](sys.argv[2] + "/saved_model", sys.argv[2], sys.argv[3])
