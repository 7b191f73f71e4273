"""What the constructor of a module calls is no evaluation: it is in the trace, told apart, and no table of models begins with
it. What a constructor that is no module's calls is one, and so is everything where a program has nothing else.
"""
from collections import Counter

from support.trace_messages import proto
from support.trace_reader import TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, has_module, report, run, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
program = PROGRAMS / "modules_called_while_made.py"
for words in [[]] + [["dynamo"]] * has_module(python, "torch._dynamo"):
    plain = run(python, program, *words)
    check_equal(plain.returncode, 0, f"without xsp-run: {plain.stderr}")
    done = xsp_run(python, program, *words).check_success()
    check_equal(done.stdout, plain.stdout, "stdout")
    trace = done.trace
    roots = Counter(span.type for span in trace.of_kind(TORCH_ROOT))
    check_equal(roots, Counter({"Detector": 6, "Registered": 5, "Body": 1}), f"model calls {words}")
    made = trace.of_kind(proto.KIND_TORCH_CONSTRUCTION)
    check_equal(Counter(s.type for s in made), Counter({"Body": 3, "Conv2d": 1}), f"calls of constructors {words}")
    check_equal({span.level for span in made}, {"application"}, "their level")
    tables = report(done.path, "-a", "A1")
    models = [row[[c["name"] for c in tables["A1"]["columns"]].index("model")] for row in tables["A1"]["rows"]]
    check_equal(sorted(set(models)), ["Body", "Detector", "Registered"], "models of A1")
    note = "4 calls from constructors of modules (Body, Conv2d) are left out: they do not run the model"
    check(note in tables["A1"]["notes"], f"a note of A1 says so: {tables['A1']['notes']}")

whole = xsp_run(python, program, "whole", output="whole.pb").check_success()
check_equal(len(whole.trace.of_kind(TORCH_ROOT)), 0, "model calls of a program that is one constructor")
tables = report(whole.path, "-a", "A1,A2")
check_equal(len(tables["A1"]["rows"]), 1, "its report has them all the same")
check_equal([row[1] for row in tables["A2"]["rows"]], ["convolution", "norm"], "with their layers")

unsampled = xsp_run(python, program, options=("--level", "model"), output="model.pb").check_success()
check_equal(len(unsampled.trace.of_kind(TORCH_ROOT)), 12, "the same model calls at level model")
