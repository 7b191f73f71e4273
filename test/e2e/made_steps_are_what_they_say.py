"""The made programs (made_steps.py) keep the rules of a host and a device, and do what their knobs say: with that, what is added
up of them is true. Nothing of XSP is run.
"""

from collections import Counter

from support.made_steps import ALL_REDUCE, Knobs, inference, module_calls, ranks_of, training
from support.simulated_program import BACKWARD_THREAD, COMPUTE, MS, US
from support.step_truth import Raster, Truth
from support.xsp_e2e import check, check_equal


def check_rules(loop, what):
    """A stream runs one execution at a time in the order of launches, none before its launch; calls of a thread nest."""
    last = {}
    for execution in loop.program.executions:
        check(execution.begin >= max(execution.launched, last.get(execution.stream, 0)), f"{what}: {execution} is too early")
        last[execution.stream] = execution.end
    threads = {}
    for call in sorted(loop.program.calls, key=lambda c: (c.begin, -c.end)):
        stack = threads.setdefault(call.thread, [])
        while stack and stack[-1] <= call.begin and stack[-1] < call.end:
            stack.pop()
        check(not stack or call.end <= stack[-1], f"{what}: {call} crosses the call around it")
        stack.append(call.end)
    launches = Counter(c.correlation for c in loop.program.calls if c.correlation)
    check(max(launches.values()) == 1, f"{what}: correlation ids of several calls")


def check_near(got, expected, error, what):
    check(abs(got - expected) <= error, f"{what}: {got}, expected {expected} within {error}")


check_equal((Raster(2, [(0, 10), (4, 20)]) - Raster(2, [(6, 8)])).ms * MS, 18, "a raster's cells")

for ahead in (1, 2, 3, 5):
    loop = training(ahead=ahead, before=ahead + 3)
    check_rules(loop, f"ahead {ahead}")
    truth = Truth(loop)
    device = sum(e.end - e.begin for e in loop.program.executions if e.step == loop.marked_from) / MS
    check_near(truth.period, device, device / 100, f"ahead {ahead}: the device sets the pace")
    check_near(truth.latency / truth.period, ahead + 1, 0.1, f"ahead {ahead}: steps that a window holds")
for stall in (0, 5, 20):
    truth = Truth(training(item=True, input_ms=stall))
    check_near(truth.input_wait, stall + 0.02, 0.02 * stall + 0.002, f"stall of {stall} ms")
    check_near(
        truth.period - Truth(training(item=True)).period, stall, 0.02 * stall + 0.02, f"what a stall of {stall} ms costs"
    )
for pageable in (500, 3000):
    loop = training(pageable=pageable, item=True)
    check_rules(loop, f"pageable {pageable}")
    check_near(Truth(loop).waits_of("aten::to"), pageable / US, 0.02, f"copy of {pageable} µs")
loop = training(cut=True, ahead=2, before=6)
launched = {c.of.correlation for c in loop.recording.calls}
orphans = [e for e in loop.recording.executions if e.of.correlation not in launched]
check_near(
    sum(e.end - e.begin for e in orphans) / MS / Truth(loop).period, 2, 0.5, "steps of work launched before the recording"
)
check_equal(len(loop.recording.steps), 8, "whole steps of a recording that begins and ends in steps")
loops = ranks_of(Knobs(bucket=1500, ahead=2, late_ms=15, item=True), 3)
for loop in loops:
    check_rules(loop, f"rank {loop.rank}")
for collectives in zip(*([e for e in loop.program.executions if e.communication] for loop in loops)):
    check_equal(len({e.end for e in collectives}), 1, f"{ALL_REDUCE}: ends of the ranks")
    check_equal(
        max(collectives, key=lambda e: e.begin).end - max(e.begin for e in collectives), 1500 * US, "the last rank's time"
    )
early, late = Truth(loops[0]), Truth(loops[2])
check_near(early.communication_ms - late.communication_ms, 15, 1, "what the ranks wait for the late one")
check_near(early.period, late.period, 0.01, "periods of ranks")
calls = module_calls(inference(steps=5, item=True))
check_equal(len(calls), 5, "outermost module calls")
check(any(c.of.thread == BACKWARD_THREAD for c in training().recording.calls), "no thread of its own for the backward pass")
exact, coarse = (training(steps=4, item=True, small_operators=True, clock=clock).recording for clock in (1, 1000))
names = lambda recording, of: Counter(e.of.name for e in getattr(recording, of))
check_equal(names(exact, "executions"), names(coarse, "executions"), "executions on another clock")
edges = [c for c in coarse.calls if c.of.name == "aten::resolve_conj" and any(
    o.of.name == "aten::matmul" and o.end == c.begin and o.of.end >= c.of.end > o.of.begin for o in coarse.calls)]  # fmt: skip
check(len(edges) > 3, "no operator begins where its parent ends, by a clock of 1 µs")
check({e.of.stream for e in exact.executions} == {COMPUTE}, "streams of a program without communication")
