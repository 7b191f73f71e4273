"""For the tests with NVIDIA's own libraries, which need no device: where they are, and the expected calls of
test/programs/cuda_calls.{py,c}, by arithmetic and by the headers.
"""
import re
import shutil
from pathlib import Path

from .xsp_e2e import BUILD, PROGRAMS, check, check_equal, run, skip

TOOLKIT = Path("/usr/local/cuda")
NAMES = ("libcublas.so.13", "libcublasLt.so.13", "libcudnn.so.9")
STATUS_NAMES = {
    "cublas": {0: "CUBLAS_STATUS_SUCCESS", 1: "CUBLAS_STATUS_NOT_INITIALIZED", 3: "CUBLAS_STATUS_ALLOC_FAILED",
               7: "CUBLAS_STATUS_INVALID_VALUE", 15: "CUBLAS_STATUS_NOT_SUPPORTED"},
    "cudnn": {0: "CUDNN_STATUS_SUCCESS", 1001: "CUDNN_STATUS_NOT_INITIALIZED", 2000: "CUDNN_STATUS_BAD_PARAM",
              2002: "CUDNN_STATUS_BAD_PARAM_NULL_POINTER", 3000: "CUDNN_STATUS_NOT_SUPPORTED",
              5003: "CUDNN_STATUS_EXECUTION_FAILED_CUDART"},
}  # fmt: skip
NULL = 0
F32, F16 = "f32[2,3,10,12]", "f16[8,64,56,56]nhwc"
CONVOLUTION = ("pad=[1,2] stride=[2,3] dilation=[1,1] groups=2 mode=CROSS_CORRELATION math=TENSOR_OP_MATH compute=f32")
AXES = " axes=[TIME_DIM,BATCH_DIM,BEAM_DIM,VECT_DIM]"
EXPECTED = [
    ("cublasCreate_v2", {}),
    ("cublasLtCreate", {}),
    ("cudnnCreate", {}),
    ("cublasSgemm_v2", {"class": "gemm", "op_a": "N", "op_b": "T", "m": 128, "n": 64, "k": 32, "lda": 128, "ldb": 64,
                        "ldc": 128, "type_a": "R_32F", "type_b": "R_32F", "type_c": "R_32F", "handle": NULL}),
    ("cublasDgemm_v2_64", {"op_a": "T", "op_b": "N", "m": 5_000_000_000, "n": 7, "k": 11, "lda": 11, "ldb": 11,
                           "ldc": 5_000_000_000, "type_a": "R_64F", "compute": "64F"}),
    ("cublasGemmEx", {"op_a": "T", "op_b": "N", "m": 30, "n": 20, "k": 10, "type_a": "R_16F", "type_b": "R_16F",
                      "type_c": "R_32F", "lda": 10, "ldb": 10, "ldc": 30, "compute": "32F", "algo": "DEFAULT_TENSOR_OP"}),
    ("cublasGemmStridedBatchedEx",
     {"op_a": "N", "op_b": "C", "m": 17, "n": 13, "k": 19, "type_a": "R_16BF", "type_b": "R_16BF", "type_c": "R_16BF",
      "lda": 17, "ldb": 13, "ldc": 17, "stride_a": 17 * 19, "stride_b": 13 * 19, "stride_c": 17 * 13, "batch": 6,
      "compute": "32F_FAST_TF32"}),
    ("cublasSgemv_v2", {"class": "gemv", "op_a": "T", "m": 40, "n": 50, "lda": 40, "incx": 1, "incy": 1}),
    ("cublasLtMatmul", {"class": "gemm", "m": 96, "n": 48, "k": 24, "op_a": "T", "op_b": "N", "type_a": "R_16F",
                        "type_b": "R_16F", "type_c": "R_16F", "type_d": "R_16F", "compute": "32F", "scale_type": "R_32F",
                        "epilogue": "RELU_BIAS", "batch": 1, "order_a": "COL", "lda": 24, "ldb": 24, "ldd": 96,
                        "workspace": 4096}),
    ("cublasLtMatmul", {"m": 8, "n": 12, "k": 16, "op_a": "N", "op_b": "T", "type_a": "R_32F", "compute": "32F_FAST_TF32",
                        "epilogue": "DEFAULT", "batch": 5, "order_a": "ROW", "order_d": "ROW", "lda": 16, "ldb": 16,
                        "ldc": 12, "ldd": 12}),
    ("cublasLtMatmul", {"m": 70, "n": 90, "k": 80, "op_a": "N", "op_b": "N", "type_a": "R_16BF", "type_b": "R_16BF",
                        "type_c": "R_32F", "type_d": "R_16BF", "epilogue": "GELU", "batch": 1}),
    ("cudnnConvolutionForward", {"class": "convolution", "x": F16, "w": "f16[128,32,3,3]nhwc", "conv": CONVOLUTION,
                                 "algo": "IMPLICIT_PRECOMP_GEMM", "workspace": 12345, "y": "f16[8,128,28,28]nhwc"}),
    ("cudnnPoolingForward", {"class": "pooling", "x": F32, "y": "f32[2,3,5,4]",
                             "pooling": "mode=AVERAGE_COUNT_EXCLUDE_PADDING window=[2,3] pad=[0,1] stride=[2,3]"}),
    ("cudnnActivationForward", {"class": "activation", "x": F32, "y": F32, "activation": "mode=CLIPPED_RELU coef=6.5"}),
    ("cudnnSoftmaxForward", {"class": "softmax", "x": F32, "y": F32, "algo": "ACCURATE", "mode": "CHANNEL"}),
    ("cudnnBatchNormalizationForwardInference",
     {"class": "normalization", "x": F32, "y": F32, "mode": "SPATIAL", "bn_scale_bias_mean_var": "f32[1,3,1,1]",
      "epsilon": 1e-5}),
    ("cudnnAddTensor", {"a": "f64[2,3,4,5,6]{480,160,40,8,1}", "c": "f64[2,3,4,5,6]{480,160,40,8,1}"}),
    ("cudnnRNNForward",
     {"class": "rnn", "fwd_mode": "INFERENCE", "h": "f16[6,4,256]", "c": "f16[6,4,256]", "workspace": 2000,
      "weight_space_size": 1000, "x": "f16[7,4,512] layout=SEQ_MAJOR_UNPACKED",
      "rnn": "cell=LSTM input=512 hidden=256 projected=256 layers=3 direction=BIDIRECTIONAL bias=DOUBLE_BIAS "
             "input_mode=LINEAR_INPUT type=f16 compute=f32 math=TENSOR_OP_MATH algorithm=STANDARD"}),
    ("cudnnOpTensor", {"op_tensor": "op=MUL compute=f32", "a": F32, "b": F32, "c": F32}),
    ("cudnnReduceTensor", {"reduce_tensor": "op=NORM2 compute=f32 indices=NO_INDICES", "a": F32, "c": "f32[1,3,1,1]",
                           "workspace": 64}),
    ("cudnnTransformTensorEx", {"trans": "format=NHWC pad_before=[0,0,1,2] pad_behind=[0,0,3,4]", "src": F32, "dest": F32}),
    ("cudnnMultiHeadAttnForward",
     {"attn": "heads=8 scale=0.125 qkv=[512,256,128] projected=[64,64,32,1024] longest=[20,30] batch=4 beam=1 type=f16 "
              "compute=f32 math=TENSOR_OP_MATH",
      "q": "f16[20,4,1,512]" + AXES, "k": "f16[30,4,1,256]" + AXES, "v": "f16[30,4,1,128]" + AXES,
      "o": "f16[20,4,1,1024]" + AXES, "curr_idx": -1}),
    ("cudnnConvolutionForward", {"x": F32, "conv": CONVOLUTION}),
]  # fmt: skip


