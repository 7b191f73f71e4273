"""A profile whose times were cut to whole microseconds nests as the one that it was cut from: whole_microseconds_test.py
XSP_IMPORT SOURCE_ROOT. Older versions of PyTorch's profiler cut begins and ends, or begins and durations; which of the
nanoseconds are lost differs with the origin of the clock. Skipped where the recording is not at hand.
"""
import gzip
import json
import os
import sys
import tempfile
from collections import Counter
from decimal import Decimal

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../analysis/support"))
from imported_trace import *  # noqa: E402

IMPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:3]]
RECORDING = os.path.join(shared_data(ROOT), "kineto", "tl_vit_h100.json.gz")
ORIGINS = [0, 137, 391, 500, 777]  # ns
PLACES = {OPERATOR: "operators", ANNOTATION: "operators", TORCH_MODULE: "modules", RUNTIME_CALL: "calls", DRIVER_CALL: "calls"}


def cut(events, origin, ends):
    """ns of 64 bits become whole microseconds."""
    for event in events:
        event = dict(event)
        if "ts" in event:
            begin = int(event["ts"] * 1000) + origin
            if "dur" in event:
                duration = int(event["dur"] * 1000)
                event["dur"] = (begin + duration) // 1000 - begin // 1000 if ends else duration // 1000
            event["ts"] = begin // 1000
        yield event


def key_of(span):
    return span.process, span.ring, span.id


def places(trace):
    """By what a span is (its name, and the how manieth of this name): what it lies in, Python functions left out."""
    turns, names = Counter(), {}
    for span in sorted(trace.spans, key=key_of):
        turns[span.name] += 1
        names[key_of(span)] = (span.name, turns[span.name])
    found = {}
    for span in trace.spans:
        if span.kind not in PLACES:
            continue
        parent = span.above
        # Calls of the runtime in one another are the same call, told twice.
        while parent is not None and parent.kind in (PYTHON_FUNCTION, RUNTIME_CALL, DRIVER_CALL):
            parent = parent.above
        found[names[key_of(span)]] = (span.kind, parent and names[key_of(parent)])
    return found


if not os.path.exists(RECORDING):
    skip("no recording of PyTorch's profiler")
with gzip.open(RECORDING) as file:
    profile = json.load(file, parse_float=Decimal)
expected = places(import_profile(IMPORT, RECORDING))
failures = []
with tempfile.TemporaryDirectory() as folder:
    for origin in ORIGINS:
        for ends in (True, False):
            path = os.path.join(folder, f"{origin}{ends}.json")
            with open(path, "w") as file:
                json.dump({"traceEvents": list(cut(profile["traceEvents"], origin, ends))}, file, default=str)
            got = places(import_profile(IMPORT, path))
            assert got.keys() == expected.keys(), "other spans"
            differ = Counter(PLACES[kind] for name, (kind, parent) in expected.items() if got[name][1] != parent)
            whole = Counter(PLACES[kind] for kind, parent in expected.values())
            print(f"origin {origin} ns, {'ends' if ends else 'durations'} cut: in another span", {w: f"{differ[w]} of {whole[w]}" for w in whole})
            for what, most in (("operators", 0.002), ("modules", 0), ("calls", 0.01)):
                if differ[what] > most * whole[what]:
                    failures.append(f"origin {origin}, ends {ends}: {differ[what]} of {whole[what]} {what} lie elsewhere")
if failures:
    sys.exit("\n".join(failures))
