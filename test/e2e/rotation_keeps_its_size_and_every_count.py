"""A continuous recording of more than its folder may hold: the folder never exceeds --max-size, each part can be read by
itself and names everything, and together the parts count every span that was sent, exactly.
"""
import atexit
import subprocess
import threading
from collections import Counter

from support.fake_guest import FakeGuest
from support.recording_parts import counted, folder_bytes, read_parts
from support.xsp_e2e import XSP_COLLECTOR, check, check_equal, clean_environment, wait_for_listener, work_folder

MAX_SIZE = 1 << 20
BATCH, BATCHES = 1000, 200

folder = work_folder()
collector = subprocess.Popen([XSP_COLLECTOR, "--socket", folder / "s", "-o", folder / "r", "--continuous", "--max-size",
                              str(MAX_SIZE)], stderr=subprocess.PIPE, env=clean_environment())  # fmt: skip
atexit.register(collector.kill)
wait_for_listener(folder / "s")
most, stop = [0], threading.Event()


def watch():
    while not stop.is_set():
        most[0] = max(most[0], folder_bytes(folder / "r"))


watcher = threading.Thread(target=watch, daemon=True)
watcher.start()
sent = Counter()
early = FakeGuest(folder / "s", ["early"], pid=11)
early.layers(BATCH, [1])
sent["early"] += BATCH
early.goodbye()
guest = FakeGuest(folder / "s", [f"layer {i}" for i in range(50)], pid=12)
for batch in range(BATCHES):
    names = list(range(1, 51))
    if batch % 20 == 0:
        names.append(*guest.intern(f"late {batch}"))
    guest.layers(BATCH, names)
    most[0] = max(most[0], folder_bytes(folder / "r"))  # beside the watcher, which a busy machine lets starve
    for i in range(BATCH):
        index = names[i % len(names)]
        sent[f"layer {index - 1}" if index <= 50 else f"late {batch}"] += 1
guest.goodbye()
collector.terminate()
_, said = collector.communicate(timeout=60)
stop.set()
watcher.join()
check_equal(collector.returncode, 0, f"exit status; stderr: {said.decode()}")

parts = read_parts(folder / "r")
check(1 < len(parts) <= 12, f"parts: {[p.path.name for p in parts]}")
check(parts[0].index > 1, "the oldest were removed")
check(most[0] <= MAX_SIZE, f"the folder had {most[0]} bytes")
check(most[0] > MAX_SIZE // 2, f"the folder had {most[0]} bytes only")
check_equal([p.index for p in parts], list(range(parts[0].index, parts[-1].index + 1)), "no part is missing between")
check_equal(len({p.recording for p in parts}), 1, "one recording")
for part in parts:
    check_equal(part.path.name, f"{part.index:06}.pb", "the name of a part")
    check(part.is_whole, f"{part.path} has its end")
    check_equal(part.nameless, 0, f"spans without a name in {part.path}")
    check_equal(part.end.spans, part.stored, f"spans that the end of {part.path} tells")
    check_equal(list(part.hellos), [2], f"processes of {part.path}")
spans, stored = counted(parts)
check_equal(spans, sent, "counted by name")
check_equal(stored, sent, "all were stored when they came")
check_equal(parts[-1].ends[2].spans, BATCH * BATCHES, "spans that the process's end tells")
