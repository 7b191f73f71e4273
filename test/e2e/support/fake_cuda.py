"""For the tests with the stand-in CUDA libraries (test/fake_cuda): runs a program with and without xsp-run, and compares the
libraries' own log with the trace.
"""
import json
import os
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from support.trace_reader import KERNEL, MEMCPY, MEMSET
from support.xsp_e2e import (BUILD, Profiled, check, check_equal, clean_environment, report, run, start_xsp_run,
                     xsp_run)  # fmt: skip

FAKE_CUDA = BUILD / "test/fake_cuda"
GUEST = BUILD / "inject/libxsp_inject.so"
REASONS = {1: "deepbind", 2: "static", 3: "second copy", 4: "unknown version", 5: "no hook"}
# Calls of the descriptor classes, which are recorded only with --library-calls all.
QUIET = {
    "cudnnCreateTensorDescriptor", "cudnnBackendCreateDescriptor", "cudnnBackendDestroyDescriptor",
    "cudnnBackendFinalize", "cudnnBackendGetAttribute",
}  # fmt: skip


def fake(name):
    return FAKE_CUDA / name


class Outcome:
    """A program's two runs: `plain` and `done` (Profiled), and the lines that the libraries wrote in the second."""

    def __init__(self, plain, done, plain_log, log):
        self.plain, self.done, self.plain_log, self.log = plain, done, plain_log, log

    @property
    def trace(self):
        return self.done.trace

    def calls(self):
        """(library, function) of all recorded calls in order of their begin."""
        spans = sorted(self.trace.spans, key=lambda span: (span.begin, -span.end))
        return [(span.type, span.name) for span in spans]

    def spans(self, name):
        return sorted((s for s in self.trace.spans if s.name == name), key=lambda span: span.begin)

    def unintercepted(self):
        """{(reason, library, file's name, user's name)}"""
        return {
            (REASONS[reason], library, Path(file).name, Path(user).name)
            for reason, library, file, user, _ in self.trace.unintercepted
        }

    def check_unchanged(self):
        check_equal(self.done.stdout, self.plain.stdout, "stdout")
        check_equal(self.done.returncode, self.plain.returncode, f"exit status; stderr: {self.done.stderr}")
        check_equal(self.log, self.plain_log, "what the libraries were called for")
        return self

    def check_recorded(self):
        """Every call that reached a library is in the trace, once."""
        reached = Counter(line.split()[1] for line in self.log)
        expected = {name: count for name, count in reached.items() if name not in QUIET}
        check_equal(dict(Counter(name for _, name in self.calls())), expected, "recorded calls")
        return self


def log_lines(path):
    """Without addresses, which differ from run to run."""
    if not path.exists():
        return []
    return [re.sub(r"0x[0-9a-f]{6,}", "0x...", line) for line in path.read_text().splitlines()]


def compare(*command, options=(), wrap=(), **environment):
    """Runs the command by itself and under xsp-run. `wrap`: words before it in the second run only."""
    logs = [Path(os.getcwd()) / name for name in ("plain.log", "profiled.log")]
    for log in logs:
        log.unlink(missing_ok=True)
    plain = run(*command, env=clean_environment(FAKE_CUDA_LOG=logs[0], **environment))
    done = xsp_run(*wrap, *command, options=options, env=clean_environment(FAKE_CUDA_LOG=logs[1], **environment))
    return Outcome(plain, done, log_lines(logs[0]), log_lines(logs[1]))


# What runs on the stand-in driver, with exact kernel durations. Sums stay whole multiples of 1 us.
KERNEL_DURATIONS_US = {
    "cudnn_nchwToNhwcKernel": 25, "implicit_convolve_sgemm": 90, "bias_relu": 15, "ampere_sgemm": 110,
    "sm90_xmma_gemm": 140, "splitKreduce": 20, "softmax": 30,
}  # fmt: skip
KINDS = {"kernel": KERNEL, "memcpy": MEMCPY, "memset": MEMSET}


