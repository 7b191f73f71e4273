"""For randomised tests: runs test/fake_cuda/programs/interleaves.c with a seed, on a stand-in that the seed makes as bad as CUPTI
can be, and compares the trace with the driver's own log. Everything that ran is in the trace with its time, call, library call
and layer, or counted as lost, or lies where the trace says that nothing was recorded.
"""
import os
import random
import tempfile
from collections import Counter
from multiprocessing import Pool

from .fake_cuda import KINDS, fake, mark_of, run_on_device
from support.xsp_e2e import check

RECORDS_LOST, ZERO_TIME, INVERTED = 8, 9, 10  # LossReason
OTHER_PROFILER = 1  # GapReason
VERSIONS = (18, 21, 22, 24, 26, 27, 28, 130000, 130001, 130100, 130101)
GRAPH_IDS_RIGHT = 130101
KERNELS = {"short_kernel": 2, "usual_kernel": 30, "long_kernel": 400, "own_profile_kernel": 5}
LARGEST_CLOCK_ERROR_NS = 100_000
LONGEST_RETURN_NS = 10_000_000  # of recording after a gap: a call that had begun before has no callback


class Course:
    """A run's parameters, drawn from a seed."""

    def __init__(self, seed):
        chance = random.Random(seed)
        self.seed = seed
        self.version = chance.choice(VERSIONS)
        self.words = [word for word, share in (("profiles", 0.15), ("kill", 0.15), ("_exit", 0.2)) if chance.random() < share]
        if "profiles" in self.words and chance.random() < 0.5:
            self.words.append("clock")
        if not self.words and chance.random() < 0.15:
            self.words = ["reset"]
        numbers = [f"{word}={chance.randrange(1, 40)}" for word in ("dropped", "zero", "inverted") if chance.random() < 0.15]
        habits = [word for word in ("unordered", "late", "asks_late", "threads", "program_thread", "reset_loses")
                  if chance.random() < 0.15]  # fmt: skip
        small = [f"small={chance.randrange(1000, 20000)}"] if chance.random() < 0.2 else []
        self.misbehave = numbers + habits + small
        self.operations = chance.randrange(5, 120)

    def __str__(self):
        return f"seed {self.seed} (CUPTI {self.version}, {self.words}, {self.misbehave}, {self.operations} operations)"

    def run(self):
        return run_on_device(fake("interleaves"), self.seed, self.operations, *self.words, misbehave=self.misbehave,
                             FAKE_CUPTI_VERSION=self.version,
                             FAKE_CUDA_KERNELS=",".join(f"{name}={us}us" for name, us in KERNELS.items()))  # fmt: skip


def ran_as(kind, line):
    name = line["name"] if kind == "kernel" else ""
    return kind, line["stream"], line["correlation"], line["graph_node"], name, line["bytes"], line["duration"]


def recorded_as(kind, execution):
    name = execution.name if kind == "kernel" else ""
    return (kind, execution.stream, execution.correlation, execution.graph_node, name, execution.bytes, execution.duration)


