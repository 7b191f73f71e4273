"""Exports of Nsight Systems give in our tables what SQL says of the same files:
nsight_systems_data_test.py XSP_IMPORT XSP_REPORT SOURCE_ROOT. Skipped where the files are not at hand.
"""
import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter

IMPORT, REPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:4]]
FOLDER = os.path.join(os.environ.get("XSP_SHARED_DATA", ROOT + "/../shared/data"), "nsys")
FILES = ["mxnet_v100_model11_b1", "mxnet_v100_model17_b1", "h100_2gpu_1s"]
if not os.path.exists(os.path.join(FOLDER, FILES[0] + ".sqlite.gz")):
    print(f"skipped: {FOLDER} is not there (XSP_SHARED_DATA names its parent)")
    sys.exit(77)

PID = "(({} >> 24) & 16777215)"


def check(what, got, expected):
    if got == expected:
        return
    if isinstance(got, Counter):
        got, expected = (list((a - b).items())[:3] for a, b in [(got, expected), (expected, got)])
    sys.exit(f"{what}: {got!r} instead of {expected!r}")


def tables(trace, *arguments):
    command = [REPORT, trace, "--per", "trace", "--top", "0", "-q", "--format", "json", *arguments]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    result = {}
    for name, table in report.items():
        if isinstance(table, dict) and "columns" in table:
            columns = [column["name"] for column in table["columns"]]
            result[name] = [dict(zip(columns, row)) for row in table["rows"]]
    return result


def ns(milliseconds):
    return round(milliseconds * 1e6)


def without_version(name):
    return re.sub(r"_v\d{4,}$", "", name)


def compare(path, database):
    one = lambda query: database.execute(query).fetchone()[0]
    report = tables(path)

    # Kernels: their names, queues, processes and durations, one by one.
    kernels = Counter(
        database.execute(
            f"select s.value, k.deviceId, k.streamId, 'pid ' || {PID.format('k.globalPid')}, k.end - k.start "
            "from CUPTI_ACTIVITY_KIND_KERNEL k join StringIds s on s.id = k.demangledName"
        )
    )
    ours = Counter(
        (row["kernel_name"], row["device"], row["stream"], row.get("process"), ns(row["latency_ms"]))
        for row in report["A8"]
    )
    if all(row.get("process") is None for row in report["A8"]):  # of one process it is not said
        kernels = Counter(key[:3] + (None,) + key[4:] for key in kernels.elements())
    check("kernels", ours, kernels)
    launched = one(
        "select count(*) from CUPTI_ACTIVITY_KIND_KERNEL k where exists (select 1 from CUPTI_ACTIVITY_KIND_RUNTIME r "
        "where r.correlationId = k.correlationId and (r.globalTid >> 24) = (k.globalPid >> 24))"
    )

    # Calls of the runtime: how many of each, how long, how many failed.
    calls = {}
    for name, count, duration, failed in database.execute(
        "select s.value, count(*), sum(end - start), sum(returnValue != 0) from CUPTI_ACTIVITY_KIND_RUNTIME "
        "join StringIds s on s.id = nameId group by 1"
    ):
        calls[without_version(name)] = (count, duration, failed)
    ours = {
        row["function"]: (row["count"], ns(row["host_ms"]), row["failed"])
        for row in report["C2"]
        if row["library"] in ("cudart", "cuda")
    }
    check("calls", ours, calls)
    by_runtime = sum(row["kernel_ms"] for row in report["C2"] if row["function"].startswith("cudaLaunchKernel"))
    total = one(
        "select sum(k.end - k.start) from CUPTI_ACTIVITY_KIND_KERNEL k where exists (select 1 from "
        "CUPTI_ACTIVITY_KIND_RUNTIME r where r.correlationId = k.correlationId and (r.globalTid >> 24) = "
        "(k.globalPid >> 24))"
    )
    check("kernels of launches", ns(by_runtime), total)

    # Copies: what of each direction came from and went to which memory.
    kinds = {0: "Pageable", 1: "Pinned", 2: "Device"}
    directions = {1: "HtoD", 2: "DtoH", 8: "DtoD"}
    copies = {}
    for direction, source, target, count, size in database.execute(
        "select copyKind, srcKind, dstKind, count(*), sum(bytes) from CUPTI_ACTIVITY_KIND_MEMCPY group by 1, 2, 3"
    ):
        memory = f" ({kinds[source]} -> {kinds[target]})" if (source, target) != (2, 2) else ""
        copies[f"memcpy {directions[direction]}{memory}"] = (count, size)
    ours = {
        row["function"]: (row["count"], row["bytes"]) for row in report["C2"] if row["function"].startswith("memcpy ")
    }
    check("copies", ours, copies)

    # All that is on the devices.
    kinds = ["KERNEL", "MEMCPY", "MEMSET", "SYNCHRONIZATION", "OVERHEAD"]
    names = {name for (name,) in database.execute("select name from sqlite_master")}
    on_devices = sum(
        one(f"select count(*) from {table}")
        for table in ["CUPTI_ACTIVITY_KIND_" + kind for kind in kinds] + ["PROFILER_OVERHEAD"]
        if table in names
    )
    spans = {row["level"]: row["value"] for row in report["Q1"] if row["quantity"] == "spans"}
    check("executions", spans["device"], on_devices)
    if "NVTX_EVENTS" in names:
        ranges = one("select count(*) from NVTX_EVENTS where eventType in (34, 59, 60)")
        check("ranges", spans.get("application", 0) + spans.get("layer", 0) + spans.get("model", 0), ranges)
    return launched, len(report["A8"]), report


