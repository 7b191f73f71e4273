"""What HolisticTraceAnalysis says about a recording, as one line of JSON after its other output; for its own interpreter:
hta_figures.py [--read] FILE. With --read it only reads the file, for the benchmark.
"""
import json
import sys

from hta.trace_analysis import TraceAnalysis

analysis = TraceAnalysis(trace_files={0: sys.argv[-1]}, trace_dir="/", include_last_profiler_step=True)
if sys.argv[1] == "--read":
    sys.exit()
types, _ = analysis.get_gpu_kernel_breakdown(visualize=False)
temporal = analysis.get_temporal_breakdown(visualize=False).iloc[0]
idle, _ = analysis.get_idle_time_breakdown(ranks=[0], visualize=False)
overlap = float(analysis.get_comm_comp_overlap(visualize=False).iloc[0]["comp_comm_overlap_pctg"])
print(json.dumps({
    "types": {row["kernel_type"]: int(row["sum"]) for _, row in types.iterrows()},
    "kernel_time": int(temporal["kernel_time(us)"]),
    "idle": int(temporal["idle_time(us)"]),
    "compute": int(temporal["compute_time(us)"]),
    "overlap_pct": None if overlap != overlap else overlap,  # no communication: no number
    "idle_of_streams": {int(stream): int(rows["idle_time"].sum()) for stream, rows in idle.groupby("stream")},
}))  # fmt: skip
