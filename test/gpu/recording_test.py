"""Reads recordings of CUPTI: raw and symbolic records, a file that was cut off, and what each question is answered."""
import json
import struct
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import recording
from recording_lines import DEFAULT_OFFSET, Recording, read_recording

HEAD = "recording format=1 cupti_version=130001 thread=1\n"
LAUNCH = "call t=1ms until=1.02ms thread=1 domain=2 id=211 name=cudaLaunchKernel_v7000 correlation=7 context=1\n"
ON = "completed t=9ms thread=8 buffer=1 flush=1\n"


def raw_kernel(start, end, correlation, size=216, node=0, graph=0):
    record = bytearray(size)
    struct.pack_into("<I", record, 0, 10)
    struct.pack_into("<QQ", record, 16, start, end)
    struct.pack_into("<III", record, 40, 0, 1, 7)
    struct.pack_into("<I", record, 92, correlation)
    struct.pack_into("<Q", record, 144, node)
    struct.pack_into("<I", record, 156, graph)
    return f"record buffer=1 kind=10 size={size} name=@2 hex={record.hex()}\n"


def answer(text, words):
    """Of the one question with these words."""
    row, = (row for row in recording.ask(Recording(HEAD + text)) if words in row["question"])
    return row["answer"]


class Reading(unittest.TestCase):
    def test_raw_and_symbolic_records_are_the_same(self):
        t = 2_000_000 + DEFAULT_OFFSET
        raw = Recording(HEAD + "text id=2 is=a%20b%23\n" + ON + raw_kernel(t, t + 500, 7, node=9, graph=3)).records[0]
        made = Recording(HEAD + ON + "record kernel buffer=1 correlation=7 start=2ms end=2000500 name=a%20b%23 context=1 stream=7 "
                                     "graph_node=9 graph=3\n").records[0]  # fmt: skip
        raw.raw = b""
        self.assertEqual(raw, made)
        self.assertEqual((made.name, made.start, made.has_times), ("a b#", t, True))

    def test_zero_stays_zero(self):
        record, = Recording(HEAD + ON + "record kernel buffer=1 correlation=7 start=0 end=0 name=k\n").records
        self.assertEqual((record.start, record.has_times), (0, False))

    def test_a_line_that_was_cut_off_is_not_read(self):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "killed.txt"
            path.write_text(HEAD + LAUNCH + "callback t=3ms thread=1 domain=2 id=21")
            self.assertEqual([call.id for call in read_recording(path).calls], [211])

    def test_clock_between_two_readings(self):
        read = Recording(HEAD + "clock t=100 cupti=1100 real=1100\nclock t=300 cupti=1320 real=1320\n")
        self.assertEqual([read.offset_at(t) for t in (0, 100, 200, 300, 900)], [1000, 1000, 1010, 1020, 1020])
        self.assertEqual(read.steady(1210), 200)


