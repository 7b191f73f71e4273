"""counts_finished_calls.py COUNTER: calls a model until killed, and counts the finished calls in a shared file mapping,
which outlives the process. The file is 16 bytes: pid, number of finished calls. It rests between calls: a loop of calls of
30 us fills the guest's ring in a twentieth of a second, and a collector that gets no processor for that long is not what its
tests are about.
"""
import mmap
import os
import struct
import sys
import time

import torch
from torch import nn

torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8)).eval()
with open(sys.argv[1], "r+b") as file:
    counter = mmap.mmap(file.fileno(), 16)
struct.pack_into("<Q", counter, 0, os.getpid())
finished = 0
image = torch.ones(1, 8)
with torch.no_grad():
    while True:
        model(image)
        finished += 1
        struct.pack_into("<Q", counter, 8, finished)
        time.sleep(0.0003)
