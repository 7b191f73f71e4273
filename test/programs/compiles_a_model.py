"""Compiles a model with Dynamo and prints what it made of it: results, graphs, breaks. Not for PyTorch before 2.0."""
import warnings

import torch
from torch import nn

warnings.simplefilter("error")


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.second = nn.ReLU()
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        return self.last(self.second(self.first(x)))


import torch._dynamo  # noqa: E402

torch.manual_seed(0)
model = Model().eval()
with torch.no_grad():
    explanation = torch._dynamo.explain(model)(torch.ones(3, 4))
    print(explanation.graph_count, explanation.graph_break_count)
    for backend in ("eager", "aot_eager"):
        torch._dynamo.reset()
        compiled = torch.compile(model, backend=backend, fullgraph=True)
        for _ in range(3):
            print(compiled(torch.ones(3, 4)).tolist())
    print(torch._dynamo.utils.counters["stats"], torch._dynamo.utils.counters["graph_break"])
