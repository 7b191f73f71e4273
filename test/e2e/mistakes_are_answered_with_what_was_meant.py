"""Every program answers a slip of the user with one line of what is wrong and one line of what to do, which is right: the option,
value, table or program that was meant, or the command for the file that was given. No answer destroys a file."""
import gzip
import os
import shutil
import sqlite3
import zipfile

from support.xsp_e2e import BUILD, XSP_COLLECTOR, XSP_REPORT, XSP_RUN, check, check_equal, run, work_folder

XSP_IMPORT = BUILD / "import/xsp-import"
XSP_BENCH = BUILD / "inject/bench/xsp-bench"
folder = work_folder()


def answered(code, error, hint, program, *arguments):
    done = run(program, *arguments)
    lines = done.stderr.decode().splitlines()
    what = f"{program.name} {arguments}: {lines}"
    check_equal(done.returncode, code, what)
    check_equal(len(lines), 2, what)
    check(lines[0].startswith(program.name + ": error: ") and error in lines[0], what)
    check(lines[1].startswith("hint: ") and hint in lines[1], what)


PROGRAMS = {XSP_RUN: 125, XSP_BENCH: 125, XSP_IMPORT: 2, XSP_COLLECTOR: 2, XSP_REPORT: 2}
for program, code in PROGRAMS.items():
    answered(code, "", "for example: " + program.name, program)
    answered(code, "unknown option --versoin", "did you mean --version?", program, "--versoin")
    answered(code, "unknown option --qwertyuiop", f"{program.name} --help", program, "--qwertyuiop")
    answered(code, "--output needs a value", f"{program.name} --help", program, "--output")
for program, code in PROGRAMS.items():
    if program != XSP_BENCH:
        rest = ("-o", "x.pb", "--socket", "x.sock") if program == XSP_COLLECTOR else ("true",)
        answered(code, "unknown level 'inof'", "did you mean info?", program, "--log-level", "inof", *rest)

(folder / "profile.json").write_text('{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::add", '
                                     '"pid": 1, "tid": 1, "ts": 1, "dur": 5, "args": {}}]}')
check_equal(run(XSP_IMPORT, "-q", "-o", "run.pb", "profile.json").returncode, 0, "the profile is good")

# Values.
for value, meant in (("--level=modl", "model"), ("--summary=ful", "full"), ("--on-full=blok", "block")):
    answered(125, f"unknown value '{value.split('=')[1]}'", f"did you mean {meant}?", XSP_RUN, value, "true")
answered(125, "lanch is no group", "did you mean launch?", XSP_RUN, "--cuda-api", "lanch", "true")
answered(125, "no kind of activity", "did you mean kernel?", XSP_RUN, "--activities", "kernels", "true")
answered(125, "neither a set nor a metric", "did you mean roofline?", XSP_RUN, "--metrics", "rofline", "true")
answered(125, "'0' is not a whole number from 1", "xsp-run --help", XSP_RUN, "--runs", "0", "true")
answered(125, "unknown value 'modl'", "did you mean model?", XSP_BENCH, "-L", "n", "1,2", "-l", "modl", "true", "{n}")
answered(2, "unknown format 'perfeto'", "did you mean perfetto?", XSP_REPORT, "run.pb", "--export", "perfeto")
answered(2, "unknown value 'jsn'", "did you mean json?", XSP_REPORT, "run.pb", "--format", "jsn")
answered(2, "unknown table 'layer memory'", "did you mean A4 (", XSP_REPORT, "run.pb", "-a", "layer memory")
answered(2, "A1 has no column latncy_ms", "did you mean latency_ms?", XSP_REPORT, "run.pb", "--fail-if", "A1.latncy_ms > 2")
answered(2, "unknown table 'latency_ms'", "did you mean A1.latency_ms?", XSP_REPORT, "run.pb", "--fail-if", "latency_ms > 2")
answered(2, "unknown format 'kinto'", "did you mean kineto?", XSP_IMPORT, "--from", "kinto", "profile.json")
answered(2, "unknown format 'pytorch'", "did you mean kineto?", XSP_IMPORT, "--from", "pytorch", "profile.json")

# Words that are options or other programs.
answered(127, "report: command not found", "did you mean xsp-report run.pb?", XSP_RUN, "report", "run.pb")
answered(127, "help: command not found", "did you mean xsp-run --help?", XSP_RUN, "help")
answered(3, "cannot read diff", "did you mean --diff?", XSP_REPORT, "diff", "run.pb", "run.pb")
answered(3, "cannot read A2", "did you mean -a A2?", XSP_REPORT, "A2", "run.pb")
answered(3, "cannot read rnu.pb", "did you mean run.pb?", XSP_REPORT, "rnu.pb")
answered(3, "cannot read elsewhere/x.pb", "record a trace: xsp-run -o elsewhere/x.pb -- COMMAND", XSP_REPORT, "elsewhere/x.pb")
answered(3, "cannot open kineto", "--from kineto", XSP_IMPORT, "kineto", "profile.json")
answered(2, "unexpected argument 'help'", "did you mean --help?", XSP_COLLECTOR, "help")

