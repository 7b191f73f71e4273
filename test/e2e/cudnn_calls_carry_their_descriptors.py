"""Calls of the real cuDNN, reached by ctypes, are recorded with what their descriptors said; results, statuses and the last
error are those of the program without us, even where it passes an address that is no descriptor.
"""
from support.trace_reader import LIBRARY_CALL
from support.xsp_e2e import PROGRAMS, SYSTEM_PYTHON, check, check_equal, run, skip, work_folder, xsp_run

LIBRARIES = ["libcudnn.so.9", "/usr/local/cuda/lib64/libcudnn.so.9"]

work_folder()
program = [SYSTEM_PYTHON, PROGRAMS / "cudnn_by_ctypes.py"]
library = next((name for name in LIBRARIES if run(*program, name).returncode == 0), None)
if library is None:
    skip("no libcudnn.so.9 here")
alone = run(*program, library)
done = xsp_run(*program, library).check_success()
check_equal(done.stdout, alone.stdout, "what the program prints")

calls = [s for s in done.trace.of_kind(LIBRARY_CALL) if s.type == "cudnn"]
check_equal([s.name for s in calls], ["cudnnConvolutionForward", "cudnnActivationForward"], "computations, and no setters")
convolution, activation = (s.arguments for s in calls)
expected = {
    "x": "f16[8,64,56,56]nhwc",
    "y": "f16[8,128,28,28]",
    "w": "f16[128,64,3,3]",
    "conv": "pad=[1,1] stride=[2,2] dilation=[1,1] groups=1 mode=CROSS_CORRELATION math=DEFAULT_MATH compute=f32",
    "algo": "IMPLICIT_PRECOMP_GEMM",
    "workspace": 4096,
    "class": "convolution",
}
check_equal({name: convolution.get(name) for name in expected}, expected, "arguments of the convolution")
check(all(s.failed for s in calls), "without a handle the calls fail")
check("BAD_PARAM" in convolution["status"], f"the status has its name, not {convolution['status']}")
check_equal((activation["activation"], activation["x"]), ("", ""), "what is no descriptor")

everything = xsp_run(*program, library, options=["--library-calls", "all"], output="all.pb").check_success()
check_equal(everything.stdout, alone.stdout, "what the program prints when all its calls are recorded")
names = [s.name for s in everything.trace.of_kind(LIBRARY_CALL)]
check("cudnnSetConvolution2dDescriptor" in names, "setters are recorded when asked for")
check_equal(names.count("cudnnGetTensorNdDescriptor"), 0, "our own questions are not recorded")
