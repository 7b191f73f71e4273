"""Convolutions and matrix products of oneDNN, also in more threads than one."""
import torch

torch.manual_seed(0)
torch.set_num_threads(2)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 8, 3, padding=1),
                            torch.nn.Flatten(), torch.nn.Linear(8 * 16 * 16, 10)).eval()
with torch.no_grad():
    for batch in (1, 2, 2, 4):
        model(torch.ones(batch, 3, 16, 16))
print("done")
