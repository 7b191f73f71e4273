"""Check: what xsp-bound says a model takes at least on this GPU, beside what PyTorch took for it."""
import csv
import io
import json
import statistics
from collections import Counter

from report import ReportError, parse

MODELS = ("resnet50", "transformer")
# Types that PyTorch runs a whole model in; the bound of each is of the model exported in it.
MEASURED_TYPES = ("f32", "f16", "bf16")
# Others are what-ifs of the f32 model. PyTorch runs tf32 by a switch, and fp8 not without another model.
WHAT_IF_TYPES = ("tf32", "fp8")
LARGEST_EXCESS = 1.05
BATCH, WARMUP, STEPS = 8, 5, 20
EXPORT_S, RUN_S, BOUND_S = 90, 90, 75
TIME_LIMIT, BUDGET_MS = "60s", 5  # of the benchmarks of one model and type


def run(acceptance, verdicts):
    database = acceptance.work / "bounds.sqlite"
    for model in MODELS:
        exported = {dtype: export(acceptance, verdicts, model, dtype) for dtype in MEASURED_TYPES}
        for dtype, path in exported.items():
            if path is None:
                continue
            tables = bounds_of(acceptance, verdicts, f"{model} {dtype}", path, database,
                               WHAT_IF_TYPES if dtype == "f32" else ())
            if tables is None:
                continue
            judge_bound(verdicts, f"{model} {dtype}", least_bound_ms(tables["B3"]), coverage_of(tables["B3"]),
                        measured_ms(acceptance, verdicts, model, dtype))
            for other in WHAT_IF_TYPES if dtype == "f32" else ():
                measured = measured_ms(acceptance, verdicts, model, other) if other == "tf32" else None
                judge_bound(verdicts, f"{model} {other}", *what_if(tables.get("B7"), other), measured)
    count_benchmarks(acceptance, verdicts, database)


def export(acceptance, verdicts, model, dtype):
    path = acceptance.work / f"bounds-{model}-{dtype}.onnx"
    command = acceptance.program("torch_bounds.py", "--model", model, "--dtype", dtype, "--device", acceptance.device, "--batch",
                                 BATCH, "--onnx", path)
    done = acceptance.run(f"bounds-export-{model}-{dtype}", command, EXPORT_S)
    if done.good and path.exists():
        return path
    verdicts.skip(f"{model} {dtype}", f"it is not exported: {done.why()}")
    return None


def bounds_of(acceptance, verdicts, subject, path, database, types):
    """Tables B3 and B7, or None."""
    command = [acceptance.bundle / "bin/xsp-bound", path, "--database", database, "--budget", BUDGET_MS, "--time-limit",
               TIME_LIMIT, "--format", "json", "-q", *(["--dtype", ",".join(types)] if types else [])]
    done = acceptance.run(f"bounds-{path.stem}", command, BOUND_S)
    if not done.good:
        verdicts.fail(f"{subject}: bound", "xsp-bound ends well", done.why())
        return None
    try:
        tables = parse(done.stdout)
    except ReportError as error:
        verdicts.fail(f"{subject}: bound", "tables", str(error).replace("xsp-report", "xsp-bound"))
        return None
    if acceptance.has_gpu and not any("sm_" in note for note in tables["B3"].notes):
        verdicts.fail(f"{subject}: system", "the GPU", f"times are of another system: {' '.join(tables['B3'].notes)[:300]}")
        return None
    return tables


def least_bound_ms(table):
    """Of all modes but what the trace itself took."""
    bounds = [row["bound_ms"] for row in table.rows if row.get("bound_ms") is not None]
    return min(bounds) if bounds else None


def coverage_of(table):
    """Of the mode with the most, in percent of the layers."""
    found = [row.get("coverage_layers_pct") for row in table.rows if row.get("coverage_layers_pct") is not None]
    return max(found) if found else None


def what_if(table, dtype):
    """(bound_ms, coverage in percent) of a type in B7."""
    for row in table.rows if table else ():
        if row.get("what") == dtype:
            return row.get("after_ms"), row.get("coverage_pct")
    return None, None


def measured_ms(acceptance, verdicts, model, dtype):
    """The least latency of the model in PyTorch under xsp-run; None where it does not run."""
    name = f"bounds-{model}-{dtype}"
    result = acceptance.work / f"{name}.json"
    command = acceptance.program("torch_bounds.py", "--model", model, "--dtype", dtype, "--device", acceptance.device, "--batch",
                                 BATCH, "--warmup", WARMUP, "--steps", STEPS, "--result", result)
    traced, trace = acceptance.profile(name, command, "--level", "model", timeout=RUN_S)
    if not traced.good or trace is None:
        verdicts.fail(f"{model} {dtype}: runs under xsp-run", "exit status 0 and a trace", traced.why())
        return None
    latency = acceptance.tables(trace, ["A1"], "--skip", WARMUP, "--stat", "min")["A1"].total("latency_ms")
    with open(result, encoding="utf-8") as file:
        times = json.load(file)["event_ms"]
    if times and latency is not None:
        acceptance.facts[f"{model} {dtype}"] = f"{latency:.3f} ms under xsp-run, {statistics.median(times):.3f} ms by events"
    return latency


def judge_bound(verdicts, subject, bound, coverage, measured):
    """A bound is none if the model took less; it may be off by what two runs differ."""
    asked = f"<= {LARGEST_EXCESS} x {measured:.3f} ms" if measured is not None else "a bound"
    if bound is None:
        verdicts.not_seen(f"{subject}: bound", asked, "no layer has a time")
        return
    covered = "" if coverage is None else f", {coverage:.0f} % of the layers"
    if measured is None:
        verdicts.fact(f"{subject}: bound", f"{bound:.3f} ms{covered}")
        return
    verdicts.judge(f"{subject}: bound", asked, f"{bound:.3f} ms ({100 * bound / measured:.0f} % of the measured time){covered}",
                   bound <= LARGEST_EXCESS * measured, "PyTorch is faster than the fastest benchmarks of its layers")


def count_benchmarks(acceptance, verdicts, database):
    """How many benchmarks went well, by back end; each that failed at some must have others that did not."""
    done = acceptance.run("bounds-benchmarks", [acceptance.bundle / "bin/xsp-bound", "--database", database, "--export-csv", "-"],
                          30)
    if not done.good:
        verdicts.fail("benchmarks", "rows in the database", done.why())
        return
    counts, messages = Counter(), {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        counts[row["backend"], row["status"]] += 1
        if row["status"] in ("error", "timeout"):
            messages.setdefault(row["backend"], Counter())[row["message"][:120]] += 1
    backends = sorted({backend for backend, _ in counts})
    if not backends:
        verdicts.fail("benchmarks", "rows in the database", "there are none")
    for backend in backends:
        seen = ", ".join(f"{number} {status}" for (name, status), number in sorted(counts.items()) if name == backend)
        usual = messages.get(backend, Counter()).most_common(2)
        # What cannot be computed is no failure.
        verdicts.judge(f"benchmarks of {backend}", "some ok", seen + "".join(f"; {count} x {text}" for text, count in usual),
                       counts[backend, "ok"] > 0 or not usual, "none went well")
