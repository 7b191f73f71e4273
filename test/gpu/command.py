"""The command line of scripts/gpu-acceptance: which checks, when, and what is printed and left."""
import argparse
import os
import re
import shutil
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import bundle_folder
import check_environment
from acceptance import SOURCE, Acceptance, default_python
from checks import CHECKS, chosen
from verdict import FAILED, NOT_SEEN, OK, SKIPPED, CheckVerdicts, Verdicts, as_json, in_order, markdown, text_table

NO_GPU = 77
USAGE = 2
SHARE_OF_TIME_ALONE = 0.3  # of the budget, kept for the checks that run alone
LAST_SECONDS = 10  # kept for the table


def seconds(text):
    """480, 480s or 8m."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([sm]?)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text} is no time: 8m, 480s")
    return float(found[1]) * (60 if found[2] == "m" else 1)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/gpu-acceptance", description="Checks XSP on this machine's GPU.",
                                     epilog="Exit status: 0 all is well, 1 something failed, 77 there is no GPU.")
    parser.add_argument("--bundle", help="archive of scripts/bundle, or its folder (default: the newest in dist/)")
    parser.add_argument("--output", default=str(SOURCE / "build/gpu-acceptance"), help="folder for the table and the traces")
    parser.add_argument("--only", help="checks, separated by commas; eager stands for eager_resnet50, eager_transformer")
    parser.add_argument("--list", action="store_true", help="say which checks there are")
    parser.add_argument("--budget", type=seconds, default=480.0, help="time for all of it (default: 8m)")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda",
                        help="cpu: run the same programs without a GPU, to try this script")
    parser.add_argument("--python", default=default_python(), help="the Python with PyTorch (default: this one)")
    parser.add_argument("--keep", action="store_true", help="keep the folder in which the programs ran")
    return parser.parse_args(arguments)


class Course:
    """Runs the checks: side by side, then those that have to be alone."""

    def __init__(self, acceptance, verdicts, say):
        self.acceptance, self.verdicts, self.say = acceptance, verdicts, say
        self._done = set()

    def run(self, checks):
        together = [check for check in checks if not check.alone]
        alone = [check for check in checks if check.alone]
        budget = self.acceptance.running.left()
        end = time.monotonic() + budget * (1 - SHARE_OF_TIME_ALONE if alone and together else 1) - LAST_SECONDS
        workers = max(2, min(8, (os.cpu_count() or 2) // 2))
        pool = ThreadPoolExecutor(workers)
        futures = [pool.submit(self._run, check, end) for check in together]
        wait(futures, timeout=max(1.0, end - time.monotonic()))
        for future in futures:
            future.cancel()
        # Whatever still runs would disturb what comes now.
        self.acceptance.running.end_all()
        wait(futures, timeout=5)
        for check in alone:
            thread = threading.Thread(target=self._run, args=(check, self.acceptance.running.deadline), daemon=True)
            thread.start()
            thread.join(max(1.0, self.acceptance.running.left() - LAST_SECONDS / 2))
            self.acceptance.running.end_all()
        for check in checks:
            if check.name not in self._done:
                CheckVerdicts(self.verdicts, check.name).fail("all of it", "an end", "the time was over")

    def _run(self, check, end):
        begin = time.monotonic()
        self.acceptance.running.end_thread_at(end)
        self.say(f"{check.name}: {check.what}")
        verdicts = CheckVerdicts(self.verdicts, check.name)
        try:
            check.run(self.acceptance, verdicts, *check.arguments)
        except Exception as error:  # costs this check only
            where = traceback.extract_tb(error.__traceback__)[-1]
            verdicts.fail("all of it", "an end", f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})")
        self._done.add(check.name)
        self.say(f"{check.name}: done in {time.monotonic() - begin:.0f} s")


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
            print(f"{check.name:<20} {check.what}{' (alone)' if check.alone else ''}")
        return
    checks = checks_of(options)
    begin = time.monotonic()
    given = options.bundle or bundle_folder.newest(SOURCE)
    if not given:
        fail("no bundle", "scripts/bundle makes one in dist/; --bundle names one")
    output = Path(options.output).resolve()
    work = Path(tempfile.mkdtemp(prefix="xsp-gpu-"))
    status = 1
    try:
        output.mkdir(parents=True, exist_ok=True)
        bundle = bundle_folder.unpack(given, work / "bundle")
        status = run_all(options, checks, bundle, work, output, begin)
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


def run_all(options, checks, bundle, work, output, begin):
    lock = threading.Lock()

    def say(text):
        with lock:
            print(f"[{time.monotonic() - begin:5.0f} s] {text}", flush=True)

    acceptance = Acceptance(bundle, work, output, options.device, options.python, begin + options.budget, say)
    device = check_environment.find_device(acceptance)
    if options.device == "cuda" and not device.get("count"):
        print(f"no GPU here: {device.get('why', 'the driver has no device')}; --device cpu tries the programs without one")
        return NO_GPU
    acceptance.facts["GPU"] = f"{device['name']} ({device['count']})" if device.get("count") else "none"
    acceptance.facts["CUDA of the driver"] = device.get("cuda", "–")
    acceptance.facts["driver"] = device.get("driver", "–")
    verdicts = Verdicts(lambda row: row.verdict == FAILED and say(f"FAILED {row.check}: {row.subject}: asked {row.asked}, "
                                                                 f"seen {row.seen} ({row.why[:300]})"))
    Course(acceptance, verdicts, say).run(checks)
    rows = in_order(list(verdicts.rows), [check.name for check in CHECKS])
    acceptance.facts["took"] = f"{time.monotonic() - begin:.0f} s"
    facts = list(acceptance.facts.items())
    print()
    print("\n".join(f"{name}: {value}" for name, value in facts))
    print()
    print(text_table(rows))
    print(", ".join(f"{verdicts.count(v)} {v}" for v in (OK, FAILED, SKIPPED, NOT_SEEN)))
    acceptance.write_results(markdown(rows, facts), as_json(rows, facts))
    return verdicts.exit_status()
