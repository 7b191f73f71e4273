"""A PyTorch program that computes on the stand-in driver: PyTorch itself is one without CUDA, so the program gives it the
few functions that a build with CUDA has, before its import is over. Each model call launches a kernel of 3 ms and does
not wait for it. Words: `uninitialized`: PyTorch does not know of CUDA yet; `captured`: the stream is being captured;
`failing`: every second call raises. Prints how many kernels it launched.
"""
import ctypes
import importlib.util
import sys

driver = ctypes.CDLL("libcuda.so.1")
context, stream, module, function, graph = (ctypes.c_void_p() for _ in range(5))


def must(status):
    if status != 0:
        sys.exit(f"status {status}")


must(driver.cuInit(0))
must(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
must(driver.cuCtxSetCurrent(context))
must(driver.cuStreamCreate(ctypes.byref(stream), 1))
must(driver.cuModuleLoadData(ctypes.byref(module), b"image"))
must(driver.cuModuleGetFunction(ctypes.byref(function), module, b"work_3ms"))


class CudaBuild:
    """A finder that adds to PyTorch what it has where it is built with CUDA."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("torch")
        execute = spec.loader.exec_module

        def exec_module(torch):
            execute(torch)
            torch._C._cuda_getDevice = lambda: 0
            torch._C._cuda_getCurrentRawStream = lambda device: stream.value
            torch._C._cuda_isInBadFork = lambda: False
            torch.cuda._initialized = "uninitialized" not in sys.argv

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, CudaBuild())
import torch  # noqa: E402


class Model(torch.nn.Module):
    calls = 0

    def forward(self, x):
        Model.calls += 1
        must(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, None, None))
        if "failing" in sys.argv and Model.calls % 2 == 0:
            raise ValueError("as asked")
        return x


model = Model()
x = torch.zeros(1)
if "captured" in sys.argv:
    must(driver.cuStreamBeginCapture_v2(stream, 0))
for _ in range(6):
    try:
        model(x)
    except ValueError:
        pass
if "captured" in sys.argv:
    must(driver.cuStreamEndCapture(stream, ctypes.byref(graph)))
must(driver.cuCtxSynchronize())
print(Model.calls)
