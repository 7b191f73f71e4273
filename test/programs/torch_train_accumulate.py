"""torch_train_accumulate.py [module|functional]: unmodified training by Adam, gradients accumulated over three small batches;
the loss is a module (the default) or a function.
"""
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch_facts import digest

STEPS, ACCUMULATED = 3, 3

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(),
                      nn.Linear(8 * 16, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 5))  # fmt: skip
loss_of = F.cross_entropy if sys.argv[1:] == ["functional"] else nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(STEPS):
    optimizer.zero_grad()
    total = 0.0
    for _ in range(ACCUMULATED):
        images, classes = torch.randn(4, 3, 12, 12), torch.randint(5, (4,))
        loss = loss_of(model(images), classes) / ACCUMULATED
        loss.backward()
        total += loss.item()
    optimizer.step()
    print(step, f"{total:.9g}", digest(total, [p.grad for p in model.parameters()]))
print(digest(list(model.parameters())))
