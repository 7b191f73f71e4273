"""fuzz_resume_test.py ROOT: scripts/test --fuzz --since goes on where the last run ended. Stand-ins for the fuzzers, in a build folder of
their own: they print what libFuzzer does, and fail where a file says so.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(sys.argv[1])
FUZZER = """#!/bin/sh
# Waits as long as it is told to, or for a signal.
for word; do case $word in -max_total_time=*) seconds=${word#*=} ;; esac; done
trap 'code=72' INT
code=0
sleep "$seconds" & wait $!; kill $! 2>/dev/null
echo "#7 DONE cov: 12 ft: 3 corp: 1/1b"
echo "stat::number_of_executed_units: 100"
echo "stat::average_exec_per_sec: 50"
[ ! -e "$0.fails" ] || { echo "SUMMARY: libFuzzer: deadly signal"; exit 77; }
exit $code
"""


def make_build(folder, names):
    (folder / "test/fuzz").mkdir(parents=True)
    (folder / "fuzzer").write_text(FUZZER)
    lines = ["rule cpp_LINKER", "  command = cp $in $out && chmod +x $out"]
    for name in names:
        lines.append(f"build test/fuzz/fuzz_{name}: cpp_LINKER fuzzer")
    (folder / "build.ninja").write_text("\n".join(lines) + "\n")


def start(folder, *words, seconds="1"):
    environment = dict(os.environ, XSP_FUZZ_BUILD=str(folder), XSP_FUZZ_SECONDS=seconds, XSP_FUZZ_CORPUS=str(folder / "kept"))
    return subprocess.Popen([ROOT / "scripts/test", "--fuzz", *words], env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)  # fmt: skip


def fuzz(folder, *words, status=0, **options):
    process = start(folder, *words, **options)
    text, _ = process.communicate(timeout=100)
    check(process.returncode == status, f"{words}: {process.returncode}\n{text}")
    return text


def check(condition, what):
    if not condition:
        sys.exit(what)


def order_of(folder):
    """Targets in the order in which their runs ended."""
    path = folder / "kept/ledger.tsv"
    return [line.split("\t")[0] for line in path.read_text().splitlines()] if path.exists() else []


def give_time(folder, **seconds):
    (folder / "kept").mkdir(exist_ok=True)
    (folder / "kept/ledger.tsv").write_text("".join(f"{name}\t{of}\t1\t1\t0\t\n" for name, of in seconds.items()))


def least_time_comes_first(folder):
    give_time(folder, elm=300, fir=100, oak=200)
    os.environ["XSP_FUZZ_JOBS"] = "1"
    text = fuzz(folder, "--since")
    check(order_of(folder)[3:] == ["fir", "oak", "elm"], f"order {order_of(folder)}\n{text}")
    check(text.endswith("3 passed, 0 failed, 0 skipped\n"), text)


def a_budget_gives_turns(folder):
    give_time(folder, elm=0, fir=5000, oak=5000)
    begin = time.monotonic()
    text = fuzz(folder, "--since", "--for", "3s")
    check(2 <= time.monotonic() - begin < 60, "--for is not held to")
    turns = order_of(folder)[3:]
    check(len(turns) >= 2 and set(turns) == {"elm"}, f"turns {turns}\n{text}")


def what_failed_gets_no_turn(folder):
    give_time(folder, elm=0, fir=10, oak=5000)
    (folder / "test/fuzz/fuzz_elm.fails").touch()
    text = fuzz(folder, "--since", "--for", "4s", status=1)
    (folder / "test/fuzz/fuzz_elm.fails").unlink()
    turns = order_of(folder)[3:]
    check(turns[0] == "elm" and turns.count("elm") == 1 and "fir" in turns, f"turns {turns}\n{text}")
    check("1 failed" in text.splitlines()[-1], text)
    check("deadly signal" in (folder / "kept/ledger.tsv").read_text(), "what was found is not in the ledger")


def an_interrupted_run_is_kept(folder):
    give_time(folder, elm=0, fir=5000, oak=5000)
    process = start(folder, "--since", "--for", "1h", seconds="60")
    for line in process.stdout:
        if line.startswith("== fuzzing"):
            break
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=50)
    check(process.returncode == 0, f"{process.returncode}\n{text}")
    check(order_of(folder)[3:] == ["elm"], f"{order_of(folder)}\n{text}")


def wrong_words_are_refused(folder):
    for words in (["--for", "20m"], ["--since", "--for", "soon"], ["--since", "--for"], ["birch"]):
        text = fuzz(folder, *words, status=2)
        check(re.search(r"--for|no fuzzer is called", text), text)


if shutil.which("ninja") is None:
    print("skipped: there is no ninja")
    sys.exit(77)
with tempfile.TemporaryDirectory() as made:
    build = Path(made)
    make_build(build, ["elm", "fir", "oak"])
    least_time_comes_first(build)
    a_budget_gives_turns(build)
    what_failed_gets_no_turn(build)
    an_interrupted_run_is_kept(build)
    wrong_words_are_refused(build)
