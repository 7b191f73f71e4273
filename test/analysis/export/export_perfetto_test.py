"""Perfetto exports of real profiles keep Perfetto's rules and hold every span: export_perfetto_test.py XSP_IMPORT XSP_REPORT
SOURCE_ROOT.
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from exported_profiles import *  # noqa: E402
from imported_trace import KERNEL, MEMCPY, MEMSET, read_trace  # noqa: E402
from perfetto_trace import PerfettoTrace  # noqa: E402

IMPORT, REPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:4]]
REALTIME = 1

with tempfile.TemporaryDirectory() as folder:
    for path in recordings(ROOT, ["tl_vit_h100", "resnet50_v100_workers0_a", "hta_sampled_rank0", "hta_cpu_only"]):
        name, trace, output = os.path.basename(path), os.path.join(folder, "t.pb"), os.path.join(folder, "t.pftrace")
        run(IMPORT, "-f", "-q", "-o", trace, path)
        run(REPORT, "-q", trace, "--export", "perfetto=" + output)
        imported = read_trace(trace)
        exported = PerfettoTrace(open(output, "rb").read())
        check(not exported.problems, f"{name}: {exported.problems[:5]}")
        check(exported.primary_clock == REALTIME, f"{name}: clock {exported.primary_clock}")
        spans = imported.spans + imported.executions
        check(len(exported.slices) == len(spans), f"{name}: {len(exported.slices)} slices of {len(spans)} spans")
        offsets = {s.begin for s in exported.slices}
        shift = min(offsets) - min(s.begin for s in spans)
        ours = sorted((s.begin - shift, s.end - shift) for s in exported.slices)
        check(ours == sorted((s.begin, s.end) for s in spans), f"{name}: times differ")
        work = [e for e in imported.executions if e.kind in (KERNEL, MEMCPY, MEMSET)]
        streams = [s for s in exported.slices if exported.tracks[s.track]["name"].startswith("stream") and
                   not exported.tracks[s.track]["name"].endswith(("waits", "ranges"))]  # fmt: skip
        check(len(streams) == len(work), f"{name}: {len(streams)} slices of streams, {len(work)} executions")
        check(all(s.depth == 0 for s in streams), f"{name}: an execution lies in another one")
        launched = [e for e in imported.executions if e.launch]
        check(len(exported.flows) == len(launched), f"{name}: {len(exported.flows)} flows, {len(launched)} launches")
        # A flow ends where it was told to, at what its launch launched.
        launches = {flow: s for s in exported.slices for kind, flow in s.flows if kind == 47}
        for s in exported.slices:
            for kind, flow in s.flows:
                if kind == 48:
                    check(launches[flow].annotations.get("correlation") == s.annotations.get("correlation"),
                          f"{name}: flow {flow} joins two correlation ids")  # fmt: skip
        known = [s for s in streams if "layer_index" in s.annotations]
        check(known or not work, f"{name}: no execution has a layer")
        print(f"{name}: {len(exported.slices)} slices on {len(exported.tracks)} tracks, {len(exported.flows)} flows")
