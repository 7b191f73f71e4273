"""For the tests that play a recording of CUPTI to the guest (doc/recorder.md): the result of xsp-run is compared with what
the reader of recordings says, which knows nothing about XSP.
"""
import re
import sys
from collections import Counter
from pathlib import Path

from .fake_cuda import device_environment, fake, short
from .trace_reader import KERNEL, MEMCPY, MEMSET
from .xsp_e2e import SOURCE, check, check_equal, report, xsp_run

sys.path.insert(0, str(SOURCE / "test/gpu"))
from executions import DeviceTrace  # noqa: E402
from recording import ask, read_recording  # noqa: E402,F401

RECORDINGS = SOURCE / "test/data/recordings"
PLAYER = fake("cupti_player/libcupti.so.13")
KINDS = {"kernel": KERNEL, "serial_kernel": KERNEL, "memcpy": MEMCPY, "peer_memcpy": MEMCPY, "memset": MEMSET}
# What two readings of a clock and the collector's line through them may differ by.
LATEST_NS = 50_000


class Played:
    """A recording that was played to the guest: `recording`, and the resulting `trace`, `notices` and `quality` (Q1)."""

    def __init__(self, path, done):
        self.recording, self.done = read_recording(path), done
        self.device = DeviceTrace(done.path)
        self.trace = self.device.host
        self.notices = self.trace.notices
        self.quality = {row[0]: row[2] for row in report(done.path, "--analysis", "Q1")["Q1"]["rows"] if row[1] == "all"}

    def expected(self):
        """Executions of the recording that have a time and that CUPTI's walk through their buffer reaches."""
        found = []
        for buffer in self.recording.completed:
            for record in buffer.records:
                if record.is_cut or not record.is_known:
                    break
                if record.is_execution and record.has_times and not record.is_inverted:
                    found.append(record)
        return sorted(found, key=lambda r: (r.start, r.end))

    def found(self):
        return self.trace.executed(*set(KINDS.values()))

    def check_executions(self, without_launch=(), lost=()):
        """Checks that each is in the trace once, with its id, node and duration, at the same offset from the first one; its launch is
        the outermost call with its id. Graph executions with the correlation ids `without_launch` have lost their id; those with
        the ids `lost` are not in the trace."""
        expected, found = [r for r in self.expected() if r.correlation not in lost], self.found()
        key = lambda kind, e: (kind, e.name if kind == KERNEL else "", e.device, e.stream, e.graph_node)
        id_of = lambda r: 0 if r.correlation in without_launch else r.correlation
        wanted = Counter((*key(KINDS[r.kind_name], r), id_of(r), r.end - r.start) for r in expected)
        got = Counter((*key(e.kind, e), e.correlation or 0, e.duration) for e in found)
        check_equal(short(got - wanted), [], "executions that the recording has not so")
        check_equal(short(wanted - got), [], "executions of the recording that the trace has not so")
        check_equal(len(found), len(expected), "executions")
        for record, execution in zip(expected, found):
            shift = (execution.begin - found[0].begin) - (record.start - expected[0].start)
            check(abs(shift) <= LATEST_NS, f"{record.name}: {shift} ns off the others")
        self.check_launches(expected, found, without_launch)
        return self

    def check_launches(self, expected, found, without_launch):
        calls = {}
        for call in self.recording.calls:
            calls.setdefault(call.correlation, call)
        for record, execution in zip(expected, found):
            call = None if record.correlation in without_launch else calls.get(record.correlation)
            # CUPTI names a function with the version of CUDA that it came with.
            name = re.sub(r"_v[0-9]{4,}$", "", call.name) if call else None
            check_equal(execution.launch.name if execution.launch else None, name, f"launch of {record.name}, id {record.correlation}")
            if call:
                check_equal(execution.launch.correlation, record.correlation, f"id of the launch of {record.name}")

    def check_losses(self, **counts):
        """Checks what Q1 counts as lost, by its quantities; 0 for those not named."""
        for quantity in ("dropped", "zero_time", "inverted"):
            check_equal(self.quality[quantity], counts.get(quantity, 0), f"Q1: {quantity}")
        return self


def play(path, *words, options=(), **environment):
    """Plays the recording of the file, or of that name in test/data/recordings, to the guest under xsp-run. `words`: of
    plays_recording."""
    path = Path(path) if Path(path).exists() else RECORDINGS / f"{path}.txt"
    environment = device_environment(XSP_CUPTI=PLAYER, CUPTI_PLAYER_RECORDING=path.resolve(), **environment)
    done = xsp_run(fake("plays_recording"), *words, options=options, env=environment)
    return Played(path, done if "kill" in words else done.check_success())
