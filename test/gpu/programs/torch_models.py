"""The models of the acceptance: ResNet-50 v1.5 and a transformer encoder, both made of modules, with random weights."""
import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "models"))
from resnet50_torch import ResNet50  # noqa: E402


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query_key_value = nn.Linear(width, 3 * width)
        self.projection = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.query_key_value(x).view(batch, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        x = functional.scaled_dot_product_attention(parts[0], parts[1], parts[2])
        return self.projection(x.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.expand = nn.Linear(width, 4 * width)
        self.activation = nn.GELU()
        self.contract = nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.contract(self.activation(self.expand(self.norm2(x))))


class Transformer(nn.Module):
    def __init__(self, width=768, heads=12, blocks=12):
        super().__init__()
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(blocks)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 1000)

    def forward(self, x):
        return self.head(self.norm(self.blocks(x)).mean(1))


def make(name, device, batch):
    """(model, its input) on the device; small on a CPU."""
    torch.manual_seed(0)
    cuda = device == "cuda"
    if name == "resnet50":
        size = 224 if cuda else 32
        return ResNet50().eval().to(device), torch.randn(batch, 3, size, size).to(device)
    width, length = (768, 256) if cuda else (48, 16)
    model = Transformer(width, 12, 12 if cuda else 2).eval()
    model, x = model.to(device), torch.randn(batch, length, width).to(device)
    return (model.half(), x.half()) if cuda else (model, x)


class Replay(nn.Module):
    """A model captured once in a CUDA graph; a call replays it. `captured` is no submodule: its modules are not called."""

    def __init__(self, model, x):
        super().__init__()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                model(x)
        torch.cuda.current_stream().wait_stream(side)
        self.x = x.clone()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.y = model(self.x)

    def forward(self, x):
        self.x.copy_(x)
        self.graph.replay()
        return self.y
