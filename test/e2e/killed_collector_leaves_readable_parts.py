"""SIGKILL of a collector in the middle of a continuous recording: its parts can be read, the last one up to a second ago. The
next one goes on in the same folder, overwrites nothing, and the folder's size counts what it found.
"""
import atexit
import subprocess
import time

from support.fake_guest import FakeGuest
from support.recording_parts import counted, folder_bytes, read_parts
from support.xsp_e2e import (XSP_COLLECTOR, check, check_equal, clean_environment, run, wait_for_listener, wait_until,
                     work_folder)  # fmt: skip

folder = work_folder()


def start(*options):
    collector = subprocess.Popen([XSP_COLLECTOR, "--socket", folder / "s", "-o", folder / "r", "--continuous", *options],
                                 stderr=subprocess.PIPE, env=clean_environment())  # fmt: skip
    atexit.register(collector.kill)
    wait_for_listener(folder / "s")
    return collector


collector = start("--max-size", "2M")
guest = FakeGuest(folder / "s", ["layer"])
for _ in range(100):
    guest.layers(1000, [1])
wait_until(lambda: sum(counted(read_parts(folder / "r"))[0].values()) > 0, "a part has ended")
time.sleep(1.5)
collector.kill()
collector.wait()
guest.close()
(folder / "s").unlink()
left = read_parts(folder / "r")
check(len(left) > 1 and left[-1].path.name.endswith(".pb.partial"), f"{[p.path.name for p in left]}")
check(not left[-1].is_whole and left[-1].hellos, "the last part has a begin and no end")
check_equal(sum(p.stored for p in left), 100000, "spans in all parts")
check_equal(sum(p.nameless for p in left), 0, "spans without a name")
before = {p.path.name.removesuffix(".partial"): p.path.read_bytes() for p in left}

collector = start("--max-size", "2M")
done = run(XSP_COLLECTOR, "--socket", folder / "t", "-o", folder / "r", "--continuous")
check_equal(done.returncode, 5, "a second collector in the folder")
check(b"another collector is writing" in done.stderr, f"it says why: {done.stderr.decode()}")
guest = FakeGuest(folder / "s", ["later"])
guest.layers(1000, [1])
guest.goodbye()
collector.terminate()
check_equal(collector.wait(60), 0, "exit status of the second collector")
parts = read_parts(folder / "r")
check_equal({p.path.name: p.path.read_bytes() for p in parts[:-1]}, before, "what the killed one left is as it was")
check_equal(parts[-1].index, parts[-2].index + 1, "indices go on")
check(parts[-1].recording != parts[-2].recording, "it is another recording")
check_equal(dict(counted(parts[-1:])[0]), {"later": 1000}, "which counts for itself")

(folder / "r/notes.txt").write_text("mine")
done = run(XSP_COLLECTOR, "--socket", folder / "t", "-o", folder / "r", "--continuous")
check_equal(done.returncode, 5, "a folder that holds something else is refused")
check(b"notes.txt" in done.stderr, f"it says what: {done.stderr.decode()}")
collector = start("--max-size", "1M", "-f")
guest = FakeGuest(folder / "s", ["later"])
for _ in range(100):
    guest.layers(1000, [1])
guest.goodbye()
collector.terminate()
check_equal(collector.wait(60), 0, "exit status with -f")
check(folder_bytes(folder / "r") - 4 <= 1 << 20, "parts of earlier recordings count, and go first")
check_equal((folder / "r/notes.txt").read_text(), "mine", "what is not XSP's is left alone")
