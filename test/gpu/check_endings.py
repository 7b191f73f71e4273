"""Checks: how programs end, and what the trace has then."""
import json
import os
import signal
import time

from acceptance import Unbuildable
from check_cuda_programs import link_to, shared_program
from executions import DeviceTrace
from report import quality

LOST_BEFORE_KILL_S = 0.65  # half a second, and what it takes to write
RUN_BEFORE_KILL_S = 3.0


# Ways to end: what the exit status is, how many kernels were launched in all, whether all have to be in the trace.
ENDINGS = {
    "exit": (7, 100, True),
    "quick_exit": (5, 100, False),  # nothing of ours need run at such an end: then Q1 has to say so
    "underscore_exit": (3, 100, False),
    "abort": (-signal.SIGABRT, 100, False),
    "fork": (0, 20, True),  # a child that does nothing on the device
    "fork_and_exec": (0, 20, True),
    "reset": (0, 20, True),  # cudaDeviceReset in the middle
    "detached_thread": (0, 100, True),  # a thread still launches when main returns
}


def run(acceptance, verdicts):
    program = shared_program(acceptance, verdicts, "endings")
    judge_python(acceptance, verdicts)
    if program is None:
        return
    for ending, (status, launched, all_there) in ENDINGS.items():
        bare = acceptance.run(f"ending-{ending}-bare", [program, ending], 40)
        traced, path = acceptance.profile(f"ending-{ending}", [program, ending], "--level", "kernel", timeout=40)
        asked = f"{bare.returncode}, output as without XSP"
        verdicts.judge(f"{ending}: exit status", asked, f"{traced.returncode}, output "
                       f"{'the same' if traced.stdout == bare.stdout else 'another'}",
                       (traced.returncode, traced.stdout) == (bare.returncode, bare.stdout) and not traced.timed_out,
                       traced.why())
        if bare.returncode != status:
            verdicts.skip(f"{ending}: kernels", f"without XSP it ends with {bare.returncode}, not {status}")
            continue
        if path is None:
            verdicts.fail(f"{ending}: trace", "is there", "none was left")
            continue
        trace = DeviceTrace(path)
        found = [k for k in trace.kernels() if "add_one" in k.name]
        values = quality(acceptance.tables(path, ["Q1"])["Q1"])
        missing, killed = (values.get((quantity, "all")) or 0 for quantity in ("unmatched_launch", "processes_killed"))
        seen = f"{len(found)}, {missing} launches without one, {killed} processes without a goodbye"
        if ending == "detached_thread":
            good, asked = len(found) >= launched, f">= {launched}"
        elif all_there:
            good, asked = len(found) == launched, launched
        else:
            good, asked = len(found) == launched or missing + killed > 0, f"{launched}, or Q1 says what is missing"
        verdicts.judge(f"{ending}: kernels", asked, seen, good, trace.why_missing("kernels are missing"))


def judge_python(acceptance, verdicts):
    """Exit status and output of a Python program, with or without a GPU."""
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(9)"
    traced, _ = acceptance.profile("ending-python", [acceptance.python, "-c", code], "-q", "--level", "kernel", timeout=40)
    verdicts.judge("python: exit status", "9, its output", f"{traced.returncode}, {traced.stdout.strip()!r}",
                   traced.returncode == 9 and traced.stdout == "out\n", traced.why())


