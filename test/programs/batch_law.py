"""A model whose latency at each batch size is known: batch_law.py BATCH. Throughput rises by a third up to 4, falls
to 8, and rises by a third to 16, so that the 5 % rule has 4, the maximum is at 16, and within 37 ms 2 is best.

BATCH_LAW_FAILS=N: batch N fails. BATCH_LAW_MEMORY=N: batch N and above ask for more memory than there may be.
"""
import os
import resource
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../inject/api"))
import xsp

LATENCY_MS = {1: 20, 2: 30, 4: 45, 8: 100, 16: 150}
batch = int(sys.argv[1])
if batch == int(os.environ.get("BATCH_LAW_FAILS", 0)):
    sys.exit(3)
if batch >= int(os.environ.get("BATCH_LAW_MEMORY", sys.maxsize)):
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    bytearray(2 << 30)
for _ in range(int(os.environ.get("BATCH_LAW_EVALUATIONS", 5))):
    with xsp.span("Net", level="model"):
        end = time.perf_counter() + LATENCY_MS[batch] / 1000
        time.sleep(LATENCY_MS[batch] / 1000 - 0.008)  # a sleep may end some milliseconds late
        while time.perf_counter() < end:
            pass
print(f"batch {batch} is done")
