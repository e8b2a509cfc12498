"""Writes ONNX, safetensors and Core ML models beside those of make.py. Usage: make_others.py DIR (needs onnx, safetensors, coremltools)."""
import os
import sys
import types

import numpy as np
import onnx
from onnx import TensorProto, helper
from safetensors.numpy import save_file

os.chdir(sys.argv[1])
x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])
y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])
graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
onnx.save(helper.make_model(graph, producer_name="graphc"), "m.onnx")
onnx.save(helper.make_model(graph), "bare.onnx")
save_file({"w": np.zeros(2, np.float32)}, "m.safetensors")

# coremltools itself loads a library that is for macOS only; its messages do without.
package = types.ModuleType("coremltools")
package.__path__ = [d + "/coremltools" for d in sys.path if os.path.isdir(d + "/coremltools")]
sys.modules["coremltools"] = package
from coremltools.proto import Model_pb2
m = Model_pb2.Model(specificationVersion=1)
i = m.description.input.add(name="x")
i.type.multiArrayType.shape.append(2)
o = m.description.output.add(name="y")
o.type.multiArrayType.shape.append(2)
m.identity.SetInParent()
nn = m.neuralNetwork.layers.add(name="l", input=["x"], output=["y"])
nn.activation.ReLU.SetInParent()
with open("m.mlmodel", "wb") as f:
    f.write(m.SerializeToString(deterministic=True))
