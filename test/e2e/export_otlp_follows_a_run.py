"""xsp-run --otlp sends the trace when the run is over, of a set all traces, and leaves the exit status alone."""
import gzip
import os

from support.exported_spans import export
from support.otlp_receiver import OtlpReceiver
from support.run_sets import MODEL
from support.xsp_e2e import SYSTEM_PYTHON, XSP_RUN, check, check_equal, run, work_folder

folder = work_folder()
receiver = OtlpReceiver()
(folder / "model.py").write_text(MODEL + "print('done')\nsys.exit(int(sys.argv[1]))\n")
(folder / "nothing.py").write_text("print('done')\n")


def profile(*options, status=0, script="model.py", url=receiver.url, answers=()):
    receiver.expect(list(answers))
    done = run(XSP_RUN, "-f", "--otlp", url, *options, "--", SYSTEM_PYTHON, script, str(status))
    check_equal(done.stdout, b"done\n" if done.returncode != 125 else b"", f"stdout; it said {done.stderr.decode()}")
    return done.returncode, receiver.requests, done.stderr.decode()


def sent(requests):
    return b"".join(gzip.decompress(body) for *_, body in requests)


def exported(trace):
    export(trace, "-q", "--export", "otlp=expected.otlp")
    return (folder / "expected.otlp").read_bytes()


status, requests, said = profile("-o", "one.pb")
check_equal(status, 0, f"exit status; it said {said}")
check(sent(requests) == exported("one.pb") != b"", "what is sent is not the trace")
check(f"spans to {receiver.url}" in said, f"what was sent is not told: {said}")

status, requests, said = profile("-o", "one.pb", status=3)
check_equal((status, len(requests)), (3, 1), "a program that fails is sent, and its status stays")

status, requests, said = profile("-q", "-o", "one.pb")
check_equal((status, len(requests), said), (0, 1, ""), "--quiet")

status, requests, said = profile("-o", "set", "--runs", "2")
check_equal(status, 0, f"exit status of a set; it said {said}")
check(sent(requests) == exported("set") != b"", "what is sent is not the set")
check(sent(requests).count(b"xsp.run.index") >= 2, "not all runs are sent")

# What goes wrong is said, and nothing else of it is seen.
status, requests, said = profile("-o", "one.pb", status=4, answers=[(400, {}, b"no room")])
check_equal((status, len(requests)), (4, 1), "a refusal")
check("400: no room" in said and f"one.pb --otlp {receiver.url}" in said, f"a refusal is not told: {said}")
status, requests, said = profile("-o", "none.pb", script="nothing.py")
check_equal((status, len(requests)), (0, 0), "a trace without spans")
check("nothing was sent: no spans" in said, f"that nothing was sent is not told: {said}")

# What cannot go well is refused before the program starts.
for options in (
    ("--collector", "socket", "--otlp", receiver.url),
    ("--otlp", "https://localhost"),
    ("--otlp", "localhost:4318"),
    ("--runs", "2", "--otlp", "localhost:4318"),
    ("--otlp", ""),
):
    before = sorted(os.listdir())
    done = run(XSP_RUN, *options, "--", "touch", "ran")
    check(done.returncode == 125 and b"--otlp" in done.stderr, f"{options}: {done.returncode} {done.stderr}")
    check_equal(sorted(os.listdir()), before, f"files of {options}")
receiver.stop()
status, requests, said = profile("-o", "one.pb")
check(status == 0 and "Connection refused" in said, f"nobody listens: {status} {said}")
