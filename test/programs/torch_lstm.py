"""Unmodified inference and one training step: a tagger of embedding, two-layer bidirectional LSTM, an LSTM cell in a loop, and
a head.
"""
import torch
import torch.nn.functional as F
from torch import nn
from torch_facts import digest


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.lstm = nn.LSTM(16, 24, num_layers=2, bidirectional=True, batch_first=True)
        self.cell = nn.LSTMCell(48, 20)
        self.head = nn.Linear(20, 7)

    def forward(self, words):
        encoded, _ = self.lstm(self.embedding(words))
        state, tags = None, []
        for step in range(encoded.shape[1]):
            state = self.cell(encoded[:, step], state)
            tags.append(self.head(state[0]))
        return torch.stack(tags, 1)


torch.manual_seed(0)
torch.set_num_threads(1)
model = Tagger()
words = torch.randint(50, (3, 6))
with torch.no_grad():
    for i in range(3):
        print(i, digest(model(words.roll(i, 0))))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = F.cross_entropy(model(words).flatten(0, 1), torch.randint(7, (18,)))
loss.backward()
optimizer.step()
print("trained", digest(loss, list(model.parameters())))
