"""With --redact no report says where a program lies, how it was called, on which machine and as which process; the files
that it writes are of the same tables.
"""
import shutil
import socket
from pathlib import Path

from support.html_page import Page
from support.trace_reader import API
from support.xsp_e2e import (PROGRAMS, SOURCE, SYSTEM_PYTHON, XSP_REPORT, check, check_equal, clean_environment, run, work_folder,
                     xsp_run)

SECRET = "moonbeam"
folder = work_folder() / f"of {SECRET}"
folder.mkdir()
shutil.copy(PROGRAMS / "api_spans.py", folder)
done = xsp_run(SYSTEM_PYTHON, folder / "api_spans.py", f"--token={SECRET}", SECRET, output=folder / "trace.pb",
               env=clean_environment(PYTHONPATH=SOURCE / "inject/api")).check_success()
pid = done.trace.of_kind(API)[0].pid


def output(*options):
    finished = run(XSP_REPORT, *options, done.path)
    check_equal(finished.returncode, 0, f"{options}: {finished.stderr.decode()}")
    return finished.stdout.decode()


def html(*options):
    output("--html", "-o", "page.html", *options)
    text = Path("page.html").read_text(encoding="utf-8")
    page = Page(text)
    packed = [str(page.packed(f"xsp-{name}")) for name in ("tables", "figures", "timeline", "icicle")]
    return text.split("<script>")[0] + "".join(packed)


secrets = [SECRET] + ([socket.gethostname()] if len(socket.gethostname()) > 3 else [])
check(SECRET in html(), "the page has it where nothing is redacted")
for what, text in (("page", html("--redact")), ("text", output("-a", "all", "--redact")),
                   ("json", output("--format", "json", "--redact")), ("csv", output("--format", "csv", "--redact")),
                   ("summary", output("--summary", "--redact"))):
    for secret in secrets:
        at = text.find(secret)
        check(at < 0, f"{what}: {text[max(0, at - 100) : at + 100]!r}")
    check("predict" in text, f"{what}: names of models stay")
    check(f"pid {pid}" not in text, f"{what}: pid {pid}")
