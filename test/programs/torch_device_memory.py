"""A model whose layers tell PyTorch of memory of two devices: torch_device_memory.py LIBRARY [profile]. With `profile` it
prints what PyTorch's profiler makes of that: the bytes of devices, in order.
"""
import ctypes
import sys

import torch

with open("/proc/self/maps") as maps:
    libc10 = next(line.split()[-1] for line in maps if "/libc10.so" in line)
ctypes.CDLL(libc10, mode=ctypes.RTLD_GLOBAL)  # where the stand-in finds it, which is linked to none
allocator = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_LOCAL | 1)  # RTLD_LAZY: one of its functions is not there
allocator.tell.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int, ctypes.c_int]
is_signed = int(int(torch.__version__.split(".")[0]) < 2)
live, reserved = [0, 0], [0, 0]


def tell(size, device):
    live[device] += size
    reserved[device] = max(reserved[device], -(-live[device] // 4096) * 4096)
    allocator.tell(size, live[device], reserved[device], device, is_signed)


class Takes(torch.nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        self.sizes = sizes

    def forward(self, x):
        for size, device in self.sizes:
            tell(size, device)
        return x


def evaluate():
    model = torch.nn.Sequential(Takes((5000, 0)), Takes((300, 1), (-300, 1)), Takes((-5000, 0), (2000, 0)))
    for _ in range(2):
        model(torch.zeros(1))


if sys.argv[2:] == ["profile"]:
    if torch.profiler.kineto_available():
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
            evaluate()
        print([e.nbytes() for e in profile.profiler.kineto_results.events()
               if e.name() == "[memory]" and e.device_type() == torch.autograd.DeviceType.CUDA])
    else:
        with torch.autograd.profiler.profile(profile_memory=True) as profile:
            evaluate()
        print(sum(event.cuda_memory_usage for event in profile.function_events))
else:
    evaluate()
