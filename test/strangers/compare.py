"""compare.py PROGRAM: a program on packages of strangers behaves under xsp-run as it does without.

Runs the program twice in a folder of the same name, bare and recorded, and compares exit status, stdout, stderr and the files that
it leaves. Its last line of stdout, `models {class: calls}`, is what it counted by its own loops: the trace has exactly these model
calls, is complete, and lost nothing. Lines of its docstring:
  needs: modules without which it is skipped
  processes: how many processes may call models (default: 1)
  unclaimed: classes whose calls the package makes by itself, so that the program cannot count them
  counts: why it cannot count at all
  stderr: patterns of lines that tell times or process ids
  files: patterns of files whose bytes differ from run to run

XSP_STRANGERS_PYTHON names another Python than that of build/python/strangers.
"""
import ast
import fnmatch
import hashlib
import os
import shutil
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from support.trace_reader import TORCH_ROOT, read_trace  # noqa: E402
from support.xsp_e2e import (BUILD, XSP_RUN, check, check_equal, clean_environment, has_module, run, skip,  # noqa: E402
                             work_folder)  # fmt: skip

TIMEOUT_S = 400


def declared(program):
    """The lines `key: words` of the program's docstring."""
    lines = ast.get_docstring(ast.parse(program.read_text())).splitlines()
    return {key: words.split() for key, _, words in (line.partition(": ") for line in lines) if words and " " not in key}


def environment(home):
    """Of no machine and no user: what packages keep at home lies in the folder, and nothing is fetched."""
    return clean_environment(HOME=home, XDG_CACHE_HOME=home, XDG_CONFIG_HOME=home, TMPDIR=home, HF_HUB_OFFLINE=1, YOLO_OFFLINE=1,
                             YOLO_AUTOINSTALL=0, MPLCONFIGDIR=home, PYTHONHASHSEED=0, TOKENIZERS_PARALLELISM="false",
                             GLOO_SOCKET_IFNAME="lo", COLUMNS=120, TQDM_DISABLE=1, KINETO_LOG_LEVEL=5)


def files_of(folder, varying):
    """Relative path -> digest; of what varies only that it is there."""
    found = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = str(path.relative_to(folder))
        varies = any(fnmatch.fnmatch(name, pattern) for pattern in varying)
        found[name] = "" if varies else hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return found


def plain_lines(text, varying):
    return "".join(line for line in text.splitlines(keepends=True) if not any(fnmatch.fnmatch(line, p) for p in varying))


def outcome(program, python, folder, needs, *before):
    """What a run shows, in an empty folder of the same name each time."""
    work, home = folder / "work", folder / "home"
    for fresh in (work, home):
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
    done = run(*before, python, program, env=environment(home), cwd=work, timeout=TIMEOUT_S)
    return {"exit status": done.returncode, "stdout": done.stdout.decode(errors="replace"),
            "stderr": plain_lines(done.stderr.decode(errors="replace"), needs.get("stderr", [])),
            "files": files_of(work, needs.get("files", []))}  # fmt: skip


def first_difference(bare, recorded):
    for what, expected in bare.items():
        got = recorded[what]
        if got == expected:
            continue
        if isinstance(expected, str):
            pairs = zip([*expected.splitlines(), "(end)"], [*got.splitlines(), "(end)"])
            expected, got = next((pair for pair in pairs if pair[0] != pair[1]), (expected, got))
        return f"{what}\n  bare:     {str(expected)[:1500]}\n  recorded: {str(got)[:1500]}"
    return ""


program = Path(sys.argv[1]).resolve()
needs = declared(program)
python = Path(os.environ.get("XSP_STRANGERS_PYTHON", BUILD / "python/strangers/bin/python"))
if not python.exists():
    skip("programs on packages of strangers (build/python/strangers is not there: scripts/setup --strangers)")
missing = [module for module in needs.get("needs", []) if not has_module(python, module)]
if missing:
    skip(f"{program.stem} (not installed: {', '.join(missing)}; scripts/setup --strangers)")
folder = work_folder()
bare = outcome(program, python, folder, needs)
check_equal(bare["exit status"], 0, f"without XSP; stdout:\n{bare['stdout']}\nstderr:\n{bare['stderr']}\nexit status")
trace_file = folder / "trace.pb"
recorded = outcome(program, python, folder, needs, XSP_RUN, "-q", "-f", "--on-full=block", "-o", trace_file, "--")
if difference := first_difference(bare, recorded):
    again = outcome(program, python, folder, needs)
    if own := first_difference(bare, again):
        check(False, f"the program differs from run to run, so that nothing can be said: {own}")
    check(False, f"differs under xsp-run: {difference}")

trace = read_trace(trace_file)
roots = trace.of_kind(TORCH_ROOT)
name, _, counted = bare["stdout"].splitlines()[-1].partition(" ")
check_equal(name, "models", "the last line that the program prints")
expected = {model: calls for model, calls in ast.literal_eval(counted).items() if calls}
if "counts" not in needs:
    recorded_calls = Counter(root.type for root in roots if root.type not in needs.get("unclaimed", []))
    check_equal(dict(sorted(recorded_calls.items())), dict(sorted(expected.items())), "model calls by class")
    processes = len({root.pid for root in roots})
    check(str(processes) in needs.get("processes", ["1" if expected else "0"]), f"models are called by {processes} processes")
check(trace.complete, "the trace is complete")
losses = {process.pid: process.losses for process in trace.processes.values() if process.losses}
check_equal(losses, {}, "losses")
check_equal([process.open_spans for process in trace.processes.values() if process.open_spans], [], "spans left open")
print(f"{program.stem}: {len(recorded['stdout'].splitlines())} lines and {len(bare['files'])} files alike, {len(roots)} model calls, "
      f"{len(trace.spans)} spans, {len(trace.processes)} processes")  # fmt: skip
for notice in trace.notices:
    print(f"notice: {notice}")
