"""Every kind of oneDNN primitive that PyTorch's CPU backend uses, on one thread and without randomness."""
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
with torch.no_grad():
    image = torch.ones(2, 8, 20, 24)
    nn.Conv2d(8, 12, (3, 5), stride=(1, 2), padding=(1, 0), bias=False)(image)
    nn.Conv2d(8, 16, 3, groups=4, dilation=2)(image)
    nn.Conv1d(8, 16, 3)(image[:, :, 0])
    nn.Conv3d(8, 4, 3)(image.unsqueeze(2).expand(2, 8, 5, 20, 24).contiguous())
    nn.ConvTranspose2d(8, 6, 3, stride=2)(image)
    blocked = image.to_mkldnn()
    torch.relu(blocked)
    torch.max_pool2d(blocked, 2)
    torch.nn.functional.avg_pool2d(blocked, 3, stride=2)
    torch.softmax(blocked, 1)
    blocked + blocked
    torch.nn.functional.linear(torch.ones(5, 30).to_mkldnn(), torch.ones(7, 30), torch.ones(7))
    norm = nn.BatchNorm2d(8).eval()
    torch.nn.functional.batch_norm(blocked, norm.running_mean, norm.running_var, norm.weight, norm.bias)
x = torch.ones(2, 8, 20, 24, requires_grad=True)
nn.Conv2d(8, 12, 3)(x).sum().backward()
print("done")
