"""To a program that looks at torch.nn.Module.__call__ it is PyTorch's own function: source, code, attributes, pickles,
binding. And calls by its name, and those of a subclass that calls it through super(), are recorded like any other.
"""
from pathlib import Path

from support.trace_reader import TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import check_equal, run, torch_python, work_folder, xsp_run

PROGRAM = """
import copy, functools, inspect, pickle, types, typing, unittest.mock
import torch
from torch import nn

call = nn.Module.__call__
linear = nn.Linear(2, 2)
print(inspect.getsource(call), inspect.getsourcelines(call)[1], inspect.signature(call), inspect.signature(linear))
print(call.__code__.co_name, call.__module__, call.__name__, call.__qualname__, call.__doc__, call.__annotations__)
print(len(call.__globals__), call.__defaults__, call.__kwdefaults__, call.__closure__, typing.get_type_hints(call))
print(inspect.isfunction(call), isinstance(call, types.FunctionType), inspect.ismethod(linear.__call__))
print(linear.__call__.__func__ is call, linear.__call__ == linear.__call__, call == nn.Module.__call__, call is nn.Module.__call__)
print([name for name, value in vars(nn.Module).items() if value is call], list(vars(nn.Module)))
print(pickle.dumps(call), pickle.loads(pickle.dumps(call)) is call, copy.copy(call) is call, copy.deepcopy(call) is call)
print(repr(call).split(" at ")[0], type(call).__name__, dir(call))
call.note = 7
print(nn.Module.__call__.note, call.__dict__)
del call.note
print(hasattr(nn.Module.__call__, "note"))

@functools.wraps(call)
def around(*arguments):
    return call(*arguments)

print(around.__name__, inspect.unwrap(around) is call)
for wrong in ((), (3,)):
    try:
        call(*wrong)
    except (TypeError, AttributeError) as error:
        print(type(error), error)
with unittest.mock.patch.object(nn.Module, "__call__", autospec=True) as patched:
    linear(None)
    print(patched.call_count, nn.Module.__call__ is call)
print(nn.Module.__call__ is call, type(torch.fx.symbolic_trace(nn.Sequential(linear))).__name__)

class Inner(nn.Module):
    def __call__(self, x):
        return super().__call__(x)
    def forward(self, x):
        return linear(x)

class Named(nn.Module):
    __call__ = call
    def forward(self, x):
        return linear(x)

inner, named, x = Inner().eval(), Named().eval(), torch.ones(1, 2)
with torch.no_grad():
    for _ in range(2):
        inner(x), named(x), inner.__call__(x), call(named, x), nn.Module.__call__(named, x)
        call.__get__(named)(x), call.__get__(named, Named)(x), call.__call__(named, x), named(*[x])
        functools.partial(call, named)(x), list(map(named, [x]))
"""

python = torch_python()
work_folder()
Path("program.py").write_text(PROGRAM)
plain = run(python, "program.py")
check_equal(plain.returncode, 0, f"without xsp-run: {plain.stderr}")
done = xsp_run(python, "program.py").check_success()
check_equal(done.stdout, plain.stdout, "what the program saw")

roots = [span.type for span in done.trace.of_kind(TORCH_ROOT) if span.type in ("Inner", "Named")]
check_equal((roots.count("Inner"), roots.count("Named")), (4, 18), "models")
named = {span.id for span in done.trace.of_kind(TORCH_ROOT) if span.type in ("Inner", "Named")}
layers = [span for span in done.trace.of_kind(TORCH_MODULE) if span.type == "Linear" and span.parent in named]
check_equal(len(layers), 22, "layers inside them")
