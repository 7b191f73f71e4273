"""Writes a profile as PyTorch's profiler writes it, of any length: kineto_profile.py MEGABYTES OUTPUT. Each repetition is one
layer of a transformer in training, with the events and arguments that a recording of today has: modules, Python functions,
operators with shapes, runtime calls, kernels, flows, memory, and the backward pass on its own thread.
"""
import sys

MEGABYTES, OUTPUT = int(sys.argv[1]), sys.argv[2]
PID, BACKWARD = 5617, 5700

HEAD = """{
  "schemaVersion": 1,
  "deviceProperties": [
    {"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85018279936, "computeMajor": 9, "computeMinor": 0, "numSms": 132}
  ],
  "cuda_driver_version": 12090, "record_shapes": 1, "with_stack": 1, "profile_memory": 1,
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1751410836000000000,
  "traceEvents": ["""
GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"
POINTWISE = ("void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
             "at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)"
             "#1}, std::array<char*, 2ul> >(int, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType))")  # fmt: skip
LINEAR = ('"Concrete Inputs": ["", "", ""], "Input type": ["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"], "Input Strides": '
          '[[151296, 768, 1], [768, 1], [1]], "Input Dims": [[4, 197, 768], [768, 768], [768]], "Ev Idx": %(id)d')  # fmt: skip
ADDMM = ('"Concrete Inputs": ["", "", "", "1", "1", ""], "Input type": ["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", '
         '"Scalar", ""], "Input Strides": [[1], [768, 1], [1, 768], [], [], []], "Input Dims": [[768], [788, 768], [768, 768], [], [], '
         '[]], "Ev Idx": %(id)d')  # fmt: skip
VIEW = ('"Concrete Inputs": ["", "[788, 768]"], "Input type": ["c10::BFloat16", "ScalarList"], "Input Strides": [[151296, 768, 1], '
        '[]], "Input Dims": [[4, 197, 768], []], "Ev Idx": %(id)d')  # fmt: skip


def span(category, name, begin, duration, arguments, pid=PID, tid=PID):
    return (f'\n  {{\n    "ph": "X", "cat": "{category}", "name": "{name}", "pid": {pid}, "tid": {tid},\n    '
            f'"ts": %({begin})s, "dur": {duration:.3f},\n    "args": {{\n      {arguments}\n    }}\n  }}')  # fmt: skip


def flow(phase, category, pid, tid, begin, number):
    end = ', "bp": "e"' if phase == "f" else ""
    return (f'\n  {{\n    "ph": "{phase}", "id": %({number})d, "pid": {pid}, "tid": {tid}, "ts": %({begin})s,\n    "cat": '
            f'"{category}", "name": "{category}"{end}\n  }}')  # fmt: skip


def memory(begin):
    return (f'\n  {{\n    "ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]",\n    "pid": {PID}, "tid": {PID},\n'
            f'    "ts": %({begin})s,\n    "args": {{\n      "Total Reserved": 245366784, "Total Allocated": 216081408, "Bytes": '
            '1210368, "Addr": 136093868752896, "Device Id": 0, "Device Type": 1, "Ev Idx": %(id)d\n    }\n  }')  # fmt: skip


def launch(kernel, number, call, device, tid=PID):
    place = f'"External id": %(id)d, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": %({number})d'
    size = ('"registers per thread": 168, "shared memory": 213248, "blocks per SM": 0.318182, "warps per SM": 3.818182, "grid": '
            '[6, 7, 1], "block": [384, 1, 1], "est. achieved occupancy %%": 19')  # fmt: skip
    arguments = f'"External id": %(id)d, "cbid": 211, "correlation": %({number})d'
    return [span("cuda_runtime", "cudaLaunchKernel", call, 4.25, arguments, tid=tid), flow("s", "ac2g", PID, tid, call, number),
            span("kernel", kernel, device, 13.952, f"{place}, {size}", pid=0, tid=7),
            flow("f", "ac2g", 0, 7, device, number)]  # fmt: skip


def operator(name, begin, duration, shapes, tid=PID, forward=0):
    head = f'"External id": %(id)d, "Record function id": 0, "Sequence number": %(id)d, "Fwd thread id": {forward}, '
    return span("cpu_op", name, begin, duration, head + shapes, tid=tid)


def python(name, begin, duration):
    return span("python_function", name, begin, duration,
                '"Python parent id": %(id)d, "Python id": %(id)d, "Python module id": 3, "Ev Idx": %(id)d')  # fmt: skip


EVENTS = [
    python("nn.Module: Linear_%(module)d", "t0", 90),
    python("torch/nn/modules/linear.py(124): forward", "t1", 80),
    python("<built-in function linear>", "t2", 75),
    operator("aten::linear", "t3", 70, LINEAR),
    operator("aten::view", "t4", 3, VIEW),
    operator("aten::addmm", "t5", 50, ADDMM),
    memory("t6"),
    *launch(GEMM, "c0", "t7", "t11"),
    python("nn.Module: GELU_%(module)d", "t12", 40),
    operator("aten::gelu", "t13", 30, VIEW),
    memory("t14"),
    *launch(POINTWISE, "c1", "t15", "t16"),
    operator("autograd::engine::evaluate_function: AddmmBackward0", "t8", 60, '"Ev Idx": %(id)d', BACKWARD, 1),
    operator("AddmmBackward0", "t9", 55, '"Ev Idx": %(id)d', BACKWARD, 1),
    operator("aten::mm", "t10", 40, VIEW, BACKWARD, 1),
    *launch(GEMM, "c2", "t17", "t18", BACKWARD),
]
OFFSETS = [0, 5, 6, 8, 9, 15, 20, 25, 50.5, 52, 60, 120.125, 100, 104, 108.5, 112.75, 150.25, 70, 180.875]
BLOCK = ",".join(EVENTS)

with open(OUTPUT, "w") as file:
    size = file.write(HEAD)
    repetition = 0
    while size < MEGABYTES * 1_000_000:
        begin = 1414456661601.577 + 200 * repetition
        values = {f"t{i}": f"{begin + offset:.3f}" for i, offset in enumerate(OFFSETS)}
        values |= {f"c{i}": 3 * repetition + 1 + i for i in range(3)}
        values |= {"id": repetition + 1, "module": repetition % 200}
        if repetition > 0:
            size += file.write(",")
        size += file.write(BLOCK % values)
        repetition += 1
    file.write('\n  ],\n  "traceName": "profile.json"\n}\n')
