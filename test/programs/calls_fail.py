"""Ten good calls of a model, and between them some that raise inside a layer and are caught."""
import torch
from torch import nn


class Checked(nn.Module):
    def forward(self, x):
        if x.shape[0] == 13:
            raise ValueError("thirteen")
        return x


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.checked = Checked()
        self.last = nn.Linear(4, 2)

    def forward(self, x):
        return self.last(self.checked(self.first(x)))


model = Model()
with torch.no_grad():
    for i in range(10):
        model(torch.ones(2, 4))
        if i % 3 == 1:
            try:
                model(torch.ones(13, 4))
            except ValueError as error:
                print(error)
