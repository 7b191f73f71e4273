"""Makes a graph of a model by torch.jit.trace, after ordinary calls, and prints it; then calls the traced model."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 2)).eval()
image = torch.ones(1, 3, 8, 8)
with torch.no_grad():
    print(model(image).tolist())
    traced = torch.jit.trace(model, image)
    print(traced.graph)
    print(traced.inlined_graph)
    for _ in range(3):
        print(traced(image).tolist())
