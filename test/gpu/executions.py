"""What ran on the device, each with the call that launched it, as the end-to-end tests read it from the messages of the trace.
Beside xsp-report, so that a mistake of its tables does not go unseen.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from support.trace_reader import KERNEL, MEMCPY, MEMSET, STREAM_INTERVAL, read_segments, read_trace  # noqa: E402,F401

OTHER_PROFILER = 1


class DeviceTrace:
    """A trace with what is asked of it here."""

    def __init__(self, path):
        self.path = Path(path)
        self.host = read_trace(path)
        self.gaps, self.devices = self.host.gaps, self.host.devices

    def of_kind(self, *kinds):
        return self.host.executed(*kinds)

    def why_missing(self, otherwise):
        """What the trace itself says about missing kernels."""
        return "; ".join([*self.host.notices, *(f"gap: {gap.detail}" for gap in self.gaps)]) or otherwise

    def kernels(self):
        return self.of_kind(KERNEL)

    def outermost_models(self):
        """Model spans inside no other span of their thread, in order."""
        models = sorted((s for s in self.host.spans if s.level == "model"), key=lambda s: (s.process, s.begin, -s.end))
        found, ends = [], {}
        for span in models:
            if span.begin >= ends.get((span.process, span.thread), 0):
                found.append(span)
                ends[span.process, span.thread] = span.end
        return sorted(found, key=lambda s: s.begin)

    def ancestors(self, span):
        """The span itself, then outwards."""
        while span is not None:
            yield span
            span = span.above

    def launched_in(self, span, kinds=(KERNEL,)):
        """Executions whose launch began inside the span's interval, in its process, on any thread."""
        return [e for e in self.of_kind(*kinds) if e.process == span.process and e.launch is not None
                and span.begin <= e.launch.begin < span.end]
