"""A disk that is full, over quota, too small for the file, broken, or not writable: the program ends as ever, the message says
what happened, and what was written before can be read. Before the start it is said at once, and the program does not run.

Disks of their own (tmpfs) where the tests may mount one, and the error numbers of others.
"""
import errno
import os
import subprocess
from pathlib import Path

from support.fault_collector import wrapped_collector
from support.span_counts import TraceCount
from support.xsp_e2e import BUILD, XSP_REPORT, XSP_RUN, check, check_equal, clean_environment, run, work_folder, xsp_run

THREADS, EACH, RATE, BYTES = 2, 20_000, 100_000, 100_000
PROGRAM = (BUILD / "test/e2e/counted_spans", "counts", THREADS, RATE, EACH)

folder = work_folder()
faults = kept = 0


def check_cut_short(what, status, stdout, stderr, path, error):
    global faults, kept
    check_equal((status, stdout), (0, b"done\n"), f"{what}: the program; stderr: {stderr}")
    check("not complete" in stderr and os.strerror(error) in stderr, f"{what}: the message says what happened: {stderr}")
    trace = TraceCount(path)
    for number, process in trace.processes.items():
        if number:
            process.check_once()
    check(0 < trace.spans < THREADS * EACH, f"{what}: {trace.spans} spans")
    check(not trace.complete, f"{what}: the trace does not say that it is complete")
    read = run(XSP_REPORT, path)
    check_equal(read.returncode, 0, f"{what}: xsp-report reads what is left; {read.stderr.decode()}")
    faults += 1
    kept += trace.spans
    return trace


for error in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS):
    disk = wrapped_collector(folder, LD_PRELOAD=BUILD / "test/e2e/libfaulty_disk.so", DISK_BYTES=BYTES, DISK_ERRNO=error)
    done = xsp_run(*PROGRAM, env=disk)
    left = [p for p in (Path("trace.pb"), Path("trace.pb.partial")) if p.exists()][0]
    check_cut_short(errno.errorcode[error], done.returncode, done.stdout, done.stderr, left, error)
    left.unlink()

    at_once = wrapped_collector(folder, LD_PRELOAD=BUILD / "test/e2e/libfaulty_disk.so", DISK_BYTES=1, DISK_ERRNO=error)
    done = xsp_run(*PROGRAM, env=at_once)
    what = f"{errno.errorcode[error]} from the start"
    check_equal((done.returncode, done.stdout), (125, b""), f"{what}: nothing runs; stderr: {done.stderr}")
    check(os.strerror(error) in done.stderr, f"{what}: the message says why: {done.stderr}")
    faults += 1


def on_disk(mount_options, *command):
    """Runs the command with a disk of its own at ./disk; what is there at the end is copied to ./left."""
    script = ('mount -t tmpfs -o "$0" none disk || exit 99; "$@"; status=$?; mkdir -p left; '
              'cp disk/* left/ 2>/dev/null; exit $status')  # fmt: skip
    return subprocess.run(["unshare", "-m", "sh", "-c", script, mount_options, *map(str, command)], capture_output=True,
                          env=clean_environment(), timeout=120)  # fmt: skip


(folder / "disk").mkdir()
mounted = os.geteuid() == 0 and on_disk("size=64k", "true").returncode == 0
if mounted:
    done = on_disk("size=128k", XSP_RUN, "-o", "disk/trace.pb", "--", *PROGRAM)
    left = sorted((folder / "left").iterdir())
    check_equal(len(left), 1, "a full disk: files that are left")
    trace = check_cut_short("a full disk", done.returncode, done.stdout, done.stderr.decode(), left[0], errno.ENOSPC)
    done = on_disk("ro", XSP_RUN, "-o", "disk/trace.pb", "--", *PROGRAM)
    check_equal((done.returncode, done.stdout), (125, b""), f"a read-only disk: nothing runs; {done.stderr.decode()}")
    check("disk" in done.stderr.decode(), f"a read-only disk: the message names it: {done.stderr.decode()}")
    faults += 1
print(f"figure: disk faults {faults}{'' if mounted else ' (no disk could be mounted)'}, programs disturbed 0, unreadable "
      f"traces 0, spans kept {kept}")
