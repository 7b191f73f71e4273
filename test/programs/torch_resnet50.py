"""Unmodified inference: ResNet-50 on 10 images, one at a time."""
import hashlib
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
from resnet50_torch import ResNet50

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 10
SIZE = int(sys.argv[2]) if len(sys.argv) > 2 else 64

torch.manual_seed(0)
model = ResNet50().eval()
with torch.no_grad():
    for i in range(RUNS):
        image = torch.randn(1, 3, SIZE, SIZE, generator=torch.Generator().manual_seed(i))
        output = model(image)
        print(i, int(output.argmax()), hashlib.sha256(output.numpy().tobytes()).hexdigest())
