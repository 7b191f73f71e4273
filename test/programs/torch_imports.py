"""PyTorch's import fails in several ways before it succeeds; then a model is called three times, and the module torch is
imported anew. Prints what Python says.
"""
import importlib
import sys
import tempfile
from pathlib import Path

try:
    import _xxsubinterpreters as interpreters
except ImportError:
    interpreters = None

HOOKLESS = "class Module:\n    pass\n"
STUBS = {
    "of an unknown future version": {"torch/__init__.py": "__version__ = '9.0'\n"},
    "without hooks": {
        "torch/__init__.py": "from . import nn\nclass Tensor: pass\nclass _C: pass\n",
        "torch/nn/__init__.py": "from . import modules\nclass Parameter: pass\n",
        "torch/nn/modules/__init__.py": "from . import module\n",
        "torch/nn/modules/module.py": HOOKLESS,
    },
    "half": {"torch/__init__.py": "from . import nn\nraise ImportError('in the middle')\n", "torch/nn.py": ""},
    "a file of the program's": {"torch.py": "raise ImportError('not the framework')\n"},
}


class FailingFinder:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            raise RuntimeError("a finder that fails")


def forget():
    for name in [name for name in sys.modules if name.split(".")[0] == "torch"]:
        del sys.modules[name]
    importlib.invalidate_caches()


def attempt(what):
    try:
        import torch

        print(what, "imported", getattr(torch, "__version__", None))
    except (ImportError, RuntimeError) as error:
        print(what, type(error).__name__, error)
    forget()


def call_three_times():
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
    with torch.no_grad():
        for _ in range(3):
            print(tuple(model(torch.ones(2, 4)).shape))


with tempfile.TemporaryDirectory() as folder:
    for number, files in enumerate(STUBS.values()):
        for name, text in files.items():
            file = Path(folder, str(number), name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    if interpreters is not None:
        sub = interpreters.create()
        interpreters.run_string(sub, f"import sys; sys.path.insert(0, {folder + '/1'!r})\nimport torch")
        interpreters.destroy(sub)
    finders = list(sys.meta_path)
    sys.meta_path.insert(0, FailingFinder())
    attempt("by a failing finder")
    sys.meta_path[:] = finders
    for number, what in enumerate(STUBS):
        sys.path.insert(0, f"{folder}/{number}")
        attempt(what)
        del sys.path[0]
call_three_times()
print([type(finder).__name__ for finder in sys.meta_path if finder not in finders])
first = sys.modules.pop("torch")
try:
    import torch

    print("imported again", torch is first)
except Exception as error:  # as it may: PyTorch cannot be imported twice
    print(type(error).__name__)
sys.modules["torch"] = first
call_three_times()
