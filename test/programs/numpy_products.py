"""Matrix products of NumPy; prints checksums of their exact bits."""
import hashlib

import numpy

random = numpy.random.RandomState(0)


def show(name, result):
    print(name, hashlib.sha256(numpy.ascontiguousarray(result).tobytes()).hexdigest()[:16])


def matrix(*sizes, type="float32"):
    values = random.standard_normal(sizes)
    if type.startswith("complex"):
        values = values + 1j * random.standard_normal(sizes)
    return values.astype(type)


show("matmul", matrix(37, 41) @ matrix(41, 43))
show("second transposed", matrix(37, 41) @ matrix(43, 41).T)
show("first transposed", matrix(41, 37).T @ matrix(41, 43))
show("both transposed", matrix(41, 37).T @ matrix(43, 41).T)
show("float64", matrix(31, 29, type="float64") @ matrix(29, 23, type="float64"))
show("complex64", matrix(31, 29, type="complex64") @ matrix(29, 23, type="complex64"))
show("complex128", numpy.dot(matrix(31, 29, type="complex128"), matrix(29, 23, type="complex128")))
square = matrix(33, 27)
show("with itself", square @ square.T)
show("vector", matrix(51, 53) @ matrix(53))
show("vector first", matrix(51) @ matrix(51, 53))
show("dot", numpy.dot(matrix(1000, type="float64"), matrix(1000, type="float64")))
show("vdot", numpy.vdot(matrix(700, type="complex64"), matrix(700, type="complex64")))
show("stack", matrix(3, 8, 9) @ matrix(3, 9, 7))
show("integers", numpy.arange(12).reshape(3, 4) @ numpy.arange(20).reshape(4, 5))
