"""make_branching_onnx.py FILE: a small net of parallel branches that join, split and join again, with random weights.

The branches are of unlike depth and operator, so that neither their order of execution nor their names can be guessed
from the order in the file.
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CHANNELS = 8


def main():
    random = np.random.default_rng(7)
    nodes, weights = [], []

    def weight(name, *shape):
        weights.append(numpy_helper.from_array(random.standard_normal(shape).astype(np.float32) * 0.1, name))
        return name

    def node(operator, name, inputs, **attributes):
        nodes.append(helper.make_node(operator, inputs, [f"{name}:out"], name=name, **attributes))
        return f"{name}:out"

    def convolution(name, source, kernel):
        pads = [kernel // 2] * 4
        return node("Conv", name, [source, weight(f"{name}.w", CHANNELS, CHANNELS, kernel, kernel)],
                    kernel_shape=[kernel, kernel], pads=pads)

    narrow = node("Sigmoid", "narrow/act", [convolution("narrow/conv", "image", 1)])
    wide = convolution("wide/conv2", node("Tanh", "wide/act", [convolution("wide/conv1", "image", 5)]), 3)
    pooled = node("AveragePool", "pooled", ["image"], kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4)
    joined = node("Concat", "join", [narrow, wide, pooled], axis=1)
    left, right = "split:left", "split:right"
    nodes.append(helper.make_node("Split", [joined], [left, right], name="split", axis=1))
    difference = node("Sub", "difference", [left, node("Exp", "right/exp", [right])])
    mean = node("ReduceMean", "mean", [difference], axes=[2, 3], keepdims=0)
    node("Softmax", "classes", [mean], axis=1)

    graph = helper.make_graph(
        nodes, "branching",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", CHANNELS, 16, 16])],
        [helper.make_tensor_value_info("classes:out", TensorProto.FLOAT, ["N", 3 * CHANNELS // 2])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, sys.argv[1])


if __name__ == "__main__":
    main()
