"""What a torch program shows of itself: digests of its results and, with `--facts FILE`, its module calls as PyTorch alone
sees them, for a run without XSP. FILE gets a JSON line for each outermost call of a module: process, thread, class, whether
it raised, and the calls inside that contain no other (qualified name, class, output shape, whether it raised) in the order
in which they ended. A model that calls no other module is its own one layer, called by its class. Not seen: what
torch.jit.trace runs, and what runs inside `unseen`.
"""
import contextlib
import hashlib
import json
import os
import sys
import threading

import torch

VARIABLE = "TORCH_FACTS_FILE"  # for processes that the program starts
PLAIN_CALL = torch.nn.Module.__call__


def digest(*values):
    """Of the exact bits of tensors, alone or in lists, and of numbers."""
    state = hashlib.sha256()

    def add(value):
        if isinstance(value, torch.Tensor):
            state.update(str((value.dtype, tuple(value.shape))).encode())
            state.update(value.detach().contiguous().flatten().view(torch.uint8).numpy().tobytes())
        elif isinstance(value, (tuple, list)):
            for one in value:
                add(one)
        else:
            state.update(repr(value).encode())

    add(values)
    return state.hexdigest()[:32]


@contextlib.contextmanager
def unseen():
    """For what takes the Python of a module apart (torch.compile, torch.export), which would take the recording along."""
    if VARIABLE not in os.environ:
        yield
        return
    calls = torch.nn.Module.__call__
    torch.nn.Module.__call__ = PLAIN_CALL
    yield
    torch.nn.Module.__call__ = calls


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def shape_text(output):
    if isinstance(output, torch.Tensor):
        return "[" + ",".join(map(str, output.shape)) + "]"
    if isinstance(output, dict):
        output = list(output.values())
    if isinstance(output, (tuple, list)):
        return ";".join(text for text in map(shape_text, output) if text)
    return ""


def class_of(module):
    if isinstance(module, torch.jit.ScriptModule):
        return module.original_name
    return type(getattr(module, "_orig_mod", module)).__name__


class OpenCalls(threading.local):
    def __init__(self):
        self.contains_call = []  # of the open calls, outermost first
        self.names = {}
        self.layers = []


def write_facts(path):
    calls = OpenCalls()

    def call(module, *arguments, **keywords):
        if torch._C._get_tracing_state() is not None:
            return PLAIN_CALL(module, *arguments, **keywords)
        is_root = not calls.contains_call
        if is_root:
            calls.names = {id(member): name for name, member in module.named_modules()}
            calls.layers = []
        else:
            calls.contains_call[-1] = True
        calls.contains_call.append(False)
        failed, shape = True, ""
        try:
            output = PLAIN_CALL(module, *arguments, **keywords)
            failed, shape = False, shape_text(output)
            return output
        finally:
            kind = class_of(module)
            if not calls.contains_call.pop():
                name = kind if is_root else calls.names.get(id(module))
                calls.layers.append({"name": name, "type": kind, "shape": shape, "failed": failed})
            if is_root:
                write(kind, failed, calls.layers)

    def write(kind, failed, layers):
        fact = {"pid": os.getpid(), "thread": threading.get_native_id(), "type": kind, "failed": failed, "layers": layers}
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.write(file, (json.dumps(fact) + "\n").encode())
        os.close(file)

    torch.nn.Module.__call__ = call


if "--facts" in sys.argv:
    at = sys.argv.index("--facts")
    os.environ[VARIABLE] = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at : at + 2]
if VARIABLE in os.environ:
    write_facts(os.environ[VARIABLE])
