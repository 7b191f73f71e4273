"""realtime_offset_test.py ROOT: the guest's Python reads two clocks together although another thread gets the interpreter between."""
import sys
from pathlib import Path

OFFSET, READING, AWAY = 7_000_000_000, 200, 5_000_000


class Clocks:
    """Stands in for the module time: a reading takes READING ns, and AWAY more after those in `lost`."""

    def __init__(self, lost):
        self.now, self.readings, self.lost = 1_000_000, 0, lost

    def monotonic_ns(self):
        seen = self.now
        self.readings += 1
        self.now += READING + (AWAY if self.readings in self.lost else 0)
        return seen

    def time_ns(self):
        return self.monotonic_ns() + OFFSET


names = {}
exec((Path(sys.argv[1]) / "inject/python/onnxruntime_profiles.py").read_text(), names)
for lost in ((), (1,), (2,), (2, 4, 8, 11)):
    sys.modules["time"] = Clocks(lost)
    found = names["realtime_offset"]()
    if abs(found - OFFSET) > READING:
        sys.exit(f"the interpreter lost after readings {lost}: offset {found}, not {OFFSET}")
