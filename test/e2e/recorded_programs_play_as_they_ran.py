"""The recorder (test/gpu/programs/cupti_recorder.cc), its reader and the player are a chain: what a program ran, by the driver's own
log, is what the reader finds in its recording, and what the guest makes of the recording when it is played. On the stand-in driver
and CUPTI; skipped without CUPTI's headers.
"""
import os
from collections import Counter

from support.cupti_headers import compile_recorder
from support.fake_cuda import KINDS, device_environment, fake, read_truth
from support.played_recording import ask, play, read_recording
from support.xsp_e2e import check, check_equal, run, skip, work_folder

folder = work_folder()
recorder = compile_recorder("recorder.so")
if recorder is None:
    skip("no headers of CUPTI here")

PROGRAMS = (("inference", "30"), ("inference", "20", "threads"), ("inference", "30", "graph"), ("graph_nodes",), ("driver_launches",))
for program, *words in PROGRAMS:
    what = " ".join((program, *words))
    for name in ("truth.log", "recording.txt"):
        if os.path.exists(name):
            os.unlink(name)
    done = run(fake(program), *words, env=device_environment(
        CUDA_INJECTION64_PATH=recorder.resolve(), CUPTI_RECORDER_LIBRARY=fake("cupti/libcupti.so.13"),
        CUPTI_RECORDER_OUTPUT="recording.txt"))  # fmt: skip
    check_equal((done.returncode, done.stdout.decode().split()[-1]), (0, "done"), f"{what}: {done.stderr}")
    truth = Counter((l["kind"], l["name"] if l["kind"] == "kernel" else "", l["correlation"], l["graph_node"], l["stream"], l["duration"])
                    for l in read_truth() if l["kind"] in KINDS)  # fmt: skip
    recording = read_recording("recording.txt")
    recorded = Counter((r.kind_name, r.name, r.correlation, r.graph_node, r.stream, r.end - r.start) for r in recording.executions())
    check(sum(truth.values()) >= 8, f"{what}: {truth}")
    check_equal(recorded - truth, Counter(), f"{what}: in the recording, and did not run so")
    check_equal(truth - recorded, Counter(), f"{what}: ran, and is not in the recording so")
    answers = {row["question"]: row["answer"] for row in ask(recording)}
    kernels = sum(n for key, n in truth.items() if key[0] == "kernel")
    check_equal(answers["Do kernels have the ids of their launches' callbacks?"], f"yes: {kernels} of {kernels}", what)
    check_equal(answers["Are records laid out as XSP assumes?"], "as assumed", what)
    play("recording.txt").check_executions().check_losses()