def run_kill(acceptance, verdicts):
    """SIGKILL while kernels run: the trace has all but the last half second."""
    program = shared_program(acceptance, verdicts, "SIGKILL")
    if program is None:
        return
    killed = {}

    def kill(process):
        """The program says its pid in the first line."""
        output = acceptance.work / "kill.stdout"
        end = time.monotonic() + 30
        while time.monotonic() < end:
            lines = output.read_text(errors="replace").splitlines() if output.exists() else []
            if lines and lines[0].startswith("{") and lines[0].endswith("}"):
                time.sleep(RUN_BEFORE_KILL_S)
                os.kill(json.loads(lines[0])["pid"], signal.SIGKILL)
                killed["ns"] = time.monotonic_ns()
                return
            time.sleep(0.05)

    traced, path = acceptance.profile("kill", [program, "forever"], "--level", "kernel", timeout=60, while_running=kill)
    if "ns" not in killed:
        verdicts.fail("SIGKILL", "a program to kill", f"it did not start: {traced.why()}")
        return
    verdicts.judge("SIGKILL: xsp-run ends alike", -signal.SIGKILL, traced.returncode,
                   traced.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL) and not traced.timed_out, traced.why())
    if path is None:
        verdicts.fail("SIGKILL: trace", "is there", "none was left")
        return
    trace = DeviceTrace(path)
    kernels = trace.kernels()
    before = (killed["ns"] - max((k.end for k in kernels), default=0)) / 1e9
    verdicts.judge("SIGKILL: the last kernel", f"<= {LOST_BEFORE_KILL_S} s before the kill", f"{before:.3f} s before it, "
                   f"{len(kernels)} kernels", bool(kernels) and before <= LOST_BEFORE_KILL_S, "what came last is lost")
    launched = launches_before(traced.stdout, killed["ns"] - int(LOST_BEFORE_KILL_S * 1e9))
    verdicts.judge("SIGKILL: kernels", f">= {launched}, launched until {LOST_BEFORE_KILL_S} s before", len(kernels),
                   len(kernels) >= launched > 0, "kernels are missing")
    report = acceptance.tables(path, ["A8", "Q1"])
    verdicts.judge("SIGKILL: xsp-report reads it", "processes_killed 1",
                   quality(report["Q1"]).get(("processes_killed", "all")),
                   quality(report["Q1"]).get(("processes_killed", "all")) == 1, "Q1 does not say so")


def launches_before(output, at_ns):
    """The program prints how many kernels it has launched and waited for, and when."""
    most = 0
    for line in output.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if said.get("ns", at_ns) < at_ns:
            most = max(most, said.get("finished", 0))
    return most


def run_subscriber(acceptance, verdicts):
    """A program that has a CUPTI subscriber of its own goes on as before."""
    found = acceptance.find_library("libcupti", "cupti.h", ["nvidia/cu13", "nvidia/cuda_cupti"])
    if found is None:
        verdicts.skip("own subscriber", "no libcupti with cupti.h, neither in the toolkit nor in wheels")
        return
    path, include = found
    try:
        program = acceptance.build("own_subscriber", "own_subscriber.cu", "-cudart", "shared", *link_to(path, include))
    except Unbuildable as why:
        verdicts.skip("own subscriber", why)
        return
    if not acceptance.has_gpu:
        verdicts.not_seen("own subscriber", "its callbacks", "it was built; there is no GPU to run it on")
        return
    for when in ("first", "late"):
        bare = acceptance.run(f"subscriber-{when}-bare", [program, when], 40)
        if not bare.good:
            verdicts.skip(f"own subscriber, {when}", f"without XSP: {bare.why()}")
            continue
        traced, trace = acceptance.profile(f"subscriber-{when}", [program, when], "--level", "kernel", timeout=40)
        verdicts.judge(f"own subscriber, {when}: its callbacks", bare.stdout.strip(), traced.stdout.strip(),
                       traced.good and traced.stdout == bare.stdout, traced.why())
        if trace is None:
            verdicts.fail(f"own subscriber, {when}: trace", "is there", "none was left")
            continue
        read = DeviceTrace(trace)
        kernels, launched = len(read.kernels()), json.loads(bare.stdout)["launched"]
        notices = [text for text in read.host.notices if "subscriber" in text.lower() or "cupti" in text.lower()]
        verdicts.judge(f"own subscriber, {when}: XSP's kernels", f"{launched}, or a gap or notice", f"{kernels}, "
                       f"{len(read.gaps)} gaps, {len(notices)} notices", kernels == launched or read.gaps or notices,
                       "kernels are missing and nothing says so")
