"""Legacy cuDNN calls by ctypes, without a device: descriptors are real, every computation is turned down."""
import ctypes
import sys

try:
    cudnn = ctypes.CDLL(sys.argv[1])
except OSError as error:
    print(error)
    sys.exit(77)


def made(kind):
    descriptor = ctypes.c_void_p()
    assert getattr(cudnn, f"cudnnCreate{kind}")(ctypes.byref(descriptor)) == 0
    return descriptor


HALF, FLOAT, NCHW, NHWC, CROSS_CORRELATION = 2, 0, 0, 1, 1
x, y, w = made("TensorDescriptor"), made("TensorDescriptor"), made("FilterDescriptor")
convolution = made("ConvolutionDescriptor")
print(cudnn.cudnnSetTensor4dDescriptor(x, NHWC, HALF, 8, 64, 56, 56))
print(cudnn.cudnnSetTensor4dDescriptor(y, NCHW, HALF, 8, 128, 28, 28))
print(cudnn.cudnnSetFilter4dDescriptor(w, HALF, NCHW, 128, 64, 3, 3))
print(cudnn.cudnnSetConvolution2dDescriptor(convolution, 1, 1, 2, 2, 1, 1, CROSS_CORRELATION, FLOAT))
null = ctypes.c_void_p()
workspace = ctypes.c_size_t(4096)
print(cudnn.cudnnConvolutionForward(null, null, x, null, w, null, convolution, 1, null, workspace, null, y, null))
# The handle is turned down before anything else is looked at.
nowhere = ctypes.c_void_p(0x12345678)
print(cudnn.cudnnActivationForward(null, nowhere, null, nowhere, null, null, nowhere, null))
message = ctypes.create_string_buffer(512)
cudnn.cudnnGetLastErrorString(message, ctypes.c_size_t(512))
print(message.value.decode())
for kind, descriptor in (("Tensor", x), ("Tensor", y), ("Filter", w), ("Convolution", convolution)):
    print(getattr(cudnn, f"cudnnDestroy{kind}Descriptor")(descriptor))
