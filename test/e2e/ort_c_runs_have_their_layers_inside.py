"""However long it takes to switch on the profile of a single run, its layers lie inside the run."""
from support.ort_hosts import environment, profile_host, write_model
from support.trace_reader import ORT_NODE, ORT_RUN
from support.xsp_e2e import check, check_equal, work_folder

RUNS = 8
ROUNDED_NS = 1000  # times in a profile are rounded down to microseconds

work_folder()
write_model([("slow", "Conv", "CPUExecutionProvider", 6000), ("fast", "Relu", "CPUExecutionProvider", 10)])
slow = environment(fake="version=1.31.0 slow-enabling", ORT_HOST_API=31)
for words in ([f"run:{RUNS}"], ["run:4", *["run-async"] * 4]):
    trace = profile_host("create", *words, env=slow).check_success().trace
    runs, layers = trace.of_kind(ORT_RUN), trace.of_kind(ORT_NODE)
    check_equal((len(runs), len(layers)), (RUNS, 2 * RUNS), f"runs and layers of {words}")
    for index, run in enumerate(runs):
        for layer in layers[2 * index : 2 * index + 2]:
            check(run.begin - ROUNDED_NS <= layer.begin and layer.end <= run.end,
                  f"{words}, run {index}: {layer.name} begins {run.begin - layer.begin} ns before it")
