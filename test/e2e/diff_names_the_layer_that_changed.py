"""xsp-report --diff of two programs, one with a layer more, less, or under another name: it names just that."""
import json
import subprocess

from support.xsp_e2e import PROGRAMS, XSP_REPORT, check, check_equal, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
LAYERS = ["linear1", "relu1", "linear2", "relu2", "linear3"]


def record(name, layers):
    xsp_run(python, PROGRAMS / "torch_stack.py", *layers, output=name).check_success()
    return name


def diff(base, fresh, *options):
    return subprocess.run([XSP_REPORT, "--diff", base, fresh, "--format", "json", *options], capture_output=True)


def changes(base, fresh):
    done = diff(base, fresh, "-a", "A1,A2")
    check_equal(done.returncode, 0, f"exit status\n{done.stderr.decode()}")
    tables = json.loads(done.stdout)
    columns = [column["name"] for column in tables["A2"]["columns"]]
    rows = [dict(zip(columns, row)) for row in tables["A2"]["rows"]]
    check(all(row["base"] is None or row["base"] > 0 for row in rows), "latencies of BASE")
    return [(row["what"], row["change"]) for row in rows if row["change"] != "same"]


base = record("base.pb", LAYERS)
check_equal(changes(base, record("again.pb", LAYERS)), [], "the same program")
more = record("more.pb", LAYERS[:3] + ["norm1"] + LAYERS[3:])
check_equal(changes(base, more), [("norm1", "added")], "a layer more")
check_equal(changes(more, base), [("norm1", "removed")], "a layer less")
named = record("named.pb", LAYERS[:2] + ["linear9"] + LAYERS[3:])
check_equal(changes(base, named), [("linear2 → linear9", "renamed")], "a layer under another name")

done = diff(base, more, "--fail-if", "A2[norm1].latency_ms > 0")
check_equal(done.returncode, 1, "exit status of a --fail-if that holds")
check(b"A2[norm1]: latency_ms" in done.stderr, f"row of a --fail-if that holds\n{done.stderr.decode()}")
check_equal(diff(base, more, "--fail-if", "A1.latency_ms > 1000*base").returncode, 0, "exit status of one that does not")
