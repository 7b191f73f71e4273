"""A program on ONNX Runtime's C API that asks for a profile owns that file, and may move it as soon as it has it; one that
asks for none is told so. The layers are in the trace either way, and nothing of ours lies in the working folder."""
import json
import os

from support.ort_hosts import NODES, environment, profile_host, run_host, write_model
from support.trace_reader import ORT_NODE, ORT_RUN
from support.xsp_e2e import check, check_equal, work_folder

# Words of the host, runs with layers, all runs, files it leaves.
CASES = [
    (("create", "run:2", "end-profile", "run:1", "release"), 3, 3, []),
    (("profile-options", "create", "run:2", "end-profile", "run:1", "release"), 2, 3, ["moved.json"]),
    (("profile-options", "clone-options", "create", "run:2", "release"), 2, 2, ["user"]),
    (("profile-options", "no-profile-options", "create", "run:2", "end-profile"), 2, 2, []),
    (("profile-options", "create", "run:2"), 2, 2, ["user"]),
]
folder = work_folder()
write_model()
for words, layered, runs, files in CASES:
    what = " ".join(words)
    plain = run_host(*words)
    for name in os.listdir():
        if name.startswith(("user", "moved")):
            os.remove(name)
    done = profile_host(*words).check_success()
    check_equal(done.stdout, plain.stdout, f"stdout of {what}")
    trace = done.trace
    check_equal(len(trace.of_kind(ORT_RUN)), runs, f"runs of {what}")
    check_equal(len(trace.of_kind(ORT_NODE)), layered * len(NODES), f"layers of {what}")
    left = sorted(name for name in os.listdir() if name not in ("net.onnx", "trace.pb"))
    check_equal([name.split("_")[0] for name in left], files, f"files of {what}")
    for name in left:
        with open(name) as file:
            events = json.load(file)
        nodes = [e for e in events if e["cat"] == "Node"]
        check_equal(len(nodes), layered * len(NODES), f"nodes in the program's own profile of {what}")
        os.remove(name)

# Runs that the program profiles itself, from 1.25 on: files of its own for each.
env = environment(fake="version=1.31.0", ORT_HOST_API=31)
done = profile_host("run-options", "profile-runs", "create", "run:2", env=env).check_success()
left = [name for name in os.listdir() if name.startswith("user_run")]
check(left, "the profiles of runs that the program asked for are missing")
check_equal(len(done.trace.of_kind(ORT_RUN)), 2, "runs that the program profiles")
