"""Programs made of steps, with deliberate faults (simulated_program.py): training and inference as PyTorch runs them, for the
tests of what a report says first. Their true figures are added up in step_truth.py.
"""

from contextlib import nullcontext
from dataclasses import dataclass, replace

from .kineto_profile import Recording
from .simulated_program import (
    BACKWARD_THREAD, COMMUNICATION, COMPUTE, GRAIN, MAIN_THREAD, MS, PAGEABLE_TO_DEVICE, PINNED_TO_DEVICE, TO_PAGEABLE, US, Program,
    ranks_together,
)  # fmt: skip

CONVOLUTION = "sm80_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16_stage4"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)"
LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


@dataclass
class Knobs:
    """What a program is like; times in µs unless their names say ms."""

    steps: int = 8
    before: int = 3  # steps before the recording
    ahead: int = None  # by how many steps' launches the host may be ahead of the device; None: as far as the queue allows
    batch: int = 32
    blocks: int = 6  # each a convolution, a normalisation, an activation
    kernel: float = 200
    host: float = 10  # host time for an operator, besides its launch
    jitter: float = 0.02
    marks: bool = True  # ProfilerStep#N
    backward: bool = True
    modules: bool = False  # nn.Module calls
    loader: bool = True
    input_ms: float = 0  # how long the step waits for the loader
    pageable: float = 0  # the input is copied from pageable memory, taking this long
    item: bool = False  # the loss is read at the end of each step
    small_operators: bool = False  # far shorter than a microsecond clock resolves
    start_up: bool = False  # weights are copied, handles made, before the first step, within the recording
    cut: bool = False  # the recording begins and ends within steps
    bucket: float = 0  # all-reduces of gradients, each this long
    buckets: int = 3
    late_ms: float = 0  # how much longer the last rank computes on the host in each step
    clock: int = 1
    seed: int = 1

    def but(self, **changes):
        return replace(self, **changes)


