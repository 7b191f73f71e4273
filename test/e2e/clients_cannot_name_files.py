"""A client names profile files and loaded libraries by path. The collector removes nothing outside its own folder for
them, reads nothing that is not the client's user's, and waits for no pipe: whatever is named, it finishes in time."""
import os
import stat
import time

from support.raw_client import NOBODY, Collector, connect, hello, profile_file
from support.trace_messages import proto
from support.wire_bytes import message, packet
from support.trace_reader import read_trace
from support.xsp_e2e import check, check_equal, wait_until, work_folder

PROFILE = '[{"cat":"Node","ph":"X","tid":1,"dur":1,"ts":1,"name":"%s_kernel_time","args":{"op_name":"Relu"}}]'
folder = work_folder()
collector = Collector(folder)
scratch = folder / "socket.scratch"
scratch.mkdir(mode=0o700)
outside = folder / "outside"
outside.mkdir()


def make(path, name):
    path.write_text(PROFILE % name)
    return path


inside = make(scratch / "ort_1.json", "inside")
mine = make(outside / "mine.json", "mine")
secret = outside / "secret"
secret.write_text("root:secret\n")
foreign = make(outside / "foreign.json", "foreign")
if os.geteuid() == 0:
    os.chown(foreign, NOBODY, NOBODY)
link = outside / "link.json"
link.symlink_to(make(outside / "target.json", "target"))
into = scratch / "into"
into.symlink_to(outside)
sparse = outside / "sparse.json"
with open(sparse, "wb") as file:
    file.truncate(1 << 40)
blanks = outside / "blanks.json"
with open(blanks, "wb") as file:
    file.write(b"[" + b" " * (64 << 20))
pipe = outside / "pipe.json"
os.mkfifo(pipe)
named = [inside, mine, secret, foreign, link, into / "mine.json", sparse, blanks, pipe, outside, "/dev/zero", "/dev/tty",
         "/proc/self/mem", "/proc/kmsg", "/etc/shadow", "/etc/passwd", scratch / ".." / "outside/mine.json", "relative.json",
         "/" + "x/" * 2000, "", "/nonexistent"]  # fmt: skip
kept = [path for path in outside.iterdir()]

begin = time.monotonic()
client = connect(collector.socket)
client.sendall(hello())
for path in named:
    client.sendall(profile_file(str(path)))
    client.sendall(profile_file(f"{path}/", complete=False) + profile_file(str(path), complete=False, of_runs=True))
    client.sendall(profile_file(str(path), of_runs=True))
# Libraries that it says it has loaded.
client.sendall(packet(loaded_files=message(proto.LoadedFiles, path=[str(path) for path in named])))
client.close()
other = connect(collector.socket)
other.sendall(hello())
other.close()
wait_until(lambda: not inside.exists(), "what lies in the collector's folder is converted and removed")
collector.finish()
check(time.monotonic() - begin < 60, f"it took {time.monotonic() - begin:.0f} s")
check_equal(sorted(outside.iterdir()), sorted(kept), "what is outside")
check_equal(secret.read_text(), "root:secret\n", "a file that was named")
check(stat.S_ISFIFO(pipe.stat().st_mode) and into.is_symlink(), "a pipe and a link")
check(os.path.exists("/etc/passwd"), "a file of the system")
names = {span.name for process in read_trace(collector.trace).processes.values() for span in process.spans}
check("inside" in names, f"the profile of the own folder is in the trace: {names}")
check("target" not in names, "a link was followed")
if os.geteuid() == 0:
    check("foreign" not in names, "another user's file was read")
check(b"root:secret" not in collector.trace.read_bytes(), "content of another file is in the trace")
