"""On the C API: bound and asynchronous runs, runs in several threads and of sessions made elsewhere, several sessions, runs
that fail, and runs of a child. Each is one model span, and each layer belongs to one."""
from support.ort_hosts import NODES, environment, profile_host, run_host, write_model
from support.trace_reader import ORT_NODE, ORT_RUN
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
write_model()


def record(*words, **options):
    plain = run_host(*words, **options)
    done = profile_host(*words, **options).check_success()
    check_equal(sorted(done.stdout.splitlines()), sorted(plain.stdout.splitlines()), f"stdout of {' '.join(words)}")
    return done.trace


trace = record("create", "run-bound", "run-async", "run:1")
check_equal(len(trace.of_kind(ORT_RUN)), 3, "bound, asynchronous and plain run")
check_equal(len(trace.of_kind(ORT_NODE)), 3 * len(NODES), "their layers")
asynchronous = trace.of_kind(ORT_RUN)[1]
inside = [s for s in trace.of_kind(ORT_NODE) if asynchronous.begin <= s.begin and s.end <= asynchronous.end]
check_equal(len(inside), len(NODES), "layers inside the asynchronous run, which ends with its callback")
check_equal(asynchronous.input, "[1,8,16,16]", "its input")

trace = record("create", "run-in-threads", "run:1")
runs = trace.of_kind(ORT_RUN)
check_equal((len(runs), len({r.thread for r in runs})), (5, 5), "runs in several threads")
check_equal(len(trace.of_kind(ORT_NODE)), 5 * len(NODES), "layers of runs in several threads")

trace = record("create", "run:2", "create", "run:1", "release", "create", "run:1")
scopes = [r.scope for r in trace.of_kind(ORT_RUN)]
check(len(set(scopes)) == 3 and scopes[0] == scopes[1], f"scopes of three sessions with the same options: {scopes}")
check_equal(len(trace.of_kind(ORT_NODE)), 4 * len(NODES), "layers of three sessions")

trace = record("create", "run-bad", "run:1", "another-model", "create")
check_equal([r.failed for r in trace.of_kind(ORT_RUN)], [True, False], "failed runs")

trace = record("create", "run:1", "run-in-child", "run:1")
check_equal(len(trace.of_kind(ORT_RUN)), 3, "runs of parent and child")
check_equal(len(trace.of_kind(ORT_NODE)), 2 * len(NODES), "layers of the parent, whose profile it is")

env = environment(fake="version=1.31.0", ORT_HOST_API=31)
trace = record("create", "run:2", "run-async", "run-bound", env=env)
check_equal(len(trace.of_kind(ORT_NODE)), 4 * len(NODES), "layers with the table of 1.31")
