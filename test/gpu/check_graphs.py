"""Checks: large CUDA graphs replayed many times without waiting."""
import json
import subprocess
import threading

import stacks
from check_cuda_programs import short
from report import quality
from toolkit import Unbuildable

BURST = (1000, 500)  # nodes, replays
LONG = (1000, 1500)
LIMIT_S = 60


def program_of(acceptance, verdicts, subject):
    """The program, or None after a row that says why not."""
    try:
        program = acceptance.toolkit.build("graph_burst", "graph_burst.cu")
    except Unbuildable as why:
        verdicts.skip(subject, why)
        return None
    if not acceptance.has_gpu:
        verdicts.not_seen(subject, "all its kernels", "there is no GPU to run its program on")
        return None
    return program


def run_burst(acceptance, verdicts):
    judge_replays(acceptance, verdicts, "burst", BURST)


def run_long(acceptance, verdicts):
    judge_replays(acceptance, verdicts, "long", LONG)


def judge_replays(acceptance, verdicts, subject, size):
    program = program_of(acceptance, verdicts, subject)
    if program is None:
        return
    bare_memory, memory = DeviceMemory(), DeviceMemory()
    bare = acceptance.run(f"graph-{subject}-bare", [program, *size], LIMIT_S, while_running=bare_memory.watch)
    if not bare.good:
        verdicts.skip(subject, f"without XSP: {bare.why()}")
        return
    traced, path = acceptance.profile(f"graph-{subject}", [program, *size], "--level", "kernel", timeout=LIMIT_S,
                                      while_running=memory.watch)
    if not traced.good or path is None:
        verdicts.fail(f"{subject}: runs under xsp-run", "exit status 0 and a trace", traced.why())
        return
    tables = acceptance.tables(path, ["A10", "Q1"])
    known = json.loads(bare.stdout)["kernels"]
    found = {}
    for row in tables["A10"].rows:
        name = short(row.get("kernel_name") or "")
        found[name] = found.get(name, 0) + (row.get("count") or 0)
    values = quality(tables["Q1"])
    told = {quantity: values.get((quantity, level)) or 0 for quantity, level in
            (("dropped", "all"), ("zero_time", "device"), ("inverted", "all"), ("unmatched_launch", "all"))}
    verdicts.judge(f"{subject}: kernels", brief(known), brief(found), found == known,
                   f"Q1 tells of {brief(told)}" if any(told.values()) else "and Q1 tells of nothing")
    verdicts.judge(f"{subject}: Q1", "nothing dropped, without time, inverted, unmatched", brief(told), not any(told.values()),
                   "CUPTI's buffers ran out" if told["dropped"] else "see Q1")
    verdicts.fact(f"{subject}: time", f"{traced.seconds:.1f} s, without XSP {bare.seconds:.1f} s")
    if memory.most_mib is not None:
        verdicts.fact(f"{subject}: memory of the device", f"{memory.most_mib} MiB at most, without XSP {bare_memory.most_mib} MiB")


def brief(counts):
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"


class DeviceMemory:
    """The most memory of the device that the processes of a program had, by nvidia-smi; None where that does not say."""

    def __init__(self):
        self.most_mib = None

    def watch(self, process):
        threading.Thread(target=self._watch, args=(process,), daemon=True).start()

    def _watch(self, process):
        query = ["nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"]
        while process.poll() is None:
            try:
                said = subprocess.run(query, capture_output=True, text=True, timeout=5).stdout
                self.add(said, stacks.processes_of_session(process.pid))
                process.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
            except OSError:
                return

    def add(self, said, pids):
        used = 0
        for line in said.splitlines():
            pid, _, mib = line.partition(",")
            if pid.strip().isdigit() and int(pid) in pids and mib.strip().isdigit():
                used += int(mib)
        if used:
            self.most_mib = max(self.most_mib or 0, used)
