"""torch_scores.py [eval]: unmodified inference with Dropout over batches of 8, 8, 8, 8 and 16, in training mode unless asked
for evaluation."""
import sys

import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(256, 512), nn.Dropout(0.1), nn.ReLU(), nn.Linear(512, 512), nn.Dropout(0.1), nn.Linear(512, 10))
if "eval" in sys.argv[1:]:
    model.eval()
with torch.no_grad():
    total = sum(model(torch.randn(16 if i % 5 == 4 else 8, 64, 256)).sum().item() for i in range(50))
print(f"{total:.6g}")
