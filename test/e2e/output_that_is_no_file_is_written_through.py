"""-o names a pipe, a device or a link: it is still there afterwards, and what was recorded went through it. What cannot be
written is refused before the program starts.
"""
import os
import socket
import stat
import subprocess
from pathlib import Path

from support.trace_reader import read_trace
from support.xsp_e2e import BUILD, XSP_REPORT, XSP_RUN, check, check_equal, run, work_folder, xsp_run

PROGRAM = BUILD / "test/e2e/api_spans"
IMPORT = BUILD / "import/xsp-import"

work_folder()
Path("profile.json").write_text('{"traceEvents": [{"ph": "X", "name": "aten::add", "cat": "cpu_op", "pid": 1, "tid": 1, '
                                '"ts": 1, "dur": 2}]}')
xsp_run(PROGRAM, output="plain.pb").check_success()
writers = (("xsp-run", (XSP_RUN, "-f", "-o", "PATH", "--", PROGRAM)),
           ("xsp-import", (IMPORT, "-f", "-o", "PATH", "profile.json")),
           ("xsp-report", (XSP_REPORT, "plain.pb", "-o", "PATH")),
           ("xsp-report --export", (XSP_REPORT, "plain.pb", "--export", "chrome=PATH")))  # fmt: skip


def write(command, path, force=True):
    return run(*[str(word).replace("PATH", str(path)) for word in command if force or word != "-f"])


for name, command in writers:
    # A pipe: with -f and without, as nothing is replaced.
    for force in (True, False):
        os.mkfifo("pipe")
        with open("read.pb", "wb") as file:
            reader = subprocess.Popen(["cat", "pipe"], stdout=file)
        done = write(command, "pipe", force)
        check_equal(done.returncode, 0, f"{name} into a pipe: {done.stderr}")
        check_equal(reader.wait(timeout=20), 0, "the reader")
        check(stat.S_ISFIFO(os.stat("pipe").st_mode), f"{name} leaves the pipe")
        check(Path("read.pb").stat().st_size > 100, f"what came out of the pipe of {name}")
        os.unlink("pipe")
    if name == "xsp-run":
        check_equal(len(read_trace("read.pb").spans), len(read_trace("plain.pb").spans), "spans through the pipe")

    # A device of our own, as a test must not risk the machine's; else, where that is not allowed, /dev/full.
    try:
        os.mknod("null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        open("null", "wb").close()
    except PermissionError:
        pass
    else:
        done = write(command, "null")
        check_equal(done.returncode, 0, f"{name} into a device: {done.stderr}")
        check(stat.S_ISCHR(os.stat("null").st_mode), f"{name} leaves the device")
    Path("null").unlink(missing_ok=True)

    # A link: it stays, and its file is replaced.
    Path("deep").mkdir(exist_ok=True)
    Path("deep/file").write_text("old")
    Path("link").unlink(missing_ok=True)
    Path("link").symlink_to("deep/file")
    done = write(command, "link")
    check_equal(done.returncode, 0, f"{name} through a link: {done.stderr}")
    check(Path("link").is_symlink() and Path("deep/file").read_bytes()[:3] != b"old", f"{name} follows the link")
    check_equal(sorted(p.name for p in Path("deep").iterdir()), ["file"], f"what {name} leaves beside the file")

Path("socket").unlink(missing_ok=True)
listener = socket.socket(socket.AF_UNIX)
listener.bind("socket")
for name, command in writers[:2]:
    done = write(command, "socket")
    check(done.returncode in (5, 125) and b"a socket" in done.stderr, f"{name} into a socket: {done.stderr}")
    check(stat.S_ISSOCK(os.stat("socket").st_mode), f"{name} leaves the socket")

# What reads the trace again is refused where it is not kept; so is a descriptor that the collector has not.
for options, path in ((["--otlp", "http://127.0.0.1:9"], "/dev/null"), ([], "/dev/stdout"), ([], "/proc/self/fd/2")):
    done = run(XSP_RUN, *options, "-o", path, "--", "sh", "-c", "echo started")
    check_equal((done.returncode, done.stdout), (125, b""), f"{options} {path}: {done.stderr}")
    check(b"hint: --output" in done.stderr, f"{path}: {done.stderr}")

os.mkfifo("pipe")
done = run(XSP_RUN, "-o", "pipe", "--", "sh", "-c", "echo started")
check_equal((done.returncode, done.stdout), (125, b""), f"a pipe without a reader: {done.stderr}")
check(b"nobody reads from it" in done.stderr, f"a pipe without a reader: {done.stderr}")

# A command that cannot be started leaves what was there.
done = run(XSP_RUN, "-f", "-o", "pipe", "--", "./there_is_none")
check(done.returncode == 127 and stat.S_ISFIFO(os.stat("pipe").st_mode), f"a command that is not there: {done.stderr}")
