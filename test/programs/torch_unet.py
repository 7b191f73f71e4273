"""Unmodified inference: a small U-Net, whose skip connections are torch.cat and whose upsampling is F.interpolate."""
import torch
import torch.nn.functional as F
from torch import nn
from torch_facts import digest


def double(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True),
                         nn.Conv2d(outputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, width=8, depth=3):
        super().__init__()
        sizes = [width * 2**i for i in range(depth)]
        self.down = nn.ModuleList(double(a, b) for a, b in zip([3, *sizes], sizes))
        self.bottom = double(sizes[-1], sizes[-1] * 2)
        self.up = nn.ModuleList(double(3 * size, size) for size in reversed(sizes))
        self.head = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        skips = []
        for block in self.down:
            x = block(x)
            skips.append(x)
            x = F.max_pool2d(x, 2)
        x = self.bottom(x)
        for block, skip in zip(self.up, reversed(skips)):
            x = F.interpolate(x, size=skip.shape[-2:], mode="bilinear", align_corners=False)
            x = block(torch.cat([x, skip], 1))
        return torch.sigmoid(self.head(x))


torch.manual_seed(0)
torch.set_num_threads(1)
model = UNet().eval()
with torch.no_grad():
    for i, size in enumerate((32, 32, 44)):
        print(i, digest(model(torch.randn(1, 3, size, size, generator=torch.Generator().manual_seed(i)))))
