"""What layers cost a program on ONNX Runtime's C API: ort_c_overhead.py BUILD LIBRARY MODEL INPUT SIZES RUNS ROUNDS

Interleaved: alone, with ORT's own profile of the session, under xsp-run with layers, and at level model. Prints medians over
the rounds of the median run in microseconds (wall clock, processor's time of the calling thread) and ratios of these."""
import os
import statistics
import subprocess
import sys
import tempfile

build, library, model, name, sizes, runs, rounds = sys.argv[1:]
host = [f"{build}/test/fake_onnxruntime/ort_host", os.path.abspath(model), name, sizes]
under = [os.path.abspath(f"{build}/inject/launch/xsp-run"), "-q", "-f", "-o", "trace.pb"]
host[0] = os.path.abspath(host[0])
timed = f"time:{runs}"
ways = {
    "alone": [*host, "create", timed],
    "own profile": [*host, "profile-options", "create", timed, "end-profile"],
    "layers": [*under, "--", *host, "create", timed],
    "level model": [*under, "--level", "model", "--", *host, "create", timed],
}
environment = {**os.environ, "ORT_LIBRARY": library, "ORT_HOST_API": "16"}
found = {way: [] for way in ways}
with tempfile.TemporaryDirectory() as folder:
    for _ in range(int(rounds)):
        for way, command in ways.items():
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
            found[way].append([float(number) for number in done.stdout.splitlines()[0].split()])
for column, clock in enumerate(("wall clock", "processor")):
    middle = {way: statistics.median(pair[column] for pair in pairs) for way, pairs in found.items()}
    print(f"{clock}: " + ", ".join(f"{way} {value:.1f} us" for way, value in middle.items()))
    for way, base in (("own profile", "alone"), ("layers", "own profile"), ("level model", "alone")):
        ratios = [a[column] / b[column] for a, b in zip(found[way], found[base])]
        print(f"  {way} / {base}: {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")
