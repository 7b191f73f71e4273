"""In Chrome's and Perfetto's formats an arrow leads from each launch to each thing that it started, also from one launch of a
graph to all its nodes: as the driver itself wrote it down. (What it spent on a launch itself has an arrow too.)
"""
import json
import sys
from collections import Counter

from support.exported_spans import export
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import SOURCE, check, check_equal, work_folder

sys.path.insert(0, str(SOURCE / "test/analysis/support"))
from perfetto_trace import PerfettoTrace  # noqa: E402

KINDS = {"kernel": "kernel", "gpu_memcpy": "memcpy", "gpu_memset": "memset"}


def chrome_pairs(path):
    """(launch, kind, name of a kernel, stream, ns) as the flows join them."""
    events = json.load(open(path, encoding="utf-8"))["traceEvents"]
    slices = {}
    for event in events:
        if event["ph"] == "X" and (event["cat"].startswith("cuda_") or event["cat"] in KINDS or
                                   event["cat"] == "overhead"):  # fmt: skip
            key = (event["pid"], event["tid"], event["ts"])
            check(key not in slices, f"two events at {key}")
            slices[key] = event
    flows = [event for event in events if event["ph"] in "sf" and event["cat"] == "ac2g"]
    launches = {}
    for flow in flows:
        if flow["ph"] == "s":
            check(flow["id"] not in launches, f"flow {flow['id']} begins twice")
            launches[flow["id"]] = slices[flow["pid"], flow["tid"], flow["ts"]]
    pairs = Counter()
    for flow in flows:
        ran = slices[flow["pid"], flow["tid"], flow["ts"]]
        if flow["ph"] == "f" and ran["cat"] in KINDS:
            kind = KINDS[ran["cat"]]
            pairs[launches[flow["id"]]["name"], kind, ran["name"] if kind == "kernel" else "", ran["args"]["stream"],
                  round(ran["dur"] * 1000)] += 1  # fmt: skip
    check_equal(sum(pairs.values()), sum(event["cat"] in KINDS for event in slices.values()), "executions with a flow")
    return pairs


def perfetto_pairs(path):
    trace = PerfettoTrace(open(path, "rb").read())
    check_equal(trace.problems, [], "what Perfetto would not read")
    launches = {flow: slice for slice in trace.slices for kind, flow in slice.flows if kind == 47}
    pairs = Counter()
    for ran in trace.slices:
        for kind, flow in ran.flows:
            if kind == 48 and trace.tracks[ran.track]["name"].startswith("stream "):
                is_kernel = "grid" in ran.annotations
                stream = int(trace.tracks[ran.track]["name"].split()[1])
                pairs[launches[flow].name, is_kernel, ran.name if is_kernel else "", stream, ran.end - ran.begin] += 1
    return pairs


work_folder()
for words in ([], ["graph"], ["graph", "streams"]):
    outcome = run_on_device(fake("inference"), 4, *words).check_success()
    export(outcome.done.path, "--export", "chrome=t.json", "--export", "perfetto=t.pftrace")
    ran = [(line["api"], line["kind"], line["name"] if line["kind"] == "kernel" else "", line["stream"], line["duration"])
           for line in outcome.truth]  # fmt: skip
    check(len(ran) >= 40, f"the driver ran {len(ran)} things")
    check_equal(chrome_pairs("t.json"), Counter(ran), f"{words}: flows of Chrome's format")
    expected = Counter((api, kind == "kernel", *rest) for api, kind, *rest in ran)
    check_equal(perfetto_pairs("t.pftrace"), expected, f"{words}: flows of Perfetto's format")
