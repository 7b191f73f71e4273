"""Unmodified: twelve calls of a model of the layers that the arguments name: linear, relu and norm, each with a number."""
import sys
from collections import OrderedDict

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
MADE = {"linear": lambda: nn.Linear(256, 256), "relu": nn.ReLU, "norm": lambda: nn.LayerNorm(256)}
model = nn.Sequential(OrderedDict((name, MADE[name.rstrip("0123456789")]()) for name in sys.argv[1:])).eval()
with torch.no_grad():
    for _ in range(12):
        model(torch.ones(64, 256))
