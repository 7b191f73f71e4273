"""Products that PyTorch does on its own worker threads are recorded there and belong to no layer; the report counts them."""
from support.trace_reader import LIBRARY_CALL
from support.xsp_e2e import PROGRAMS, check, check_equal, clean_environment, report, run, torch_python, work_folder, xsp_run

IMAGES, OUTPUTS, PIXELS, DEPTH = 6, 16, 38 * 38, 3 * 3 * 3

python = torch_python()
work_folder()
environment = clean_environment(OMP_NUM_THREADS=2)
plain = run(python, PROGRAMS / "torch_intraop.py", env=environment)
done = xsp_run(python, PROGRAMS / "torch_intraop.py", env=environment).check_success()
check_equal(done.stdout, plain.stdout, "result")
trace = done.trace
spans = trace.spans
by_id = {(s.process, s.ring, s.id): s for s in spans}
products = [s for s in trace.of_kind(LIBRARY_CALL) if s.name == "sgemm_"]
sizes = [tuple(s.arguments[name] for name in ("m", "n", "k")) for s in products]
check_equal(sizes, [(PIXELS, OUTPUTS, DEPTH)] * IMAGES, "products")
(layer,) = [s for s in spans if s.level == "layer"]
for span in products:
    check((span.outer("layer") is layer) == (span.thread == layer.thread), "a product lies in the layer when it is on its thread")
    check(layer.begin <= span.begin <= span.end <= layer.end, "the products are made while the layer runs")
on_workers = [s for s in products if s.thread != layer.thread]
check(on_workers, "no product on a worker thread: the test shows nothing")

alone = [s for s in trace.of_kind(LIBRARY_CALL) if (s.process, s.ring, s.parent) not in by_id]
rows = report("trace.pb", "--analysis", "Q1")["Q1"]["rows"]
(counted,) = [row[2] for row in rows if row[0] == "unattached" and row[1] == "library"]
check_equal(counted, len(alone), "calls that the report counts as unattached")