class Loop:
    """Runs a program with these knobs; `recording` is what a profiler saw of it."""

    def __init__(self, knobs, rank=None, ranks=1, ends=(), models=("Net",)):
        self.knobs, self.rank, self.ranks, self.models = knobs, rank, ranks, models
        launches = 1 << 30 if knobs.ahead is None else max(2, round(knobs.ahead * self._launches_of_a_step()))
        self.program = p = Program(knobs.seed + 1000 * (rank or 0), queue=launches, jitter=knobs.jitter, ends=ends)
        self.modules, self.python_id = [], 0
        begin = p.now
        if knobs.start_up:
            self._start_up()
        turns = knobs.before * (not knobs.start_up) + knobs.steps + (2 if knobs.cut else 0)
        self.marked_from = 0 if knobs.start_up else knobs.before
        for turn in range(turns):
            if turn == self.marked_from and not knobs.start_up:
                begin = p.now
            self._step(turn, models[turn % len(models)], knobs.marks and turn >= self.marked_from)
        if turns == self.marked_from and not knobs.start_up:
            begin = p.now
        end = p.now
        if not knobs.cut:
            p.synchronize("cudaDeviceSynchronize")  # the profiler's own, when it stops
        else:
            first, last = p.steps[self.marked_from], p.steps[-1]
            begin, end = first.begin + (first.end - first.begin) * 2 // 5, last.begin + (last.end - last.begin) // 2
        self.begin, self.end = begin // GRAIN * GRAIN, end // GRAIN * GRAIN
        self.recording = Recording(
            p, knobs.clock, self.begin, None if not knobs.cut else self.end, rank, ranks, MAIN_THREAD + 10 * (rank or 0)
        )

    def _launches_of_a_step(self):
        if not self.knobs.backward:
            return 3 * self.knobs.blocks + 2
        return 8 * self.knobs.blocks + 8 + (self.knobs.buckets if self.knobs.bucket else 0)

    def _module(self, name):
        """A module call, if the knobs ask for them: instances are numbered by name as PyTorch's profiler does."""
        if not self.knobs.modules:
            return nullcontext()
        self.python_id += 1
        return self.program.span("python_function", f"nn.Module: {name}", before=2, after=1,
                                 **{"Python id": self.python_id, "Python parent id": None, "Python module id": 0})  # fmt: skip

    def _operator(self, name, kernels=(), inner=(), dims=None, sequence=False, **more):
        """An operator with nested ones, the innermost of which launches the kernels: (name, µs) each."""
        p = self.program
        more = {"Fwd thread id": 0, "Sequence number": p.sequence, **more} if sequence else more
        if sequence:
            p.sequence += 1
        with p.operator(name, dims, before=self.knobs.host / 2, after=self.knobs.host / 4, **more) as call:
            if inner:
                self._operator(inner[0], kernels, inner[1:], dims)
            else:
                for kernel, us in kernels:
                    p.kernel(kernel, us)
        return call

    def _small_operators(self):
        """View-like operators of a fraction of a microsecond, the last of which may begin where its parent ends."""
        p = self.program
        if self.knobs.small_operators:
            with p.operator("aten::matmul", [[32, 64], [64, 64]], before=p.random.uniform(1, 3), after=0.1):
                for name in ("aten::as_strided", "aten::resolve_conj", "aten::resolve_conj"):
                    with p.operator(name, [[32, 64]], before=0, after=0):
                        p.now += GRAIN * p.random.randint(0, 4)
            with p.operator("aten::lift_fresh", [[32]], before=0, after=0):
                p.now += GRAIN * p.random.randint(0, 9)

    def _start_up(self):
        """Weights made on the host and copied one by one, and the libraries' handles, which take long."""
        p = self.program
        for i in range(40):
            p.work(300)
            with p.operator("aten::to", [[1000, 1000]]), p.operator("aten::_to_copy", [[1000, 1000]]), p.operator(
                "aten::copy_", [[1000, 1000]]
            ):
                p.copy(PAGEABLE_TO_DEVICE, 1500 + 40 * i, 4_000_000 + 1000 * i)
                p.synchronize()
        with p.operator("aten::cudnn_is_acceptable", [[1]]):
            p.runtime_call("cudaMalloc", 900)
            p.runtime_call("cudaFree", 150_000)

    def _step(self, turn, model, mark):
        knobs, p = self.knobs, self.program
        with p.turn(model, mark):
            if knobs.loader:
                with p.span("user_annotation", LOADER, wait="input", before=20):
                    p.work(knobs.input_ms * 1000)
            if self.rank is not None and self.rank == self.ranks - 1 and knobs.late_ms:
                p.work(knobs.late_ms * 1000)
            self._input()
            if knobs.modules:
                self.python_id = 0
            with self._module(f"{model}_0"):
                forward = self._forward(model)
            if knobs.backward:
                self._backward(forward)
                self._update()
            if knobs.item:
                with p.operator("aten::item", [[]]), p.operator("aten::_local_scalar_dense", [[]]):
                    p.copy(TO_PAGEABLE, 2, 4)
                    p.synchronize()
            p.work(10)

    def _input(self):
        knobs, p = self.knobs, self.program
        if not knobs.loader and not knobs.pageable:
            return
        dims = [[knobs.batch, 3, 224, 224]]
        with p.operator("aten::to", dims), p.operator("aten::_to_copy", dims), p.operator("aten::copy_", dims):
            size = knobs.batch * 3 * 224 * 224 * 4
            if knobs.pageable:
                p.copy(PAGEABLE_TO_DEVICE, knobs.pageable, size)
                p.synchronize()
            else:
                p.copy(PINNED_TO_DEVICE, 300, size)

    def _forward(self, model):
        """(backward node, its kernels, sequence number) in forward order."""
        knobs, p = self.knobs, self.program
        width = 64 if model == self.models[0] else 96
        scale = 1 if model == self.models[0] else 0.5
        forward = []

        def layer(module, name, inner, kernel, us, dims, node):
            with self._module(module):
                sequence = p.sequence
                self._operator(name, [(kernel, us * scale)], inner, dims, sequence=knobs.backward)
                forward.append((node, us * scale, sequence))

        for block in range(knobs.blocks):
            image = [knobs.batch, 3 if block == 0 else width, 224, 224]
            layer(f"Conv2d_{block}", "aten::conv2d", ("aten::convolution", "aten::_convolution", "aten::cudnn_convolution"),
                  CONVOLUTION, knobs.kernel * (1 + block % 3 / 2), [image, [width, image[1], 3, 3], [width], [], [], [], []],
                  "ConvolutionBackward0")  # fmt: skip
            image = [knobs.batch, width, 224, 224]
            layer(f"BatchNorm2d_{block}", "aten::batch_norm", ("aten::_batch_norm_impl_index", "aten::cudnn_batch_norm"),
                  "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int>", knobs.kernel / 2,
                  [image, [width], [width], [width], [width], [], [], [], []], "CudnnBatchNormBackward0")  # fmt: skip
            layer(f"ReLU_{block}", "aten::relu", ("aten::clamp_min",), "void at::native::vectorized_elementwise_kernel<4, relu>",
                  knobs.kernel / 4, [image], "ReluBackward0")  # fmt: skip
            self._small_operators()
        layer("Linear_0", "aten::linear", ("aten::addmm",), "ampere_sgemm_32x128_tn", knobs.kernel / 2,
              [[knobs.batch, 512], [1000, 512], [1000]], "AddmmBackward0")  # fmt: skip
        layer("CrossEntropyLoss_0", "aten::cross_entropy_loss", ("aten::nll_loss_nd",),
              "void at::native::nll_loss_forward_reduce_cuda_kernel_2d", 5, [[knobs.batch, 1000], [knobs.batch], [], [], [], []], "NllLossBackward0")  # fmt: skip
        return forward

    def _backward(self, forward):
        """On the engine's thread, while the main thread waits for it; gradients are reduced in buckets as they come."""
        knobs, p = self.knobs, self.program
        buckets = [round((i + 1) * len(forward) / knobs.buckets) - 1 for i in range(knobs.buckets)] if knobs.bucket else []
        p.work(30)
        p.thread = BACKWARD_THREAD
        for i, (node, us, sequence) in enumerate(reversed(forward)):
            link = {"Fwd thread id": 1, "Sequence number": sequence}
            with p.operator(f"autograd::engine::evaluate_function: {node}", before=2, after=1, **link):
                weights = node in ("ConvolutionBackward0", "AddmmBackward0")
                kernels = [(f"{node}_data_kernel", us), (f"{node}_weight_kernel", us)] if weights else [(f"{node}_kernel", us)]
                self._operator(node, kernels, (f"aten::{node.lower()}",), None, **link)
            if weights:
                with p.operator("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", before=2, after=1):
                    self._operator(
                        "torch::autograd::AccumulateGrad",
                        [("void at::native::vectorized_elementwise_kernel<4, add>", 10)],
                        ("aten::add_",),
                    )
            if i in buckets:
                with p.span("user_annotation", "nccl:all_reduce", before=8, after=4):
                    p.collective(ALL_REDUCE, knobs.bucket)
        p.thread = MAIN_THREAD
        p.work(10)
        if knobs.bucket:
            p.order(COMMUNICATION, COMPUTE)

    def _update(self):
        p = self.program
        with p.span("user_annotation", "Optimizer.step#SGD.step", before=10, after=5):
            self._operator("aten::_foreach_add_", [("void at::native::multi_tensor_apply_kernel<add>", 80)])
            self._operator("aten::_foreach_mul_", [("void at::native::multi_tensor_apply_kernel<mul>", 60)])


def module_calls(loop):
    """The outermost module calls of a recording, each an evaluation where no steps are marked."""
    return [c for c in loop.recording.calls if c.of.name in {f"nn.Module: {model}_0" for model in loop.models}]


def training(**knobs):
    return Loop(Knobs(**knobs))


def inference(**knobs):
    return Loop(Knobs(**{"backward": False, "loader": False, "marks": False, "modules": True, **knobs}))


def ranks_of(knobs, ranks):
    """Loops of data-parallel training, one per rank; their collectives end together."""
    loops = {}

    def run(rank, ends):
        loops[rank] = Loop(knobs, rank, ranks, ends)
        return loops[rank].program

    ranks_together(run, ranks)
    return [loops[rank] for rank in range(ranks)]