class Answers(unittest.TestCase):
    KERNEL = "record kernel buffer=1 correlation={} start={} end={} name=k\n"

    def test_ids_of_kernels(self):
        self.assertEqual(answer(LAUNCH + ON + self.KERNEL.format(7, "2ms", "3ms"), "ids of their launches"), "yes: 1 of 1")
        self.assertEqual(answer(LAUNCH + ON + self.KERNEL.format(8, "2ms", "3ms"), "ids of their launches"), "no: 0 of 1")
        self.assertEqual(answer(LAUNCH, "ids of their launches"), recording.UNKNOWN)

    def test_nested_calls(self):
        nested = "call t=1.01ms until=1.015ms thread={} domain=1 id=307 name=cuLaunchKernel correlation={}\n"
        for thread, id, expected in ((1, 7, "yes: 1 of 1"), (1, 8, "no: 0 of 1"), (2, 7, "none seen")):
            self.assertEqual(answer(LAUNCH + nested.format(thread, id), "driver call inside a call of the runtime have"), expected)

    def test_order_of_created_and_cloned(self):
        made = "resource t={}ms thread=1 id={} node_id={} original_id=1\n"
        text = "".join(made.format(t, id, node) for t, id, node in ((1, 13, 5), (2, 20, 5), (3, 20, 6), (4, 13, 6), (5, 20, 7)))
        self.assertEqual(answer(text, "In which order"), "created then cloned 1, cloned then created 1, cloned 1")

    def test_times(self):
        text = LAUNCH + ON + self.KERNEL.format(7, 0, 0) + self.KERNEL.format(7, "3ms", "2ms") + self.KERNEL.format(7, "2ms", "3ms")
        self.assertEqual(answer(text, "without times, or inverted"), "zero: kernel 1; inverted: kernel 1")
        self.assertEqual(answer(text, "How soon"), "1000000 ns")

    def test_sizes(self):
        t = 2_000_000 + DEFAULT_OFFSET
        self.assertEqual(answer(ON + raw_kernel(t, t + 5, 7), "laid out"), "as assumed")
        self.assertIn("(10, 232): 1", answer(ON + raw_kernel(t, t + 5, 7, size=232), "laid out"))

    def test_flushes(self):
        flush = "flush_begin t={}ms thread=8 flags=0\nflush_end t={}ms thread=8 flags=0 result=0\n"
        text = "requested t=1ms thread=1 buffer=1 bytes=100\n" + flush.format(5, 6) + flush.format(8, 10) + ON
        self.assertEqual(answer(text + self.KERNEL.format(7, 0, 0), "FlushAll(0)"), "1 without times")
        self.assertEqual(answer(text + self.KERNEL.format(7, "2ms", "3ms"), "FlushAll(0)"), "0 without times")
        self.assertEqual(answer(text, "keep a buffer"), "8.000 / 8.000 / 8.000 ms (least, median, most)")
        self.assertEqual(answer(text, "which threads"), "inside a flush 1")

    def test_sessions(self):
        text = "".join(f"session t={t}ms thread=1 number={n}\n" for t, n in ((1, 1), (20, 2)))
        for t, id in ((2, 5), (22, 6)):
            text += f"call t={t}ms until={t}.1ms thread=1 domain=2 id=311 name=cudaGraphLaunch correlation={id}\n"
        part = "record kernel buffer=1 correlation={} start={} end={} name=k graph=2 graph_node=4\n"
        for second, expected in ((6, "session 1: 1 of 1; session 2: 1 of 1"), (7, "session 1: 1 of 1; session 2: 0 of 1")):
            parts = part.format(5, "3ms", "4ms") + part.format(second, "23ms", "24ms")
            self.assertEqual(answer(text + "completed t=30ms thread=8 buffer=1\n" + parts, "later sessions"), expected)

    def test_end_of_the_program(self):
        self.assertEqual(answer(LAUNCH, "end of the program"), "not reached")
        text = "exiting t=5ms thread=1\n" + ON + self.KERNEL.format(7, "2ms", "3ms")
        self.assertEqual(answer(text, "end of the program"), "1 buffers, 1 records")

    def test_ranges(self):
        step = "range t={0}ms launch={0} what=cuptiRangeProfilerSetConfig result="
        steps = step.format(1) + "0\n" + step.format(2) + "{}\n"
        self.assertEqual(answer(steps.format(0), "Range Profiler"), "every step succeeded")
        self.assertEqual(answer(steps.format(7), "Range Profiler"), "launch 2: cuptiRangeProfilerSetConfig = 7")


class Command(unittest.TestCase):
    def test_it_prints_json_and_text(self):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "made_up.txt"
            path.write_text(HEAD + LAUNCH)
            command = [sys.executable, Path(__file__).with_name("recording.py"), path]
            rows = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
            self.assertEqual(len(rows), len(recording.QUESTIONS))
            self.assertEqual({tuple(row) for row in rows}, {("question", "answer", "evidence")})
            text = subprocess.run([*command, "--text"], capture_output=True, check=True, text=True).stdout
            self.assertIn("2:211 cudaLaunchKernel_v7000 1", text)

    def test_what_is_no_recording_is_refused(self):
        done = subprocess.run([sys.executable, Path(__file__).with_name("recording.py"), "/nowhere"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere", done.stderr)


if __name__ == "__main__":
    unittest.main()
