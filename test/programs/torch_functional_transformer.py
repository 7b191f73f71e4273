"""Unmodified inference: a transformer whose attention, activation, normalisation and residual sums are functions; its modules
are the projections alone.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch_facts import digest

WIDTH, HEADS, LAYERS = 64, 4, 3


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.project = nn.Linear(WIDTH, WIDTH)
        self.widen = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)

    def attend(self, x):
        batch, length, _ = x.shape
        q, k, v = (part.view(batch, length, HEADS, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(WIDTH // HEADS)
        scores = scores.masked_fill(torch.ones(length, length).triu(1).bool(), float("-inf"))
        mixed = torch.matmul(F.softmax(scores, -1), v)
        return self.project(mixed.transpose(1, 2).reshape(batch, length, WIDTH))

    def forward(self, x):
        x = x + self.attend(F.layer_norm(x, (WIDTH,)))
        return x + self.narrow(F.gelu(self.widen(F.layer_norm(x, (WIDTH,)))))


class FunctionalTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, WIDTH)
        self.position = nn.Parameter(torch.randn(1, 16, WIDTH) * 0.02)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))

    def forward(self, tokens):
        x = self.embedding(tokens) + self.position[:, : tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return F.linear(F.layer_norm(x, (WIDTH,)), self.embedding.weight)


torch.manual_seed(0)
torch.set_num_threads(1)
model = FunctionalTransformer().eval()
with torch.no_grad():
    for i in range(4):
        tokens = torch.randint(100, (2, 12 + i % 2), generator=torch.Generator().manual_seed(i))
        print(i, digest(model(tokens)))
