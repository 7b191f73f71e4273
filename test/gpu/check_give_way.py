"""Checks: torch.profiler inside a program under xsp-run works, before, during and after; XSP's own kernels are whole outside of
its sessions, and the gaps are told. The same in a program that replays a CUDA graph.
"""
import bisect
from collections import Counter

import comparison
import kineto
from executions import OTHER_PROFILER, DeviceTrace
from report import quality

WARMUP, STEPS = 3, 8
SESSIONS = 2


# cuptiActivityRegisterTimestampCallback, which Kineto calls, made kernels come without times in these versions.
ZERO_TIMES = range(24, 130100)  # CUDA 12.6 Update 2 to 13.0
# What a graph runs has the id of another launch in all sessions but the first, before this one.
RIGHT_GRAPH_IDS = 130101  # CUDA 13.1 Update 1


def profiled(acceptance, verdicts, name, *more):
    """The program without XSP and with it: its trace, or None after a row that says why not."""
    command = lambda prefix: acceptance.program("torch_give_way.py", "--device", acceptance.device, "--warmup", WARMUP,
                                                "--steps", STEPS, "--sessions", SESSIONS, "--output", prefix, *more)
    bare = acceptance.run(f"{name}-bare", command(acceptance.work / f"{name}-bare"), 120)
    if not bare.good:
        verdicts.skip("torch.profiler", f"without XSP: {bare.why()}")
        return None
    traced, trace = acceptance.profile(name, command(acceptance.work / f"{name}-xsp"), "--level", "kernel", timeout=120)
    if not traced.good or trace is None:
        verdicts.fail("runs under xsp-run", "exit status 0 and a trace", traced.why())
        return None
    return trace


def run(acceptance, verdicts):
    trace = profiled(acceptance, verdicts, "give_way")
    if trace is None:
        return
    usual = judge_profiler(verdicts, lambda which, session: counts(acceptance, which, session))
    if usual:
        judge_xsp(acceptance, verdicts, trace, usual)
    else:
        verdicts.not_seen("kernels outside the sessions", "all", "torch.profiler saw no kernel: there is no GPU")


def run_graph(acceptance, verdicts):
    if not acceptance.has_gpu:
        verdicts.not_seen("kernels of graphs outside the sessions", "all", "CUDA graphs need a GPU")
        return
    path = profiled(acceptance, verdicts, "give_way_graph", "--mode", "graph")
    if path is None:
        return
    usual = judge_profiler(verdicts, lambda which, session: counts_by_time(
        acceptance.work / f"give_way_graph-{which}.{session}.json"))
    if usual:
        judge_replays(acceptance, verdicts, path, usual)
    else:
        verdicts.not_seen("kernels of graphs outside the sessions", "all", "torch.profiler saw no kernel")


def counts(acceptance, which, session):
    return [len(step.kernels) for step in kineto.read_steps(acceptance.work / f"give_way-{which}.{session}.json")]


def counts_by_time(path):
    """Kernels that ran between the begin of a step and that of the next. The launches that a profiler tells of graphs are wrong in
    some versions.
    """
    events = kineto.load(path)
    begins = [step.begin_us for step in kineto.steps_of(events, "xsp step")]
    return in_steps([kernel.begin_us for kernel in kineto.kernels_of(events)], begins)


def in_steps(times, begins):
    """How many of the times lie between each begin and the next."""
    found = Counter(bisect.bisect_right(begins, time) - 1 for time in times)
    return [found[i] for i in range(len(begins))]


def judge_profiler(verdicts, counts_of):
    """The kernels of a step without XSP. `counts_of(which, session)`: of each step."""
    usual = None
    for session in range(SESSIONS):
        bare, traced = counts_of("bare", session), counts_of("xsp", session)
        verdicts.judge(f"torch.profiler, session {session + 1}: kernels of its steps", f"as without xsp-run: {brief(bare)}",
                       brief(traced), bare == traced, "the profiler sees something else under xsp-run")
        usual = usual or comparison.most_frequent(bare)
    return usual


def brief(numbers):
    return ", ".join(f"{n} x {value}" for value, n in Counter(numbers).items()) or "no steps"


