"""A program with mounts of its own, which hide the folder of the run, reaches the collector by its second address. Where it
has a network of its own, too, that is said."""
import os
import shutil

from support.xsp_e2e import BUILD, check, check_equal, clean_environment, run, skip, work_folder, xsp_run

if os.geteuid() != 0 or shutil.which("unshare") is None:
    skip("root and unshare, to hide a folder")
folder = work_folder()
place = folder / "tmp"
place.mkdir()
program = BUILD / "test/e2e/api_spans"
HIDDEN = f"mount -t tmpfs none {place} && {{}}"
if run("unshare", "--mount", "sh", "-c", HIDDEN.format("true")).returncode != 0:
    skip("mounts in a namespace of their own")
environment = clean_environment(TMPDIR=place)

done = xsp_run("unshare", "--mount", "sh", "-c", HIDDEN.format(f"exec {program}"), env=environment).check_success()
check_equal(done.stdout, b"10 predictions\n", "what the program prints")
check_equal([len(process.spans) for process in done.trace.processes.values()], [40], "spans of the program")

alone = xsp_run("unshare", "--mount", "--net", "sh", "-c", HIDDEN.format(f"{program}; sleep 1"), env=environment)
alone.check_success()
check("a container or chroot hides XSP's socket from it" in alone.stderr, alone.stderr)
check("framework" not in alone.stderr, f"no other reason is guessed: {alone.stderr}")
