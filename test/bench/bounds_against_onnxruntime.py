#!/usr/bin/env python3
"""The bounds of xsp-bound beside what ONNX Runtime takes, one thread:

    PYTHON bounds_against_onnxruntime.py XSP_BOUND MODEL... [--database FILE] [-- OPTIONS OF xsp-bound]

where PYTHON has onnxruntime. A line a model: the bound and the expected time, both sums over layers; the least and the
median latency of a run, the sum over nodes of their least times, with all of ONNX Runtime's optimizations and with none
(then a node is a layer); bound / least run; how many layers have a time, and with oneDNN alone the share of the measured
time of layers that have one.
"""
import argparse
import collections
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import onnxruntime

RUNS = 30
TYPES = {"tensor(float)": numpy.float32, "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32,
         "tensor(double)": numpy.float64, "tensor(bool)": numpy.bool_, "tensor(uint8)": numpy.uint8}


def report_of(options, model, *more):
    command = [options.xsp_bound, model, "--threads", "1", "--database", options.database, "--format", "json", "-q",
               *options.bound, *more]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    tables = {}
    for table in ("B1", "B3"):
        names = [column["name"] for column in report[table]["columns"]]
        tables[table] = [dict(zip(names, row)) for row in report[table]["rows"]]
    return tables


class Measured:
    """Of RUNS runs after three, in ms."""

    def __init__(self, model, level, folder):
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        settings.graph_optimization_level = level
        settings.log_severity_level = 4
        session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
        feeds = self.feeds(session)
        for _ in range(3):
            session.run(None, feeds)
        runs = [self.timed(session, feeds) for _ in range(RUNS)]
        self.least = min(runs)
        self.median = statistics.median(runs)
        settings.enable_profiling = True
        settings.profile_file_prefix = folder + "/ort"
        session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
        for _ in range(RUNS):
            session.run(None, feeds)
        self.nodes = collections.defaultdict(lambda: float("inf"))
        with open(session.end_profiling(), encoding="utf-8") as profile:
            for event in json.load(profile):
                if event.get("cat") == "Node" and event["name"].endswith("_kernel_time"):
                    name = event["name"].removesuffix("_kernel_time")
                    self.nodes[name] = min(self.nodes[name], event["dur"] / 1e3)
        self.of_nodes = sum(self.nodes.values())

    @staticmethod
    def feeds(session):
        feeds = {}
        for value in session.get_inputs():
            shape = [size if isinstance(size, int) else 1 for size in value.shape]
            kind = TYPES[value.type]
            feeds[value.name] = (numpy.random.default_rng(0).standard_normal(shape).astype(kind)
                                 if kind in (numpy.float32, numpy.float64) else numpy.ones(shape, kind))
        return feeds

    @staticmethod
    def timed(session, feeds):
        begin = time.perf_counter()
        session.run(None, feeds)
        return (time.perf_counter() - begin) * 1e3


def main():
    own, bound = sys.argv[1:], []
    if "--" in own:
        own, bound = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("xsp_bound")
    parser.add_argument("model", nargs="+")
    parser.add_argument("--database", help="default: an empty one")
    options = parser.parse_args(own)
    options.bound = bound
    folder = tempfile.TemporaryDirectory()
    options.database = options.database or folder.name + "/bounds.sqlite"
    os.environ["VIRTUAL_ENV"] = sys.prefix
    print(f"{'model':24} {'bound':>7} {'expected':>8} | {'least':>7} {'median':>7} {'nodes':>7} {'ratio':>5} | {'least':>7} "
          f"{'nodes':>7} {'ratio':>5} | layers with a time, share of oneDNN alone")
    for model in options.model:
        tables = report_of(options, model)
        bound = tables["B3"][0]
        optimized = Measured(model, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL, folder.name)
        plain = Measured(model, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL, folder.name)
        onednn = {row["name"]: row["bound_ms"] for row in report_of(options, model, "--no-run", "--backend", "onednn")["B1"]}
        joined = {name: ms for name, ms in plain.nodes.items() if name in onednn}
        covered = sum(ms for name, ms in joined.items() if onednn[name] is not None)
        print(f"{os.path.basename(model)[:24]:24} {bound['bound_ms']:7.2f} {bound['expected_ms'] or 0:8.2f} | "
              f"{optimized.least:7.2f} {optimized.median:7.2f} {optimized.of_nodes:7.2f} "
              f"{bound['bound_ms'] / optimized.least:5.2f} | {plain.least:7.2f} {plain.of_nodes:7.2f} "
              f"{bound['bound_ms'] / plain.least:5.2f} | {bound['layers'] - bound['missing']} of {bound['layers']}, "
              f"{100 * covered / max(sum(joined.values()), 1e-9):.1f} % ({len(joined)} of {len(plain.nodes)} nodes joined)",
              flush=True)


if __name__ == "__main__":
    main()
