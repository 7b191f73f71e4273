"""Unmodified inference: a small transformer encoder on 10 sequences. In train mode without dropout, because PyTorch's
fused path for inference would leave the modules out.
"""
import hashlib

import torch
from torch import nn

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 3)
        self.head = nn.Linear(32, 5)

    def forward(self, tokens):
        return self.head(self.encoder(self.embedding(tokens)).mean(1))


model = Classifier().train()
with torch.no_grad():
    for i in range(10):
        tokens = torch.randint(100, (2, 12), generator=torch.Generator().manual_seed(i))
        print(i, hashlib.sha256(model(tokens).numpy().tobytes()).hexdigest())