class ZeroTimes:
    """Kernels that are missing because CUPTI gave them no times, as Q1 has counted them, where its version does that."""

    def __init__(self, values, version):
        self.left = (values.get(("zero_time", "device")) or 0) if version in ZERO_TIMES else 0
        self.version, self.used = version, 0

    def explain(self, numbers, usual):
        """Whether they explain what is missing of the steps; each only once."""
        missing = usual * STEPS - sum(numbers)
        if len(numbers) != STEPS or max(numbers) > usual or missing > self.left:
            return False
        self.left, self.used = self.left - missing, self.used + missing
        return True


def version_of(trace):
    return trace.devices[0].get("cupti_version", 0) if trace.devices else 0


def judge_parts(verdicts, what, found, usual, zero):
    """Warm-up, then plain steps and a session in turn, then plain steps. `found`: kernels of each step."""
    place = WARMUP
    for part in range(2 * SESSIONS + 1):
        numbers = found[place : place + STEPS]
        place += STEPS
        if part % 2 == 1:
            verdicts.fact(f"XSP during session {part // 2 + 1}: {what}", brief(numbers))
            continue
        where = "before" if part == 0 else f"after session {part // 2}"
        verdicts.judge(f"XSP {where}: {what}", f"{STEPS} x {usual}", brief(numbers), numbers == [usual] * STEPS or
                       (part > 0 and zero.explain(numbers, usual)), "kernels are missing outside the sessions")
    if zero.used:
        verdicts.fact("kernels without times behind a session", f"{zero.used}, all counted in Q1: CUPTI {zero.version} does so "
                      "when a profiler has set its clock")


def judge_xsp(acceptance, verdicts, path, usual):
    trace = DeviceTrace(path)
    table = acceptance.tables(path, ["Q1"])["Q1"]
    found = [len(trace.launched_in(model)) for model in trace.outermost_models()]
    judge_parts(verdicts, "kernels of a step", found, usual, ZeroTimes(quality(table), version_of(trace)))
    gaps = [gap for gap in trace.gaps if gap.reason == OTHER_PROFILER]
    rows = [row for row in table.rows if row.get("value") and
            row.get("quantity") != "sequence_gaps" and ("gap" in row.get("quantity") or "profiler" in str(row.get("note")))]
    verdicts.judge("the gaps are told", f"{SESSIONS} gaps, in Q1 too", f"{len(gaps)} gaps, {len(rows)} rows of Q1",
                   len(gaps) >= SESSIONS and bool(rows), "; ".join(gap.detail for gap in gaps) or "none in the trace")
    open_gaps = [gap for gap in gaps if gap.end == 0]
    if gaps:
        verdicts.judge("the gaps end", "all", f"{len(gaps) - len(open_gaps)} of {len(gaps)}", not open_gaps,
                       "XSP did not come back")


def judge_replays(acceptance, verdicts, path, usual):
    """A kernel of a graph has its own launch or none, never another one's; and if none, that is told."""
    trace = DeviceTrace(path)
    begins = [model.begin for model in trace.outermost_models() if "Replay" in model.name]
    kernels = [kernel for kernel in trace.kernels() if kernel.graph_node]
    zero = ZeroTimes(quality(acceptance.tables(path, ["Q1"])["Q1"]), version_of(trace))
    judge_parts(verdicts, "kernels of a replay", in_steps([kernel.begin for kernel in kernels], begins), usual, zero)
    step_of = lambda time: bisect.bisect_right(begins, time)
    of_launch = Counter("none" if k.launch is None else "its own" if step_of(k.launch.begin) == step_of(k.begin) else "another"
                        for k in kernels)
    verdicts.judge("launches of the graphs' kernels", "none of another step", brief_counts(of_launch), not of_launch["another"],
                   f"CUPTI {version_of(trace)} gives wrong ids behind the first session")
    told = [notice for notice in trace.host.notices if "13.1 Update 1" in notice]
    may_miss = version_of(trace) < RIGHT_GRAPH_IDS
    verdicts.judge("launches that are left open", "only before CUPTI 13.1 Update 1, and told" if may_miss else "none",
                   f"{of_launch['none']} kernels, {len(told)} notices", not of_launch["none"] or bool(may_miss and told),
                   "they are left open without a word" if may_miss else "this version gives right ids")
    captured = sum(kernel.capture is not None for kernel in kernels)
    verdicts.judge("spans in which the nodes were made", "of every kernel", f"{captured} of {len(kernels)}",
                   captured == len(kernels) > 0, "nodes are not known any more")


def brief_counts(counts):
    return ", ".join(f"{name} {counts[name]}" for name in ("its own", "none", "another"))
