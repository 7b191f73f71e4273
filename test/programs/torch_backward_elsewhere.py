"""Forward calls in several threads, backward of all of them in the main one. Prints of each node its name, and the thread and
layer of the operator that made it, which is in an annotation of these.
"""
import threading

import torch
from torch.autograd.profiler import record_function

LAYERS = (torch.sin, torch.exp, torch.tanh, torch.relu, torch.sigmoid)
THREADS = 3


def forward(thread, results):
    x = torch.ones(4, requires_grad=True)
    nodes = []
    # Threads differ in the order of their layers, so that their sequence numbers are of different ones.
    for i in range(len(LAYERS)):
        layer = (i + thread) % len(LAYERS)
        with record_function(f"thread-{thread} layer-{layer}"):
            x = LAYERS[layer](x)
        nodes.append((type(x.grad_fn).__name__, f"thread-{thread}", f"layer-{layer}"))
    results[thread] = x, nodes


torch.set_num_threads(1)
results = {}
for thread in range(THREADS):
    running = threading.Thread(target=forward, args=(thread, results))
    running.start()
    running.join()
with record_function("backward"):
    torch.autograd.backward([x for x, _ in results.values()], [torch.ones(4) for _ in results])
for _, nodes in results.values():
    for node in nodes:
        print(*node)
