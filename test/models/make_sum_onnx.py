"""make_sum_onnx.py FILE INPUTS RANK: a net that adds up so many inputs of a single element, which are called "a", "b" and so on."""
import sys

import onnx
from onnx import TensorProto, helper

path, inputs, shape = sys.argv[1], int(sys.argv[2]), [1] * int(sys.argv[3])
values = [helper.make_tensor_value_info(chr(ord("a") + i), TensorProto.FLOAT, shape) for i in range(inputs)]
total = helper.make_tensor_value_info("sum", TensorProto.FLOAT, shape)
node = helper.make_node("Sum", [value.name for value in values], ["sum"])
graph = helper.make_graph([node], f"sum of {inputs}", values, [total])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
