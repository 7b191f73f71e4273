"""A convolution without oneDNN on two threads: each image is one product, on whichever thread has it."""
import torch

torch.manual_seed(0)
torch.set_num_threads(2)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3, bias=False)).eval()
with torch.no_grad(), torch.backends.mkldnn.flags(enabled=False):
    print(model(torch.ones(6, 3, 40, 40)).sum().item())
