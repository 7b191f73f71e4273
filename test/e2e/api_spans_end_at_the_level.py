"""Spans that a program marks itself are recorded down to --level and no deeper: a run of level model is one of models."""
from support.trace_reader import API
from support.xsp_e2e import BUILD, check_equal, skip, work_folder, xsp_run

program = BUILD / "test/e2e/api_spans"
if not program.exists():
    skip("the C program on xsp.h is not built")
work_folder()
for level, layers in (("model", 0), ("layer", 30), ("kernel", 30)):
    done = xsp_run(program, options=["--level", level]).check_success()
    spans = done.trace.of_kind(API)
    check_equal(sum(s.level == "model" for s in spans), 10, f"models at level {level}")
    check_equal(sum(s.level == "layer" for s in spans), layers, f"layers at level {level}")
