"""cuda_calls.py CUBLAS CUBLASLT CUDNN: calls the real libraries by ctypes, without their headers and without a device.
Every computation has a null handle, so that it ends the same way on every machine. Prints the status of each, and what cuDNN
says about it. The calls are those of cuda_calls.c.
"""
import ctypes
import sys
from ctypes import byref, c_double, c_float, c_int, c_int32, c_int64, c_longlong, c_size_t, c_uint64, c_void_p

cublas, cublaslt, cudnn = (ctypes.CDLL(path) for path in sys.argv[1:])
null = c_void_p()
one, zero = c_float(1), c_float(0)
alpha, beta = byref(one), byref(zero)
a = b = c = c_void_p(0x1000)  # never read: every call fails before


last_error = ctypes.create_string_buffer(1000)


def call(library, name, *arguments):
    print(name, getattr(library, name)(*arguments))
    if library is cudnn:  # gives the text once
        cudnn.cudnnGetLastErrorString(last_error, c_size_t(len(last_error)))
        print(" ", last_error.value.decode().replace("\n", " "))


def made(library, name, *arguments):
    """A descriptor."""
    made = c_void_p()
    status = getattr(library, name)(byref(made), *arguments)
    assert status == 0, (name, status)
    return made


def give(library, name, *arguments):
    status = getattr(library, name)(*arguments)
    assert status == 0, (name, status)


N, T, C = 0, 1, 2
R_32F, R_64F, R_16F, R_16BF = 0, 1, 2, 14
COMPUTE_16F, COMPUTE_32F, COMPUTE_32F_FAST_TF32 = 64, 68, 77

handle = c_void_p()  # created with a device only
for library, name in ((cublas, "cublasCreate_v2"), (cublaslt, "cublasLtCreate"), (cudnn, "cudnnCreate")):
    call(library, name, byref(handle))
call(cublas, "cublasSgemm_v2", null, N, T, 128, 64, 32, alpha, a, 128, b, 64, beta, c, 128)
call(cublas, "cublasDgemm_v2_64", null, T, N, c_int64(5_000_000_000), c_int64(7), c_int64(11), alpha, a, c_int64(11), b,
     c_int64(11), beta, c, c_int64(5_000_000_000))  # fmt: skip
call(cublas, "cublasGemmEx", null, T, N, 30, 20, 10, alpha, a, R_16F, 10, b, R_16F, 10, beta, c, R_32F, 30, COMPUTE_32F, 99)
call(cublas, "cublasGemmStridedBatchedEx", null, N, C, 17, 13, 19, alpha, a, R_16BF, 17, c_longlong(17 * 19), b, R_16BF,
     13, c_longlong(13 * 19), beta, c, R_16BF, 17, c_longlong(17 * 13), 6, COMPUTE_32F_FAST_TF32, -1)  # fmt: skip
call(cublas, "cublasSgemv_v2", null, T, 40, 50, alpha, a, 40, b, 1, beta, c, 1)


def layout(type, rows, columns, leading, batch=None, stride=0, order=None):
    made_layout = made(cublaslt, "cublasLtMatrixLayoutCreate", type, c_uint64(rows), c_uint64(columns), c_int64(leading))
    if batch is not None:
        give(cublaslt, "cublasLtMatrixLayoutSetAttribute", made_layout, 5, byref(c_int32(batch)), c_size_t(4))
        give(cublaslt, "cublasLtMatrixLayoutSetAttribute", made_layout, 6, byref(c_int64(stride)), c_size_t(8))
    if order is not None:
        give(cublaslt, "cublasLtMatrixLayoutSetAttribute", made_layout, 1, byref(c_int32(order)), c_size_t(4))
    return made_layout


