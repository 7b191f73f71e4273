"""B6 names the inefficiency that was planted in a program of convolutions and products, with its kind, how often it is and,
of kernels, exactly what it takes; and nothing else. Without any it is empty.
"""
import json

from support.fake_cuda import FAKE_CUDA, run_on_device
from support.xsp_e2e import BUILD, PROGRAMS, SYSTEM_PYTHON, check, check_equal, run, work_folder

XSP_BOUND = BUILD / "bound/xsp-bound"
# Layouts that the stand-in for cuDNN changes inside its convolutions take next to nothing here.
KERNELS = ("cudnn_nchwToNhwcKernel=0.1us,implicit_convolve=400us,ampere_sgemm=300us,geam=50us,void mshadow=40us,"
           "void mxnet=30us")  # fmt: skip
# fault: kind, layers, count, µs of kernels (none: not of kernels), what is seen
FAULTS = {
    "padding": ("between_kernels", "3 convolutions", 3, 120, "padded by mshadow::cuda::image_2d_pad_constant_kernel"),
    "transposed_weights": ("extra_call", "2 matrix products", 2, 100,
                           "cublasSgeam of weights in every call of the model"),
    "plans": ("repeated_setup", "3 convolutions", 3, None, "cudnnBackendFinalize in every call of the model"),
    "searches": ("repeated_setup", "3 convolutions", 3, None,
                 "cudnnGetConvolutionForwardAlgorithm_v7 in every call of the model"),
    "synchronisation": ("between_calls", "conv0 to conv1", 1, None,
                        "cudaStreamSynchronize before it, then an idle device"),
    "one_algorithm": ("other_arguments", "3 convolutions", 3, None, "algo=IMPLICIT_GEMM for 3 shapes, never asked for"),
    "handles": ("repeated_setup", "2 matrix products", 2, None, "cublasCreate_v2 in every call of the model"),
}  # fmt: skip


def inefficiencies(*faults):
    """Rows of B6 of a run with these faults."""
    # The functions that make plans are recorded when asked for.
    options = ["--library-calls", "all"] if "plans" in faults else []
    run_on_device(SYSTEM_PYTHON, PROGRAMS / "planted_inefficiencies.py", FAKE_CUDA, 12, *faults, options=options,
                  FAKE_CUDA_KERNELS=KERNELS).check_success()  # fmt: skip
    done = run(XSP_BOUND, "--trace", "trace.pb", "-a", "B6", "--format", "json")
    check_equal(done.returncode, 0, f"{faults}: exit status; stderr: {done.stderr.decode()}")
    table = json.loads(done.stdout)["B6"]
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


def check_named(rows, faults):
    got = sorted((row["kind"], row["layer_name"], row["count"], row["seen"]) for row in rows)
    expected = sorted((kind, layers, count, seen) for kind, layers, count, _, seen in (FAULTS[fault] for fault in faults))
    check_equal(got, expected, f"inefficiencies with {faults or 'no fault'}")
    for fault in faults:
        kind, _, _, us, seen = FAULTS[fault]
        row = next(row for row in rows if row["seen"] == seen)
        check(row["evidence"], f"{fault}: has evidence: {row}")
        if us is not None:
            check_equal(round(row["time_ms"] * 1e3, 6), us, f"{fault}: time in µs")
        check(fault == "one_algorithm" or row["time_ms"] > 0, f"{fault}: has a time: {row}")


work_folder()
for faults in ([], *([fault] for fault in FAULTS), ["padding", "transposed_weights", "plans", "synchronisation", "one_algorithm"]):
    check_named(inefficiencies(*faults), faults)
