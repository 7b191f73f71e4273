"""Runs of programs on ONNX Runtime's C API are model spans with their nodes as layers, whichever way the program came to the
table: linked, opened for itself alone, by ctypes, and from C++ with a session that a static destructor ends."""
import sys

from support.ort_hosts import FOLDER, HOST, INPUT, LIBRARY, LINKED_HOST, NODES, environment, profile_host, run_host, write_model
from support.trace_reader import ORT_NODE, ORT_RUN
from support.xsp_e2e import check, check_equal, work_folder, xsp_run

BY_CTYPES = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
class Base(ctypes.Structure):
    _fields_ = [("api", ctypes.CFUNCTYPE(ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint32)), ("version", ctypes.c_void_p)]
library.OrtGetApiBase.restype = ctypes.POINTER(Base)
api = library.OrtGetApiBase().contents.api(16)
pointer = ctypes.c_void_p
def call(slot, *arguments):
    return ctypes.CFUNCTYPE(pointer, *[type(a) for a in arguments])(api[slot])(*arguments)
env, session, memory, value = pointer(), pointer(), pointer(), pointer()
address = lambda p: pointer(ctypes.addressof(p))
assert not call(3, ctypes.c_int(3), ctypes.c_char_p(b"x"), address(env))
assert not call(7, env, ctypes.c_char_p(sys.argv[2].encode()), pointer(), address(session))
assert not call(69, ctypes.c_int(1), ctypes.c_int(0), address(memory))
data, shape = (ctypes.c_float * 2048)(), (ctypes.c_int64 * 4)(1, 8, 16, 16)
assert not call(49, memory, address(data), ctypes.c_size_t(8192), address(shape), ctypes.c_size_t(4), ctypes.c_int(1),
                address(value))
one = ctypes.c_size_t(1)
for _ in range(3):
    inputs, outputs = (pointer * 1)(value), (pointer * 1)()
    names, ends = (ctypes.c_char_p * 1)(b"image"), (ctypes.c_char_p * 1)(b"output")
    assert not call(9, session, pointer(), address(names), address(inputs), one, address(ends), one, address(outputs))
"""


def check_trace(trace, what):
    runs, layers = trace.of_kind(ORT_RUN), trace.of_kind(ORT_NODE)
    check_equal([(r.name, r.type, r.input) for r in runs], [("net.onnx", "InferenceSession", "[1,8,16,16]")] * 3, what)
    expected = [(name, op, f"[1,{place + 1}]") for place, (name, op, _, _) in enumerate(NODES)] * 3
    check_equal([(s.name, s.type, s.shape) for s in layers], expected, f"{what}: layers")
    check_equal({s.scope for s in layers}, {runs[0].scope}, f"{what}: scope")
    for place, run in enumerate(runs):
        for layer in layers[3 * place : 3 * place + 3]:
            check(run.begin <= layer.begin and layer.end <= run.end, f"{what}: layer {layer.name} lies in its run")


work_folder()
model = write_model()
plain = run_host("create", "run:3", "release")
for host in (HOST, LINKED_HOST):
    for words in (("create", "run:3", "release"), ("create", "run:3"), ("create-prepacked", "run:3"),
                  ("no-options", "create", "run:3")):  # fmt: skip
        done = profile_host(*words, host=host).check_success()
        check_equal(done.stdout, plain.stdout, f"stdout of {host.name}")
        check_trace(done.trace, f"{host.name} {' '.join(words)}")
done = xsp_run(FOLDER / "ort_static_session", model, *INPUT, env=environment()).check_success()
check_equal(done.stdout, b"run\nrun\nrun\nreleased\n", "stdout of the C++ host")
check_trace(done.trace, "C++ host")
check_trace(xsp_run(sys.executable, "-c", BY_CTYPES, LIBRARY, model).check_success().trace, "ctypes")
old = environment(fake="version=1.15.0", ORT_HOST_API=15)
check_trace(profile_host("create", "run:3", env=old).check_success().trace, "the table of 1.15")
done = profile_host("create-from-array", "run:1").check_success()
check_equal([r.name for r in done.trace.of_kind(ORT_RUN)], ["fake graph"], "a model in memory has the graph's name")
done = profile_host("create", "run:3", options=["--level", "model"]).check_success()
check_equal((len(done.trace.of_kind(ORT_RUN)), len(done.trace.of_kind(ORT_NODE))), (3, 0), "--level model")
