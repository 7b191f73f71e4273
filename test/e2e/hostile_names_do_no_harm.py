"""Names of a trace, in every place that a text can stand, are never more than text: no escape, no turned direction reaches a
terminal from xsp-report, xsp-run or xsp-import; a page has no markup of theirs; CSV has no formulas; exports can be read.
"""
import csv
import html.parser
import io
import json
import os
import pty
import re
import select
import sqlite3
import subprocess
import sys

from support.xsp_e2e import BUILD, SOURCE, XSP_REPORT, XSP_RUN, check, check_equal, clean_environment, run, skip, work_folder

HOSTILE = ("\x1b]0;owned\x07\x1b[2J\x1bc\u009b2J\u202egnp\u2066\u200f\r\n\t\x08\x7f"
           "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'--> & javascript:alert(1) {{x}} ${x} `x`")
FORMULA = "=cmd|' /C calc'!A0"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069]")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")

if run("which", "protoc").returncode != 0:
    skip("no protoc")
folder = work_folder()


def on_terminal(*command, env=None, cwd=None):
    """What a command writes to a terminal that is its standard output and error."""
    leader, follower = pty.openpty()
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=follower, stderr=follower,
                               env=env or clean_environment(TERM="xterm-256color", LC_ALL="C.UTF-8"), cwd=cwd)  # fmt: skip
    os.close(follower)
    said = b""
    while True:
        ready, _, _ = select.select([leader], [], [], 60)
        check(ready, f"{command}: nothing for a minute")
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        said += part
    os.close(leader)
    process.wait(timeout=60)
    return said.decode(errors="replace").replace("\r\n", "\n")


def check_terminal(what, said, needs=True):
    found = CONTROLS.search(COLOURS.sub("", said))
    check(found is None, f"{what}: {found and ascii(said[max(0, found.start() - 60) : found.end() + 60])}")
    check(not needs or "owned" in said, f"{what} does not show the name at all: the test looks at nothing: {said[:500]}")


def octal(text):
    return "".join(f"\\{byte:03o}" for byte in text.encode())


def hostile_trace(golden, name, change):
    """A golden trace with every text in it changed."""
    source = (SOURCE / "test/golden" / golden).read_text()
    lines = []
    for line in source.splitlines():
        if "trace_id" not in line and "producer" not in line and "  set:" not in line:
            line = re.sub(r'"((?:[^"\\]|\\.)*)"', lambda match: f'"{change(match[1])}"', line)
        lines.append(line)
    done = subprocess.run(["protoc", f"--proto_path={SOURCE / 'proto'}", "--encode=xsp.Trace", "trace.proto"],
                          input="\n".join(lines).encode(), capture_output=True)  # fmt: skip
    check_equal(done.returncode, 0, f"protoc: {done.stderr.decode()[:500]}")
    (folder / name).write_bytes(done.stdout)
    return folder / name


class Page(html.parser.HTMLParser):
    """Elements and attributes of a page that could run something."""

    def __init__(self, text):
        super().__init__()
        self.scripts = 0
        self.bad = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.scripts += tag == "script"
        if tag in ("img", "iframe", "object", "embed", "base", "form"):
            self.bad.append(tag)
        for name, value in attributes:
            if name.startswith("on") or "javascript:" in (value or "") and name in ("href", "src", "action", "style"):
                self.bad.append(f"{tag} {name}={value}")


goldens = ["kernels.txtpb", "library_calls.txtpb", "two_layers.txtpb"]
traces = [hostile_trace(golden, f"{i}.pb", lambda text: text + octal(HOSTILE)) for i, golden in enumerate(goldens)]
plain = [hostile_trace(golden, f"plain{i}.pb", lambda text: text) for i, golden in enumerate(goldens)]
formulas = hostile_trace("kernels.txtpb", "formulas.pb", lambda text: octal(FORMULA) + text)

for trace in traces:
    for options in ([], ["-a", "all"], ["--summary"], ["--format", "csv"], ["--format", "json"]):
        said = on_terminal(XSP_REPORT, *options, trace)
        check_terminal(f"xsp-report {options} {trace.name}", said, needs=bool(options) and options != ["--summary"])
