"""--max-size of a trace in one file: it stops growing there, says so, and the rest is counted, exactly and by name."""
import atexit
import json
import os
import subprocess
from collections import Counter

from support.fake_guest import FakeGuest
from support.recording_parts import NOT_STORED, counted, read_part
from support.xsp_e2e import XSP_COLLECTOR, check, check_equal, clean_environment, wait_for_listener, work_folder

MAX_SIZE = 1 << 20

folder = work_folder()
status, theirs = os.pipe()
collector = subprocess.Popen([XSP_COLLECTOR, "--socket", folder / "s", "-o", folder / "r.pb", "--max-size", "1M",
                              "--status-fd", str(theirs)], pass_fds=[theirs], env=clean_environment())  # fmt: skip
atexit.register(collector.kill)
os.close(theirs)
wait_for_listener(folder / "s")
sent = Counter()
guest = FakeGuest(folder / "s", [f"layer {i}" for i in range(40)])
for _ in range(150):
    guest.layers(1000, list(range(1, 41)))
    sent.update({f"layer {i}": 25 for i in range(40)})
late = FakeGuest(folder / "s", ["late"])
late.layers(1000, [1])
sent["late"] += 1000
late.goodbye()
guest.goodbye()
collector.terminate()
check_equal(collector.wait(60), 0, "exit status")
with os.fdopen(status) as lines:
    told = json.loads(lines.read().splitlines()[-1])
part = read_part(folder / "r.pb")
check_equal(part.size, (folder / "r.pb").stat().st_size, "the file is whole packets")
check(MAX_SIZE // 2 < part.size <= MAX_SIZE, f"bytes: {part.size}")
check(part.is_whole and part.end.complete, "the trace is complete")
spans, stored = counted([part])
check_equal(spans, sent, "counted by name")
check_equal(stored, sum(part.names.values(), Counter()), "stored, and in the file")
check_equal(told["not_stored"], sum(sent.values()) - part.stored, "not stored, as the launcher is told")
check(any("--max-size was reached" in n["text"] for n in told["notices"]), f"a notice says so: {told['notices']}")
check(told["complete"] and told["error"] is None, f"that is no error: {told}")
check(any(key[1] == NOT_STORED and end for key, end in part.gaps.items()), f"and a gap: {part.gaps}")
