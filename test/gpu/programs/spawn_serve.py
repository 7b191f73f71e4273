"""A server in the manner of those for large language models: a parent that computes nothing, and workers started by spawn, each of
which captures CUDA graphs of several batch sizes and replays one for each request that comes over its pipe. When all requests are
answered the parent says what was replayed, goes on waiting, and on SIGTERM ends its workers by SIGTERM and itself with status 5.
"""
import argparse
import json
import multiprocessing
import os
import signal
import sys
import time

BATCHES = (1, 2, 4, 8)
KERNELS = 16  # of a replay: each an addition in place, which is one kernel
EXIT_STATUS = 5


def additions_module():
    import torch

    class Additions(torch.nn.Module):
        def forward(self, x):
            for _ in range(KERNELS):
                x.add_(1)
            return x

    return Additions()


def replay_of(x, cuda):
    """A function that runs the additions on x, on a device by a graph."""
    import torch

    additions = additions_module()
    if not cuda:
        return lambda: additions(x)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        additions(x)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        additions(x)
    return graph.replay


def work(pipe, device):
    """Answers each request, a batch size, with a sum that shows that all additions were made."""
    import torch

    cuda = device == "cuda"
    with torch.no_grad():
        tensors = {batch: torch.zeros(batch, 1024, device=device) for batch in BATCHES}
        replays = {batch: replay_of(x, cuda) for batch, x in tensors.items()}
        pipe.send("ready")
        while True:
            batch = pipe.recv()
            before = float(tensors[batch][0, 0])
            replays[batch]()
            pipe.send(float(tensors[batch][0, 0]) - before)


def end(workers):
    for process, _ in workers:
        process.terminate()
    for process, _ in workers:
        process.join(10)
    # As a server that has no time: nothing of the interpreter is cleaned up but its buffers.
    sys.stdout.flush()
    os._exit(EXIT_STATUS)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--requests", type=int, default=40, help="to each worker")
    arguments = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    workers = []
    for _ in range(arguments.workers):
        own, theirs = context.Pipe()
        process = context.Process(target=work, args=(theirs, arguments.device), daemon=True)
        process.start()
        workers.append((process, own))
    signal.signal(signal.SIGTERM, lambda *_: end(workers))
    for _, pipe in workers:
        assert pipe.recv() == "ready"
    for request in range(arguments.requests):
        for _, pipe in workers:
            pipe.send(BATCHES[request % len(BATCHES)])
        for _, pipe in workers:
            assert pipe.recv() == KERNELS, "additions are missing"
    print(json.dumps({"pid": os.getpid(), "workers": [
        {"number": number, "pid": process.pid, "replays": arguments.requests, "kernels_of_a_replay": KERNELS}
        for number, (process, _) in enumerate(workers)]}), flush=True)  # fmt: skip
    while True:
        time.sleep(1)


if __name__ == "__main__":
    main()