check_terminal("xsp-report --diff", on_terminal(XSP_REPORT, "--diff", plain[0], traces[0]), needs=False)
check_terminal("--fail-if", on_terminal(XSP_REPORT, "-q", "--fail-if", "A10.latency_ms > 0", traces[0]), needs=False)

for trace, plain_trace in zip(traces, plain):
    pages = []
    for one in (plain_trace, trace):
        check_equal(run(XSP_REPORT, one, "--format", "html", "-o", "page.html").returncode, 0, "a page is written")
        pages.append(Page((folder / "page.html").read_text(encoding="utf-8")))
    check_equal(pages[1].bad, [], f"what a name put into the page of {trace.name}")
    check_equal(pages[1].scripts, pages[0].scripts, "scripts in the page")

    table = run(XSP_REPORT, trace, "--format", "csv", "-a", "all").stdout.decode()
    list(csv.reader(io.StringIO(table), strict=True))
    exports = [word for export in ("chrome", "speedscope", "folded", "pprof", "perfetto", "otlp", "otlp-json", "sqlite")
               for word in ("--export", f"{export}=e.{export}")]  # fmt: skip
    done = run(XSP_REPORT, "-q", trace, *exports)
    check(done.returncode in (0, 3, 5), f"exports: {done}")
    for name in ("chrome", "speedscope", "otlp-json"):
        if os.path.exists(f"e.{name}"):
            for text in [open(f"e.{name}", encoding="utf-8").read()] if name != "otlp-json" else open(f"e.{name}"):
                json.loads(text)
    if os.path.exists("e.folded"):
        for line in open("e.folded", encoding="utf-8"):
            check(re.fullmatch(r"[^\x00-\x1f\x7f\x80-\x9f\u2028-\u202e]+ \d+\n", line), f"folded: {ascii(line)}")
    if os.path.exists("e.sqlite"):
        check_equal(sqlite3.connect("e.sqlite").execute("PRAGMA integrity_check").fetchall(), [("ok",)], "SQLite")
    for name in os.listdir():
        if name.startswith("e."):
            os.unlink(name)

done = run(XSP_REPORT, formulas, "--format", "csv", "-a", "all")
cells = [cell for row in csv.reader(io.StringIO(done.stdout.decode())) for cell in row]
check(any("cmd|" in cell for cell in cells), "no cell has the formula")
bad = [cell for cell in cells if cell[:1] in ("=", "@", "+", "\t", "\r") or cell.startswith("-") and not re.match(r"-[\d.]", cell)]
check_equal(bad, [], "cells that a spreadsheet would run")

# xsp-run: what a program says through the guest's socket, and its own name, come out at the end.
program = folder / "say\x1b]0;owned\x07\x1b[2J\u202e.py"
program.write_text(f"""#!{sys.executable}
import os, sys
sys.path.insert(0, {str(SOURCE / "test/e2e")!r})
from support import raw_client as c
client = c.connect(os.environ["XSP_SOCKET"])
client.sendall(c.hello() + c.notice({HOSTILE!r}))
client.close()
""")
program.chmod(0o755)
env = clean_environment(TERM="xterm-256color", LC_ALL="C.UTF-8", PYTHONPATH=SOURCE / "test/e2e")
said = on_terminal(XSP_RUN, "-f", "-o", "n.pb", "--", program, env=env)
check_terminal("xsp-run's end message", said)
check_terminal("xsp-run, no such program", on_terminal(XSP_RUN, "--", folder / "none\x1b[2Jowned"))
check_terminal("xsp-run, no such collector", on_terminal(XSP_RUN, "--collector", folder / "\x1b[2Jowned", "true"))
check_terminal("xsp-run, an option", on_terminal(XSP_RUN, "--level", "\x1b[2J\u009bowned", "true"))
XSP_IMPORT = BUILD / "import/xsp-import"
bad_profile = folder / "\x1b[2Jowned\u009b\u202e.json"
bad_profile.write_text("\x1b[2Jowned\u009b\u202e")
check_terminal("xsp-import", on_terminal(XSP_IMPORT, bad_profile, "-o", folder / "x.pb"))
check_terminal("xsp-report, no trace", on_terminal(XSP_REPORT, bad_profile))
check_terminal("xsp-collector", on_terminal(BUILD / "collector/xsp-collector", "--socket", folder / "none/\x1b[2Jowned",
                                            "-o", "x"))  # fmt: skip
