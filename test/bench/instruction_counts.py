#!/usr/bin/env python3
"""Counts instructions by callgrind and compares them with the committed counts. Times change with the machine and with what
else runs on it, instructions do not: over 5 % more fails.

    XSP_BUILD_DIR=build XSP_BUILD_TYPE=release XSP_COMPILER='gcc 12.2.0' test/bench/instruction_counts.py [--update]

Every count is a difference between n and 2 n operations, so what is set up once cancels.
"""

import argparse
import concurrent.futures
import json
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

from instruction_comparison import compare, differing_environment

SOURCE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("XSP_BUILD_DIR", os.path.join(SOURCE, "..", "..", "build"))
REFERENCE = os.path.join(SOURCE, "instruction_counts.json")
SKIPPED = 77
CALLS = 1000  # of counted/calls.c and record_path.cc
SPANS = 20_000  # of counted/collector.cc and analysis.cc
OPERATIONS = 20_000  # mined, and as many more: so short a sequence costs more each than a long one
CALLGRIND = ["valgrind", "--tool=callgrind"]
# A recorded span takes more bytes than this: a trace that is smaller says that nothing was recorded.
LEAST_BYTES_A_SPAN = 3


class Counter:
    """Runs the programs in a scratch folder, which is theirs alone."""

    def __init__(self, folder):
        self.folder = folder
        self.guest = os.path.join(BUILD, "inject", "libxsp_inject.so")

    def program(self, name):
        return os.path.join(BUILD, "test", "bench", name)

    def run(self, command, **environment):
        # Meson sets MALLOC_PERTURB_, which fills memory: other instructions.
        left_out = ("XSP_", "CUDA_HOME", "MALLOC_", "LD_PRELOAD")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
        done = subprocess.run(command, capture_output=True, text=True, env={**inherited, "TMPDIR": self.folder, **environment})
        if done.returncode != 0:
            sys.exit(f"instruction_counts: {' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return done

    def inside(self, name, *command, before=(), operations, **environment):
        """Instructions an operation, between the second and the third call of xsp_counted."""
        output = os.path.join(self.folder, name)
        toggles = ["--toggle-collect=xsp_counted", "--dump-after=xsp_counted", f"--callgrind-out-file={output}"]
        self.run([*before, *CALLGRIND, *toggles, *command], **environment)
        once, twice = (total(f"{output}.{number}") for number in (2, 3))
        return (twice - once) / operations

    def recorded(self, name, mode):
        trace = os.path.join(self.folder, f"{name}.pb")
        run = [os.path.join(BUILD, "inject", "launch", "xsp-run"), "-q", "-f", "-o", trace, "--"]
        count = self.inside(name, self.program("counted_calls"), mode, before=run, operations=CALLS)
        if os.path.getsize(trace) < 4 * CALLS * LEAST_BYTES_A_SPAN:
            sys.exit(f"instruction_counts: {name}: nothing was recorded under valgrind")
        return count

    def switched_off(self, name, mode):
        return self.inside(name, self.program("counted_calls"), mode, before=["env", f"LD_PRELOAD={self.guest}"], operations=CALLS)

    def lookup(self, name):
        """What XSP adds to dlsym."""
        plain = self.inside(f"{name}-plain", self.program("counted_calls"), "lookup", operations=CALLS)
        return self.switched_off(name, "lookup") - plain

    def record_path(self, name):
        with listening(os.path.join(self.folder, "peer")) as peer:
            return self.inside(name, self.program("counted_record_path"), operations=CALLS, XSP_SOCKET=peer)

    def collector(self, name):
        return self.inside(name, self.program("counted_collector"), operations=SPANS)

    def analysis(self, mode, operations=SPANS):
        return self.inside(mode, self.program("counted_analysis"), mode, operations=operations)

    def import_json(self, name):
        """Instructions a byte: the whole program with one and with two megabytes."""
        counts = []
        for megabytes in (1, 2):
            profile = os.path.join(self.folder, f"profile-{megabytes}.json")
            self.run([sys.executable, os.path.join(SOURCE, "kineto_profile.py"), str(megabytes), profile])
            output = os.path.join(self.folder, f"{name}-{megabytes}")
            importer = [os.path.join(BUILD, "import", "xsp-import"), "-f", "-o", f"{output}.pb", profile]
            self.run([*CALLGRIND, f"--callgrind-out-file={output}", *importer])
            counts.append((total(output), os.path.getsize(profile)))
        (less, small), (more, large) = counts
        return (more - less) / (large - small)


def total(file):
    with open(file) as lines:
        return int(next(line.split()[1] for line in lines if line.startswith("totals:")))


class listening:
    """A peer that takes what a guest sends, at a path."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(1)
        threading.Thread(target=self.drain, daemon=True).start()
        return self.path

    def drain(self):
        guest, _ = self.listener.accept()
        while guest.recv(1 << 20):
            pass
        guest.close()

    def __exit__(self, *_):
        self.listener.close()


ROWS = {
    "a recorded span, C API": lambda counter: counter.recorded("api", "api"),
    "a recorded span, inside the guest": lambda counter: counter.record_path("record_path"),
    "a wrapped library call, time and status": lambda counter: counter.recorded("library", "library"),
    "a wrapped library call with its arguments": lambda counter: counter.recorded("gemm", "gemm"),
    "a span switched off, C API": lambda counter: counter.switched_off("api-off", "api"),
    "a wrapped library call switched off": lambda counter: counter.switched_off("gemm-off", "gemm"),
    "dlsym of another's name, added": lambda counter: counter.lookup("lookup"),
    "collector, a span": lambda counter: counter.collector("collector"),
    "loading, a span": lambda counter: counter.analysis("load"),
    "A1 to A7, a span": lambda counter: counter.analysis("tables"),
    "D1 by periods, an operation of 40,000": lambda counter: counter.analysis("periods", OPERATIONS),
    "D1 by the suffix tree, an operation of 40,000": lambda counter: counter.analysis("suffix-tree", OPERATIONS),
    "import of Kineto JSON, a byte": lambda counter: counter.import_json("import"),
}


def environment():
    """What makes other instructions of the same source."""
    with open("/etc/os-release") as lines:
        release = dict(line.rstrip().split("=", 1) for line in lines if "=" in line)
    with open("/proc/cpuinfo") as lines:
        has_avx2 = any(re.match(r"flags\s*:.*\bavx2\b", line) for line in lines)
    return {
        "compiler": os.environ.get("XSP_COMPILER", ""),
        "build": os.environ.get("XSP_BUILD_TYPE", ""),
        "system": f"{release.get('ID', '')} {release.get('VERSION_ID', '')}".replace('"', ""),
        "libc": " ".join(platform.libc_ver()),
        "valgrind": subprocess.run(["valgrind", "--version"], capture_output=True, text=True).stdout.strip(),
        "processor": f"{platform.machine()}{' with avx2' if has_avx2 else ''}",
    }


def count_all():
    with tempfile.TemporaryDirectory(prefix="xsp-counts-") as folder:
        counter = Counter(folder)
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            running = {name: pool.submit(count, counter) for name, count in ROWS.items()}
            return {name: round(result.result(), 2) for name, result in running.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the counts as the new reference")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: no valgrind")
        return SKIPPED
    here = environment()
    if options.update:
        reference = None
    else:
        with open(REFERENCE) as file:
            reference = json.load(file)
        why = differing_environment(reference["environment"], here)
        if why is not None:
            print(f"skipped: instruction counts are of another environment: {why}")
            return SKIPPED
    counts = count_all()
    for name, count in counts.items():
        print(f"{name:45s} {count:10.1f}")
    if options.update:
        with open(REFERENCE, "w") as file:
            json.dump({"environment": here, "instructions": counts}, file, indent=2)
            file.write("\n")
        return 0
    failures, remarks = compare(reference["instructions"], counts)
    for line in remarks:
        print(f"better: {line}")
    for line in failures:
        print(f"FAILED: {line}")
    return 1 if failures else 0


sys.exit(main())
