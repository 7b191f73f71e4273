"""Unmodified: a model of three layers, called as often as the first argument says; prints a digest of the results."""
import hashlib
import sys

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).eval()
digest = hashlib.sha256()
with torch.no_grad():
    for i in range(int(sys.argv[1]) if len(sys.argv) > 1 else 10):
        digest.update(model(torch.full((1, 8), float(i % 7))).numpy().tobytes())
print(digest.hexdigest())
