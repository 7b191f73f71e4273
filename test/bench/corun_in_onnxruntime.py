#!/usr/bin/env python3
"""Runs models in ONNX Runtime's parallel execution mode, and says what became of E3's makespan:

    PYTHON corun_in_onnxruntime.py [--runs N] [--no-spinning] [--xsp-bench FILE --xsp-report FILE] MODEL...

where PYTHON has onnxruntime, onnx and numpy. Four sessions of a model take turns, N runs each (20): nodes one after another and
two at a time, each with one and with two threads for a node. A line for each number of threads: the median of both, the share of the
time that is left in parallel mode with its quartiles, over the pairs of runs that followed one another, and the mean processor time
of a run, of all threads: threads that wait in vain for a node count in it. A ratio below 1: parallel mode is faster.

With the programs of XSP a line more: the model is recorded with one thread for a node (xsp-bench -l layer), and E3 says what is left
of the nodes' time if two of them run at once on two cores (makespan_ms / serial_ms). Interference is not in that, and neither is what
the parallel mode costs by itself.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import onnxruntime

TYPES = {"tensor(float)": numpy.float32, "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32}
MODES = onnxruntime.ExecutionMode
RECORDED_RUNS = 15


def session_of(path, mode, inter, intra, spinning=True):
    settings = onnxruntime.SessionOptions()
    settings.execution_mode = mode
    settings.inter_op_num_threads = inter
    settings.intra_op_num_threads = intra
    settings.log_severity_level = 4
    if not spinning:
        for pool in ("intra", "inter"):
            settings.add_session_config_entry(f"session.{pool}_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])


def feeds_of(session):
    random = numpy.random.default_rng(0)
    feeds = {}
    for value in session.get_inputs():
        shape = [size if isinstance(size, int) else 1 for size in value.shape]
        kind = TYPES[value.type]
        feeds[value.name] = (random.standard_normal(shape).astype(kind) if kind == numpy.float32
                             else random.integers(0, 2, shape).astype(kind))
    return feeds


def timed_ms(session, feeds):
    """On the clock, and of processors."""
    begin, begin_of_processors = time.perf_counter(), time.process_time()
    session.run(None, feeds)
    return (time.perf_counter() - begin) * 1e3, (time.process_time() - begin_of_processors) * 1e3


def run_once_recorded(path, threads):
    session = session_of(path, MODES.ORT_SEQUENTIAL, 1, threads)
    feeds = feeds_of(session)
    for _ in range(RECORDED_RUNS):
        session.run(None, feeds)


def schedule_of(options, path):
    with tempfile.TemporaryDirectory() as folder:
        traces = os.path.join(folder, "set")
        subprocess.run([options.xsp_bench, "-q", "-l", "layer", "-L", "threads", "1", "-o", traces, "--", sys.executable,
                        os.path.abspath(__file__), "--recorded-threads", "{threads}", path], check=True, capture_output=True)
        report = subprocess.run([options.xsp_report, traces, "-a", "E3", "--graph", path, "--cores", "2", "--format", "json", "-q"],
                                check=True, capture_output=True, text=True).stdout
    return json.loads(report)["E3"]["schedule"]


def compare(options, path):
    variants = {(mode, intra): session_of(path, mode, 2 if mode == MODES.ORT_PARALLEL else 1, intra, not options.no_spinning)
                for intra in (1, 2) for mode in (MODES.ORT_SEQUENTIAL, MODES.ORT_PARALLEL)}
    feeds = feeds_of(next(iter(variants.values())))
    times = {variant: [] for variant in variants}
    for session in variants.values():
        for _ in range(3):
            session.run(None, feeds)
    for _ in range(options.runs):
        for variant, session in variants.items():
            times[variant].append(timed_ms(session, feeds))
    name = os.path.basename(path)
    for intra in (1, 2):
        sequential, sequential_cpu = zip(*times[MODES.ORT_SEQUENTIAL, intra])
        parallel, parallel_cpu = zip(*times[MODES.ORT_PARALLEL, intra])
        low, middle, high = statistics.quantiles([b / a for a, b in zip(sequential, parallel)], n=4)
        print(f"{name}: {intra} threads a node: sequential {statistics.median(sequential):.2f} ms, parallel 2 x {intra} "
              f"{statistics.median(parallel):.2f} ms, ratio {middle:.3f} ({low:.3f} to {high:.3f}); processor time "
              f"{statistics.mean(sequential_cpu):.2f}, {statistics.mean(parallel_cpu):.2f} ms", flush=True)
    if options.xsp_bench and options.xsp_report:
        schedule = schedule_of(options, path)
        print(f"{name}: E3: one after another {schedule['serial_ms']:.2f} ms, makespan {schedule['makespan_ms']:.2f} ms, "
              f"ratio {schedule['makespan_ms'] / schedule['serial_ms']:.3f}, {schedule['average_corunning']:.2f} at a time", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--no-spinning", action="store_true", help="threads that wait sleep: for machines that others use, too")
    parser.add_argument("--xsp-bench")
    parser.add_argument("--xsp-report")
    parser.add_argument("--recorded-threads", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.recorded_threads:
        run_once_recorded(options.models[0], options.recorded_threads)
        return
    for path in options.models:
        compare(options, path)


if __name__ == "__main__":
    main()
