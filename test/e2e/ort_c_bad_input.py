"""What ONNX Runtime's C API may be like without XSP's doing: of an unknown version, with a table that lacks a function, with
several tables or several copies, profiles torn or in a folder that cannot be written. The program runs as it would alone, and
the trace is right or says what is missing."""
import shutil
import sys

from support.ort_hosts import HOST, INPUT, LIBRARY, NODES, environment, profile_host, run_host, write_model
from support.trace_reader import ORT_NODE, ORT_RUN
from support.xsp_e2e import check, check_equal, report, work_folder, xsp_run

WORDS = ("create", "run:3", "release")
TWO_COPIES = """
import ctypes, sys
class Base(ctypes.Structure):
    _fields_ = [("api", ctypes.CFUNCTYPE(ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint32)), ("version", ctypes.c_void_p)]
pointer = ctypes.c_void_p
address = lambda p: pointer(ctypes.addressof(p))
for path in sys.argv[2:]:
    library = ctypes.CDLL(path)
    library.OrtGetApiBase.restype = ctypes.POINTER(Base)
    api = library.OrtGetApiBase().contents.api(16)
    def call(slot, *arguments):
        return ctypes.CFUNCTYPE(pointer, *[type(a) for a in arguments])(api[slot])(*arguments)
    env, session, binding = pointer(), pointer(), pointer()
    assert not call(3, ctypes.c_int(3), ctypes.c_char_p(b"x"), address(env))
    assert not call(7, env, ctypes.c_char_p(sys.argv[1].encode()), pointer(), address(session))
    assert not call(133, session, pointer(), binding)
"""
folder = work_folder()
write_model()


def record(fake, words=WORDS, **options):
    env = environment(fake=fake)
    done = profile_host(*words, env=env, **options)
    plain = run_host(*words, env=env)
    check_equal((done.returncode, done.stdout), (plain.returncode, plain.stdout), f"the program with {fake}")
    return done


for fake, said in (("version=2.31.0", "unknown version 2.31.0"), ("version=nonsense", "unknown version nonsense"),
                   ("short-table", "its table has no Run")):  # fmt: skip
    words = () if fake == "short-table" else WORDS
    done = record(fake, words)
    check(any(said in notice for notice in done.trace.notices), f"no word of {fake}: {done.trace.notices}")
done = record("two-tables").check_success()
check_equal(len(done.trace.of_kind(ORT_NODE)), 3 * len(NODES), "layers with the table of an earlier version")
done = record("torn-profile").check_success()
check_equal(len(done.trace.of_kind(ORT_RUN)), 3, "runs with a torn profile")
check(0 < len(done.trace.of_kind(ORT_NODE)) < 3 * len(NODES), "what a torn profile has")
check("lost" in done.stderr, "a torn profile is told")

shutil.copyfile(LIBRARY, "libonnxruntime-copy.so.1")
done = xsp_run(sys.executable, "-c", TWO_COPIES, "net.onnx", LIBRARY, folder / "libonnxruntime-copy.so.1").check_success()
check_equal(len(done.trace.of_kind(ORT_RUN)), 2, "runs of two copies")
check_equal(len(done.trace.of_kind(ORT_NODE)), 2 * len(NODES), "layers of two copies")

MOVED = f"import os, sys; os.environ['XSP_SCRATCH'] = {str(folder / 'nowhere')!r}; os.execv(sys.argv[1], sys.argv[1:])"
done = xsp_run(sys.executable, "-c", MOVED, HOST, "net.onnx", *INPUT, *WORDS, env=environment()).check_success()
check_equal(done.stdout, run_host(*WORDS).stdout, "a profile in a folder that cannot be written")
check_equal(len(done.trace.of_kind(ORT_RUN)), 3, "its runs")
done = profile_host("create", "run-for-ever").check_success()
check(done.trace.of_kind(ORT_RUN), "a thread that runs while the program ends")
check_equal({row[0]: row[2] for row in report("trace.pb", "-a", "Q1")["Q1"]["rows"]}["processes_killed"], 0, "killed")
