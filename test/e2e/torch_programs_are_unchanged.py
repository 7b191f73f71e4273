"""Programs that run PyTorch in all its ways end with the same status and print the same bytes with and without XSP, and the
calls of modules in the trace are those that PyTorch tells of the same program in a run without XSP: in the same processes
and threads, in the same order, each once, with its qualified name, class, output shape, and whether it raised.

With arguments: only these programs (`torch_unet.py`, `ddp`, …).
"""
import json
import sys
from collections import defaultdict
from pathlib import Path

from support.trace_messages import proto
from support.trace_reader import TORCH_MODULE, TORCH_ROOT, TORCH_SCRIPT
from support.xsp_e2e import PROGRAMS, SKIPPED, check, check_equal, run, torch_python, work_folder, xsp_run

PROGRAM_LIST = [
    ("torch_resnet50.py", "3"),
    ("torch_functional_transformer.py",),
    ("torch_lstm.py",),
    ("torch_unet.py",),
    ("torch_gan.py",),
    ("torch_train_accumulate.py", "module"),
    ("torch_train_accumulate.py", "functional"),
    *[("torch_special.py", kind) for kind in (
        "scripted", "traced", "frozen", "compiled", "autocast", "inference_mode", "user_hooks", "raises_in_forward",
        "recursion", "shared_module", "replaced_module", "functional_only", "threads", "dataloader", "data_parallel", "ddp",
        "export", "unusual_modules")],
]  # fmt: skip
# ResNet-50 tells no facts (torch_layers_match_named_modules compares it); what torch.compile makes of a module is told by
# compiled_model_is_one_layer. Not yet so: torch.export of PyTorch 2.1 calls the model, which is recorded as a call.
LAYERS_NOT_COMPARED = ("torch_resnet50.py", "compiled", "export")

def evaluations(calls):
    """Per process and thread the list of its outermost calls; process and thread ids differ between runs."""
    by_thread = defaultdict(list)
    for process, thread, *call in calls:
        by_thread[process, thread].append(call)
    return sorted(by_thread.values(), key=str)


def first_shape(shape):
    """Of a layer with several outputs the trace has the shape of the first; not yet so: those of all."""
    return shape.split(";")[0]


def told(path):
    facts = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return evaluations((fact["pid"], fact["thread"], fact["type"], fact["failed"],
                        [[call["name"], call["type"], first_shape(call["shape"]), call["failed"]] for call in fact["layers"]])
                       for fact in facts)  # fmt: skip


def recorded(trace):
    """By their ends, as the facts: an outer call is written when it has ended. For the facts a call that a constructor makes, as
    that of a parametrization does, is one like others."""
    layers = sorted(trace.of_kind(TORCH_MODULE, TORCH_SCRIPT), key=lambda s: (s.end, -s.begin))
    calls = []
    for root in sorted(trace.of_kind(TORCH_ROOT, proto.KIND_TORCH_CONSTRUCTION), key=lambda s: s.end):
        inside = [s for s in layers if (s.pid, s.thread) == (root.pid, root.thread)
                  and root.begin <= s.begin and s.end <= root.end]  # fmt: skip
        calls.append((root.pid, root.thread, root.type, root.failed, [[s.name, s.type, s.shape, s.failed] for s in inside]))
    return evaluations(calls)


def differences(expected, got):
    """The first difference of two lists of evaluations, to be read."""
    if [len(thread) for thread in expected] != [len(thread) for thread in got]:
        return f"calls by thread: {[len(t) for t in got]} in the trace, {[len(t) for t in expected]} in truth"
    for thread_expected, thread_got in zip(expected, got):
        for number, (truth, shown) in enumerate(zip(thread_expected, thread_got)):
            if truth[:2] != shown[:2]:
                return f"call {number}: {shown[:2]} in the trace, {truth[:2]} in truth"
            if truth[2] != shown[2]:
                return f"layers of call {number}:\n    in the trace: {shown[2]}\n    in truth:     {truth[2]}"
    return ""


python = torch_python()
folder = work_folder()
chosen = [p for p in PROGRAM_LIST if not sys.argv[1:] or set(p) & set(sys.argv[1:])]
check(chosen, f"no program is called {sys.argv[1:]}")
broken = []
for name, *arguments in chosen:
    what = " ".join([name, *arguments])
    facts = Path(folder / "facts")
    facts.unlink(missing_ok=True)
    compares_layers = not set((name, *arguments)) & set(LAYERS_NOT_COMPARED)
    plain = run(python, PROGRAMS / name, *arguments, *(("--facts", facts) if compares_layers else ()))
    if plain.returncode == SKIPPED:
        print(f"{what}: {plain.stdout.decode().strip()}")
        continue
    check_equal(plain.returncode, 0, f"{what}: exit status without XSP; stderr: {plain.stderr.decode()}")
    done = xsp_run(python, PROGRAMS / name, *arguments, options=["-q"])
    check_equal(done.returncode, 0, f"{what}: exit status; stderr: {done.stderr}")
    check_equal(done.stdout.decode(), plain.stdout.decode(), f"{what}: stdout")
    check_equal(done.stderr, plain.stderr.decode(), f"{what}: stderr")
    if compares_layers:
        expected = told(facts)
        check(expected, f"{what}: PyTorch tells of no call")
        difference = differences(expected, recorded(done.trace))
        if difference:
            broken.append(f"{what}: {difference}")
check(not broken, "\n".join(broken))
