"""Calls of other inputs are told apart: a larger batch is no periodic work, and the head says which calls its numbers are of.
Dropout that computes in inference tells that eval() was forgotten."""
import json

from support.xsp_e2e import PROGRAMS, XSP_REPORT, check, run, torch_python, work_folder, xsp_run

PYTHON = torch_python()
work_folder()


def table(tables, name):
    columns = [column["name"] for column in tables[name]["columns"]]
    return [dict(zip(columns, row)) for row in tables[name]["rows"]]


def told(*arguments):
    """Tables, findings by id and the two lines of the head."""
    recording = xsp_run(PYTHON, PROGRAMS / "torch_scores.py", *arguments, output=f"scores{len(arguments)}.pb").check_success()
    as_json = run(XSP_REPORT, recording.path, "-a", "A1,A2,D4", "--format", "json")
    check(as_json.returncode == 0, as_json.stderr.decode())
    as_text = run(XSP_REPORT, recording.path, "--plain", env={"COLUMNS": "200"})
    tables = json.loads(as_json.stdout)
    return tables, {finding["id"]: finding for finding in tables["findings"]}, as_text.stdout.decode().splitlines()[:2]


tables, findings, head = told()
check("training-mode" in findings, f"findings of a model in training mode: {findings}")
check("Dropout computes in 2 layers" in findings["training-mode"]["title"], findings["training-mode"]["title"])
won = sum(row["latency_ms"] for row in table(tables, "A2") if row["type"] == "Dropout")
check(abs(findings["training-mode"]["gain_ms"] - won) < 1e-9, f"gain {findings['training-mode']['gain_ms']}, A2 {won}")
check("periodic-work" not in findings, f"batches of 16: {findings.get('periodic-work')}")
# Of 40 and 10 calls; how many of the first are warm-up is the machine's.
used = {row["batch_size"]: row["n"] for row in table(tables, "A1")}
check(set(used) == {8, 16} and 20 <= used[8] <= 40 and 5 <= used[16] <= 10, f"calls by batch: {used}")
check(f"{used[8]} of 50 calls used, those of input [8,64,256]" in head[1], f"head: {head}, calls by batch: {used}")

_, findings, _ = told("eval")
check("training-mode" not in findings, f"findings of a model in evaluation mode: {findings}")
