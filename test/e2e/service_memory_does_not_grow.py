"""Days of a service, compressed: thousands of short processes beside one that never ends and sends at full speed, parts that
end every moment, a folder that is full all the time. The collector's memory stays what it was, and every count is right.
XSP_SOAK multiplies the length.
"""
import atexit
import os
import subprocess
from collections import Counter

from support.fake_guest import FakeGuest
from support.recording_parts import counted, read_parts
from support.xsp_e2e import XSP_COLLECTOR, check, check_equal, clean_environment, wait_for_listener, wait_until, work_folder

SOAK = float(os.environ.get("XSP_SOAK", "1"))
PROCESSES = int(1500 * SOAK)

folder = work_folder()
collector = subprocess.Popen([XSP_COLLECTOR, "--socket", folder / "s", "-o", folder / "r", "--continuous", "--max-size",
                              "2M", "--rotate", "100ms"], stderr=subprocess.PIPE, env=clean_environment())  # fmt: skip
atexit.register(collector.kill)
wait_for_listener(folder / "s")


def resident_kib():
    with open(f"/proc/{collector.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def taken():
    """Until the collector has read all: its socket's queue is empty when a small process is seen through."""
    return len(os.listdir(f"/proc/{collector.pid}/fd"))


sent = Counter()
steady = FakeGuest(folder / "s", [f"layer {i}" for i in range(100)], pid=1)
sizes = []
for i in range(PROCESSES):
    guest = FakeGuest(folder / "s", [f"model {i % 300}", "layer"], pid=1000 + i, arena=4096)
    guest.layers(40, [1, 2])
    sent[f"model {i % 300}"] += 20
    sent["layer"] += 20
    if i % 7 == 0:
        guest.close()  # killed
    else:
        guest.goodbye()
    if i % 3 == 0:
        steady.layers(500, list(range(1, 101)))
        sent.update({f"layer {k}": 5 for k in range(100)})
    if i % (PROCESSES // 10) == PROCESSES // 10 - 1:
        wait_until(lambda: taken() < 20, "the collector has taken what was sent")
        sizes.append(resident_kib())
steady.goodbye()
collector.terminate()
_, said = collector.communicate(timeout=60)
check_equal(collector.returncode, 0, f"exit status; stderr: {said.decode()}")
settled, last = max(sizes[2:5]), sizes[-1]
print(f"{PROCESSES} processes, {sum(sent.values())} spans, resident KiB: {sizes}")
check(last <= settled + 2048, f"resident KiB grew: {sizes}")
check_equal(said, b"", "what it says on the way")
parts = read_parts(folder / "r")
check(parts[0].index > 1, "parts were removed")
spans, stored = counted(parts)
check_equal(spans, sent, "counted by name, of all processes")
check_equal(stored, sent, "and each was stored when it came")