def installations():
    """The paths of cuBLAS, cuBLASLt and cuDNN, for each place that has all of them: the toolkit, PyTorch's wheels."""
    places = [(TOOLKIT / "lib64",) * 3]
    for packages in sorted((BUILD / "python/torch/lib").glob("python3*/site-packages/nvidia")):
        places.append((packages / "cu13/lib", packages / "cu13/lib", packages / "cudnn/lib"))
    found = [[folder / name for folder, name in zip(folders, NAMES)] for folders in places]
    found = [paths for paths in found if all(path.exists() for path in paths)]
    if not found:
        skip("no CUDA 13 libraries with cuDNN 9 in /usr/local/cuda or beside PyTorch's wheel")
    return found


def toolkit():
    """Include and library folder of an installed toolkit with cuDNN."""
    include, lib = TOOLKIT / "include", TOOLKIT / "lib64"
    if not all((include / name).exists() for name in ("cublas_v2.h", "cublasLt.h", "cudnn.h")):
        skip("no CUDA toolkit with cuDNN's headers in /usr/local/cuda")
    if not all((lib / name).exists() for name in NAMES):
        skip("no CUDA 13 libraries with cuDNN 9 in /usr/local/cuda")
    return include, lib


def compiled(*options):
    """test/programs/cuda_calls.c in the current folder."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        skip("no C compiler")
    include, _ = toolkit()
    program = Path("cuda_calls").absolute()
    done = run(compiler, f"-I{include}", PROGRAMS / "cuda_calls.c", "-o", program, *options, "-ldl")
    check_equal((done.returncode, done.stderr.decode()), (0, ""), "the program compiles")
    return program


def check_calls(plain, done):
    """`plain`: the program run by itself; `done`: by xsp-run."""
    check_equal(plain.returncode, 0, f"exit status without XSP; stderr: {plain.stderr.decode()}")
    expected, got = (re.sub(rb"0x[0-9a-f]+", b"0x...", text) for text in (plain.stdout, done.stdout))
    check_equal(got, expected, "stdout with the statuses")
    check_equal(done.returncode, plain.returncode, f"exit status; stderr: {done.stderr}")
    printed = [line.split() for line in plain.stdout.decode().splitlines() if not line.startswith(" ")]
    check_equal([name for name, _ in printed], [name for name, _ in EXPECTED], "calls that the program made")

    spans = sorted(done.trace.spans, key=lambda span: span.begin)
    check(all(span.level == "library" and not span.parent for span in spans), "only library calls, none inside another")
    check_equal([span.name for span in spans], [name for name, _ in EXPECTED], "recorded calls")
    for span, (_, status), (name, expected) in zip(spans, printed, EXPECTED):
        library = "cudnn" if name.startswith("cudnn") else "cublas"
        expected = {**expected, "status": STATUS_NAMES[library][int(status)]}
        check_equal({field: span.arguments.get(field) for field in expected}, expected, f"arguments of {name}")
        check_equal(span.failed, status != "0", f"failure of {name}")
        check_equal(span.type, "cublaslt" if name.startswith("cublasLt") else library, f"library of {name}")
    check_equal(done.trace.unintercepted, [], "libraries that were not seen")
