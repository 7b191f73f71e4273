"""Writes what a simulated program did as PyTorch's profiler would: one file in Chrome's format per process."""

import json
from dataclasses import dataclass

from .simulated_program import MAIN_THREAD, US

DEVICE = {"id": 0, "name": "NVIDIA A100-SXM4-80GB", "totalGlobalMem": 85_000_000_000, "computeMajor": 8, "computeMinor": 0,
          "numSms": 108, "warpSize": 32, "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048,
          "regsPerBlock": 65536, "sharedMemPerBlock": 49152}  # fmt: skip


@dataclass
class Interval:
    """A call or an execution as given in the file: times are truncated to the recording's clock."""

    of: object
    begin: int
    end: int


class Recording:
    """What a profiler that ran from `begin` to `end` saw of a program (None: all of it), on a clock of `clock` ns. Calls that
    began before it or ended after it are lost; of executions those that began before it."""

    def __init__(self, program, clock=1, begin=None, end=None, rank=None, ranks=1, pid=MAIN_THREAD, device=True):
        self.program, self.clock, self.rank, self.ranks, self.pid = program, clock, rank, ranks, pid
        first = -1 if begin is None else begin
        last = program.now if end is None else end
        self.calls = [self._cut(c) for c in program.calls if c.begin >= first and c.end <= last]
        self.executions = [self._cut(e) for e in program.executions if e.begin >= first and e.launched <= last]
        if not device:
            self.executions = []
            self.calls = [c for c in self.calls if c.of.category != "cuda_runtime"]
        self.steps = [self._cut(s) for s in program.steps if s.begin >= first and s.end <= last]
        self.begin, self.end = self._floor(max(first, 0)), self._floor(last)

    def _floor(self, time):
        return time // self.clock * self.clock

    def _cut(self, what):
        return Interval(what, self._floor(what.begin), self._floor(what.end))

    def _times(self, begin, end):
        """ts and dur in µs; the origin is typical of real profiles, and small enough for a double."""
        origin = 1_623_142_623_000_000 if self.clock >= US else 2_413_669_000_000
        if self.clock >= US:
            return {"ts": origin + begin // US, "dur": (end - begin) // US}
        return {"ts": round(origin + begin / US, 3), "dur": round((end - begin) / US, 3)}

    def events(self):
        numbers, external = {}, {}
        for number, call in enumerate(self.calls, 1):
            numbers[id(call.of)] = number
        events = [{"ph": "M", "name": "process_name", "pid": self.pid, "tid": 0, "ts": 0, "args": {"name": "python3"}},
                  {"ph": "M", "name": "process_labels", "pid": self.pid, "tid": 0, "ts": 0, "args": {"labels": "CPU"}}]  # fmt: skip
        open_operators = []
        for call in sorted(self.calls, key=lambda c: (c.of.begin, numbers[id(c.of)])):
            of = call.of
            thread = self.pid + of.thread - MAIN_THREAD
            event = {
                "ph": "X",
                "cat": of.category,
                "name": of.name,
                "pid": self.pid,
                "tid": thread,
                **self._times(call.begin, call.end),
            }
            arguments = dict(of.arguments)
            if of.category == "cuda_runtime":
                around = [o for o in open_operators if o.thread == of.thread and o.begin <= of.begin and of.end <= o.end]
                external[of.correlation] = numbers[id(around[-1])] if around else 0
                arguments = {"External id": external[of.correlation], "cbid": 211, "correlation": of.correlation}
            elif of.category != "python_function":
                arguments = {"External id": numbers[id(of)], "Ev Idx": numbers[id(of)] - 1, **arguments}
                open_operators = [o for o in open_operators if o.end > of.begin] + [of]
            event["args"] = arguments
            events.append(event)
        launches = {c.of.correlation: c for c in self.calls if c.of.correlation}
        for execution in self.executions:
            of = execution.of
            arguments = {
                "External id": external.get(of.correlation, 0),
                "device": 0,
                "context": 1,
                "stream": of.stream,
                "correlation": of.correlation,
            }
            if of.kind == "kernel":
                arguments |= {
                    "queued": 0,
                    "registers per thread": 32,
                    "shared memory": 0,
                    "grid": [216, 1, 1],
                    "block": [256, 1, 1],
                }
            else:
                arguments["bytes"] = of.bytes
            times = self._times(execution.begin, execution.end)
            place = {"pid": 0, "tid": of.stream}
            events.append({"ph": "X", "cat": of.kind, "name": of.name, **place, **times, "args": arguments})
            if of.correlation in launches:
                call = launches[of.correlation]
                start = {
                    "pid": self.pid,
                    "tid": self.pid + call.of.thread - MAIN_THREAD,
                    "ts": self._times(call.begin, call.end)["ts"],
                }
                events.append({"ph": "s", "id": of.correlation, "cat": "ac2g", "name": "ac2g", **start})
                events.append(
                    {"ph": "f", "id": of.correlation, "cat": "ac2g", "name": "ac2g", "bp": "e", **place, "ts": times["ts"]}
                )
        whole = self._times(self.begin, self.end)
        events.append({"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler", **whole,
                       "args": {"Op count": 0}})  # fmt: skip
        return events

    def write(self, path, extra=()):
        """extra: further events, as they stand."""
        whole = {"schemaVersion": 1, "deviceProperties": [DEVICE] if self.executions else [], "record_shapes": 1}
        if self.rank is not None:
            whole["distributedInfo"] = {"backend": "nccl", "rank": self.rank, "world_size": self.ranks}
        whole["traceEvents"] = self.events() + list(extra)
        whole["traceName"] = str(path)
        with open(path, "w") as file:
            json.dump(whole, file)
        return path
