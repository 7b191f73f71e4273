"""What becomes of a span behind the program: the sender's and the collector's rates, bytes on the socket and on disk."""

import json
import os
import re
import socket
import subprocess
import threading

PACED_RATE = 1_000_000
PACED_SECONDS = 5


def throughput(bench, figures, options):
    figures.section = "writer and collector"
    with bench.undisturbed():
        writer(bench, figures)
        collector(bench, figures)
    socket_bytes(bench, figures)
    disk_bytes(bench, figures)


def writer(bench, figures):
    paced = bench.path("test", "bench", "paced_spans")
    for rate, goal in ((100_000, 0.5), (PACED_RATE, None)):
        figures.command = f"xsp-run paced_spans {rate} {PACED_SECONDS}; xsp-report -a Q1"
        command, trace = bench.xsp_run(paced, str(rate), str(PACED_SECONDS))
        bench.output(command)
        quality = bench.quality(trace)
        share = 100 * bench.own_threads_seconds(trace) / PACED_SECONDS
        if goal is not None:
            figures.at_most(f"sender thread at {rate:,} spans/s", share, goal, "% of a core")
            continue
        figures.add(f"sender thread at {rate:,} spans/s", share, "% of a core", f"{quality['dropped']:.0f} spans lost")
        figures.add("sender, million spans/s of one core", rate / (share / 100) / 1e6, "M/s", "by its CPU time at that rate")
        figures.add("bytes a span on disk, spans of the C API", os.path.getsize(trace) / quality["spans"], "bytes")


def socket_bytes(bench, figures):
    """A peer that only counts takes the collector's place."""
    path = bench.temporary("counting.socket")
    received = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(1)

        def count():
            peer, _ = listener.accept()
            with peer:
                total = 0
                while chunk := peer.recv(1 << 20):
                    total += len(chunk)
            received.append(total)

        counter = threading.Thread(target=count, daemon=True)
        counter.start()
        figures.command = f"paced_spans {PACED_RATE} 1 with LD_PRELOAD, a peer that counts at XSP_SOCKET"
        text = bench.output(
            [bench.path("test", "bench", "paced_spans"), str(PACED_RATE), "1"], LD_PRELOAD=bench.guest, XSP_SOCKET=path
        )
        counter.join(timeout=30)
    if received:
        figures.add("bytes a span on the socket, spans of the C API", received[0] / int(text.split()[0]), "bytes")


def collector(bench, figures):
    figures.command = "collector_bench"
    report = json.loads(bench.output([bench.path("test", "bench", "collector_bench"), "--benchmark_format=json"]))
    spans = [run for run in report["benchmarks"] if "spans/s" in run]
    pairs = [run for run in report["benchmarks"] if "pairs/s" in run]
    figures.at_least("collector, million spans/s of one core, batches of 1000", spans[-1]["spans/s"] / 1e6, 2, "M/s")
    figures.add("the same, a span a batch", spans[0]["spans/s"] / 1e6, "M/s")
    figures.at_least("launches with their kernels, million/s of one core", min(run["pairs/s"] for run in pairs) / 1e6, 1, "M/s")
    figures.at_most("bytes of the trace a launch with its kernel", max(run["bytes/pair"] for run in pairs), 48, "bytes")


def disk_bytes(bench, figures):
    for python, label in bench.torch_pythons():
        command, trace = bench.xsp_run(python, bench.source("test", "programs", "torch_resnet50.py"))
        figures.command = "xsp-run python3 test/programs/torch_resnet50.py"
        bench.output(command)
        figures.at_most(f"bytes a span on disk, ResNet-50 ({label})", os.path.getsize(trace) / bench.quality(trace)["spans"], 24, "bytes")


def growth(bench, figures, options):
    figures.section = "load and analysis, by spans"
    figures.command = "analysis_bench SPANS"
    rows = []
    per_span = {}
    for count in (10_000, 100_000, 1_000_000, 10_000_000, 30_000_000):
        runs = []
        for _ in range(3 if count <= 1_000_000 else 1):
            with bench.undisturbed():
                text = bench.output([bench.path("test", "bench", "analysis_bench"), str(count)])
            total = float(re.search(r"total ([\d.]+) s", text).group(1))
            load = float(re.search(r"load ([\d.]+) s", text).group(1))
            peak = int(re.search(r"peak (\d+) MiB", text).group(1))
            spans = int(re.match(r"(\d+) spans", text).group(1))
            runs.append((total, load, peak, spans))
        total, load, peak, spans = min(runs)
        per_span[count] = total * 1e9 / spans
        rows.append((f"{spans:,}", f"{load:.3f}", f"{total:.3f}", f"{load * 1e9 / spans:.0f}", f"{per_span[count]:.0f}", f"{spans / total / 1e6:.2f}", f"{peak:,}", f"{peak * 2**20 / spans:.0f}"))
        if count == 10_000_000:
            figures.at_most("load and all tables of 10 M spans", total, 5, "s")
            figures.at_most("their memory", peak / 1024, 1.5, "GiB")
    figures.add("ns a span at 3·10^7 / at 10^6", per_span[30_000_000] / per_span[1_000_000], "", "1: linear")
    figures.table(("spans", "load, s", "with all tables, s", "load, ns a span", "all, ns a span", "M spans/s", "RSS, MiB", "RSS, bytes a span"), rows)