def library_kernels(database, table):
    """Number and time of the kernels that were launched inside a call of a library."""
    return database.execute(
        "select count(*), sum(k.end - k.start) from CUPTI_ACTIVITY_KIND_KERNEL k join CUPTI_ACTIVITY_KIND_RUNTIME r "
        "on r.correlationId = k.correlationId and (r.globalTid >> 24) = (k.globalPid >> 24) where exists "
        f"(select 1 from {table} l where l.globalTid = r.globalTid and l.start <= r.start and r.end <= l.end)"
    ).fetchone()


def compare_libraries(database, report):
    for library in ("cudnn", "cublas"):
        ours = [row for row in report["A8"] if (row["library_call"] or "").startswith(library)]
        got = (len(ours), sum(ns(row["latency_ms"]) for row in ours))
        check(library, got, tuple(library_kernels(database, library.upper() + "_EVENTS")))
        calls = database.execute(
            f"select count(*) from {library.upper()}_EVENTS where eventClass in (28, 29)"
        ).fetchone()[0]
        check(library + " calls", sum(row["count"] for row in report["C2"] if row["library"] == library), calls)
    return ours


with tempfile.TemporaryDirectory() as folder:
    for name in FILES:
        packed = os.path.join(FOLDER, name + ".sqlite.gz")
        plain = os.path.join(folder, name + ".sqlite")
        trace = os.path.join(folder, name + ".pb")
        with gzip.open(packed) as source, open(plain, "wb") as target:
            target.write(source.read())
        subprocess.run([IMPORT, packed, "-o", trace, "--quiet"], check=True)
        database = sqlite3.connect(f"file:{plain}?mode=ro&immutable=1", uri=True)
        launched, kernels, report = compare(trace, database)
        if "mxnet" in name:
            compare_libraries(database, report)
            check("kernels without a launch", launched, kernels)
        if "model17" in name:
            inside = [row for row in report["A8"] if (row["library_call"] or "").startswith("cudnn")]
            share = sum(row["latency_ms"] for row in inside) / sum(row["latency_ms"] for row in report["A8"])
            check("kernels", kernels, 3073)
            check("kernels inside cuDNN", (len(inside), round(100 * share, 1)), (1130, 77.8))
        if "h100" in name:
            check("kernels", (kernels, sum(ns(row["latency_ms"]) for row in report["A8"])), (3442, 44829522))
            check("launched kernels", launched, 1632)
        print(f"{name}: {kernels} kernels, {launched} of them with their launch")
