"""Checks: how programs end, and what the trace has then."""
import json
import signal

from check_cuda_programs import link_to, shared_program
from executions import DeviceTrace
from report import quality
from toolkit import Unbuildable

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
FIRST_ENDINGS = ("exit", "reset")
ENDING_S = 40


def run(acceptance, verdicts, endings=None):
    """All of them, or the first ones with a short limit."""
    program = shared_program(acceptance, verdicts, "endings")
    if endings is None:
        judge_python(acceptance, verdicts)
    if program is None:
        return
    limit = ENDING_S if endings is None else ENDING_S / 2
    for ending, (status, launched, all_there) in ENDINGS.items():
        if endings is not None and ending not in endings:
            continue
        look = ending != "abort"  # it is meant to
        bare = acceptance.run(f"ending-{ending}-bare", [program, ending], limit, look=look)
        traced, path = acceptance.profile(f"ending-{ending}", [program, ending], "--level", "kernel", timeout=limit, look=look)
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


def run_subscriber(acceptance, verdicts):
    """A program that has a CUPTI subscriber of its own goes on as before."""
    found = acceptance.toolkit.find_library("libcupti", "cupti.h", ["nvidia/cu13", "nvidia/cuda_cupti"])
    if found is None:
        verdicts.skip("own subscriber", "no libcupti with cupti.h, neither in the toolkit nor in wheels")
        return
    path, include = found
    try:
        program = acceptance.toolkit.build("own_subscriber", "own_subscriber.cu", *link_to(path, include))
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