class Comparison:
    """The truth log and the trace of one run, execution by execution."""

    def __init__(self, course):
        self.course, self.problems = course, []
        outcome = course.run()
        self.trace, self.truth = outcome.trace, outcome.truth
        expected = -9 if "kill" in course.words else 0
        self.judge(outcome.done.returncode == expected, f"exit status {outcome.done.returncode}: {outcome.done.stderr}")
        self.gaps = [gap for gap in self.trace.gaps if gap.reason == OTHER_PROFILER]
        self.losses = Counter()
        for process in self.trace.processes.values():
            self.losses.update(process.losses)
        self.pairs, self.missing, self.extra = self.match()
        self.judge_what_is_there()
        self.judge_what_is_not()

    def judge(self, condition, what):
        if not condition:
            self.problems.append(what)

    def match(self):
        """(line, execution) for matches; lines without an execution; executions of nothing that ran."""
        recorded = {}
        for kind, number in KINDS.items():
            for execution in self.trace.executed(number):
                if execution.duration > 0:
                    recorded.setdefault(self.comparable(recorded_as(kind, execution)), []).append(execution)
        pairs, missing = [], []
        for line in sorted(self.truth, key=lambda line: line["begin"]):
            # Of those alike in everything else, such as replays of a graph without ids, the one at that time.
            same = recorded.get(self.comparable(ran_as(line["kind"], line)), ())
            best = min(same, key=lambda execution: abs(execution.begin - line["begin"]), default=None)
            if best is None or abs(best.begin - line["begin"]) > LARGEST_CLOCK_ERROR_NS or not self.is_as_long(best, line):
                missing.append(line)
            else:
                same.remove(best)
                pairs.append((line, best))
        return pairs, missing, [execution for same in recorded.values() for execution in same]

    def comparable(self, key):
        """Without the ids of graphs' kernels, where those of later sessions are recorded without, and without durations where
        these are of ticks."""
        if self.gaps and self.course.version < GRAPH_IDS_RIGHT and key[3] != 0:
            key = (*key[:2], 0, *key[3:])
        return key[:-1] if "clock" in self.course.words else key

    def is_as_long(self, execution, line):
        """Exact to the nanosecond, except for tick clocks, whose rate is known from readings some ms apart."""
        tolerance = 20 + line["duration"] * 0.002 if "clock" in self.course.words else 0
        return abs(execution.duration - line["duration"]) <= tolerance

    def judge_what_is_there(self):
        self.judge(not self.extra, f"in the trace, and did not run so: {self.extra[:3]}")
        taken = [line for line, _ in self.pairs if line["name"] == "own_profile_kernel"]
        self.judge(not taken, f"taken from the program's own profiler: {taken[:3]}")
        for line, execution in self.pairs:
            self.judge_launch(line, execution)

    def judge_launch(self, line, execution):
        what = f"{line['name'] or line['kind']} of {line['api']} (id {line['correlation']}, node {line['graph_node']:#x})"
        launch, made, of = execution.launch, execution.launch, ""
        if line["graph_node"] != 0:
            made, of = execution.capture, "capture_"
        if launch is None:
            self.judge(self.may_have_no_launch(line), f"{what}: no launch")
        else:
            self.judge(launch.name == line["api"], f"{what}: launched by {launch.name}")
            self.judge_mark(f"{what}: launched", mark_of(launch), line["label"])
        if made is None:
            return self.judge(not of or self.gaps or "kill" in self.course.words, f"{what}: nothing made its node")
        self.judge_mark(what, mark_of(made), line[of + "label"])
        library = made.outer("library")
        name = library.name if library else ""
        is_unfinished = "kill" in self.course.words and library is None
        self.judge(name == line[of + "library"] or is_unfinished, f"{what}: in {name}, not in {line[of + 'library']}")

    def may_have_no_launch(self, line):
        """A replay in a session whose ids are wrong; a call that was made in a gap, or open when it began or ended, or at a kill. What
        it launched may run long behind the gap, as streams have queues."""
        if "kill" in self.course.words or (self.gaps and line["graph_node"] != 0 and self.course.version < GRAPH_IDS_RIGHT):
            return True
        return any(self.is_launched_in(gap, line, LONGEST_RETURN_NS) or self.may_be_open_at(gap.begin, line) for gap in self.gaps)

    def may_be_open_at(self, time, line):
        """Whether its thread launched nothing else between it and that time."""
        between = (other for other in self.truth if line["launched"] < other["launched"] < time)
        return line["launched"] < time and all(other["thread"] != line["thread"] for other in between)

    def judge_mark(self, what, found, expected):
        """A span that a kill left open is not in the trace."""
        is_unfinished = "kill" in self.course.words and found == ""
        self.judge(found == expected or is_unfinished, f"{what} in {found or 'no span'}, not in {expected or 'no span'}")

    def judge_what_is_not(self):
        if "kill" in self.course.words:
            return
        lost = sum(self.losses[reason] for reason in (RECORDS_LOST, ZERO_TIME, INVERTED))
        outside = [line for line in self.missing if not any(self.is_in_gap(line, gap) for gap in self.gaps)]
        if "reset" in self.course.words:
            # What CUPTI loses with the context, Q1 counts as launches without executions.
            launches = {span.correlation for span in self.trace.spans if span.correlation != 0}
            outside = [line for line in outside if line["correlation"] not in launches]
        self.judge(len(outside) <= lost, f"{len(outside)} are missing and {lost} are counted as lost: {outside[:3]}")
        waits = not {"reset", "_exit"} & set(self.course.words)
        self.judge(not waits or lost <= len(self.missing), f"{len(self.missing)} are missing and {lost} counted as lost")

    @staticmethod
    def is_launched_in(gap, line, behind=0):
        return gap.begin <= line["launched"] and (gap.end == 0 or line["launched"] < gap.end + behind)

    def is_in_gap(self, line, gap):
        """Whether it was launched in the gap, or ran there or across one of its ends."""
        slack = LARGEST_CLOCK_ERROR_NS
        runs = line["begin"] + line["duration"] > gap.begin - slack and (gap.end == 0 or line["begin"] < gap.end + slack)
        return runs or self.is_launched_in(gap, line)


def problems_of(seed):
    """(executions compared, missing, problems) of one seed's run, in a folder of its own."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="xsp-interleaving-") as folder:
        os.chdir(folder)
        try:
            comparison = Comparison(Course(seed))
        except (SystemExit, Exception) as error:
            return 0, 0, [f"{Course(seed)}: {type(error).__name__}: {error}"]
        finally:
            os.chdir(here)
    return len(comparison.pairs), len(comparison.missing), [f"{comparison.course}: {what}" for what in comparison.problems]


def compare(seeds):
    """Runs all seeds, and fails with the first problems of those that differ."""
    with Pool(os.cpu_count()) as pool:
        results = list(pool.imap_unordered(problems_of, seeds))
    compared, missing = sum(r[0] for r in results), sum(r[1] for r in results)
    problems = [problem for _, _, found in results for problem in found]
    print(f"{len(results)} interleavings: {compared} executions equal, {missing} counted as lost or in gaps")
    bad = sum(bool(found) for _, _, found in results)
    check(not problems, f"{bad} of {len(results)} runs differ:\n  " + "\n  ".join(problems[:20]))
    check(compared > 20 * len(results), "too few executions to say anything")
