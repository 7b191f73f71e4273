"""xsp-run --metrics: a second segment of the trace has, for every kernel that ran, the counts that the stand-in CUPTI gave
it, under its name and its ordinal on its device; by these it is found in the first segment. Streams, devices, threads,
processes, graphs, and more kernels than an image of counts holds.
"""
from collections import Counter, defaultdict
from pathlib import Path

from support.fake_cuda import check_equal, device_environment, fake, read_truth
from support.trace_reader import read_segments
from support.xsp_e2e import check, work_folder, xsp_run

METRICS = "roofline-bf16,lts__t_sectors.sum"


def count_of(metric, line):
    blocks = line["grid"][0] * line["grid"][1] * line["grid"][2]
    return float(sum(metric.encode()) % 101 * 1000000 + blocks * 1000 + sum(line["name"].encode()) % 997)


def launch_order(line):
    return (line["correlation"], line["begin"])


def check_counted(what, kernels, counted, in_order=True):
    """The rows of one process in the counted run against what the driver ran for it. `in_order`: one thread launched."""
    by_device = defaultdict(list)
    for line in sorted(kernels, key=launch_order):
        by_device[line["device"]].append(line)
    for device, lines in by_device.items():
        rows = sorted((row for row in counted if row.device == device), key=lambda row: row.ordinal)
        check_equal([row.ordinal for row in rows], list(range(len(lines))), f"{what}: ordinals on device {device}")
        if not in_order:
            expected = Counter((l["name"], *(count_of(metric, l) for metric in rows[0].values)) for l in lines)
            check_equal(Counter((row.name, *row.values.values()) for row in rows), expected, f"{what}: counts by name")
            continue
        for row, line in zip(rows, lines):
            of = f"{what}: kernel {row.ordinal} of device {device}, {line['name']}"
            check_equal(row.name, line["name"], f"{of}: its name")
            expected = {metric: count_of(metric, line) for metric in row.values}
            check_equal(row.values, expected, f"{of}: its counts")
            check_equal((row.passes, row.detail), (2, "kernel replay"), f"{of}: how it was counted")
            check("sm__ops_path_tensor_src_bf16_dst_fp32.sum" in row.values and "lts__t_sectors.sum" in row.values,
                  f"{of}: metrics: {list(row.values)}")  # fmt: skip
    check_equal({row.device for row in counted}, set(by_device), f"{what}: devices")


work_folder()
for words in ([3], [3, "streams"], [4, "devices"], [3, "threads"], [3, "processes"], [3, "graph"], [3, "clone"], [100], [3, "reset"]):
    Path("truth.log").unlink(missing_ok=True)
    done = xsp_run(fake("inference"), *words, options=("--metrics", METRICS),
                   env=device_environment(FAKE_CUDA_DEVICES=2)).check_success()  # fmt: skip
    first, second = read_segments(done.path)
    check_equal((first.header["counted"], second.header["counted"]), (False, True), f"{words}: which run was counted")
    check_equal((first.complete, second.complete), (True, True), f"{words}: both segments are whole")
    check(first.kernels and not first.counters, f"{words}: the first run has times and no counts")
    check(second.counters and not second.executions, f"{words}: the second run has counts and no times")
    check_equal({device["chip"] for device in second.devices}, {"GH100"}, f"{words}: the chip")
    truth = defaultdict(list)
    for line in read_truth():
        if line["kind"] == "kernel":
            truth[line["pid"]].append(line)
    counted_pids = {process.pid for process in second.processes.values()} & set(truth)
    check_equal({row.pid for row in second.counters}, counted_pids, f"{words}: processes that were counted")
    for pid in counted_pids:
        check_counted(f"{words}", truth[pid], [row for row in second.counters if row.pid == pid],
                      "threads" not in words)  # fmt: skip
    # As a reader joins them: the ordinal in the run that was not counted has the same name.
    if "threads" in words or "processes" in words:
        names = Counter(kernel.name for kernel in first.kernels)
        counted = Counter(row.name for row in second.counters)
        check(names == counted, f"{words}: the same kernels in both runs")
        continue
    for device in (0, 1):
        kernels = sorted((k for k in first.kernels if k.device == device), key=lambda k: (k.launch.begin, k.begin))
        rows = sorted((row for row in second.counters if row.device == device), key=lambda row: row.ordinal)
        check_equal([row.name for row in rows], [k.name for k in kernels], f"{words}: kernels found by their ordinal")
