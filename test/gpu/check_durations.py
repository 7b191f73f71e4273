"""Check: kernel time of a step, as XSP and as torch.profiler measure it, in runs that have the device for themselves: one that is
shared counts the others' time in. Both programs start together, and use the device one after the other.
"""
import json
import statistics

import comparison
from check_torch import NO_KERNELS, Reference, answers, program, report_options, run_reference

LARGEST_DIFFERENCE = 0.02
ROUNDS = 3  # of pairs of runs, where those before differ: clocks of the device vary between runs
LEAST_TIME_S = 40  # for another pair
PAIR_S = 75
GOLDEN = "resnet50"


class Pair:
    """A run under torch.profiler and one under XSP."""

    def __init__(self, acceptance, name, model, mode):
        result = acceptance.work / f"{name}.json"
        runs = [lambda: run_reference(acceptance, name, model, mode, PAIR_S, "--whole-turn"),
                lambda: acceptance.profile(name, program(acceptance, model, mode, "--whole-turn", "--result", result), "--level",
                                           "kernel", timeout=PAIR_S)]
        (self.reference_outcome, prefix), (self.traced, self.trace) = acceptance.running.side_by_side(runs, 2)
        self.good = self.reference_outcome.good and self.traced.good and self.trace is not None
        if self.good:
            self.reference = Reference(prefix)
            self.tables = acceptance.tables(self.trace, ["A8", "A10", "A11", "A15"], *report_options(mode))
            self.ours, self.theirs = comparison.of_model(self.tables, "kernel_latency_ms"), self.reference.total_ms()
            self.alone = self.reference.result.get("alone", True) and json.loads(result.read_text()).get("alone", True)


def run(acceptance, verdicts, model, mode):
    subject = f"{model}: sum of kernel time"
    asked = "torch.profiler's +- 2 %"
    if mode == "graph" and not acceptance.has_gpu:
        verdicts.not_seen(subject, asked, "CUDA graphs need a GPU")
        return
    pairs = []
    while len(pairs) < ROUNDS and (not pairs or (differ(pairs) and acceptance.running.left() > LEAST_TIME_S)):
        pair = Pair(acceptance, f"durations-{mode}-{model}-{len(pairs)}", model, mode)
        if not pair.good:
            break
        if not pair.theirs:
            verdicts.not_seen(subject, asked, NO_KERNELS)
            return
        pairs.append(pair)
        if pair.ours is None:
            verdicts.fail(subject, f"{pair.theirs:.4f} ms +- 2 %", "A15 has no kernel_latency_ms")
            return
    if not pairs:
        if pair.reference_outcome.good:
            verdicts.fail(f"{model}: runs under xsp-run", "exit status 0 and a trace", pair.traced.why())
        else:
            verdicts.skip(subject, f"without XSP: {pair.reference_outcome.why()}")
        return
    if not all(pair.alone for pair in pairs):
        verdicts.not_seen(subject, asked, "another program used the device meanwhile")
        return
    judge(acceptance, verdicts, subject, f"{mode}_{model}", report_options(mode), pairs)


def medians(pairs):
    return statistics.median(pair.ours for pair in pairs), statistics.median(pair.theirs for pair in pairs)


def differ(pairs):
    return comparison.relative(*medians(pairs)) > LARGEST_DIFFERENCE


def judge(acceptance, verdicts, subject, name, options, pairs):
    ours, theirs = medians(pairs)
    good = verdicts.judge(subject, f"{theirs:.4f} ms +- 2 %", f"{ours:.4f} ms ({100 * (ours - theirs) / theirs:+.2f} %), "
                          f"{len(pairs)} pairs", not differ(pairs),
                          f"XSP {[pair.ours for pair in pairs]}, torch.profiler {[pair.theirs for pair in pairs]}")
    last = pairs[-1]
    if good and name.endswith(GOLDEN) and not differ([last]):
        found = {**answers(last.reference, options, last.tables), "profiler_ms": last.theirs}
        acceptance.evidence.keep_golden(name, last.trace, found)
