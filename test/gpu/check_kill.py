"""Checks: what a trace has when its program was killed, of one that waits for each kernel and of one that runs ahead."""
import json
import os
import signal
import time

from check_cuda_programs import shared_program
from executions import DeviceTrace
from report import quality
from toolkit import Unbuildable

LOST_BEFORE_KILL_S = 0.65  # half a second, and what it takes to write
RUN_BEFORE_KILL_S = 3.0
START_S = 12


def run(acceptance, verdicts):
    """SIGKILL while kernels run: the trace has all but the last half second."""
    program = shared_program(acceptance, verdicts, "SIGKILL")
    if program is not None:
        judge(acceptance, verdicts, "SIGKILL", "kill", [program, "forever"])


def run_ahead(acceptance, verdicts):
    """The same where hundreds of kernels are queued at any time: records of what had finished are there all the same."""
    try:
        program = acceptance.toolkit.build("kill_ahead", "kill_ahead.cu")
    except Unbuildable as why:
        verdicts.skip("run-ahead", why)
        return
    if not acceptance.has_gpu:
        verdicts.not_seen("run-ahead", "kernels that had finished", "there is no GPU to run its program on")
        return
    outcome = judge(acceptance, verdicts, "run-ahead", "kill_ahead", [program])
    ahead = [said["ahead"] for said in lines_of(outcome.stdout if outcome else "") if "ahead" in said]
    if ahead:
        verdicts.fact("run-ahead: kernels queued", f"{min(ahead)} to {max(ahead)}")


def lines_of(output):
    """The lines that are whole JSON objects."""
    for line in output.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict):
            yield said


def killed_while_running(acceptance, name, command):
    """Runs it under xsp-run and kills the pid that it says in its first line: (outcome, trace, CLOCK_MONOTONIC then)."""
    killed = []

    def kill(process):
        output = acceptance.work / f"{name}.stdout"
        end = time.monotonic() + START_S
        while time.monotonic() < end and process.poll() is None:
            said = next(lines_of(output.read_text(errors="replace")) if output.exists() else iter(()), None)
            if said:
                time.sleep(RUN_BEFORE_KILL_S)
                os.kill(said["pid"], signal.SIGKILL)
                killed.append(time.monotonic_ns())
                return
            time.sleep(0.05)

    outcome, trace = acceptance.profile(name, command, "--level", "kernel", timeout=25, while_running=kill)
    return outcome, trace, killed[0] if killed else None


def judge(acceptance, verdicts, subject, name, command):
    """Returns the outcome, or None where there was nothing to kill."""
    traced, path, killed_ns = killed_while_running(acceptance, name, command)
    if killed_ns is None:
        verdicts.fail(subject, "a program to kill", f"it did not start: {traced.why()}")
        return None
    verdicts.judge(f"{subject}: xsp-run ends alike", -signal.SIGKILL, traced.returncode,
                   traced.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL) and not traced.timed_out, traced.why())
    if path is None:
        verdicts.fail(f"{subject}: trace", "is there", "none was left")
        return traced
    trace = DeviceTrace(path)
    kernels = trace.kernels()
    before = (killed_ns - max((k.end for k in kernels), default=0)) / 1e9
    verdicts.judge(f"{subject}: the last kernel", f"<= {LOST_BEFORE_KILL_S} s before the kill", f"{before:.3f} s before it, "
                   f"{len(kernels)} kernels", bool(kernels) and before <= LOST_BEFORE_KILL_S, "what came last is lost")
    finished = finished_before(traced.stdout, killed_ns - int(LOST_BEFORE_KILL_S * 1e9))
    verdicts.judge(f"{subject}: kernels", f">= {finished}, finished {LOST_BEFORE_KILL_S} s before", len(kernels),
                   len(kernels) >= finished > 0, how_late(traced.stdout, len(kernels), killed_ns))
    values = quality(acceptance.tables(path, ["Q1"])["Q1"])
    dropped = values.get(("dropped", "all"))
    verdicts.judge(f"{subject}: xsp-report reads it", "processes_killed 1, dropped 0",
                   f"processes_killed {values.get(('processes_killed', 'all'))}, dropped {dropped}",
                   values.get(("processes_killed", "all")) == 1 and dropped == 0, "Q1 says something else")
    return traced


def finished_before(output, at_ns):
    """The program prints how many kernels had finished, and when it knew."""
    return max((said.get("finished", 0) for said in lines_of(output) if said.get("ns", at_ns) < at_ns), default=0)


def how_late(output, kernels, killed_ns):
    """When the last kernel of the trace had finished, by what the program says."""
    later = [said["ns"] for said in lines_of(output) if said.get("finished", 0) >= kernels and "ns" in said]
    return f"the trace ends {(killed_ns - min(later)) / 1e9:.2f} s before the kill" if later else "kernels are missing"
