"""Names that are no text, very long or full of quotes reach OTLP, SQLite and Parquet as valid UTF-8; an empty trace is exported
too."""
import json
import os
import shutil
import sqlite3
import subprocess

from support.exported_spans import PROTO, export, otlp_spans
from support.xsp_e2e import BUILD, SOURCE, XSP_REPORT, check, check_equal, clean_environment, has_module, run, skip, work_folder

NAMES = [
    b"plain",
    b"<script>alert('1')</script>\"; DROP TABLE spans; --",
    b"line\nbreak\ttab\x00zero\x1b[31m\x7f",
    b"\xff\xfe not UTF-8 \xc3\x28",
    "\u202eright to left \U0001f600".encode(),
    b"x" * 100_000,
]

if shutil.which("protoc") is None:
    skip("no protoc")
work_folder()


def text(data):
    return '"' + "".join(f"\\{byte:03o}" for byte in data) + '"'


def trace(path, names, spans=None):
    """Spans with these names one after another, or `spans` of the first name."""
    strings = "".join(f" text: {text(name)}" for name in names)
    named = range(1, len(names) + 1) if spans is None else [1] * spans
    columns = [
        ("begin", [10**9] + [1000] * (len(named) - 1)),
        ("duration", [500] * len(named)),
        ("id", [2] * len(named)),
        ("level_kind", [1 | 1 << 3] * len(named)),
        ("name", named),
    ]
    rows = " ".join(f"{column}: [{', '.join(map(str, values))}]" for column, values in columns)
    packets = ["packet { header { format_version: 1 producer: \"test\" trace_id: \"0123456789abcdef\" } }"]
    sequence = 0
    for body in [f"hello {{ protocol_version: 1 pid: 7 executable: {text(NAMES[3])} }}",
                 f"strings {{ first_id: 1 {strings} }}" if names else "",
                 f"spans {{ thread: 7 count: {len(named)} first_record: 0 record_count: {len(named)} {rows} }}" if names else "",
                 "process_end { how: GOODBYE }"]:  # fmt: skip
        if body:
            sequence += 1
            packets.append(f"packet {{ process: 1 sequence: {sequence} {body} }}")
    done = subprocess.run(["protoc", f"--proto_path={SOURCE / 'proto'}", "--encode=xsp.Trace", "trace.proto"],
                          input="\n".join(packets).encode(), capture_output=True)  # fmt: skip
    check(done.returncode == 0, done.stderr.decode())
    with open(path, "wb") as file:
        file.write(done.stdout)


trace("hostile.pb", NAMES)
trace("empty.pb", [])
expected = sorted(name.decode(errors="replace").replace("\ufffd", "") for name in NAMES)
formats = ["--export", "otlp=t.otlp", "--export", "otlp-json=t.jsonl", "--export", "sqlite=t.sqlite"]
export("hostile.pb", "-q", *formats)


def without_marks(names):
    return sorted(name.replace("\ufffd", "") for name in names)


check_equal(without_marks(span["name"] for span in otlp_spans("t.jsonl").values()), expected, "names in OTLP/JSON")
decoded = subprocess.run(["protoc", f"--proto_path={PROTO.parent}", PROTO.name, "--decode=TracesData"],
                         stdin=open("t.otlp", "rb"), capture_output=True)  # fmt: skip
check(decoded.returncode == 0 and b"UTF-8" not in decoded.stderr, f"protoc: {decoded.stderr}")
database = sqlite3.connect("t.sqlite")
check_equal(without_marks(name for (name,) in database.execute("SELECT name FROM spans")), expected, "names in SQLite")

python = os.environ.get("XSP_EXPORTS_PYTHON", str(BUILD / "python/exports/bin/python"))
if has_module(python, "pyarrow"):
    export("hostile.pb", "-q", "--export", "parquet=t.parquet", env=clean_environment(XSP_PYTHON=python))
    read = "import json, pyarrow.parquet as p; print(json.dumps(p.read_table('t.parquet')['name'].to_pylist()))"
    check_equal(without_marks(json.loads(run(python, "-c", read).stdout)), expected, "names in Parquet")
    export("empty.pb", "-q", "--export", "parquet=e.parquet", env=clean_environment(XSP_PYTHON=python))
    rows = run(python, "-c", "import pyarrow.parquet as p; print(p.read_table('e.parquet').num_rows)").stdout
    check_equal(rows, b"0\n", "rows of an empty trace")

export("empty.pb", "-q", "--export", "otlp=e.otlp", "--export", "otlp-json=e.jsonl", "--export", "sqlite=e.sqlite")
check_equal((os.path.getsize("e.otlp"), os.path.getsize("e.jsonl")), (0, 0), "an empty trace in OTLP")
check_equal(sqlite3.connect("e.sqlite").execute("SELECT count(*) FROM spans").fetchall(), [(0,)], "an empty trace")

# A file that browsers do not open, as all its names are long; the note of it is kept from who wants none.
trace("large.pb", [b"x" * 100_000], spans=2100)
check("browsers do not open" in export("large.pb", "--export", "chrome=/dev/null"), "no note of a large file")
check_equal(export("large.pb", "-q", "--export", "chrome=/dev/null"), "", "what --quiet says")
