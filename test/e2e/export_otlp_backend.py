"""A receiver of OpenTelemetry's protocol that others wrote shows what was sent: Arize Phoenix of build/python/exports."""
import atexit
import json
import os
import socket
import subprocess
import tempfile
import urllib.request
from collections import Counter
from datetime import datetime
from pathlib import Path

from support.exported_spans import exports_python, export, inference_trace, otlp_spans
from support.xsp_e2e import check, check_equal, clean_environment, has_module, skip, wait_until, work_folder

python = exports_python()
if not has_module(python, "phoenix"):
    skip("no Phoenix in build/python/exports: scripts/setup --frameworks all installs it")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


folder = work_folder()
trace = inference_trace()
port = free_port()
environment = clean_environment(PHOENIX_WORKING_DIR=folder / "phoenix", PHOENIX_PORT=port, PHOENIX_GRPC_PORT=free_port(),
                                PHOENIX_HOST="127.0.0.1", PHOENIX_TELEMETRY_ENABLED="false")  # fmt: skip
server = subprocess.Popen([python, Path(python).parent / "phoenix", "serve"], env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL)  # fmt: skip
atexit.register(lambda: (server.kill(), server.wait()))
url = f"http://127.0.0.1:{port}"


def get(path):
    try:
        with urllib.request.urlopen(url + path, timeout=20) as answer:
            return json.load(answer)
    except OSError:
        check(server.poll() is None, "Phoenix ended")
        return None


def shown_spans():
    spans, cursor = [], ""
    while cursor is not None:
        page = get(f"/v1/projects/default/spans?limit=1000{cursor and '&cursor=' + cursor}")
        if page is None:
            return []
        spans += page["data"]
        cursor = page["next_cursor"]
    return spans


wait_until(lambda: get("/v1/projects"), "Phoenix listens", 400)
said = export(trace, "--otlp", url, "--otlp-level", "device")
export(trace, "--export", "otlp-json=a.jsonl")
sent = otlp_spans("a.jsonl")
wait_until(lambda: len(shown_spans()) >= len(sent), f"Phoenix shows {len(sent)} spans; xsp-report said: {said}", 60)
shown = {(span["context"]["trace_id"], span["context"]["span_id"]): span for span in shown_spans()}
check_equal(set(shown), set(sent), "ids")


def microseconds(text):
    return round(datetime.fromisoformat(text).timestamp() * 1e6)


for key, span in sent.items():
    there = shown[key]
    check_equal(there["name"], span["name"], "name")
    check_equal(there["parent_id"], span.get("parentSpanId"), f"parent of {span['name']}")
    check_equal(there["attributes"]["xsp.level"], span["tags"]["xsp.level"], f"level of {span['name']}")
    # Phoenix keeps microseconds.
    for time, sent_time in (("start_time", "startTimeUnixNano"), ("end_time", "endTimeUnixNano")):
        away = abs(microseconds(there[time]) - int(span[sent_time]) / 1000)
        check(away <= 1.5, f"{time} of {span['name']} is {away} µs away")
