"""ResNet-50 in PyTorch: the leveled set has the model latency of a plain timing loop, and the layer level's overhead is
the difference that the program sees itself."""
from support.timed_levels import check_set
from support.xsp_e2e import torch_python

check_set(torch_python(), "torch", 32, 8)
