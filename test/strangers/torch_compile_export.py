"""torch.compile with backends that need no compiler of C++, torch.export, torch.jit, torch.func, quantization, torch.onnx.
needs: torch
counts: none, as PyTorch calls models by itself while it takes them apart
"""
import io
import warnings

import torch
from torch import nn
from torch._dynamo.testing import CompileCounterWithBackend, EagerAndRecordGraphs
from torch._dynamo.utils import counters
from torch.utils.flop_counter import FlopCounterMode

torch.manual_seed(0)
torch.set_num_threads(1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)
        self.norm = nn.LayerNorm(16)

    def forward(self, x):
        return self.norm(x + self.attention(x, x, x, need_weights=False)[0])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        if x.shape[0] > 2:
            x = x * 2
        return self.head(x.mean(1))


net = Net().eval()
xs = [torch.randn(n, 5, 16) for n in (1, 2, 4)]
with torch.no_grad():
    for backend in ("eager", "aot_eager"):
        torch._dynamo.reset()
        counters.clear()
        counting = CompileCounterWithBackend(backend)
        compiled = torch.compile(net, backend=counting)
        for x in xs * 2:
            print(backend, compiled(x).double().sum().item())
        print(counting.frame_count, counting.op_count, sorted(counters["stats"].items()), sorted(counters["graph_break"].items()))
    torch._dynamo.reset()
    recording = EagerAndRecordGraphs()
    torch.compile(net, backend=recording, fullgraph=True, dynamic=False)(xs[0])
    print(recording.graphs[0].print_readable(print_output=False))
    explained = torch._dynamo.explain(net)(xs[0])
    print(explained.graph_count, explained.graph_break_count)
    exported = torch.export.export(net, (xs[1],))
    print(exported)
    print(exported.module()(xs[1]).double().sum().item())
    file = io.BytesIO()
    torch.export.save(exported, file)
    file.seek(0)
    print(torch.export.load(file).module()(xs[1]).double().sum().item())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        traced = torch.jit.trace(net, xs[1])
        scripted = torch.jit.script(nn.Sequential(nn.Linear(16, 4), nn.ReLU()))
    print(sorted({str(one.message)[:70] for one in caught}))
    print(traced.inlined_graph.copy().__str__()[:3000])
    print(traced(xs[1]).double().sum().item(), scripted(xs[1]).double().sum().item())
    with FlopCounterMode(display=False) as flops:
        net(xs[2])
    print(flops.get_total_flops(), {name: dict(found) for name, found in flops.get_flop_counts().items()})
    values = dict(net.named_parameters())
    print(torch.func.functional_call(net, values, (xs[2],)).double().sum().item())
    ensemble = torch.func.stack_module_state([nn.Linear(4, 2) for _ in range(3)])
    linear = nn.Linear(4, 2)
    print(torch.vmap(lambda p, b: torch.func.functional_call(linear, (p, b), (torch.ones(1, 4),)))(*ensemble).shape)
jacobian = torch.func.jacrev(linear)(torch.ones(4))
print(jacobian.double().sum().item())
trained = torch.compile(nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.0), nn.Linear(8, 1)), backend="aot_eager")
optimizer = torch.optim.Adam(trained.parameters())
for i in range(3):
    optimizer.zero_grad()
    loss = trained(torch.full((2, 4), float(i))).square().mean()
    loss.backward()
    optimizer.step()
    print(loss.item())
inner = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
checked = torch.utils.checkpoint.checkpoint(inner, torch.ones(1, 4, requires_grad=True), use_reentrant=False)
checked.sum().backward()
print(checked.double().sum().item())
print("models", {})
