"""Constructors of modules that call modules, as those of ultralytics' detection models, timm's hybrid transformers and
torchvision's SSD do, to find strides and numbers of channels."""
import functools
import sys

import torch
from torch import nn

if "dynamo" in sys.argv:
    import torch._dynamo


class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(3, 4, 3, stride=2)
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        return self.norm(self.convolution(x))


class Detector(nn.Module):
    """Its constructor runs its forward, which calls its parts one by one."""

    def __init__(self):
        super().__init__()
        self.body = Body()
        self.head = nn.Conv2d(4, 2, 1)
        self.stride = 16 / self.forward(torch.zeros(1, 3, 16, 16)).shape[-1]

    def forward(self, x):
        return self.head(self.body(x))


def registered(function):
    @functools.wraps(function)
    def inner_init(self, *arguments, **keywords):
        function(self, *arguments, **keywords)

    return inner_init


class Registered(nn.Module):
    """Its constructor is a function around what was written, which has another name."""

    @registered
    def __init__(self):
        nn.Module.__init__(self)
        self.body = Body()
        self.channels = measure(self.body)

    def forward(self, x):
        return self.body(x)


def measure(body):
    with torch.no_grad():
        for _ in range(2):
            channels = body(torch.zeros(1, 3, 8, 8)).shape[1]
    return channels


class Service:
    """No module: what it warms up is a model that runs."""

    def __init__(self, model):
        self.model = model
        self.model(torch.ones(1, 3, 16, 16))

    def __call__(self, x):
        return self.model(x)


class Whole(nn.Module):
    """A program that does everything in its module's constructor."""

    def __init__(self):
        super().__init__()
        self.body = Body().eval()
        for _ in range(4):
            self.body(torch.ones(1, 3, 8, 8))


with torch.no_grad():
    if "whole" in sys.argv:
        Whole()
    else:
        detector, decorated = Detector().eval(), Registered().eval()
        print(detector.stride, decorated.channels)
        service = Service(detector)
        for _ in range(5):
            print(service(torch.ones(1, 3, 16, 16)).shape, decorated(torch.ones(2, 3, 8, 8)).shape)
        print(decorated.body(torch.ones(1, 3, 8, 8)).shape)
