"""Like a daemon: closes every descriptor that it does not know, in the middle of its work. What it opens afterwards must
hold its own bytes and nothing else.
"""
import os
import sys

import torch
from torch import nn

torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU()).eval()
with torch.no_grad():
    model(torch.ones(1, 4))
    os.closerange(3, 1024)
    files = [open(f"own-{i}", "w+b", buffering=0) for i in range(16)]
    for file in files:
        file.write(b"mine")
    for _ in range(200):
        model(torch.ones(1, 4))
    for file in files:
        file.seek(0)
        assert file.read() == b"mine", "somebody wrote into a file of this program"
print("still here")
sys.exit(5)
