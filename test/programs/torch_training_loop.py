"""torch_training_loop.py STEPS: trains a small model; prints when each step began and ended (CLOCK_MONOTONIC, ns)."""
import sys
import time

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 10))
loss_of = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for _ in range(int(sys.argv[1])):
    begin = time.monotonic_ns()
    time.sleep(0.01)  # the batch is loaded
    x = torch.randn(32, 64)
    y = torch.randint(0, 10, (32,))
    optimizer.zero_grad()
    loss_of(model(x), y).backward()
    optimizer.step()
    print(begin, time.monotonic_ns())
