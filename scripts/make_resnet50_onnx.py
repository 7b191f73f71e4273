#!/usr/bin/env python3
"""make_resnet50_onnx.py FILE: ResNet-50 v1.5 as an ONNX file with random weights (about 100 MB).

The weights change no latency worth mentioning, so nothing needs to be fetched to profile a real network.
"""
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

STAGES = [(64, 3), (128, 4), (256, 6), (512, 3)]  # width of the bottleneck, number of blocks
EXPANSION = 4
CLASSES = 1000


class Network:
    """Collects nodes and weights; every method adds a node and returns the name of its output."""

    def __init__(self):
        self.nodes = []
        self.weights = []
        self.random = np.random.default_rng(0)

    def node(self, operator, name, inputs, **attributes):
        output = f"{name}.out"
        self.nodes.append(helper.make_node(operator, inputs, [output], name=name, **attributes))
        return output

    def weight(self, name, values):
        self.weights.append(numpy_helper.from_array(np.asarray(values, np.float32), name))
        return name

    def random_weight(self, name, shape, scale):
        return self.weight(name, self.random.standard_normal(shape) * scale)

    def convolution(self, name, source, inputs, outputs, kernel, stride=1):
        """With He initialisation, so that activations neither vanish nor overflow through 50 layers."""
        shape = (outputs, inputs, kernel, kernel)
        filters = self.random_weight(f"{name}.weight", shape, (2.0 / (inputs * kernel * kernel)) ** 0.5)
        return self.node("Conv", name, [source, filters], kernel_shape=[kernel, kernel], strides=[stride, stride],
                         pads=[kernel // 2] * 4)

    def batch_norm(self, name, source, channels):
        parameters = [self.weight(f"{name}.{part}", np.full(channels, value))
                      for part, value in (("scale", 1), ("bias", 0), ("mean", 0), ("var", 1))]
        return self.node("BatchNormalization", name, [source, *parameters])

    def relu(self, name, source):
        return self.node("Relu", name, [source])

    def bottleneck(self, name, source, inputs, width, stride):
        outputs = width * EXPANSION
        x = self.convolution(f"{name}.conv1", source, inputs, width, 1)
        x = self.relu(f"{name}.relu1", self.batch_norm(f"{name}.bn1", x, width))
        x = self.convolution(f"{name}.conv2", x, width, width, 3, stride)
        x = self.relu(f"{name}.relu2", self.batch_norm(f"{name}.bn2", x, width))
        x = self.batch_norm(f"{name}.bn3", self.convolution(f"{name}.conv3", x, width, outputs, 1), outputs)
        identity = source
        if inputs != outputs:
            identity = self.convolution(f"{name}.downsample.0", source, inputs, outputs, 1, stride)
            identity = self.batch_norm(f"{name}.downsample.1", identity, outputs)
        return self.relu(f"{name}.relu3", self.node("Add", f"{name}.add", [x, identity]))


def resnet50():
    net = Network()
    x = net.batch_norm("bn1", net.convolution("conv1", "image", 3, 64, 7, 2), 64)
    x = net.node("MaxPool", "maxpool", [net.relu("relu1", x)], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for stage, (width, blocks) in enumerate(STAGES, 1):
        for block in range(blocks):
            stride = 2 if stage > 1 and block == 0 else 1
            x = net.bottleneck(f"layer{stage}.{block}", x, channels, width, stride)
            channels = width * EXPANSION
    x = net.node("Flatten", "flatten", [net.node("GlobalAveragePool", "avgpool", [x])], axis=1)
    weight = net.random_weight("fc.weight", (CLASSES, channels), 0.01)
    x = net.node("Gemm", "fc", [x, weight, net.weight("fc.bias", np.zeros(CLASSES))], transB=1)
    output = net.node("Softmax", "softmax", [x], axis=1)
    graph = helper.make_graph(
        net.nodes, "resnet50", [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 3, 224, 224])],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["N", CLASSES])], net.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8  # from the time of opset 13: readable by older runtimes too
    return model


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    onnx.save(resnet50(), sys.argv[1])


if __name__ == "__main__":
    main()
