"""planted_inefficiencies.py FOLDER CALLS [FAULT…]: a network of three convolutions and two products on the stand-in CUDA
libraries of FOLDER, called CALLS times. Without a fault it asks for algorithms at the start and keeps what it made.

padding: a kernel of its own pads the source of each convolution. transposed_weights: cuBLAS transposes the weights of each
product before it. plans: a plan is made in each call. searches: the library is asked for an algorithm in each call.
synchronisation: the host waits between two convolutions. one_algorithm: algorithm 0 for all shapes, without asking.
handles: a handle of cuBLAS is made in each call.
"""
import ctypes
import sys
from ctypes import byref, c_float, c_int, c_size_t, c_void_p
from pathlib import Path

FAULTS = {"padding", "transposed_weights", "plans", "searches", "synchronisation", "one_algorithm", "handles"}
folder, calls, faults = Path(sys.argv[1]), int(sys.argv[2]), set(sys.argv[3:])
assert faults <= FAULTS, faults - FAULTS

PAD = "void mshadow::cuda::image_2d_pad_constant_kernel<8, float>(float*, float const*, int, int, float)"
RELU = "void mxnet::op::mxnet_op::mxnet_generic_kernel<mxnet::op::mshadow_op::relu, float*, float*>(int, float*, float*)"
# channels in and out, size of the image, of the kernel
CONVOLUTIONS = ((64, 64, 56, 3), (64, 256, 56, 1), (256, 128, 28, 3))
# rows, columns and depth: one of the operands has 512 x 2048 weights
PRODUCTS = ((2048, 8, 512), (512, 8, 2048))
MODEL, LAYER = 2, 3
PLAN = 5  # CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR

cuda, runtime = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL(folder / "libcudart.so.13")
cublas, cudnn = ctypes.CDLL(folder / "libcublas.so.13"), ctypes.CDLL(folder / "libcudnn.so.9")
here = ctypes.CDLL(None)
one, zero, nothing = c_float(1), c_float(0), c_void_p()


def check(status):
    assert status == 0, status


class Span:
    """A model or a layer, if XSP is in the process."""

    def __init__(self, name, level):
        self.span = 0
        if hasattr(here, "xsp_start_span"):
            here.xsp_start_span.restype = ctypes.c_uint64
            here.xsp_finish_span.argtypes = [ctypes.c_uint64]
            self.name, self.level = here.xsp_intern(name.encode()), level

    def __enter__(self):
        if hasattr(self, "name"):
            self.span = here.xsp_start_span(self.name, self.level)

    def __exit__(self, *_):
        if hasattr(self, "name"):
            here.xsp_finish_span(self.span)


def made(function, *arguments):
    result = c_void_p()
    check(function(*arguments, byref(result)))
    return result


check(cuda.cuInit(0))
context, module, stream = c_void_p(), c_void_p(), c_void_p()
check(cuda.cuDevicePrimaryCtxRetain(byref(context), 0))
check(cuda.cuCtxSetCurrent(context))
check(cuda.cuModuleLoadData(byref(module), b"image"))
check(runtime.cudaStreamCreate(byref(stream)))
kernels = {}
for name in (PAD, RELU):
    kernels[name] = c_void_p()
    check(cuda.cuModuleGetFunction(byref(kernels[name]), module, name.encode()))
products, networks = made(cublas.cublasCreate_v2), made(cudnn.cudnnCreate)
check(cublas.cublasSetStream_v2(products, stream))
check(cudnn.cudnnSetStream(networks, stream))


def launch(name):
    check(cuda.cuLaunchKernel(kernels[name], 80, 1, 1, 256, 1, 1, 0, stream, None, None))


def tensor(*sizes):
    descriptor = made(cudnn.cudnnCreateTensorDescriptor)
    check(cudnn.cudnnSetTensor4dDescriptor(descriptor, 0, 0, *sizes))
    return descriptor


class Convolution:
    def __init__(self, inputs, outputs, size, kernel):
        pad = 0 if "padding" in faults else kernel // 2
        padded = size + 2 * (kernel // 2) if "padding" in faults else size
        self.x, self.y = tensor(8, inputs, padded, padded), tensor(8, outputs, size, size)
        self.w = made(cudnn.cudnnCreateFilterDescriptor)
        check(cudnn.cudnnSetFilter4dDescriptor(self.w, 0, 0, outputs, inputs, kernel, kernel))
        self.convolution = made(cudnn.cudnnCreateConvolutionDescriptor)
        check(cudnn.cudnnSetConvolution2dDescriptor(self.convolution, pad, pad, 1, 1, 1, 1, 1, 0))
        self.algorithm = 0 if "one_algorithm" in faults else self.search()

    def search(self):
        results, count = (c_int * 16)(), c_int()
        check(cudnn.cudnnGetConvolutionForwardAlgorithm_v7(networks, self.x, self.w, self.convolution, self.y, 1,
                                                           byref(count), results))  # fmt: skip
        return results[0]

    def run(self):
        if "searches" in faults:
            self.search()
        if "plans" in faults:
            plan = made(cudnn.cudnnBackendCreateDescriptor, PLAN)
            check(cudnn.cudnnBackendFinalize(plan))
            check(cudnn.cudnnBackendDestroyDescriptor(plan))
        if "padding" in faults:
            launch(PAD)
        check(cudnn.cudnnConvolutionForward(networks, byref(one), self.x, nothing, self.w, nothing, self.convolution,
                                            self.algorithm, nothing, c_size_t(0), byref(zero), self.y, nothing))  # fmt: skip


def multiply(m, n, k):
    handle = products
    if "handles" in faults:
        handle = made(cublas.cublasCreate_v2)
        check(cublas.cublasSetStream_v2(handle, stream))
    if "transposed_weights" in faults:
        check(cublas.cublasSgeam(handle, 1, 0, m, k, byref(one), nothing, k, byref(zero), nothing, m, nothing, m))
    check(cublas.cublasSgemm_v2(handle, 0, 0, m, n, k, byref(one), nothing, m, nothing, k, byref(zero), nothing, m))
    if "handles" in faults:
        check(cublas.cublasDestroy_v2(handle))


layers = [Convolution(*sizes) for sizes in CONVOLUTIONS]
host, device = ctypes.create_string_buffer(4096), c_void_p()
check(runtime.cudaMalloc(byref(device), c_size_t(4096)))
spans = {name: Span(name, LAYER) for name in ("conv0", "conv1", "conv2", "fc0", "fc1")}
network = Span("network", MODEL)
for _ in range(calls):
    with network:
        check(runtime.cudaMemcpyAsync(device, host, c_size_t(4096), 1, stream))
        for number, layer in enumerate(layers):
            with spans[f"conv{number}"]:
                layer.run()
                launch(RELU)
            if number == 0 and "synchronisation" in faults:
                check(runtime.cudaStreamSynchronize(stream))
        for number, sizes in enumerate(PRODUCTS):
            with spans[f"fc{number}"]:
                multiply(*sizes)
        check(runtime.cudaMemcpyAsync(host, device, c_size_t(4096), 2, stream))
        check(runtime.cudaStreamSynchronize(stream))
print(f"{calls} calls")
