"""ONNX Runtime's real C library: the layers of a C program are the nodes of ORT's own profile of the same runs, in order,
name, type, shape and duration; outputs are bit-equal; finished runs keep their layers when the process is killed."""
import json

from support.ort_hosts import HOST, environment, real_library
from support.trace_reader import ORT_NODE, ORT_RUN
from support.xsp_e2e import branching_onnx, check, check_equal, ort_python, resnet50_onnx, run, work_folder, xsp_run

ROUNDED_NS = 1000  # ONNX Runtime rounds times down to microseconds, and a run's first node begins within one of the run


def shape_text(shapes):
    return ";".join("[" + ",".join(map(str, sizes)) + "]" for shape in shapes for sizes in shape.values())


library = real_library()
python = ort_python()
env = environment(library)
work_folder()
for model, shape, runs in ((branching_onnx(python), "1,8,16,16", 20), (resnet50_onnx(python), "1,3,224,224", 3)):
    words = (model, "image", shape, "profile-options", "create", f"run:{runs}", "end-profile")
    name = run(python, "-c", f"import onnx; print(onnx.load({str(model)!r}).graph.input[0].name)").stdout.decode().strip()
    words = (model, name, *words[2:])
    plain = run(HOST, *words, env=env)
    done = xsp_run(HOST, *words, env=env).check_success()
    check_equal((done.stdout, done.stderr.count("rror")), (plain.stdout, 0), f"{model.name}: outputs")
    with open("moved.json") as file:
        nodes = [e for e in json.load(file) if e["cat"] == "Node" and e["name"].endswith("_kernel_time")]
    layers = sorted(done.trace.of_kind(ORT_NODE), key=lambda s: s.begin)
    nodes.sort(key=lambda e: e["ts"])
    check_equal(len(done.trace.of_kind(ORT_RUN)), runs, "runs")
    check_equal([s.name for s in layers], [n["name"].removesuffix("_kernel_time") for n in nodes], "names")
    check_equal([s.type for s in layers], [n["args"]["op_name"] for n in nodes], "types")
    check_equal([s.shape for s in layers], [shape_text(n["args"]["output_type_shape"]) for n in nodes], "shapes")
    for span, node in zip(layers, nodes):
        check(abs((span.end - span.begin) / 1000 - node["dur"]) <= 1.001, f"{span.name}: duration in microseconds")
    each = len(nodes) // runs
    for way in ("run:5", "run-bound", "run-in-threads"):
        done = xsp_run(HOST, *words[:3], "create", way, "run:2", env=env).check_success()
        check_equal(done.stdout, run(HOST, *words[:3], "create", way, "run:2", env=env).stdout, f"stdout of {way}")
        spans = done.trace.of_kind(ORT_RUN)
        check_equal(len(done.trace.of_kind(ORT_NODE)), each * len(spans), f"{model.name}: layers of {way}")
        for one in spans if way == "run:5" else []:
            inside = [s for s in done.trace.of_kind(ORT_NODE) if one.begin - ROUNDED_NS <= s.begin and s.end <= one.end]
            check_equal(len(inside), each, f"{model.name}: layers inside a run by time")
done = xsp_run(HOST, *words[:3], "create", "run-async", "run:1", env=environment(library, ORT_HOST_THREADS=2))
check_equal(len(done.trace.of_kind(ORT_RUN)), 2, "an asynchronous run, and another")
check_equal(len(done.trace.of_kind(ORT_NODE)), 2 * each, "their layers")
done = xsp_run(HOST, *words[:3], "create", "run:4", "kill", env=env)
check_equal(len(done.trace.of_kind(ORT_NODE)), 4 * each, "layers of a killed program, whose runs are long enough")
