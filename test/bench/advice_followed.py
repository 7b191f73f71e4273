#!/usr/bin/env python3
"""Follows the advice of B7 with ONNX Runtime, and says what came of it, one thread unless said:

    PYTHON advice_followed.py XSP_BOUND MODEL... [--database FILE] [--rounds N]

where PYTHON has onnxruntime, onnx and numpy. For each model four things are changed by hand: layers are fused (extended
optimizations instead of none), convolutions get ONNX Runtime's own layout (all optimizations), the model is quantized to int8
(quantize_static, random inputs as calibration), and a second thread is used. A line for each: what the bounds say before and after,
with all libraries and with ONNX Runtime's own kernels alone, what was measured, and the gains. The variants of a model run by turns,
so that a disturbance meets all of them; the least counts, of processor time where there is one thread.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time

import numpy
import onnxruntime
from onnxruntime import quantization
from onnxruntime.quantization import shape_inference

TYPES = {"tensor(float)": numpy.float32, "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32}
LEVELS = onnxruntime.GraphOptimizationLevel


def feeds_of(session, seed=0):
    random = numpy.random.default_rng(seed)
    feeds = {}
    for value in session.get_inputs():
        shape = [size if isinstance(size, int) else 1 for size in value.shape]
        kind = TYPES[value.type]
        feeds[value.name] = (random.standard_normal(shape).astype(kind) if kind == numpy.float32
                             else random.integers(0, 2, shape).astype(kind))
    return feeds


class RandomInputs(quantization.CalibrationDataReader):
    def __init__(self, session, count=2):
        self.left = [feeds_of(session, seed) for seed in range(count)]

    def get_next(self):
        return self.left.pop() if self.left else None


class Variant:
    def __init__(self, path, level, threads=1):
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = threads
        settings.inter_op_num_threads = 1
        settings.graph_optimization_level = level
        settings.log_severity_level = 4
        self.session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
        self.feeds = feeds_of(self.session)
        self.clock = time.thread_time if threads == 1 else time.perf_counter
        self.least_ms = float("inf")
        for _ in range(3):
            self.session.run(None, self.feeds)

    def run(self):
        begin = self.clock()
        self.session.run(None, self.feeds)
        self.least_ms = min(self.least_ms, (self.clock() - begin) * 1e3)


def quantized(path, folder):
    prepared = os.path.join(folder, "prepared.onnx")
    shape_inference.quant_pre_process(path, prepared, skip_symbolic_shape=True)
    result = os.path.join(folder, "int8.onnx")
    session = onnxruntime.InferenceSession(prepared, providers=["CPUExecutionProvider"])
    quantization.quantize_static(prepared, result, RandomInputs(session), per_channel=True,
                                 activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8)
    return result


def tables_of(options, model, threads, *more):
    command = [options.xsp_bound, model, "--threads", str(threads), "--database", options.database, "--format", "json", "-q", *more]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    tables = {}
    for table in ("B3", "B7"):
        names = [column["name"] for column in report[table]["columns"]]
        tables[table] = [dict(zip(names, row)) for row in report[table]["rows"]]
    return tables


def bound_of(tables, mode):
    return next(row["bound_ms"] for row in tables["B3"] if row["mode"] == mode)


def gain(before, after):
    return f"{before / after:.2f} ×"


def line_of(model, what, predicted, own, before, after):
    """`predicted` and `own`: bounds before and after, or None."""
    cells = [f"{bounds[0]:.2f} → {bounds[1]:.2f}: {gain(*bounds)}" if bounds else "–" for bounds in (predicted, own)]
    return (f"| {model} | {what} | {cells[0]} | {cells[1]} | {before.least_ms:.2f} → {after.least_ms:.2f} | "
            f"{gain(before.least_ms, after.least_ms)} |")


def follow(options, model, folder):
    name = os.path.splitext(os.path.basename(model))[0]
    one = tables_of(options, model, 1, "--dtype", "int8")
    own = tables_of(options, model, 1, "--dtype", "int8", "--backend", "onnxruntime")
    two = tables_of(options, model, 2)
    own_two = tables_of(options, model, 2, "--backend", "onnxruntime")
    int8, own_int8 = (next((row["before_ms"], row["after_ms"]) for row in tables["B7"] if row["what"] == "int8")
                      for tables in (one, own))
    plain = Variant(model, LEVELS.ORT_DISABLE_ALL)
    fused = Variant(model, LEVELS.ORT_ENABLE_EXTENDED)
    laid_out = Variant(model, LEVELS.ORT_ENABLE_ALL)
    small = Variant(quantized(model, folder), LEVELS.ORT_ENABLE_ALL)
    wide = Variant(model, LEVELS.ORT_ENABLE_ALL, threads=2)
    for _ in range(options.rounds):
        for variant in (plain, fused, laid_out, small, wide):
            variant.run()
    fuse, own_fuse = ((bound_of(tables, "layers"), bound_of(tables, "fused")) for tables in (one, own))
    threads, own_threads = ((bound_of(a, "fused"), bound_of(b, "fused")) for a, b in ((one, two), (own, own_two)))
    print(line_of(name, "fuse", fuse, own_fuse, plain, fused))
    print(line_of(name, "its own layout", None, None, fused, laid_out))
    print(line_of(name, "int8", int8, own_int8, laid_out, small))
    print(line_of(name, "2 threads", threads, own_threads, laid_out, wide), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("xsp_bound")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--database", default="advice.sqlite")
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    print("| model | advice | bounds, ms | bounds of its own kernels, ms | measured, ms | gained |\n|---|---|---|---|---|---|")
    for model in options.models:
        with tempfile.TemporaryDirectory() as folder:
            follow(options, model, folder)


if __name__ == "__main__":
    main()
