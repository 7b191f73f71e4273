"""Ranges that PyTorch programs make: by hand, by hooks of modules that end behind ours, by emit_itt."""
import torch

nvtx = torch.cuda.nvtx


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(4, 4)
        self.b = torch.nn.Linear(4, 4)

    def forward(self, x):
        nvtx.range_push("block")
        x = self.a(x)
        nvtx.range_pop()
        nvtx.range_push("never popped")
        return self.b(x)


net = Net().eval()
net.a.register_forward_pre_hook(lambda module, inputs: nvtx.range_push("hook") and None)
net.a.register_forward_hook(lambda module, inputs, output: nvtx.range_pop() and None)
with torch.no_grad():
    for _ in range(30):
        net(torch.ones(1, 4))
    with torch.autograd.profiler.emit_itt():
        torch.relu(torch.ones(4))
print("done")
