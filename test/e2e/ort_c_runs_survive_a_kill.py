"""ONNX Runtime from 1.25 on: a process that is killed keeps the layers of the runs that were finished, and runs have theirs
for ever, as far as they bear the cost (the first eight do). What was finished in the last milliseconds before a kill may
not have been announced to the collector. Of an older one, and of runs that are too short to bear a file each, the runs are there and Q1 counts them."""
from support.ort_hosts import environment, profile_host, run_host, write_model
from support.trace_reader import ORT_NODE, ORT_RUN
from support.xsp_e2e import check, check_equal, report, work_folder

work_folder()
write_model([("slow", "Conv", "CPUExecutionProvider", 6000), ("fast", "Relu", "CPUExecutionProvider", 10)])
new = environment(fake="version=1.31.0", ORT_HOST_API=31)
for words in (("create", "run:5", "wait", "kill"), ("run-options", "create", "run:5", "wait", "kill")):
    done = profile_host(*words, env=new)
    check_equal(len(done.trace.of_kind(ORT_RUN)), 5, f"runs of {words}")
    check_equal(len(done.trace.of_kind(ORT_NODE)), 10, f"layers of {words}")
    for run, layer in zip(done.trace.of_kind(ORT_RUN), done.trace.of_kind(ORT_NODE)[::2]):
        check(run.begin <= layer.begin and layer.end <= run.end, "each layer lies in its run")
done = profile_host("create", "run:8", env=new).check_success()
check_equal(len(done.trace.of_kind(ORT_NODE)), 16, "layers of all runs of a program that ends by itself")
check_equal(done.stdout, run_host("create", "run:8", env=new).stdout, "stdout")
profile_host("create", "run:5", "kill")
lost = {row[0]: row[2] for row in report("trace.pb", "-a", "Q1")["Q1"]["rows"]}
check_equal(lost["runs_without_layers"], 5, "runs without layers of a killed program on 1.22")
