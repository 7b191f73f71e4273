"""Keras' fit is reported as steps: batch size, forward, backward and optimizer, which add up, and the wait for the next batch."""
from support.iteration_tables import rows_of
from support.xsp_e2e import PROGRAMS, check, check_equal, report, tensorflow_python, work_folder, xsp_run

python = tensorflow_python()
work_folder()
xsp_run(python, PROGRAMS / "tensorflow_calls.py", "fit").check_success()
tables = report("trace.pb", "-a", "A1,A6")
(row,) = rows_of(tables, "A1")
check_equal((row["mode"], row["batch_size"]), ("training", 2), f"a step: {row}")
check(row["model"].startswith("net (fit"), f"its name: {row['model']}")
check(row["input"].startswith("[2,32,32,3]"), f"its input: {row['input']}")
phases = [row[f"{phase}_ms"] for phase in ("forward", "backward", "optimizer")]
check(all(phase > 0 for phase in phases), f"phases {phases}")
types = {layer["type"]: layer for layer in rows_of(tables, "A6")}
check("IteratorGetNext" in types, f"no wait for data in {sorted(types)}")
# Where the processor suits oneDNN, TensorFlow calls it _MklNativeConv2DBackpropFilterWithBias.
check(any("Conv2DBackpropFilter" in name for name in types), f"no backward work in {sorted(types)}")
