"""torch_threads.py CALLS [set | raise | slow-below N | sets-inside N | restores]: evaluates a small network and prints JSON: a digest of its outputs, and how
many threads PyTorch had, as the program saw it: between calls, in layers, and in threads that were started in a layer.
With a further word, it sets two threads for itself before its calls.

raise: every tenth call ends by an exception in its second layer. set: nothing else.
sets-inside N: call N sets one thread in a layer. restores: a layer sets one thread, and then what it had.
slow-below N: a layer that sleeps 50 ms unless it has at least N threads.
"""
import ctypes
import hashlib
import json
import sys
import threading
import time

import torch

calls = int(sys.argv[1])
mode = sys.argv[2] if len(sys.argv) > 2 else ""
number = int(sys.argv[3]) if len(sys.argv) > 3 else 0
between, inside, started, seen = [], [], [], []
torch_cpu = next(line.split()[-1] for line in open("/proc/self/maps") if "libtorch_cpu" in line)
computing = ctypes.CDLL(torch_cpu).omp_get_max_threads
call = 0


class Looks(torch.nn.Module):
    """Passes its input on, and looks."""

    def forward(self, x):
        inside.append(computing())
        seen.append(torch.get_num_threads())
        thread = threading.Thread(target=lambda: started.append(torch.get_num_threads()))
        thread.start()
        thread.join()
        if mode == "sets-inside" and call == number:
            torch.set_num_threads(1)
        if mode == "restores":
            before = torch.get_num_threads()
            torch.set_num_threads(1)
            torch.set_num_threads(before)
        if mode == "raise" and call % 10 == 9:
            raise ValueError("on purpose")
        if mode == "slow-below" and computing() < number:
            time.sleep(0.05)
        return x


torch.manual_seed(1)
if mode:
    torch.set_num_threads(2)
net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 16, 3), Looks(), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(16 * 30 * 30, 64)
).eval()
x = torch.randn(4, 3, 32, 32)
digest = hashlib.sha256()
largest = 0.0
with torch.no_grad():
    reference = net(x)
    for call in range(calls):
        between.append(torch.get_num_threads())
        try:
            output = net(x)
        except ValueError:
            continue
        largest = max(largest, (output - reference).abs().max().item())
        digest.update(output.numpy().tobytes())
between.append(torch.get_num_threads())
print(json.dumps({"digest": digest.hexdigest(), "largest_difference": largest, "between": sorted(set(between)),
                  "inside": sorted(set(inside)), "seen": sorted(set(seen)),
                  "started": sorted(set(started))}))  # fmt: skip
