"""A program that becomes another user, as container images do: it runs as ever, the collector refuses and counts it, and the
end message says so and what to do; the trace says it, too."""
import os
import shutil

from support.xsp_e2e import BUILD, XSP_RUN, check, check_equal, report, run, skip, work_folder, xsp_run

if os.geteuid() != 0 or shutil.which("setpriv") is None:
    skip("root and setpriv, to become another user")
work_folder()
program = BUILD / "test/e2e/api_spans"
AS_NOBODY = ["setpriv", "--reuid", "65534", "--clear-groups"]
if run(*AS_NOBODY, program).returncode != 0:
    skip("a build that other users can read")

done = xsp_run(*AS_NOBODY, program).check_success()
check_equal(done.stdout, b"10 predictions\n", "what the program prints")
check("no spans were recorded" in done.stderr, done.stderr)
check("not recorded: 1 process of nobody (uid 65534)" in done.stderr, done.stderr)
check("runuser -u nobody -- xsp-run -- COMMAND" in done.stderr, done.stderr)
check("framework" not in done.stderr, f"no other reason is guessed: {done.stderr}")
notes = str(report(done.path, "--analysis", "Q1"))
check("not recorded: 1 process of uid 65534" in notes, f"the trace says so: {notes}")

# Beside one that is recorded, and for --strict.
both = xsp_run("sh", "-c", f"{program}; {' '.join(AS_NOBODY)} {program}").check_success()
check_equal(both.stderr.count("not recorded: 1 process of uid 65534"), 1, both.stderr)
check("Next:" in both.stderr, both.stderr)
strict = run(XSP_RUN, "--strict", "-f", "-o", "strict.pb", "--", "sh", "-c", f"{program}; {' '.join(AS_NOBODY)} {program}")
check_equal(strict.returncode, 125, f"--strict: {strict.stderr.decode()}")
