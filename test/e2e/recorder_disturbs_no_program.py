"""The recorder leaves programs as they are, in each of its variants, when they fork, and when they are killed; what it has written
then can be read up to a moment before. Every variant records what it is there for. It compiles against every version of CUPTI's
headers that is found. On the stand-in driver and CUPTI; skipped without CUPTI's headers.
"""
import os
import signal
import subprocess
import time
from pathlib import Path

from support.cupti_headers import compile_recorder, folders_of_headers
from support.fake_cuda import device_environment, fake
from support.played_recording import ask, read_recording
from support.xsp_e2e import check, check_equal, run, skip, work_folder

work_folder()
if not folders_of_headers():
    skip("no headers of CUPTI here")
for i, folder in enumerate(folders_of_headers()):
    recorder = compile_recorder(f"recorder{i}.so", folder).resolve()
    print(f"compiled against {folder}")


def environment(variant, output="recording.txt", **more):
    return device_environment(CUDA_INJECTION64_PATH=recorder, CUPTI_RECORDER_LIBRARY=fake("cupti/libcupti.so.13"),
                              CUPTI_RECORDER_OUTPUT=output, CUPTI_RECORDER=variant, **more)  # fmt: skip


def record(*words, variant="", **more):
    plain = run(*words, env=device_environment(**more))
    Path("recording.txt").unlink(missing_ok=True)
    done = run(*words, env=environment(variant, **more))
    check_equal((done.returncode, done.stdout), (plain.returncode, plain.stdout), f"{words} with {variant}: {done.stderr}")
    read = read_recording("recording.txt")
    return read, {row["question"]: row for row in ask(read)}


def answer(answers, words):
    (row,) = (row for question, row in answers.items() if words in question)
    return row["answer"]


inference = (fake("inference"), 60)
read, answers = record(*inference)
check_equal(answer(answers, "Which CUPTI"), "CUPTI 130001, driver 13000", "facts")
check("Stand-in GPU 0" in answers["Which CUPTI, driver and devices?"]["evidence"], answers)
check_equal({line["id"]: line["value"] for line in read.of("attribute")}[9], 1, "buffers per thread by default")

read, answers = record(*inference, variant="runtime_kinds")
check(any(r.kind_name == "runtime" for r in read.records), "runtime_kinds: no records of calls")
read, _ = record(*inference, variant="per_thread=0,pool_limit=8,buffer_bytes=8192")
values = {line["id"]: line["value"] for line in read.of("attribute")}
check_equal((values[9], values[2]), (0, 8), "attributes that were set")
check_equal({line["bytes"] for line in read.of("requested")}, {8192}, "bytes of a buffer")
read, _ = record(*inference, variant="flush=0")
check_equal([line["flags"] for line in read.of("flush_begin")], [1], "flush=0: flushes")
read, _ = record(*inference, variant="flush=2")
check(len(read.of("flush_begin")) > 4, "flush=2: flushes")
read, answers = record(*inference, variant="no_callbacks")
check_equal((read.calls, len(read.kernels())), ([], 480), "no_callbacks: calls and kernels")
read, answers = record(*inference, variant="timestamp_callback")
check(answer(answers, "without times").startswith("zero: kernel 1;"), "timestamp_callback: the stand-in leaves one kernel without times")
read, answers = record(*inference, "graph", variant="sessions=3")
check_equal(len(read.of("session")), 3, "sessions")
first, *later = answer(answers, "later sessions").split("; ")
good, all_ = first.removeprefix("session 1: ").split(" of ")
check_equal(good, all_, "graph's kernels of the first session with the right id")
check(any(not row.endswith(f"{row.split()[2]} of {row.split()[2]}") for row in later), f"the stand-in's wrong ids are not seen: {later}")
for word, expected in (("", "every step succeeded"), ("one_configuration", "launch 2: cuptiRangeProfilerSetConfig"),
                       ("no_permission", "launch 1: cuptiRangeProfilerEnable = 35")):  # fmt: skip
    _, answers = record(*inference, variant="range_profiler", misbehave=[word] if word else [])
    check(answer(answers, "Range Profiler").startswith(expected), f"{word}: {answers}")
read, answers = record(*inference, "threads", variant="limit=1")
check(os.path.getsize("recording.txt") < 1.1e6, "limit=1: bytes of the file")
check_equal(len(read.kernels()) + sum(b.left_out for b in read.completed), 960, "limit=1: kernels, and those left out")
check(len(read.kernels()) < 960 and read.of("exiting"), "limit=1: nothing was left out, or not the bulk alone")

record(*inference, "fork")
for way in ("_exit", "quick_exit", "abort"):
    record(*inference, way)
done = run(fake("inference"), 5, env=device_environment(
    CUDA_INJECTION64_PATH=recorder, CUPTI_RECORDER_LIBRARY="/nowhere", CUPTI_RECORDER_OUTPUT="%p.txt"))  # fmt: skip
check_equal(done.stdout, b"done\n", "a program without a libcupti for the recorder")

running = subprocess.Popen([fake("inference"), "20", "forever"], env=environment("", "killed.%p.txt"), stdout=subprocess.PIPE)
check_equal(running.stdout.readline(), b"running\n", "the program")
time.sleep(0.5)
running.send_signal(signal.SIGKILL)
running.wait()
killed = read_recording(f"killed.{running.pid}.txt")
check(len(killed.kernels()) > 100, f"kernels in the recording of a killed program: {len(killed.kernels())}")
ends = time.monotonic_ns() - killed.lines[-1].t
check(ends < 2e9, f"the recording of a killed program ends {ends} ns before its end")
