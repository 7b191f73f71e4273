"""The icicle of a page has the sums of the tables, on recordings: icicle_on_recordings_test.py XSP_IMPORT XSP_REPORT
SOURCE_ROOT. Each layer type A6's latency, each layer A2's and A11's kernel time, the whole A15's. Skipped where the
recordings are not at hand.
"""
import base64
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from imported_trace import shared_data  # noqa: E402

IMPORT, REPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:4]]
FOLDER = os.path.join(shared_data(ROOT), "kineto")
RECORDINGS = ["resnet50_v100_workers0_a", "tl_vit_h100"]


def report(*arguments):
    return subprocess.run([REPORT, "-q", *arguments], check=True, stdout=subprocess.PIPE).stdout.decode()


def icicle_of(trace, folder):
    path = os.path.join(folder, "page.html")
    report(trace, "--html", "-o", path)
    with open(path, encoding="utf-8") as file:
        page = file.read()
    packed = re.search(r'id="xsp-icicle">([^<]*)<', page).group(1)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def sums(icicle, kind, measure, key):
    nodes = icicle["nodes"]
    found = defaultdict(float)
    for i, each in enumerate(nodes["kind"]):
        if icicle["kinds"][each] == kind and nodes[measure][i] is not None:
            found[icicle["texts"][nodes["name"][i]] if key == "name" else nodes[key][i]] += nodes[measure][i]
    return found


def table_sums(table, key, value):
    names = [column["name"] for column in table["columns"]]
    found = defaultdict(float)
    for row in table["rows"]:
        found[row[names.index(key)]] += row[names.index(value)] or 0
    return found


def check(name, what, got, expected):
    for key, time in expected.items():
        # Nine digits are in a page.
        if abs(got.get(key, 0) - time) > 1e-6 * max(time, 1e-6):
            sys.exit(f"{name}: {what} of {key!r}: {got.get(key)} ms in the icicle, {time} ms in the table")


recordings = [name for name in RECORDINGS if os.path.exists(os.path.join(FOLDER, name + ".json.gz"))]
if not recordings:
    print(f"skipped: no recordings in {FOLDER}")
    sys.exit(77)
for name in recordings:
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.pb")
        subprocess.run([IMPORT, "-q", "-o", trace, os.path.join(FOLDER, name + ".json.gz")], check=True)
        icicle = icicle_of(trace, folder)
        tables = json.loads(report(trace, "--format", "json", "-a", "A2,A6,A11,A15"))
    check(name, "latency", sums(icicle, "type", "latency", "name"), table_sums(tables["A6"], "type", "latency_ms"))
    check(name, "latency", sums(icicle, "layer", "latency", "layer"), table_sums(tables["A2"], "index", "latency_ms"))
    layers = table_sums(tables["A11"], "layer_index", "kernel_latency_ms")
    layers.pop(None, None)
    check(name, "kernel time", sums(icicle, "layer", "kernel", "layer"), layers)
    whole = table_sums(tables["A15"], "batch_size", "kernel_latency_ms")
    check(name, "kernel time", {key: icicle["nodes"]["kernel"][0] for key in whole}, whole)
    print(f"{name}: {len(icicle['nodes']['kind'])} parts agree with the tables")
