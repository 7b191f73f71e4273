"""Training steps of a small network without any mark of what a step is. The host is late before every --late-every-th one.
Prints a digest of the losses.
"""
import argparse
import hashlib
import time

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
parser.add_argument("--steps", type=int, default=42)
parser.add_argument("--late-every", type=int, default=7)
parser.add_argument("--late-ms", type=float, default=60)
arguments = parser.parse_args()

torch.manual_seed(1)
layers = [layer for _ in range(6) for layer in (nn.Linear(512, 512), nn.ReLU())]
model = nn.Sequential(*layers, nn.Linear(512, 10)).to(arguments.device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss_of = nn.CrossEntropyLoss()
labels = torch.randint(0, 10, (64,)).to(arguments.device)
losses = []
for step in range(arguments.steps):
    if step % arguments.late_every == arguments.late_every - 1:
        time.sleep(arguments.late_ms / 1000)
    x = torch.randn(64, 512).to(arguments.device)
    optimizer.zero_grad()
    loss = loss_of(model(x), labels)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(hashlib.sha256(repr(losses).encode()).hexdigest())
