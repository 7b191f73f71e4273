"""The command line of scripts/gpu-acceptance: which checks, on what, and what is printed and left."""
import argparse
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import bundle_folder
import check_environment
from acceptance import SOURCE, Acceptance, default_python
from checks import CHECKS, STAGES, chosen
from course import Course
from evidence import Evidence
from results import Earlier, Results, ResultsError
from verdict import FAILED, Verdicts, exit_status, last_line, text_table

NO_GPU = 77
USAGE = 2
MUST_RUN = ("known_kernels",)  # where there is a GPU: what nothing can be said without
PRINTED_AT_ONCE = {check.name for check in CHECKS if check.stage in ("facts", "recorder", "smoke")}


def seconds(text):
    """480, 480s or 8m."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([sm]?)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text} is no time: 8m, 480s")
    return float(found[1]) * (60 if found[2] == "m" else 1)


def program_path(text):
    """Programs run in a folder of their own. A virtual environment's Python is the link, not what it leads to."""
    return os.path.abspath(text) if os.sep in text else text


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/gpu-acceptance", description="Checks XSP on this machine's GPU.",
                                     epilog="Exit status: 0 all is well, 1 something failed, 3 nothing did, but known_kernels was "
                                            "skipped on a GPU, 77 there is no GPU.")
    parser.add_argument("--bundle", help="archive of scripts/bundle, or its folder (default: the newest in dist/)")
    parser.add_argument("--output", default=str(SOURCE / "build/gpu-acceptance"), help="folder for the table and the traces")
    parser.add_argument("--only", help="checks, separated by commas; eager stands for eager_resnet50, eager_transformer")
    parser.add_argument("--list", action="store_true", help="say which checks there are")
    parser.add_argument("--budget", type=seconds, default=540.0, help="time for all of it (default: 9m)")
    parser.add_argument("--continue", dest="earlier", metavar="DIR",
                        help="run what the run that left this folder (or verdict.json) has not come to an end with")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda",
                        help="cpu: run the same programs without a GPU, to try this script")
    parser.add_argument("--python", type=program_path, default=default_python(), help="the Python with PyTorch (default: this one)")
    parser.add_argument("--cores", action="store_true",
                        help="have the whole system write cores into our folder: for machines that are thrown away")
    parser.add_argument("--keep", action="store_true", help="keep the folder in which the programs ran")
    return parser.parse_args(arguments)


def fail(what, hint):
    print(f"scripts/gpu-acceptance: error: {what}\nhint: {hint}", file=sys.stderr)
    sys.exit(USAGE)


def checks_of(options):
    if not options.only:
        return CHECKS
    checks, unknown = chosen([name.strip() for name in options.only.split(",") if name.strip()])
    if unknown or not checks:
        fail(f"no check is called {', '.join(unknown) or options.only}", "--list names them")
    return checks


def main(arguments=None):
    options = parse(arguments)
    if options.list:
        for check in CHECKS:
            print(f"{check.name:<29} {check.stage:<9} {check.what}")
        return
    checks = checks_of(options)
    begin = time.monotonic()
    given = options.bundle or bundle_folder.newest(SOURCE)
    if not given:
        fail("no bundle", "scripts/bundle makes one in dist/; --bundle names one")
    try:
        earlier = Earlier(options.earlier) if options.earlier else None
    except ResultsError as error:
        fail(error, "--continue takes the folder that an earlier run has left")
    checks = [check for check in checks if earlier is None or earlier.is_to_run(check.name)]
    output = Path(options.output).resolve()
    work = Path(tempfile.mkdtemp(prefix="xsp-gpu-"))
    status = 1
    signal.signal(signal.SIGTERM, end_early)
    try:
        output.mkdir(parents=True, exist_ok=True)
        bundle = bundle_folder.unpack(given, work / "bundle")
        status = run_all(options, checks, bundle, work, output, begin, earlier)
    except (bundle_folder.BundleError, OSError) as error:
        print(f"scripts/gpu-acceptance: error: {error}", file=sys.stderr)
        status = USAGE
    finally:
        if options.keep:
            print(f"the programs ran in {work}")
        else:
            shutil.rmtree(work, ignore_errors=True)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)  # a check that hangs has a thread that would not end


def end_early(*_):
    """What has been seen is still written."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


class Printing:
    """Lines with the time since the begin. Any thread may print."""

    def __init__(self, begin):
        self.begin, self._lock = begin, threading.Lock()

    def say(self, text):
        with self._lock:
            print(f"[{time.monotonic() - self.begin:5.0f} s] {text}", flush=True)

    def row(self, row):
        """What fails, and all of the first stages."""
        if row.verdict == FAILED:
            self.say(f"FAILED {row.check}: {row.subject}: asked {row.asked}, seen {row.seen} ({row.why[:400]})")
        elif row.check in PRINTED_AT_ONCE:
            self.say(f"{row.verdict} {row.check}: {row.subject}: {row.seen}" + (f" ({row.why[:200]})" if row.why else ""))


def run_all(options, checks, bundle, work, output, begin, earlier):
    printing = Printing(begin)
    evidence = Evidence(work, output)
    acceptance = Acceptance(bundle, work, options.device, options.python, begin + options.budget, printing.say, evidence)
    device = check_environment.find_device(acceptance)
    if options.device == "cuda" and not device.get("count"):
        print(f"no GPU here: {device.get('why', 'the driver has no device')}; --device cpu tries the programs without one")
        return NO_GPU
    acceptance.facts["GPU"] = f"{device['name']} ({device['count']})" if device.get("count") else "none"
    acceptance.facts["CUDA of the driver"] = device.get("cuda", "–")
    acceptance.facts["driver"] = device.get("driver", "–")
    acceptance.running.cores.enable()
    if options.cores and not acceptance.running.cores.redirect():
        printing.say("--cores: core_pattern cannot be written")
    verdicts = Verdicts(printing.row)
    results = Results(output, [check.name for check in CHECKS], [check.name for check in checks], verdicts, acceptance, earlier)
    try:
        Course(acceptance, verdicts, results, printing.say).run(STAGES, checks)
    except KeyboardInterrupt:
        printing.say("ended before the end")
    acceptance.facts["took"] = f"{time.monotonic() - begin:.0f} s"
    results.write_all()
    rows = results.rows()
    must_run = MUST_RUN if acceptance.has_gpu else ()
    print()
    print("\n".join(f"{name}: {value}" for name, value in results.facts()))
    print()
    print(text_table(rows))
    print(last_line(rows, must_run))
    return exit_status(rows, must_run)
