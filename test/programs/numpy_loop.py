"""numpy_loop.py STEPS: products of matrices; prints when each step began and ended (CLOCK_MONOTONIC, ns)."""
import sys
import time

import numpy

random = numpy.random.RandomState(0)
a, b, v = (random.standard_normal(size).astype("float32") for size in ((96, 64), (64, 80), (80,)))
for _ in range(int(sys.argv[1])):
    begin = time.monotonic_ns()
    time.sleep(0.005)
    product = a @ b  # sgemm
    once = product @ v  # sgemv
    twice = once.astype("float64")
    numpy.dot(twice, twice)  # ddot
    product.astype("float64").T @ twice  # dgemv
    product.T @ product  # ssyrk
    print(begin, time.monotonic_ns())
