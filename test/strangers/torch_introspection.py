"""A program that looks at PyTorch by inspect, pickle, copy, torch.fx, modes, subclasses, profilers and tracebacks.
needs: torch
stderr: USDT:*
"""
import copy
import gc
import inspect
import io
import linecache
import pickle
import pickletools
import sys
import traceback
import tracemalloc
import types
import warnings
import weakref

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

torch.manual_seed(0)
torch.set_num_threads(1)
calls = {}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.second = nn.Linear(8, 2)

    def forward(self, x, scale=1.0):
        return self.second(torch.relu(self.first(x))) * scale


def call(model, *given, **named):
    calls[type(model).__name__] = calls.get(type(model).__name__, 0) + 1
    return model(*given, **named)


net, x = Net().eval(), torch.ones(2, 4)
# Not yet so once torch._dynamo is imported, whose hooks have frames of PyTorch's own (doc/guest.md).
assert "torch._dynamo" not in sys.modules
try:
    call(net, torch.ones(2, 5))
except RuntimeError as error:
    for frame in traceback.extract_tb(error.__traceback__):
        print(frame.filename.split("/")[-1], frame.lineno, frame.name, frame.line)
    print(error)


def stack(module, given, output):
    print([(frame.function, frame.lineno) for frame in inspect.stack()][:-1])


handle = net.first.register_forward_hook(stack)
call(net, x)
handle.remove()

seen = []
sys.setprofile(lambda frame, event, argument: seen.append((event, frame.f_code.co_name)) if event in ("call", "c_call") else None)
call(net, x)
sys.setprofile(None)
print(len(seen), seen)
lines = []


def trace(frame, event, argument):
    lines.append((event, frame.f_code.co_name, frame.f_lineno))
    return trace


sys.settrace(trace)
call(net, x)
sys.settrace(None)
print(len(lines), lines)

names = ("__call__", "_call_impl", "_wrapped_call_impl", "__getattr__", "register_forward_hook", "state_dict", "apply", "to")
for name in names:
    function = getattr(nn.Module, name)
    print(name, type(function).__name__, inspect.isfunction(function), inspect.isroutine(function), inspect.signature(function),
          function.__qualname__, function.__module__, function.__code__.co_firstlineno, hash(inspect.getsource(function)) is not None,
          len(inspect.getsource(function)), inspect.getsourcefile(function).split("/")[-1], inspect.unwrap(function) is function)
    print([name for name, _ in inspect.getmembers(function)], pickle.loads(pickle.dumps(function)) is function)
print([(kind.name, kind.kind, kind.defining_class.__name__) for kind in inspect.classify_class_attrs(Net) if "call" in kind.name])
print(inspect.getattr_static(net, "__call__") is inspect.getattr_static(nn.Module, "__call__"))
print(inspect.getclosurevars(nn.Module.__call__).nonlocals)
print({key: type(value).__name__ for key, value in vars(nn.Module).items()})
print(sorted(vars(nn.modules.module)), getattr(nn.modules.module, "_has_any_global_hook", lambda: None)())
print({key: len(value) for key, value in vars(nn.modules.module).items() if key.startswith("_global") and hasattr(value, "__len__")})
print(sorted(vars(net)), sorted(dir(net)) == sorted(dir(Net())), isinstance(net.__call__, types.MethodType), callable(net))
print(nn.Module.__call__ in {nn.Module.__call__: 1}, sys.getsizeof(net), sys.getrefcount(net))

pickled = pickle.dumps(net)
print(sum(1 for _ in pickletools.genops(pickled)))
for other in (copy.deepcopy(net), copy.copy(net), pickle.loads(pickled)):
    print(type(other).__name__, call(other, x).tolist(), vars(other).keys() == vars(net).keys())
file = io.BytesIO()
torch.save(net.state_dict(), file)
print(list(torch.load(io.BytesIO(file.getvalue()))))

graph = torch.fx.symbolic_trace(net)
print(graph.graph, graph.code)
print(call(graph, x).tolist(), call(pickle.loads(pickle.dumps(graph)), x).tolist())


class Functions(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, function, kinds, given=(), named=None):
        self.seen.append(getattr(function, "__name__", str(function)))
        return function(*given, **(named or {}))


class Operations(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, kinds, given=(), named=None):
        self.seen.append(str(function))
        return function(*given, **(named or {}))


for kind in (Functions, Operations):
    with kind() as mode:
        call(net, x)
        call(net, x, scale=2.0).sum().backward()
    print(kind.__name__, mode.seen)


class Logged(torch.Tensor):
    seen = []

    @classmethod
    def __torch_function__(cls, function, kinds, given=(), named=None):
        cls.seen.append(getattr(function, "__name__", str(function)))
        return super().__torch_function__(function, kinds, given, named or {})


print(type(call(net, torch.ones(2, 4).as_subclass(Logged))).__name__, Logged.seen)
with torch.device("meta"):
    print(call(Net(), torch.empty(3, 4)).shape)
with torch.autograd.profiler.profile() as profile:
    call(net, x)
print([event.name for event in profile.function_events])
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], with_modules=True, record_shapes=True) as profile:
    call(net, x)
print(sorted((event.key, event.count) for event in profile.key_averages()))

dead = weakref.ref(Net())
gc.collect()
print(dead() is None, [type(one).__name__ for one in gc.get_referrers(net) if type(one).__name__ not in ("dict", "frame")])
tracemalloc.start()
call(net, x)
before = tracemalloc.take_snapshot()
for _ in range(100):
    call(net, x)
after = tracemalloc.take_snapshot()
print(sum(stat.size_diff for stat in after.compare_to(before, "filename") if "torch" in stat.traceback[0].filename) < 20000)
tracemalloc.stop()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    call(nn.LSTM(4, 4, dropout=0.5), x)
    call(net, x)
print([(str(one.message)[:60], one.filename.split("/")[-1], one.lineno) for one in caught])
print(linecache.getline(nn.modules.module.__file__, nn.Module.__call__.__code__.co_firstlineno).strip())
print("models", calls)
