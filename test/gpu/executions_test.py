"""Reads made-up traces of executions."""
import tempfile
import unittest
from pathlib import Path

import trace_rules
from check_cuda_programs import field_of, judge_known
from executions import KERNEL, MEMCPY, MEMSET, OTHER_PROFILER, DeviceTrace
from support.trace_messages import proto
from support.wire_bytes import message, packet, zigzag
from verdict import FAILED, OK, CheckVerdicts, Verdicts


def steps(values):
    return [zigzag(b - a) for a, b in zip([0, *values], values)]


def present_steps(values):
    """1 + zigzag of the difference to the last one that is not None; 0 for None."""
    last, out = 0, []
    for value in values:
        if value is None:
            out.append(0)
        else:
            out.append(1 + zigzag(value - last))
            last = value
    return out


class TraceFile:
    """One process with calls of the API in ring 0 and what they launched."""

    def __init__(self):
        self.names, self.packets = [], []

    def name(self, text):
        if text not in self.names:
            self.names.append(text)
        return self.names.index(text) + 1

    def spans(self, spans):
        """(id, begin, end, level, kind, name, parent) in order of their end."""
        ids, begins, ends, levels, kinds, names, parents = map(list, zip(*spans))
        self.packets.append({"spans": message(
            proto.SpanBatch, thread=7, count=len(spans), begin=steps(begins), duration=[e - b for b, e in zip(begins, ends)],
            id=steps(ids), parent=[own - parent if parent else 0 for own, parent in zip(ids, parents)],
            level_kind=[level | kind << 3 for level, kind in zip(levels, kinds)], name=[self.name(n) for n in names])})

    def executions(self, rows):
        """Dicts: begin, end, kind, name, launch, capture, node, stream, bytes, configuration."""
        get = lambda key, default=0: [row.get(key, default) for row in rows]
        ring = lambda key: [0 if row.get(key) is None else 1 for row in rows]
        queues = sorted({row.get("stream", 7) for row in rows})
        self.packets.append({"activities": message(
            proto.ActivityBatch, count=len(rows), queue=[message(proto.ActivityBatch.Queue, stream=s) for s in queues],
            queue_index=[queues.index(stream) for stream in get("stream", 7)], begin=steps(get("begin")),
            duration=[row["end"] - row["begin"] for row in rows],
            level_kind=[proto.LEVEL_DEVICE | kind << 3 for kind in get("kind", KERNEL)],
            name=[self.name(n) for n in get("name")],
            configuration=[self.name(c) if c else 0 for c in get("configuration", "")], bytes=get("bytes"),
            graph_node=present_steps(get("node", None)), launch_ring=ring("launch"),
            launch=present_steps(get("launch", None)), capture_ring=ring("capture"),
            capture=present_steps(get("capture", None)))})

    def gap(self, reason, begin, end):
        self.packets.append({"gap": message(proto.Gap, reason=reason, level=proto.LEVEL_RUNTIME, begin_ns=begin, end_ns=end,
                                            detail="Kineto")})  # fmt: skip

    def read(self):
        hello = {"hello": message(proto.Hello, pid=4242)}
        strings = {"strings": message(proto.StringBatch, first_id=1, text=self.names)}
        data = b"".join(packet(process=1, **body) for body in [hello, strings, *self.packets])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "made_up.pb"
            path.write_bytes(data)
            return DeviceTrace(path)


MODEL, LAYER, RUNTIME = (2, 4), (3, 2), (5, 9)


def two_steps():
    file = TraceFile()
    file.spans([(2, 1100, 1200, *RUNTIME, "cudaLaunchKernel", 1), (1, 1000, 2000, *MODEL, "Net", 0),
                (4, 3100, 3200, *RUNTIME, "cudaGraphLaunch", 3), (3, 3000, 4000, *MODEL, "Net", 0)])
    return file