def product(compute, scale_type, op_a, op_b, epilogue=None):
    made_product = made(cublaslt, "cublasLtMatmulDescCreate", compute, scale_type)
    give(cublaslt, "cublasLtMatmulDescSetAttribute", made_product, 3, byref(c_int32(op_a)), c_size_t(4))
    give(cublaslt, "cublasLtMatmulDescSetAttribute", made_product, 4, byref(c_int32(op_b)), c_size_t(4))
    if epilogue is not None:
        give(cublaslt, "cublasLtMatmulDescSetAttribute", made_product, 7, byref(c_int32(epilogue)), c_size_t(4))
    return made_product


def matmul(made_product, a_layout, b_layout, c_layout, d_layout):
    call(cublaslt, "cublasLtMatmul", null, made_product, alpha, a, a_layout, b, b_layout, beta, c, c_layout, c, d_layout,
         null, null, c_size_t(4096), null)  # fmt: skip


# A transposed, with bias and ReLU.
d = layout(R_16F, 96, 48, 96)
matmul(product(COMPUTE_32F, R_32F, T, N, 6), layout(R_16F, 24, 96, 24), layout(R_16F, 24, 48, 24), d, d)
# A batch of row-major products; C of another type than D.
matmul(product(COMPUTE_32F_FAST_TF32, R_32F, N, T), layout(R_32F, 8, 16, 16, 5, 128, 1), layout(R_32F, 12, 16, 16, 5, 192, 1),
       layout(R_32F, 8, 12, 12, 5, 96, 1), layout(R_32F, 8, 12, 12, 5, 96, 1))  # fmt: skip
matmul(product(COMPUTE_32F, R_32F, N, N, 32), layout(R_16BF, 70, 80, 70), layout(R_16BF, 80, 90, 80),
       layout(R_32F, 70, 90, 70), layout(R_16BF, 70, 90, 70))  # fmt: skip

FLOAT, DOUBLE, HALF = 0, 1, 2
NCHW, NHWC = 0, 1


def ints(*values):
    return (c_int * len(values))(*values)


def tensor(type, format, *sizes):
    made_tensor = made(cudnn, "cudnnCreateTensorDescriptor")
    give(cudnn, "cudnnSetTensor4dDescriptor", made_tensor, format, type, *sizes)
    return made_tensor


x = tensor(HALF, NHWC, 8, 64, 56, 56)
y = tensor(HALF, NHWC, 8, 128, 28, 28)
w = made(cudnn, "cudnnCreateFilterDescriptor")
give(cudnn, "cudnnSetFilter4dDescriptor", w, HALF, NHWC, 128, 32, 3, 3)
convolution = made(cudnn, "cudnnCreateConvolutionDescriptor")
give(cudnn, "cudnnSetConvolution2dDescriptor", convolution, 1, 2, 2, 3, 1, 1, 1, FLOAT)
give(cudnn, "cudnnSetConvolutionGroupCount", convolution, 2)
give(cudnn, "cudnnSetConvolutionMathType", convolution, 1)
call(cudnn, "cudnnConvolutionForward", null, alpha, x, a, w, b, convolution, 1, c, c_size_t(12345), beta, y, c)

x = tensor(FLOAT, NCHW, 2, 3, 10, 12)
pooled = tensor(FLOAT, NCHW, 2, 3, 5, 4)
pooling = made(cudnn, "cudnnCreatePoolingDescriptor")
give(cudnn, "cudnnSetPooling2dDescriptor", pooling, 2, 0, 2, 3, 0, 1, 2, 3)
call(cudnn, "cudnnPoolingForward", null, pooling, alpha, x, a, beta, pooled, c)
activation = made(cudnn, "cudnnCreateActivationDescriptor")
give(cudnn, "cudnnSetActivationDescriptor", activation, 3, 0, c_double(6.5))
call(cudnn, "cudnnActivationForward", null, activation, alpha, x, a, beta, x, c)
call(cudnn, "cudnnSoftmaxForward", null, 1, 1, alpha, x, a, beta, x, c)
channels = tensor(FLOAT, NCHW, 1, 3, 1, 1)
# Without factors: with them cuDNN reads through the null handle.
call(cudnn, "cudnnBatchNormalizationForwardInference", null, 1, null, null, x, a, x, c, channels, b, b, b, b, c_double(1e-5))

