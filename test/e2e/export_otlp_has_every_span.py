"""--export otlp and otlp-json have every span with its parent, its launch and its times; protoc reads the protobuf."""
import shutil
import subprocess
from collections import Counter
from pathlib import Path

from support.exported_spans import PROTO, export, inference_trace, otlp_spans, table_rows
from support.trace_reader import read_trace
from support.xsp_e2e import check, check_equal, skip, work_folder

work_folder()
trace = inference_trace()
export(trace, "--export", "otlp=a.otlp", "--export", "otlp-json=a.jsonl")
export(trace, "--export", "otlp=b.otlp", "--export", "otlp-json=b.jsonl")
check(Path("a.otlp").read_bytes() == Path("b.otlp").read_bytes(), "a second export differs")
check(Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes(), "a second export differs")

spans = otlp_spans("a.jsonl")
recorded = read_trace(trace)
check_equal(len(spans), len(recorded.spans) + len(recorded.executions), "spans")
by_level = Counter(span["tags"]["xsp.level"] for span in spans.values())
check(by_level["device"] > 0 and by_level["layer"] > 0 and by_level["model"] > 0, f"levels: {by_level}")

for (trace_id, span_id), span in spans.items():
    parent = span.get("parentSpanId")
    check(parent is None or (trace_id, parent) in spans, f"the parent of {span['name']} is not in its trace")
    for link in span.get("links", []):
        check((link["traceId"], link["spanId"]) in spans, f"a link of {span['name']} leads nowhere")
    if span["tags"]["xsp.kind"] != "kernel":
        continue
    links = {link["attributes"][0]["value"]["stringValue"]: (link["traceId"], link["spanId"]) for link in span["links"]}
    check_equal(spans[links["launch"]]["tags"]["xsp.level"], "runtime", f"what launched {span['name']}")
    check_equal(spans[links["launch"]]["tags"]["xsp.correlation"], span["tags"]["xsp.correlation"], "correlation id")
    if "xsp.layer.index" in span["tags"]:
        above = spans[trace_id, parent]
        check_equal(above["tags"]["xsp.level"], "layer", f"the parent of {span['name']}")
        check_equal(above["tags"]["xsp.layer.index"], span["tags"]["xsp.layer.index"], "index of the layer")

roots = [span for span in spans.values() if span["tags"]["xsp.level"] == "model" and "xsp.evaluation" in span["tags"]]
check_equal(len({span["traceId"] for span in roots}), len(roots), "traces of evaluations")

kernels = Counter()
for span in spans.values():
    if span["tags"]["xsp.kind"] == "kernel":
        kernels[span["name"]] += int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"])
table = Counter()
for row in table_rows(trace, "A10", "--per", "trace"):
    table[row["kernel_name"]] += round(row["latency_ms"] * 1e6)
check_equal(kernels, table, "sums of kernels")

if shutil.which("protoc") is None:
    skip("no protoc; the rest holds")
protoc = ["protoc", f"--proto_path={PROTO.parent}", PROTO.name]
text = subprocess.run([*protoc, "--decode=TracesData"], stdin=open("a.otlp", "rb"), capture_output=True, check=True).stdout
again = subprocess.run([*protoc, "--encode=TracesData"], input=text, capture_output=True, check=True).stdout
check(again == Path("a.otlp").read_bytes(), "protoc writes other bytes than it read: unknown or wrong fields")
check_equal(text.count(b"    spans {"), len(spans), "spans that protoc reads")
check(b"\n  1: " not in text and b"\n17: " not in text, "fields without a name")
