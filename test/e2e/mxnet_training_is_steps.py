"""Training with MXNet is reported as steps: forward, backward and update, which add up; by Gluon and by a Module."""
from support.iteration_tables import rows_of
from support.xsp_e2e import PROGRAMS, check, check_equal, mxnet_python, report, work_folder, xsp_run

python = mxnet_python()
work_folder()
for way, model, forward, backward in (("train", "net", "Convolution", "_backward_Convolution"),
                                      ("train_module", "Executor.forward", "FullyConnected", "_backward_FullyConnected")):
    xsp_run(python, PROGRAMS / "mxnet_calls.py", way).check_success()
    tables = report("trace.pb", "-a", "A1,A6")
    rows = rows_of(tables, "A1")
    check_equal([(row["model"], row["mode"]) for row in rows], [(model, "training")], f"{way}: models")
    phases = [rows[0][f"{phase}_ms"] for phase in ("forward", "backward", "optimizer")]
    check(all(phase > 0 for phase in phases), f"{way}: phases {phases}")
    check(abs(sum(phases) - rows[0]["latency_ms"]) < 0.35 * rows[0]["latency_ms"], f"{way}: {phases} of {rows[0]}")
    types = {row["type"] for row in rows_of(tables, "A6")}
    check({forward, backward} <= types, f"{way}: layers {types}")
    check(any("update" in kind for kind in types), f"{way}: no update in {types}")
