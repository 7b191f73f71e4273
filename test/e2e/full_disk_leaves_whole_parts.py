"""A continuous recording whose disk is full for a while, or for good: each part that has something in it can be read alone, and
xsp-report shows the whole folder and says that the recording is not complete.
"""
import os
import subprocess
from pathlib import Path

from support.xsp_e2e import BUILD, XSP_REPORT, XSP_RUN, check, check_equal, clean_environment, run, skip, work_folder

PROGRAM = (BUILD / "test/e2e/counted_spans", "counts", 1, 200, 1300)  # six seconds
# Less than the ten seconds after which a recording tries a full disk again.
FILL = "(sleep 2.5; head -c 1M /dev/zero > disk/fill; {then}) 2> fill.log & "

folder = work_folder()
(folder / "disk").mkdir()


def on_disk(left, before, *command):
    """Runs the command with a disk of its own at ./disk, and copies the recording that is there at the end."""
    script = ('mount -t tmpfs -o size=128k none disk || exit 99; ' + before + '"$@"; status=$?; wait; '
              'cp -r disk/recording "$0" 2>/dev/null; exit $status')  # fmt: skip
    return subprocess.run(["unshare", "-m", "sh", "-c", script, left, *map(str, command)], capture_output=True,
                          env=clean_environment(), timeout=120)  # fmt: skip


if os.geteuid() != 0 or on_disk("none", "", "true").returncode != 0:
    skip("no disk can be mounted here")

for left, then in {"for-a-while": "sleep 2; rm disk/fill", "for-good": "true"}.items():
    done = on_disk(left, FILL.format(then=then), XSP_RUN, "--continuous", "--sample", "1/1", "--rotate", "1s", "-o",
                   "disk/recording", "--", *PROGRAM)  # fmt: skip
    said = done.stderr.decode()
    check_equal((done.returncode, done.stdout), (0, b"done\n"), f"{left}: the program; stderr: {said}")
    check("not complete" in said and "No space left on device" in said, f"{left}: the message says what happened: {said}")
    read = run(XSP_REPORT, "--summary", Path(left))
    warned = read.stdout.decode() + read.stderr.decode()
    check_equal(read.returncode, 0, f"{left}: the folder can be read; {warned}")
    told = "stopped early" if then.startswith("sleep") else "cannot be read (it is empty); the other parts are used"
    check(told in warned, f"{left}: and is told as incomplete: {warned}")
    check_equal(run(XSP_REPORT, "--strict", "--summary", Path(left)).returncode, 4, f"{left}: --strict")
    written = [part for part in sorted(Path(left).iterdir()) if part.stat().st_size != 0]
    check(len(written) > 1, f"{left}: parts from before: {written}")
    for part in written:
        alone = run(XSP_REPORT, part)
        check_equal(alone.returncode, 0, f"{left}: {part.name} alone: {alone.stderr.decode()}")
