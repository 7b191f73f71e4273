"""The main process calls a model and spawns a worker that stacks tensors, as data loaders do, and one that calls a model."""
import multiprocessing
import os
import sys


def stack(queue):
    import torch

    parts = [torch.full((3, 4), float(i)) for i in range(8)]
    queue.put((os.getpid(), float(torch.stack(parts).sum())))


def call(queue):
    import torch

    model = torch.nn.Sequential(torch.nn.ReLU())
    with torch.no_grad():
        queue.put((os.getpid(), float((model(torch.ones(3)) + 1).sum() + model(torch.ones(2)).sum())))


if __name__ == "__main__":
    import torch

    torch.nn.ReLU()(torch.ones(1))
    context = multiprocessing.get_context("spawn")
    for work in (stack, call):
        queue = context.SimpleQueue()
        worker = context.Process(target=work, args=(queue,))
        worker.start()
        pid, result = queue.get()
        worker.join()
        print(result)
        print(pid, file=sys.stderr)
