"""The collector as a service: it takes the socket that systemd passes on, tells when it is ready and when it stops, ends a
part at SIGHUP, takes what several programs send, and its units are sound.
"""
import atexit
import os
import shutil
import signal
import socket
import subprocess
import time
from collections import Counter

from support.fake_guest import FakeGuest
from support.recording_parts import counted, read_parts
from support.trace_messages import proto
from support.wire_bytes import message
from support.xsp_e2e import BUILD, XSP_COLLECTOR, check, check_equal, clean_environment, skip, wait_until, work_folder

if shutil.which("systemd-socket-activate") is None:
    skip("systemd-socket-activate")
folder = work_folder()
told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
told.bind(str(folder / "notify"))
told.settimeout(30)
path = folder / "s"
service = subprocess.Popen(["systemd-socket-activate", "-l", path, "-E", f"NOTIFY_SOCKET={folder / 'notify'}", "-E",
                            "WATCHDOG_USEC=4000000", XSP_COLLECTOR, "--continuous", "-o", folder / "r"],
                           stderr=subprocess.PIPE, env=clean_environment())  # fmt: skip
atexit.register(service.kill)
wait_until(lambda: any(line.split()[3] == "00010000" and line.endswith(f" {path}\n") for line in open("/proc/net/unix")),
           "systemd listens")
sent = Counter()
guests = [FakeGuest(path, [f"layer {i}"], pid=200 + i) for i in range(3)]
check_equal(told.recv(100), b"READY=1", "what the collector tells first")
for i, guest in enumerate(guests):
    guest.layers(100, [1])
    sent[f"layer {i}"] += 100
profile = folder / "s.scratch" / "p_1.json"
profile.parent.mkdir()
profile.write_text("[]")
guests[0].send(profile_file=message(proto.ProfileFile, format=proto.ProfileFile.ORT_JSON, path=str(profile), complete=True))
wait_until(lambda: not profile.exists(), "a profile beside the socket is taken")
guests[0].goodbye()
time.sleep(0.5)
service.send_signal(signal.SIGHUP)
wait_until(lambda: (folder / "r/000001.pb").exists(), "SIGHUP ends the part")
for i, guest in enumerate(guests[1:], 1):
    guest.layers(100, [1])
    sent[f"layer {i}"] += 100
guests[1].goodbye()
check_equal(told.recv(100), b"WATCHDOG=1", "the collector is alive")
service.terminate()
messages = [told.recv(100)]
while messages[-1] != b"STOPPING=1":
    messages.append(told.recv(100))
_, said = service.communicate(timeout=60)
check_equal(service.returncode, 0, f"exit status; stderr: {said.decode()}")
parts = read_parts(folder / "r")
check_equal([p.path.name for p in parts], ["000001.pb", "000002.pb"], "parts")
check_equal(counted(parts)[0], sent, "counted in all parts")
check_equal(counted(parts[1:])[0], sent, "counted in the last part alone")
check_equal({n: e.how for n, e in {**parts[0].ends, **parts[1].ends}.items()}, {1: 1, 2: 1, 3: 4}, "how they ended")
check_equal([h.user for h in parts[0].hellos.values()], [os.getuid()] * 3, "users")

units = [BUILD / "collector/systemd" / f"{manager}-xsp-collector.{kind}" for manager in ("system", "user")
         for kind in ("socket", "service")]  # fmt: skip
for unit in units:
    check(unit.exists(), f"{unit} is made")
if shutil.which("systemd-analyze"):
    for manager in ("system", "user"):
        place = folder / manager
        place.mkdir()
        for unit in units:
            if unit.name.startswith(manager):
                text = unit.read_text().replace(str(unit.parent), "")
                lines = [f"ExecStart={XSP_COLLECTOR} -V" if line.startswith("ExecStart=") else line
                         for line in text.splitlines()]  # fmt: skip
                (place / unit.name.removeprefix(f"{manager}-")).write_text("\n".join(lines) + "\n")
        done = subprocess.run(["systemd-analyze", f"--{manager}", "verify", "--man=no", *sorted(place.iterdir())],
                              capture_output=True, env=clean_environment(XDG_RUNTIME_DIR=folder))
        words = (done.stdout + done.stderr).decode()
        check("xsp-collector" not in words, f"systemd-analyze verify of the {manager} units: {words}")