class Executions(unittest.TestCase):
    def test_a_kernel_has_its_launch(self):
        file = two_steps()
        file.executions([{"begin": 1300, "end": 1400, "name": "_Z1fv", "launch": 2, "stream": 9,
                          "configuration": "grid=[80,1,1] block=[256,1,1]"}])
        kernel, = file.read().kernels()
        self.assertEqual((kernel.name, kernel.begin, kernel.end, kernel.stream), ("_Z1fv", 1300, 1400, 9))
        self.assertEqual((kernel.launch.name, kernel.launch.id, kernel.capture), ("cudaLaunchKernel", 2, None))
        self.assertEqual(field_of(kernel.configuration, "block"), "[256,1,1]")

    def test_kernels_of_a_graph_share_a_launch(self):
        file = two_steps()
        file.executions([{"begin": 3300 + i, "end": 3400 + i, "name": "k", "launch": 4, "node": 50 - i, "capture": 2}
                         for i in range(3)] + [{"begin": 3500, "end": 3600, "name": "lost"}])
        trace = file.read()
        first, second = trace.outermost_models()
        self.assertEqual((len(trace.launched_in(first)), len(trace.launched_in(second))), (0, 3))
        self.assertEqual([k.graph_node for k in trace.kernels()], [50, 49, 48, 0])
        self.assertEqual([k.capture and k.capture.id for k in trace.kernels()], [2, 2, 2, None])
        self.assertEqual([s.name for s in trace.ancestors(trace.kernels()[0].launch)], ["cudaGraphLaunch", "Net"])
        self.assertIsNone(trace.kernels()[3].launch)

    def test_of_a_gap_the_last_packet_holds(self):
        file = two_steps()
        file.gap(OTHER_PROFILER, 1500, 0)
        file.gap(OTHER_PROFILER, 1500, 1800)
        gap, = file.read().gaps
        self.assertEqual((gap.reason, gap.begin, gap.end, gap.detail), (OTHER_PROFILER, 1500, 1800, "Kineto"))

    def times(self, begin, end):
        file = two_steps()
        file.executions([{"begin": begin, "end": end, "name": "k", "launch": 2}])
        trace = file.read()
        verdicts, read = Verdicts(), trace_rules.DeviceTrace
        trace_rules.DeviceTrace = lambda path: trace
        try:
            trace_rules.judge_times(CheckVerdicts(verdicts, "check"), "net", None, steps=2)
        finally:
            trace_rules.DeviceTrace = read
        return [row.verdict for row in verdicts.rows]

    def test_a_kernel_before_its_launch_fails(self):
        self.addCleanup(setattr, trace_rules, "LATE_NS", trace_rules.LATE_NS)
        trace_rules.LATE_NS = 100
        self.assertEqual(self.times(1300, 1400), [OK, OK])
        self.assertEqual(self.times(900, 1400), [FAILED, OK])
        self.assertEqual(self.times(1300, 3200), [OK, FAILED])

    def test_known_copies_and_memsets(self):
        file = two_steps()
        file.executions([{"begin": 1300, "end": 1400, "kind": MEMCPY, "name": "HtoD", "bytes": 64, "launch": 2},
                         {"begin": 1500, "end": 1600, "kind": MEMSET, "name": "memset", "bytes": 32, "launch": 2}])
        known = {"kernels": {}, "grids": {}, "graph_kernels": 0, "kernels_of_a_graph_launch": [], "streams": 0, "threads": 0,
                 "copies": {"HtoD": [1, 64]}, "memsets": [1, 32]}
        for bytes_asked, outcome in ((64, OK), (65, FAILED)):
            known["copies"]["HtoD"][1] = bytes_asked
            verdicts = Verdicts()
            judge_known(CheckVerdicts(verdicts, "check"), "program", known, file.read())
            self.assertEqual([r.verdict for r in verdicts.rows if "copies" in r.subject], [outcome])
            self.assertEqual([r.verdict for r in verdicts.rows if "copies" not in r.subject], [OK] * 8)


if __name__ == "__main__":
    unittest.main()