# Five dimensions, with gaps between the rows.
strided = made(cudnn, "cudnnCreateTensorDescriptor")
give(cudnn, "cudnnSetTensorNdDescriptor", strided, DOUBLE, 5, ints(2, 3, 4, 5, 6), ints(480, 160, 40, 8, 1))
call(cudnn, "cudnnAddTensor", null, alpha, strided, a, beta, strided, c)

rnn = made(cudnn, "cudnnCreateRNNDescriptor")
give(cudnn, "cudnnSetRNNDescriptor_v8", rnn, 0, 2, 2, 1, 0, HALF, FLOAT, 1, 512, 256, 256, 3, null, 0)
lengths = ints(7, 5, 3, 1)
sequence = made(cudnn, "cudnnCreateRNNDataDescriptor")
give(cudnn, "cudnnSetRNNDataDescriptor", sequence, HALF, 0, 7, 4, 512, lengths, null)
outputs = made(cudnn, "cudnnCreateRNNDataDescriptor")
give(cudnn, "cudnnSetRNNDataDescriptor", outputs, HALF, 0, 7, 4, 512, lengths, null)
hidden = made(cudnn, "cudnnCreateTensorDescriptor")
give(cudnn, "cudnnSetTensorNdDescriptor", hidden, HALF, 3, ints(6, 4, 256), ints(1024, 256, 1))
call(cudnn, "cudnnRNNForward", null, rnn, 0, null, sequence, a, outputs, c, hidden, null, null, hidden, null, null,
     c_size_t(1000), b, c_size_t(2000), c, c_size_t(0), null)  # fmt: skip

combination = made(cudnn, "cudnnCreateOpTensorDescriptor")
give(cudnn, "cudnnSetOpTensorDescriptor", combination, 1, FLOAT, 0)
call(cudnn, "cudnnOpTensor", null, combination, alpha, x, a, alpha, x, b, beta, x, c)
reduction = made(cudnn, "cudnnCreateReduceTensorDescriptor")
give(cudnn, "cudnnSetReduceTensorDescriptor", reduction, 7, FLOAT, 0, 0, 0)
call(cudnn, "cudnnReduceTensor", null, reduction, null, c_size_t(0), c, c_size_t(64), alpha, x, a, beta, channels, c)
transformation = made(cudnn, "cudnnCreateTensorTransformDescriptor")
give(cudnn, "cudnnSetTensorTransformDescriptor", transformation, 4, NHWC, ints(0, 0, 1, 2), ints(0, 0, 3, 4), null, 0)
call(cudnn, "cudnnTransformTensorEx", null, transformation, alpha, x, a, beta, x, c)
attention = made(cudnn, "cudnnCreateAttnDescriptor")
give(cudnn, "cudnnSetAttnDescriptor", attention, 0, 8, c_double(0.125), HALF, FLOAT, 1, null, null, 512, 256, 128, 64, 64,
     32, 1024, 20, 30, 4, 1)  # fmt: skip


def words(vector, longest):
    made_words = made(cudnn, "cudnnCreateSeqDataDescriptor")
    give(cudnn, "cudnnSetSeqDataDescriptor", made_words, HALF, 4, ints(longest, 4, 1, vector), ints(0, 1, 2, 3), c_size_t(4),
         ints(*[longest] * 4), null)  # fmt: skip
    return made_words


call(cudnn, "cudnnMultiHeadAttnForward", null, attention, -1, null, null, null, null, words(512, 20), a, null, words(256, 30),
     a, words(128, 30), a, words(1024, 20), c, c_size_t(100), b, c_size_t(200), c, c_size_t(0), null)  # fmt: skip

# Descriptors that are none: a filter without contents, and none at all.
empty = made(cudnn, "cudnnCreateFilterDescriptor")
call(cudnn, "cudnnConvolutionForward", null, alpha, x, a, empty, b, convolution, 1, null, c_size_t(0), beta, null, c)