@dataclass
class DeviceRun:
    """A program on the stand-in driver under xsp-run: what ran (the driver's own log) and the trace."""
    done: Profiled
    truth: list
    trace: object = field(init=False)

    def __post_init__(self):
        self.trace = self.done.trace

    def truth_of(self, kind):
        return [line for line in self.truth if line["kind"] == kind]

    def tables(self, *ids, options=()):
        return report(self.done.path, "--analysis", ",".join(ids), *options)

    def check_success(self):
        self.done.check_success()
        return self

    def check_executions(self, *kinds):
        """Checks that everything that ran is in the trace once, with its exact time: kernels, copies and memsets."""
        for kind in kinds or ("kernel", "memcpy", "memset"):
            expected = Counter(
                (l["pid"], l["device"], l["stream"], l["correlation"], l["graph_node"], l["name"] if kind == "kernel" else "",
                 l["bytes"], l["duration"]) for l in self.truth_of(kind))  # fmt: skip
            got = Counter((e.pid, e.device, e.stream, e.correlation, e.graph_node, e.name if kind == "kernel" else "",
                           e.bytes, e.duration) for e in self.trace.executed(KINDS[kind]))  # fmt: skip
            check_equal(short(got - expected), [], f"{kind} executions in the trace that did not run so")
            check_equal(short(expected - got), [], f"{kind} executions that ran and are not in the trace so")
        return self

    def pairs(self, *kinds):
        """(line of the truth log, execution) for each thing that ran."""
        key = lambda x: (x.pid, x.correlation, x.graph_node, x.stream)
        waiting = {}
        for execution in self.trace.executed(*(KINDS[kind] for kind in kinds or KINDS)):
            waiting.setdefault((execution.kind, *key(execution)), []).append(execution)
        for line in sorted(self.truth, key=lambda l: l["begin"]):
            if kinds and line["kind"] not in kinds:
                continue
            of = (KINDS[line["kind"]], line["pid"], line["correlation"], line["graph_node"], line["stream"])
            check(waiting.get(of), f"no execution for {line}")
            yield line, waiting[of].pop(0)

    def check_launches(self):
        """Checks that every execution has the call that launched it, inside the library call and the layer in which it was
        made; what a graph ran has the layer that made its node."""
        for line, execution in self.pairs():
            what = f"{line['name']} of {line['api']} in {line['library'] or 'no library call'}, {line['label']}"
            check(execution.launch is not None, f"{what}: no launch")
            check_equal(execution.launch.name, line["api"], f"{what}: launched by")
            check_equal(execution.launch.correlation, line["correlation"], f"{what}: correlation id of its launch")
            library = execution.launch.outer("library")
            if line["graph_node"] == 0:
                # A library call may be inside another one's: cublasLtMatmul of cublasGemmEx.
                check_equal(library.name if library else "", line["library"], f"{what}: library call")
                check_equal(mark_of(execution.launch), line["label"], f"{what}: layer or model")
            else:
                check(execution.capture is not None, f"{what}: no span that made its node")
                check_equal(mark_of(execution.capture), line["capture_label"], f"{what}: layer of its node")
                check_equal(mark_of(execution.launch), line["label"], f"{what}: where the graph was launched")
                library = execution.capture.outer("library")
                check_equal(library.name if library else "", line["capture_library"], f"{what}: library call of its node")
        return self


def mark_of(span):
    """Name of the innermost layer, model or application span around it."""
    while span is not None and span.level not in ("layer", "model", "application"):
        span = span.above
    return span.name if span else ""


def short(counter):
    return [f"{count} x {what}" for what, count in list(counter.items())[:5]]


def device_environment(cupti=13, misbehave=(), **environment):
    """Environment of a machine with the stand-in driver and CUPTI of this major version. `misbehave`: words of FAKE_CUPTI."""
    environment.setdefault(
        "FAKE_CUDA_KERNELS", ",".join(f"{name}={us}us" for name, us in KERNEL_DURATIONS_US.items()))
    if cupti == 13:  # the loader's, though the machine may have a toolkit
        environment = {"CUDA_HOME": "", "CUDA_PATH": ""} | environment
    else:
        environment.setdefault("XSP_CUPTI", fake(f"cupti/libcupti.so.{cupti}"))
    environment.setdefault("LD_LIBRARY_PATH", f"{fake('driver')}:{fake('cupti')}")
    return clean_environment(
        FAKE_CUPTI=",".join(misbehave),
        FAKE_CUDA_TRUTH=Path(os.getcwd()) / "truth.log",
        **environment,
    )


def read_truth(path="truth.log"):
    path = Path(path)
    if not path.exists():
        return []
    lines = path.read_text().splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def run_on_device(*command, options=(), wrap=(), **environment):
    """Runs the command on the stand-in driver under xsp-run."""
    Path("truth.log").unlink(missing_ok=True)
    done = xsp_run(*wrap, *command, options=options, env=device_environment(**environment))
    return DeviceRun(done, read_truth())


def start_on_device(*command, options=(), **environment):
    Path("truth.log").unlink(missing_ok=True)
    return start_xsp_run(*command, options=options, env=device_environment(**environment))
