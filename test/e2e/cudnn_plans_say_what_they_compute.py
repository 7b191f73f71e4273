"""Plans of cuDNN's graph API, made for described devices of compute capability 7.5 to 12.0: the report shows of each
execution the operations, shapes, types, layouts, engine, numerical notes and workspace, as the program and the library know
them. Reading them leaves cuDNN's last error alone.
"""
import re

from support.cuda_calls import installations
from support.xsp_e2e import PROGRAMS, SYSTEM_PYTHON, check, check_equal, report, run, work_folder, xsp_run

CONVOLUTION = "dilation=[1,1] math=f32 pad=[1,1]"
FUSED = ("convolution_forward+pointwise(ADD)+pointwise(RELU_FWD): X={0}[4,32,14,14]nhwc W={0}[64,32,1,1] "
         "Y=f32[4,64,14,14]nhwc:virtual dilation=[1,1] math=f32 pad=[0,0] stride=[1,1]; X=f32[4,64,14,14]nhwc:virtual "
         "B={0}[1,64,1,1] Y=f32[4,64,14,14]nhwc:virtual math=f32; X=f32[4,64,14,14]nhwc:virtual Y={0}[4,64,14,14]nhwc "
         "math=f32")  # fmt: skip
GRAPHS = {
    "convolution-f32-nchw": "convolution_forward: X=f32[8,64,28,28] W=f32[128,64,3,3] Y=f32[8,128,28,28] "
                            f"{CONVOLUTION} stride=[1,1]",
    "convolution-f16-nhwc": "convolution_forward: X=f16[8,64,28,28]nhwc W=f16[128,64,3,3]nhwc Y=f16[8,128,28,28]nhwc "
                            f"{CONVOLUTION} stride=[1,1]",
    "strided-f32-nhwc": "convolution_forward: X=f32[8,64,28,28]nhwc W=f32[128,64,3,3]nhwc Y=f32[8,128,14,14]nhwc "
                        f"{CONVOLUTION} stride=[2,2]",
    "small-f16-nhwc": "convolution_forward: X=f16[8,16,28,28]nhwc W=f16[128,16,3,3]nhwc Y=f16[8,128,28,28]nhwc "
                      f"{CONVOLUTION} stride=[1,1]",
    "fused-f16-nhwc": FUSED.format("f16"),
    "fused-f32-nhwc": FUSED.format("f32"),
    "matmul-f16": "matmul: A=f16[6,96,40] B=f16[6,40,72] C=f16[6,96,72] math=f32",
    "matmul-f32": "matmul: A=f32[6,96,40] B=f32[6,40,72] C=f32[6,96,72] math=f32",
}  # fmt: skip
# cudnnBackendNumericalNote_t, in order.
NOTES = ("TENSOR_CORE", "DOWN_CONVERT_INPUTS", "REDUCED_PRECISION_REDUCTION", "FFT", "NONDETERMINISTIC", "WINOGRAD",
         "WINOGRAD_TILE_4x4", "WINOGRAD_TILE_6x6", "WINOGRAD_TILE_13x13", "STRICT_NAN_PROP")  # fmt: skip

work_folder()
for *_, cudnn in installations():
    command = [SYSTEM_PYTHON, PROGRAMS / "cudnn_graphs.py", cudnn, "all"]
    plain = run(*command)
    check_equal(plain.returncode, 0, f"exit status without XSP; stderr: {plain.stderr.decode()}")
    done = xsp_run(*command).check_success()
    check_equal(done.stdout, plain.stdout, "plans and statuses")
    # Some engines are compiled by the driver: without one not every graph has a plan.
    printed = [line.split() for line in plain.stdout.decode().splitlines() if line[0].isdigit()]
    printed = [words for words in printed if words[-1] != "none"]
    check_equal({words[0] for words in printed}, {"75", "80", "89", "90", "100", "120"}, "capabilities with plans")

    table = report("trace.pb", "--analysis", "C1")["C1"]
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row)) for row in table["rows"]]
    rows = [row for row in rows if row["function"] == "cudnnBackendExecute"]
    check_equal(len(rows), len(printed), "executions in the report")
    for row, (capability, graph, engine, notes, workspace, _) in zip(rows, printed):
        what = f"{graph} for {capability}"
        check_equal(row["status"], "CUDNN_STATUS_BAD_PARAM", f"status of {what}")
        shown = re.fullmatch(r"handle=0x0 stream=0x0 (.*); engine=(\d+) knobs=(\S*) workspace=(\d+)( numerical_notes=(\S+))?",
                             row["arguments"])  # fmt: skip
        check(shown is not None, f"arguments of {what}: {row['arguments']}")
        check_equal(shown[1], GRAPHS[graph], f"operations of {what}")
        check_equal((shown[2], shown[4]), (engine, workspace), f"engine and workspace of {what}")
        expected = None if notes == "-" else ",".join(NOTES[int(note)] for note in notes.split(","))
        check_equal(shown[6], expected, f"numerical notes of {what}")
        check(re.fullmatch(r"[A-Z_0-9a-z]+:-?\d+(,[A-Z_0-9a-z]+:-?\d+)*", shown[3]), f"knobs of {what}: {shown[3]}")
