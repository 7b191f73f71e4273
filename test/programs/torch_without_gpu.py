"""What a CUDA build of PyTorch says and computes on a machine that need not have a device."""
import sys
import traceback

import torch

print(torch.version.cuda, torch.cuda.is_available(), torch.cuda.device_count())
print("cuDNN", torch.backends.cudnn.version() if torch.backends.cudnn.is_available() else None)
for what in (torch.cuda.init, lambda: torch.ones(2, device="cuda"), lambda: torch.cuda.get_device_properties(0)):
    try:
        what()
        print("a device")
    except Exception as error:
        print(type(error).__name__, error)
        print(len(traceback.extract_tb(sys.exc_info()[2])), "frames")
torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 14 * 14, 5))
with torch.no_grad():
    print(model.eval()(torch.ones(2, 3, 16, 16)).flatten().tolist())
print(sorted(line.split("/")[-1].strip() for line in open("/proc/self/maps") if "/libcud" in line and "r-xp" in line))
sys.exit(3)
