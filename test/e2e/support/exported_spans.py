"""For the tests of exports: a trace with known kernels, its exports, and what the tables say about it."""
import json
import os

from .fake_cuda import fake, run_on_device
from .xsp_e2e import BUILD, SOURCE, XSP_REPORT, check, clean_environment, has_module, report, run, skip


def inference_trace(evaluations=5):
    """The trace of the stand-in program that evaluates a model."""
    return run_on_device(fake("inference"), evaluations).check_success().done.path


def export(trace, *options, env=None):
    done = run(XSP_REPORT, trace, *options, env=env)
    check(done.returncode == 0, f"xsp-report {options}: exit status {done.returncode}: {done.stderr.decode()}")
    return done.stderr.decode()


def table_rows(trace, name, *options):
    table = report(trace, "-a", name, *options)[name]
    columns = [column["name"] for column in table["columns"]]
    return [dict(zip(columns, row)) for row in table["rows"]]


def exports_python():
    """A Python with pyarrow and DuckDB."""
    python = os.environ.get("XSP_EXPORTS_PYTHON", str(BUILD / "python/exports/bin/python"))
    if not has_module(python, "pyarrow") or not has_module(python, "duckdb"):
        skip("no pyarrow and DuckDB in build/python/exports: scripts/setup --frameworks all installs them")
    return python


def attributes(span):
    found = {}
    for attribute in span["attributes"]:
        (kind, value), = attribute["value"].items()
        found[attribute["key"]] = int(value) if kind == "intValue" else value
    return found


def otlp_spans(path):
    """Spans of an OTLP/JSON file by (trace id, span id), with their scope and resource."""
    spans = {}
    for line in open(path, encoding="utf-8"):
        for resource in json.loads(line)["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    key = (span["traceId"], span["spanId"])
                    check(key not in spans, f"two spans with the id {key}")
                    spans[key] = {**span, "scope": scope["scope"]["name"], "resource": attributes(resource["resource"]),
                                  "tags": attributes(span)}  # fmt: skip
    return spans


PROTO = SOURCE / "test/e2e/support/otlp.proto"
