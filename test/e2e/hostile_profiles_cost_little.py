"""Profiles and traces made to exhaust: decompression bombs, nesting without end, counts of 2^31, lengths beyond the file.
xsp-import and xsp-report refuse or read each within a bound on memory and time, and say so in a line."""
import gzip
import os
import resource
import shutil
import struct
import subprocess
import time

from support.wire_bytes import blob, number, varint
from support.xsp_e2e import BUILD, XSP_REPORT, check, clean_environment, work_folder

XSP_IMPORT = BUILD / "import/xsp-import"
MEMORY_MIB = 700
SECONDS = 60
folder = work_folder()


def bounded(what, *command):
    """Runs the command; it may take so much memory, as the kernel counts it, and so long."""
    begin = time.monotonic()
    pid = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           env=clean_environment())  # fmt: skip
    _, errors = pid.communicate(timeout=SECONDS * 2)
    seconds = time.monotonic() - begin
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    errors = errors.decode(errors="replace")
    print(f"{what}: status {pid.returncode}, {seconds:.1f} s, at most {most} MiB so far: {errors.strip()[:160]}")
    check(pid.returncode >= 0, f"{what}: killed by signal {-pid.returncode}: {errors}")
    check("Sanitizer" not in errors and "terminate called" not in errors, f"{what}: {errors[:2000]}")
    check(most < MEMORY_MIB, f"{what}: {most} MiB")
    check(pid.returncode == 0 or "error: " in errors or "warning: " in errors, f"{what}: no word of it: {errors}")
    return pid.returncode, errors


def write(name, data):
    (folder / name).write_bytes(data)
    return folder / name


def imported(what, path, *options):
    return bounded(what, XSP_IMPORT, path, *options, "-f", "-o", folder / "out.pb")


# Bombs: 200 MB of blanks and of zeros, in front of what a profile begins with.
head = b'{"schemaVersion": 1, "traceEvents": ['
for name, filler in (("blanks", b" "), ("zeros", b"\0"), ("events", b'{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1},')):
    with gzip.open(folder / f"{name}.json.gz", "wb", compresslevel=6) as file:
        file.write(head)
        block = filler * ((1 << 20) // len(filler))
        for _ in range(192 if name != "events" else 20):
            file.write(block)
    imported(f"bomb of {name}", folder / f"{name}.json.gz")
if shutil.which("zstd"):
    zeros = subprocess.Popen(["head", "-c", str(1 << 30), "/dev/zero"], stdout=subprocess.PIPE)
    with open(folder / "zeros.json.zst", "wb") as file:
        subprocess.run(["zstd", "-q", "-3", "-c"], stdin=zeros.stdout, stdout=file)
    zeros.wait()
    imported("bomb of zstd", folder / "zeros.json.zst", "--from", "kineto")
# A window of 2 GiB that the decoder would have to keep.
imported("zstd, a window of 2 GiB", write("window.zst", b"\x28\xb5\x2f\xfd\x00\xa8" + b"\x01\x00\x00" * 10), "--from", "kineto")

# Nesting.
for name, text in (("arrays", b"[" * 2_000_000), ("objects", b'{"a":' * 1_000_000),
                   ("in an event", head + b'{"ph":"X","args":' + b'{"a":[' * 500_000)):  # fmt: skip
    for format_name in ("kineto", "jaeger", "otlp", "mxnet", "onnxruntime", "tensorflow"):
        imported(f"nested {name}, {format_name}", write("nested.json", text), "--from", format_name)
nested = b""
for _ in range(5000):
    nested = blob(1, nested)
for format_name in ("tensorflow", "xplane"):
    imported(f"nested messages, {format_name}", write("nested.pb", nested), "--from", format_name)
imported("nested pbtxt", write("nested.pbtxt", b"dev_stats { " * 500_000), "--from", "tensorflow")
(folder / "set").mkdir()
write("set/set.json", b"[" * 2_000_000)
bounded("set.json, nested", XSP_REPORT, folder / "set")

# Traces: counts and lengths that nothing stands behind.
trace_header = blob(1, blob(3, number(1, 1) + blob(2, b"test") + blob(3, b"0123456789abcdef")))
trace_hello = blob(1, number(1, 1) + number(2, 1) + blob(4, number(1, 1) + number(2, 7)))


def trace_of(*bodies):
    data = trace_header + trace_hello
    for i, (tag, content) in enumerate(bodies):
        data += blob(1, number(1, 1) + number(2, i + 2) + blob(tag, content))
    return data


many = number(1, 7) + number(2, 0) + number(3, 0) + number(4, 1 << 31) + number(5, 1 << 31) + number(6, 1 << 31)
for name, body in (("2^31 spans", (6, many)), ("2^31 executions", (18, many)), ("2^31 arguments", (15, many)),
                   ("2^31 counters", (22, many)), ("strings from 2^32 - 1", (5, number(1, (1 << 32) - 1) + blob(2, b"x") * 3)),
                   ("a string id of 2^31", (5, number(1, 1 << 31) + blob(2, b"x"))),
                   ("a loss of 2^64 - 1", (10, number(1, 1) + number(2, (1 << 64) - 1)))):  # fmt: skip
    bounded(name, XSP_REPORT, "-a", "all", write("many.pb", trace_of(body)))
bounded("a packet of 2^62 bytes", XSP_REPORT, write("long.pb", trace_header + b"\x0a" + varint(1 << 62) + b"x"))
bounded("a packet of 2 GiB", XSP_REPORT, write("long.pb", trace_header + b"\x0a" + varint((1 << 31) - 1) + b"x"))
processes = b"".join(blob(1, number(1, i + 1) + number(2, 1) + blob(4, number(1, 1))) for i in range(100_000))
bounded("100,000 processes", XSP_REPORT, "-a", "all", write("processes.pb", trace_header + processes))
far = b"".join(blob(1, number(1, (1 << 32) - 1 - i) + number(2, 1) + blob(4, number(1, 1))) for i in range(1000))
bounded("process numbers near 2^32", XSP_REPORT, "-a", "all", write("far.pb", trace_header + far))

# SQLite: counts in the file's head, and pages that point to themselves.
page = bytearray(4096)
page[:16] = b"SQLite format 3\0"
page[16:24] = struct.pack(">HBBBBBB", 4096, 1, 1, 0, 64, 32, 32)[:8]
page[28:32] = struct.pack(">I", 0xFFFFFFFF)
page[100] = 5
page[103:105] = struct.pack(">H", 500)
page[108:112] = struct.pack(">I", 1)
imported("a database that points to itself", write("self.sqlite", bytes(page)), "--from", "nsight-systems")
os.unlink(folder / "blanks.json.gz")
