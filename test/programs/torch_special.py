"""torch_special.py KIND [--facts FILE]: unmodified programs that run models in special ways; what each prints depends on
nothing but the version of PyTorch. Exit status 77: this PyTorch does not have it.
"""
import sys
import threading

import torch
import torch.nn.functional as F
from torch import nn
from torch_facts import digest, skip, unseen


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.product = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.rectifier = nn.ReLU()

    def forward(self, x):
        return x + self.rectifier(self.norm(self.product(x)))


class Model(nn.Module):
    def __init__(self, width=16, classes=4):
        super().__init__()
        self.first = Block(width)
        self.second = Block(width)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        return self.head(F.gelu(self.second(self.first(x))))


def inputs(i, width=16):
    return torch.randn(3, width, generator=torch.Generator().manual_seed(i))


def call_three_times(model):
    with torch.no_grad():
        for i in range(3):
            print(i, digest(model(inputs(i))))


def scripted():
    call_three_times(torch.jit.script(Model().eval()))


def traced():
    with unseen():  # PyTorch's own calls, to check the trace
        model = torch.jit.trace(Model().eval(), inputs(7))
    call_three_times(model)


def frozen():
    call_three_times(torch.jit.freeze(torch.jit.script(Model().eval())))


def compiled():
    """Graphs, breaks and recompilations are printed, too. The shape changes once."""
    if not hasattr(torch, "compile"):
        skip("this PyTorch has no torch.compile")
    from torch._dynamo.utils import counters

    with unseen():
        model = torch.compile(Model().eval(), backend="aot_eager")
        call_three_times(model)
        with torch.no_grad():
            for _ in range(2):
                print(digest(model(torch.ones(5, 16))))
        trained = torch.compile(Model(), backend="aot_eager")
        for i in range(2):
            trained(inputs(i)).sum().backward()
    print(digest([p.grad for p in trained.parameters()]))
    for kind in ("stats", "graph_break", "frames", "recompiles"):
        print(kind, sorted(counters[kind].items()))


def autocast():
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).eval()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        call_three_times(model)
    call_three_times(model)


def inference_mode():
    model = Model().eval()
    with torch.inference_mode():
        for i in range(3):
            print(i, digest(model(inputs(i)).clone()))


def user_hooks():
    """Hooks of every kind, some of which change what passes, and one that is removed after the first call."""
    model = Model()
    seen = []
    first = model.first.register_forward_hook(lambda module, given, output: seen.append("first") or output * 2)
    model.second.register_forward_pre_hook(lambda module, given: (given[0] + 1,))
    model.head.register_full_backward_hook(lambda module, into, out: seen.append("backward"))
    every = nn.modules.module.register_module_forward_hook(lambda module, given, output: seen.append(type(module).__name__))
    for i in range(2):
        output = model(inputs(i))
        output.sum().backward()
        print(digest(output, [p.grad for p in model.parameters()]), seen)
        seen.clear()
        first.remove()
    every.remove()
    print(digest(model(inputs(2))), seen)


class Raising(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            raise ValueError("too much")
        return x


def raises_in_forward():
    """The exception of an inner module passes through two others, or is caught by the one outside."""

    class Catching(nn.Module):
        def __init__(self):
            super().__init__()
            self.raising = Raising()
            self.instead = nn.Linear(16, 16)

        def forward(self, x):
            try:
                return self.raising(x)
            except ValueError:
                return self.instead(x)

    model = nn.Sequential(nn.Linear(16, 16), nn.Sequential(Raising(), nn.ReLU()), nn.Linear(16, 4)).eval()
    model[0].weight.data.fill_(1.0)
    catching = Catching().eval()
    with torch.no_grad():
        for sign in (-1.0, 1.0, -1.0):
            try:
                print(digest(model(torch.full((2, 16), 10 * sign))))
            except ValueError as error:
                print("raised", error)
            print(digest(catching(torch.full((2, 16), sign))))


def recursion():
    """A module that calls itself, and one whose second member calls the first."""

    class Folding(nn.Module):
        def __init__(self):
            super().__init__()
            self.product = nn.Linear(16, 16)

        def forward(self, x, depth=3):
            x = torch.tanh(self.product(x))
            return self(x, depth - 1) if depth else x

    class Halving(nn.Module):
        def __init__(self):
            super().__init__()
            self.leaf = nn.Linear(4, 4)

        def forward(self, x):
            if x.shape[-1] == 4:
                return self.leaf(x)
            left, right = x.chunk(2, -1)
            return torch.cat([self(left), self(right)], -1)

    call_three_times(Folding().eval())
    call_three_times(Halving().eval())


def shared_module():
    """One module under two names and called five times, one with parameters shared."""

    class Shared(nn.Module):
        def __init__(self):
            super().__init__()
            self.block = Block(16)
            self.again = self.block
            self.tied = nn.Linear(16, 16)
            self.tied.weight = self.block.product.weight

        def forward(self, x):
            for _ in range(3):
                x = self.block(x)
            return self.tied(self.again(self.again(x)))

    call_three_times(Shared().eval())


class Blocks(nn.Module):
    """Calls what it has in its lists."""

    def __init__(self):
        super().__init__()
        self.members = nn.ModuleList([Block(16), nn.Linear(16, 16)])
        self.parts = None

    def forward(self, x):
        for part in [*(self.members or ()), *(self.parts or ())]:
            x = part(x)
        return x


def replaced_module():
    """Members replaced, added and removed between calls."""
    model = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4)).eval()
    call_three_times(model)
    model[1] = nn.Tanh()
    model[2] = nn.Linear(16, 6)
    call_three_times(model)
    model.add_module("last", nn.Softmax(-1))
    call_three_times(model)
    del model[1]
    call_three_times(model)
    blocks = Blocks()
    call_three_times(blocks)
    blocks.parts, blocks.members = blocks.members, None
    call_three_times(blocks)
    blocks.members = nn.ModuleList([nn.Identity(), blocks.parts.pop(0)])
    call_three_times(blocks)


