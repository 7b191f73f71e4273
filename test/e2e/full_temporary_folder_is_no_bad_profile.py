"""xsp-import unpacks a compressed database into the temporary folder. A full one is not taken for a bad profile: the message
says what could not be written where, and the exit status is that of output that cannot be written. A TMPDIR that is not
there is done without.
"""
import gzip
import os
import random
import sqlite3
import subprocess

from support.xsp_e2e import BUILD, check, check_equal, clean_environment, run, work_folder

IMPORT = BUILD / "import/xsp-import"

folder = work_folder()
with sqlite3.connect("x.sqlite") as database:
    database.executescript("create table StringIds (id integer, value text); create table filler (bytes blob);")
    database.execute("insert into filler values (?)", (random.Random(1).randbytes(200_000),))
database.close()
(folder / "x.sqlite.gz").write_bytes(gzip.compress((folder / "x.sqlite").read_bytes()))
(folder / "full").mkdir()


def check_full(done, source, why):
    lines = done.stderr.decode().splitlines()
    check_equal((done.returncode, lines),
                (5, [f"xsp-import: error: cannot unpack {source} into full ({why})",
                     "hint: set TMPDIR to a folder with free space"]), f"a full temporary folder, {source}")
    check_equal((os.listdir("full"), os.path.exists("o.pb")), ([], False), "nothing is left")


def limited(source):
    with open("x.sqlite.gz", "rb") as profile:
        return subprocess.run(["sh", "-c", 'ulimit -f 64; exec "$@"', "sh", IMPORT, source, "-o", "o.pb"], stdin=profile,
                              capture_output=True, env=clean_environment(TMPDIR="full"), timeout=60)  # fmt: skip


check_full(limited("x.sqlite.gz"), "x.sqlite.gz", "File too large")
check_full(limited("-"), "standard input", "File too large")
if os.geteuid() == 0 and run("unshare", "-m", "true").returncode == 0:
    script = 'mount -t tmpfs -o size=64k none full || exit 99; "$@"; status=$?; umount full; exit $status'
    done = run("unshare", "-m", "sh", "-c", script, "sh", IMPORT, "x.sqlite.gz", "-o", "o.pb",
               env=clean_environment(TMPDIR="full"))
    if done.returncode != 99:
        check_full(done, "x.sqlite.gz", "No space left on device")

plain = run(IMPORT, "x.sqlite", "-o", "plain.pb")
done = run(IMPORT, "x.sqlite.gz", "-o", "missing.pb", env=clean_environment(TMPDIR="none"))
check_equal(done.returncode, plain.returncode, f"a temporary folder that is not there: {done.stderr}")
check(b"cannot unpack" not in done.stderr, f"it is done without: {done.stderr}")
