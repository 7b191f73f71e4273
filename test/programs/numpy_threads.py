"""Products of NumPy on threads of a pool; prints the native id of each thread and the rows of its products."""
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy

PRODUCTS = 20
barrier = threading.Barrier(3)


def multiply(rows):
    barrier.wait(30)  # every task has a thread of its own
    a, b = numpy.ones((rows, 50), "float32"), numpy.ones((50, 60), "float32")
    for _ in range(PRODUCTS):
        assert (a @ b)[0, 0] == 50
    return threading.get_native_id(), rows


with ThreadPoolExecutor(3) as pool:
    for thread, rows in pool.map(multiply, (10, 20, 30)):
        print(thread, rows, PRODUCTS)
