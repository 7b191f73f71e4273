"""xsp-run --check asks whatever is named as a Python: one whose answer has numbers for texts, or lists for tables, is judged by
what is left of its answer."""
from support.xsp_e2e import XSP_RUN, check, run, work_folder

folder = work_folder()
for answer in ('{"version": 3}', '{"frameworks": 1, "cupti_folders": {}}',
               '{"audit_hook": true, "frameworks": {"torch": [], "numpy": {"version": null}}}', "[]", "{"):
    interpreter = folder / "python3"
    interpreter.write_text(f"#!/bin/sh\necho\necho 'xsp-check-facts {answer}'\n")
    interpreter.chmod(0o755)
    done = run(XSP_RUN, "--check", "--", interpreter)
    text = done.stdout.decode() + done.stderr.decode()
    check(done.returncode in (0, 1) and "Python" in text and "error" not in text,
          f"{answer}: exit status {done.returncode}\n{text}")
