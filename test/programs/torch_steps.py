"""Unmodified but for its own spans: a model called three times, the second time in the span `step`; each block's product
is in the span `inside`.
"""
import torch
import xsp
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.product = nn.Linear(8, 8)
        self.rectifier = nn.ReLU()

    def forward(self, x):
        with xsp.span("inside"):
            y = self.product(x)
        return self.rectifier(y)


torch.set_num_threads(1)
model = nn.Sequential(Block(), Block()).eval()
x = torch.zeros(1, 8)
with torch.no_grad():
    model(x)
    with xsp.span("step"):
        model(x)
    model(x)
