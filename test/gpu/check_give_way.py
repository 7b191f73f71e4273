"""Check: torch.profiler inside a program under xsp-run works, before, during and after; XSP's own kernels are whole
outside of its sessions, and the gaps are told.
"""
from collections import Counter

import comparison
import kineto
from executions import OTHER_PROFILER, DeviceTrace

WARMUP, STEPS = 3, 8
SESSIONS = 2


def run(acceptance, verdicts):
    command = lambda prefix: acceptance.program("torch_give_way.py", "--device", acceptance.device, "--warmup", WARMUP,
                                                "--steps", STEPS, "--sessions", SESSIONS, "--output", prefix)
    bare = acceptance.run("give_way-bare", command(acceptance.work / "give_way-bare"), 120)
    if not bare.good:
        verdicts.skip("torch.profiler", f"without XSP: {bare.why()}")
        return
    traced, trace = acceptance.profile("give_way", command(acceptance.work / "give_way-xsp"), "--level", "kernel",
                                       timeout=120)
    if not traced.good or trace is None:
        verdicts.fail("runs under xsp-run", "exit status 0 and a trace", traced.why())
        return
    usual = judge_profiler(acceptance, verdicts)
    if usual:
        judge_xsp(acceptance, verdicts, trace, usual)
    else:
        verdicts.not_seen("kernels outside the sessions", "all", "torch.profiler saw no kernel: there is no GPU")


def counts(acceptance, which, session):
    return [len(step.kernels) for step in kineto.read_steps(acceptance.work / f"give_way-{which}.{session}.json")]


def judge_profiler(acceptance, verdicts):
    """The kernels of a step without XSP."""
    usual = None
    for session in range(SESSIONS):
        bare, traced = counts(acceptance, "bare", session), counts(acceptance, "xsp", session)
        verdicts.judge(f"torch.profiler, session {session + 1}: kernels of its steps", f"as without xsp-run: {brief(bare)}",
                       brief(traced), bare == traced, "the profiler sees something else under xsp-run")
        usual = usual or comparison.most_frequent(bare)
    return usual


def brief(numbers):
    return ", ".join(f"{n} x {value}" for value, n in Counter(numbers).items()) or "no steps"


def judge_xsp(acceptance, verdicts, path, usual):
    trace = DeviceTrace(path)
    found = [len(trace.launched_in(model)) for model in trace.outermost_models()]
    # Warm-up, then plain steps and a session in turn, then plain steps.
    place = WARMUP
    for part in range(2 * SESSIONS + 1):
        numbers = found[place : place + STEPS]
        place += STEPS
        if part % 2 == 0:
            where = "before" if part == 0 else f"after session {part // 2}"
            verdicts.judge(f"XSP {where}: kernels of a step", f"{STEPS} x {usual}", brief(numbers),
                           numbers == [usual] * STEPS, "kernels are missing outside the sessions")
        else:
            verdicts.fact(f"XSP during session {part // 2 + 1}: kernels of a step", brief(numbers))
    gaps = [gap for gap in trace.gaps if gap.reason == OTHER_PROFILER]
    rows = [row for row in acceptance.tables(path, ["Q1"])["Q1"].rows if row.get("value") and
            row.get("quantity") != "sequence_gaps" and ("gap" in row.get("quantity") or "profiler" in str(row.get("note")))]
    verdicts.judge("the gaps are told", f"{SESSIONS} gaps, in Q1 too", f"{len(gaps)} gaps, {len(rows)} rows of Q1",
                   len(gaps) >= SESSIONS and bool(rows), "; ".join(gap.detail for gap in gaps) or "none in the trace")
    open_gaps = [gap for gap in gaps if gap.end == 0]
    if gaps:
        verdicts.judge("the gaps end", "all", f"{len(gaps) - len(open_gaps)} of {len(gaps)}", not open_gaps,
                       "XSP did not come back")
