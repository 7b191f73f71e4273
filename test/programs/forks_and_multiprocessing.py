"""forks_and_multiprocessing.py LOG: calls a model in this process, in a forked child, in forked and spawned workers of
multiprocessing, and again in this process; every process appends `pid calls` to LOG.
"""
import multiprocessing
import os
import sys

import torch
from torch import nn

torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)).eval()


def work(log, calls):
    with torch.no_grad():
        for _ in range(calls):
            model(torch.ones(1, 4))
    with open(log, "a") as file:
        file.write(f"{os.getpid()} {calls}\n")


if __name__ == "__main__":
    log = sys.argv[1]
    work(log, 3)
    child = os.fork()
    if child == 0:
        work(log, 5)
        os._exit(0)
    os.waitpid(child, 0)
    for method, calls in (("fork", (7, 11)), ("spawn", (13,))):
        context = multiprocessing.get_context(method)
        workers = [context.Process(target=work, args=(log, n)) for n in calls]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
            assert worker.exitcode == 0
    work(log, 17)
    print("done")
