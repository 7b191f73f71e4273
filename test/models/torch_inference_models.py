"""Models that benches call on one thread, each with its input: model_and_input(NAME, SIZE), in Debian's PyTorch 1.13 and later."""
import torch
from resnet50_torch import ResNet50
from torch import nn


def resnet50(pixels):
    return ResNet50().eval(), torch.ones(1, 3, pixels, pixels)


def transformer(tokens):
    """An encoder of six layers. In train mode without dropout, as PyTorch's fused path for inference would leave the modules out."""
    layer = nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True, dropout=0.0)
    return nn.TransformerEncoder(layer, 6, enable_nested_tensor=False).train(), torch.ones(1, tokens, 256)


def mlp(rows):
    pairs = [nn.Sequential(nn.Linear(512, 512), nn.ReLU()) for _ in range(4)]
    return nn.Sequential(*pairs, nn.Linear(512, 10)).eval(), torch.ones(rows, 512)


MODELS = {"resnet50": resnet50, "transformer": transformer, "mlp": mlp}


def model_and_input(name, size):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    torch.set_grad_enabled(False)
    return MODELS[name](size)
