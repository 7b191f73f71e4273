"""Unmodified training whose blocks are computed again in the backward pass (torch.utils.checkpoint, not re-entrant). Newer
versions leave the second computation by an exception as soon as they have what they need.
"""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch_facts import digest


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.widen = nn.Linear(8, 16)
        self.narrow = nn.Linear(16, 8)

    def forward(self, x):
        return self.narrow(torch.relu(self.widen(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(2))

    def forward(self, x):
        for block in self.blocks:
            x = x + checkpoint(block, x, use_reentrant=False)
        return x


torch.manual_seed(0)
torch.set_num_threads(1)
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = net(torch.randn(4, 8)).square().mean()
    loss.backward()
    optimizer.step()
    print(step, digest(loss))
