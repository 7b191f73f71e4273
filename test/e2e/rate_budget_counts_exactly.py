"""--max-rate: what is stored keeps to it, what is not is counted, and the gaps say when. Trees inside a window stay whole."""
import atexit
import subprocess
import time
from collections import Counter

from support.fake_guest import FakeGuest
from support.recording_parts import NOT_STORED, counted, read_part
from support.xsp_e2e import XSP_COLLECTOR, check, check_equal, clean_environment, wait_for_listener, work_folder

RATE = 20_000
SECONDS = 8

folder = work_folder()
collector = subprocess.Popen([XSP_COLLECTOR, "--socket", folder / "s", "-o", folder / "r.pb", "--max-rate", str(RATE)],
                             stderr=subprocess.PIPE, env=clean_environment())
atexit.register(collector.kill)
wait_for_listener(folder / "s")
guests = [FakeGuest(folder / "s", ["layer", "other"], pid=100 + i) for i in range(2)]
sent = Counter()
begin = time.monotonic()
while time.monotonic() < begin + SECONDS:
    for guest in guests:
        guest.layers(500, [1, 2], step=100, duration=90)
        sent["layer"] += 250
        sent["other"] += 250
    time.sleep(0.02)
for guest in guests:
    guest.goodbye()
collector.terminate()
_, said = collector.communicate(timeout=60)
elapsed = time.monotonic() - begin
check_equal(collector.returncode, 0, f"exit status; stderr: {said.decode()}")
part = read_part(folder / "r.pb")
check(part.is_whole, "the trace has its end")
spans, stored = counted([part])
check_equal(spans, sent, "counted by name")
check_equal(sum(stored.values()), part.stored, "counted as stored, and in the file")
check_equal(stored, sum(part.names.values(), Counter()), "stored by name")
check(0 < part.stored < sum(sent.values()), f"a part of the spans is stored: {part.stored}")
left_out = sum(end.not_stored for end in part.ends.values())
check_equal(left_out, sum(sent.values()) - part.stored, "spans that the processes' ends tell as not stored")
# Four seconds of it may come at once, and what is on its way when a window ends.
check(part.size < RATE * (elapsed + 4) * 1.5 + 50_000, f"{part.size} bytes in {elapsed:.1f} s")
for process in (1, 2):
    gaps = [(key[2], end) for key, end in part.gaps.items() if key[:2] == (process, NOT_STORED)]
    check(gaps, f"process {process} has gaps: {part.gaps}")
    check(all(end > start for start, end in gaps), f"each has an end: {gaps}")
    inside = [s for s in part.spans if s[0] == process and any(a <= s[1] < b for a, b in gaps)]
    check_equal(inside, [], "no span that began in a gap is stored")
    of_process = [s for s in part.spans if s[0] == process]
    check(len(of_process) > 500, f"process {process} has {len(of_process)} spans")
