"""Small ONNX models as bytes, without the package onnx: field numbers are those of onnx.proto."""
import struct

FLOAT, INT64 = 1, 7


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    data = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(data)) + data


def attribute(name, value):
    if isinstance(value, int):
        return text(1, name) + number(3, value) + number(20, 2)
    if isinstance(value, float):
        return text(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, str):
        return text(1, name) + text(4, value) + number(20, 3)
    return text(1, name) + b"".join(number(8, item) for item in value) + number(20, 7)


def node(kind, inputs, outputs, name="", domain="", **attributes):
    return (b"".join(text(1, item) for item in inputs) + b"".join(text(2, item) for item in outputs) +
            text(3, name) + text(4, kind) + b"".join(text(5, attribute(*item)) for item in attributes.items()) +
            text(7, domain))


def value(name, shape, element=FLOAT):
    """Dimensions are numbers, or names of open ones."""
    dims = b"".join(text(1, number(1, dim) if isinstance(dim, int) else text(2, dim)) for dim in shape)
    return text(1, name) + text(2, text(1, number(1, element) + text(2, dims)))


def tensor(name, shape, raw, element=FLOAT):
    return b"".join(number(1, dim) for dim in shape) + number(2, element) + text(8, name) + text(9, raw)


def model(nodes, inputs, outputs, initializers=(), opset=17, domains=()):
    graph = (b"".join(text(1, item) for item in nodes) + text(2, "graph") +
             b"".join(text(5, item) for item in initializers) + b"".join(text(11, item) for item in inputs) +
             b"".join(text(12, item) for item in outputs))
    opsets = text(8, text(1, "") + number(2, opset)) + b"".join(text(8, text(1, d) + number(2, 1)) for d in domains)
    return number(1, 8) + text(2, "test") + text(7, graph) + opsets


def two_branches(batch=1):
    """x: a convolution, then Relu and Sigmoid beside one another, added: four layers, three on the longest path."""
    weights = tensor("w", [8, 3, 3, 3], bytes(4 * 8 * 3 * 3 * 3))
    return model([
        node("Conv", ["x", "w"], ["c"], "conv", pads=[1, 1, 1, 1]),
        node("Relu", ["c"], ["r"], "relu"),
        node("Sigmoid", ["c"], ["s"], "sigmoid"),
        node("Add", ["r", "s"], ["y"], "sum"),
    ], [value("x", [batch, 3, 16, 16])], [value("y", [batch, 8, 16, 16])], [weights])
