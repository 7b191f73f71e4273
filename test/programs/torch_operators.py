"""Operators of many kinds: functional ones, modules, a scripted function, backward, an optimizer, in two threads.

With `--profile FILE` it runs under PyTorch's own profiler and writes what that saw: per thread, in order, the names, scopes,
microseconds and sequence numbers of what lies between two marks. Prints a digest of the results.
"""
import hashlib
import json
import sys
import threading

import torch
import torch.nn.functional as F
from torch import nn
from torch.autograd.profiler import profile, record_function


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 4, 3)
        self.last = nn.Linear(4, 2)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.first(x)), 2)
        with record_function("mean of the picture"):
            x = x.flatten(2).mean(2)
        return F.log_softmax(self.last(x), dim=1)


@torch.jit.script
def scaled(x, factor: float):
    return x * factor + x.sum()


def work(net, optimizer, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(2, 3, 16, 16, generator=generator)
    target = torch.zeros(2, dtype=torch.long)
    digest = hashlib.sha256()
    for _ in range(3):
        optimizer.zero_grad()
        loss = F.nll_loss(net(x), target)
        loss.backward()
        optimizer.step()
        digest.update(repr(loss.item()).encode())
        digest.update(scaled(x, 0.5).detach().numpy().tobytes())
        try:
            torch.mm(x[0, 0], torch.ones(3, 3))
        except RuntimeError:
            digest.update(b"failed")
    return digest.hexdigest()


# Profiles whose times are finer than microseconds: in others the order of what began in the same one is lost.
in_nanoseconds = []


def in_profile(net, optimizer, seed, events):
    with profile() as recorded:
        with record_function("begin"):
            pass
        work(net, optimizer, seed)
        with record_function("end"):
            pass
    seen = [[e.name, e.scope, e.cpu_time, e.sequence_nr] for e in recorded.function_events]
    names = [e[0] for e in seen]
    if any(e.time_range.start % 1 for e in recorded.function_events):
        in_nanoseconds.append(seed)
    events[seed] = seen[names.index("begin") + 1 : names.index("end")]


def marked(net, optimizer, seed, results):
    with record_function("begin"):
        pass
    results[seed] = work(net, optimizer, seed)
    with record_function("end"):
        pass


torch.manual_seed(0)
torch.set_num_threads(1)
nets = [Net() for _ in range(2)]
optimizers = [torch.optim.SGD(net.parameters(), lr=0.1, foreach=False) for net in nets]
for net, optimizer in zip(nets, optimizers):
    work(net, optimizer, 7)  # scripted functions are compiled in their first calls
results = {}
run = in_profile if sys.argv[1:2] == ["--profile"] else marked
run(nets[0], optimizers[0], 0, results)
thread = threading.Thread(target=run, args=(nets[1], optimizers[1], 1, results))
thread.start()
thread.join()
if run is in_profile:
    with open(sys.argv[2], "w") as file:
        json.dump({"threads": [results[0], results[1]], "is_ordered": len(in_nanoseconds) == 2}, file)
else:
    print(results[0], results[1])