def functional_only():
    """A model without modules inside, and no module at all."""

    class Functional(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(16, 16))

        def forward(self, x):
            return F.softmax(F.relu(F.linear(x, self.weight)), -1)

    model = Functional().eval()
    call_three_times(model)
    weight = torch.randn(16, 16)
    with torch.no_grad():
        print(digest(torch.tanh(inputs(3) @ weight)))


def threads():
    """Two models, each called by a thread of its own at the same time; one of them is also called by the main thread."""
    models = [Model().eval(), nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).eval()]
    results = [[], []]
    ready = threading.Barrier(2)

    def serve(which):
        ready.wait()
        with torch.no_grad():
            for i in range(20):
                results[which].append(models[which](inputs(i)))

    servers = [threading.Thread(target=serve, args=(i,)) for i in range(2)]
    for server in servers:
        server.start()
    for server in servers:
        server.join()
    print(*(digest(result) for result in results))
    call_three_times(models[0])


class Samples(torch.utils.data.Dataset):
    """What a worker does to a sample are operators, but no model."""

    def __len__(self):
        return 12

    def __getitem__(self, i):
        sample = inputs(i)
        return (sample - sample.mean()) / sample.std(), i % 4


def dataloader():
    """Workers by fork and by spawn; the model trains in the main process."""
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for method, workers in (("fork", 2), ("spawn", 1)):
        loader = torch.utils.data.DataLoader(Samples(), batch_size=4, num_workers=workers, multiprocessing_context=method)
        for samples, classes in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(samples)[:, 0], classes)
            loss.backward()
            optimizer.step()
            print(method, digest(samples, loss))


def data_parallel():
    """Without a GPU DataParallel calls its module as it is."""
    model = nn.DataParallel(Model()).eval()
    call_three_times(model)
    model(inputs(0)).sum().backward()
    print(digest([p.grad for p in model.parameters()]))


def train_rank(rank, ranks):
    import os

    import torch.distributed as dist

    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(Model())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for step in range(3):
        optimizer.zero_grad()
        loss = model(inputs(step * ranks + rank)).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    everyones = [None] * ranks
    dist.all_gather_object(everyones, digest(losses, list(model.parameters())))
    if rank == 0:
        print(*everyones, flush=True)
    dist.barrier()
    os._exit(0)  # PyTorch 1.13 at times waits for ever when it takes down what gloo has


def ddp():
    """Two processes by torch.multiprocessing, or those of torchrun."""
    import os
    import socket

    if not torch.distributed.is_available():
        skip("this PyTorch has no torch.distributed")
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    if "RANK" in os.environ:
        train_rank(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]))
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free.getsockname()[1]))
    torch.multiprocessing.spawn(train_rank, (2,), 2)


def export():
    """The program of torch.export, called as a module."""
    try:
        from torch.export import export as export_program
    except ImportError:
        skip("this PyTorch has no torch.export")
    with unseen(), torch.no_grad():
        program = export_program(Model().eval(), (inputs(7),))
    call_three_times(program.module())


class Doubling(nn.Linear):
    def __call__(self, x):
        return super().__call__(x) * 2


class Direct(nn.Linear):
    """Its calls pass by all hooks."""

    def __call__(self, x):
        return self.forward(x)


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).T


class OfSequences(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(16, 8)

    def forward(self, x):
        return self.lstm(nn.utils.rnn.pack_sequence(list(x[:, None].unbind())))[1][0]


def unusual_modules():
    """Symbolically traced, quantized, lazy, parametrized; optimized for inference; under transforms of functions."""
    call_three_times(torch.fx.symbolic_trace(Model().eval()))
    call_three_times(torch.ao.quantization.quantize_dynamic(Model().eval(), {nn.Linear}, dtype=torch.qint8))
    call_three_times(nn.Sequential(nn.LazyLinear(8), nn.ReLU(), nn.LazyLinear(4)).eval())
    parametrized = nn.Sequential(nn.Linear(16, 16), nn.utils.weight_norm(nn.Linear(16, 4))).eval()
    nn.utils.parametrize.register_parametrization(parametrized[0], "weight", Symmetric())
    call_three_times(parametrized)
    call_three_times(OfSequences().eval())
    call_three_times(nn.Sequential(Doubling(16, 16), Direct(16, 4)).eval())
    call_three_times(torch.jit.optimize_for_inference(torch.jit.script(Model().eval())))
    if hasattr(torch, "func"):
        model = Model()
        loss = lambda parameters, x: torch.func.functional_call(model, parameters, (x[None],)).sum()
        gradients = torch.func.vmap(torch.func.grad(loss), (None, 0))(dict(model.named_parameters()), inputs(1))
        print(digest(list(gradients.values())))


KINDS = (scripted, traced, frozen, compiled, autocast, inference_mode, user_hooks, raises_in_forward, recursion, shared_module,
         replaced_module, functional_only, threads, dataloader, data_parallel, ddp, export,
         unusual_modules)  # fmt: skip

if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    {kind.__name__: kind for kind in KINDS}[sys.argv[1]]()
