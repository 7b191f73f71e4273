"""A model with three layers, run as often as asked: by one thread, by several at once, or trained."""
import sys
import threading

import torch

calls, way = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "plain"
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))


def infer():
    with torch.no_grad():
        for _ in range(calls):
            model(torch.ones(4, 64))


def train():
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(calls):
        optimizer.zero_grad()
        model(torch.ones(4, 64)).sum().backward()
        optimizer.step()


if way == "threads":
    threads = [threading.Thread(target=infer) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
elif way == "train":
    train()
else:
    infer()