# Files of other kinds and of other tools: for xsp-report, xsp-import and xsp-run.
files = {
    "a.png": (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image", ""),
    "d.pickle": (b"\x80\x04\x95\x10\0", "a Python pickle", ""),
    "model.onnx": (b"\x08\x08\x12\x07pytorch", "an ONNX model", "record the program that uses it: xsp-run"),
    "r.nsys-rep": (b"\x01\x02", "an Nsight Systems report", "nsys export --type sqlite -o r.sqlite r.nsys-rep && xsp-import r.sqlite"),
    "r.qdrep": (b"\x01\x02", "an Nsight Systems report", "nsys export --type sqlite -o r.sqlite r.qdrep && xsp-import r.sqlite"),
    "r.ncu-rep": (b"\x01\x02", "an Nsight Compute report", "xsp-run -- COMMAND"),
    "perf.data": (b"PERFILE2\x68\0", "a recording of perf", "xsp-run -- COMMAND"),
    "cpu.pprof": (gzip.compress(b"\x0a\x04"), "a pprof profile", "xsp-run -- COMMAND"),
    "x.xz": (b"\xfd7zXZ\0\0", "an xz file", "xz -dk x.xz"),
}
for name, (data, kind, hint) in files.items():
    (folder / name).write_bytes(data)
    answered(3, f"{name} is not an XSP trace (it looks like {kind})", hint, XSP_REPORT, name)
    answered(3, f"{name} is {kind}, which xsp-import does not read", hint, XSP_IMPORT, "-o", "other.pb", name)
    answered(126, f"{name} is {kind}, not a program", hint, XSP_RUN, name)
with zipfile.ZipFile("model.pt", "w") as archive:
    archive.writestr("archive/data.pkl", "x")
shutil.copy("model.pt", "files.zip")
answered(3, "a PyTorch model", "xsp-run", XSP_REPORT, "model.pt")
answered(3, "files.zip is a zip archive", "unzip files.zip", XSP_IMPORT, "-o", "other.pb", "files.zip")
with sqlite3.connect("export.sqlite") as database:
    database.execute("create table t (x)")
for name in ("profile.json", "export.sqlite"):
    answered(3, "is not an XSP trace", f"xsp-import {name}", XSP_REPORT, name)
    answered(126, "not a program", f"xsp-import {name}", XSP_RUN, name)
(folder / "host.xplane.pb").write_bytes(b"\x0a\x10\x08\x01\x12\x09/host:CPU\x1a\x02\x08\x01")
answered(126, "a TensorFlow or JAX profile", "xsp-import host.xplane.pb", XSP_RUN, "host.xplane.pb")
(folder / "infer.py").write_text("pass\n")
answered(3, "a Python script", "xsp-run -- python3 infer.py", XSP_REPORT, "infer.py")
answered(126, "infer.py is not executable", "name its interpreter: python", XSP_RUN, "infer.py")
answered(126, "infer.py is not executable", "name its interpreter: python", XSP_BENCH, "-L", "n", "1", "infer.py", "{n}")
shutil.copy(shutil.which("true"), "program")
answered(3, "it looks like a program", "xsp-run -- ./program", XSP_REPORT, "program")
answered(3, "program is a program", "xsp-run -- ./program", XSP_IMPORT, "-o", "other.pb", "program")
answered(3, "run.pb is an XSP trace", "xsp-report run.pb", XSP_IMPORT, "-o", "other.pb", "run.pb")
answered(126, "run.pb is a trace", "did you mean xsp-report run.pb?", XSP_RUN, "run.pb")
(folder / "empty.pb").write_bytes(b"")
answered(3, "empty.pb is empty", "xsp-run", XSP_REPORT, "empty.pb")
answered(3, "empty.pb is empty", "write the profile again", XSP_IMPORT, "-o", "other.pb", "empty.pb")
answered(126, "empty.pb is empty", "python infer.py", XSP_RUN, "empty.pb")
(folder / "inside").mkdir()
answered(3, "inside holds no trace", "xsp-run -o inside/run.pb -- COMMAND", XSP_REPORT, "inside")
answered(3, "Is a directory", "inside/FILE", XSP_IMPORT, "-o", "other.pb", "inside")
answered(126, "./inside is a folder", "python infer.py", XSP_RUN, "./inside")

# Outputs: what was there stays.
before = {name: (folder / name).read_bytes() for name in ("run.pb", "profile.json")}
answered(2, "the trace would replace the profile profile.json", "-o FILE", XSP_IMPORT, "-f", "-o", "profile.json", "profile.json")
answered(5, "run.pb exists", "it is an XSP trace already: xsp-report run.pb", XSP_IMPORT, "run.pb")
answered(2, "would replace the trace run.pb", "-o FILE", XSP_REPORT, "-o", "run.pb", "run.pb")
answered(1, "cannot listen on run.pb (it is there and is no socket)", "--socket /tmp/xsp.sock", XSP_COLLECTOR,
         "--socket", "run.pb", "-o", "x.pb")
answered(125, "(it is no socket)", "xsp-collector --socket", XSP_RUN, "--collector", "run.pb", "true")
for program, arguments in ((XSP_IMPORT, ("profile.json",)), (XSP_COLLECTOR, ("--socket", "x.sock"))):
    answered(5, "cannot write none/x.pb (", "make the folder first: mkdir -p none", program, "-o", "none/x.pb", *arguments)
    answered(5, "Is a directory", "-o inside/FILE", program, "-o", "inside", *arguments)
    answered(5, "run.pb exists", "with -f", program, "-o", "run.pb", *arguments)
answered(5, "cannot write none/x.txt", "make the folder first: mkdir -p none", XSP_REPORT, "-o", "none/x.txt", "run.pb")
for name, content in before.items():
    check_equal((folder / name).read_bytes(), content, f"{name} stays as it was")
check(not os.path.exists("other.pb"), "nothing that is no profile was imported")
