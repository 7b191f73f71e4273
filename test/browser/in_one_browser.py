"""Runs tests of pages one after another in the same browser, as starting one takes longer than most tests. TAP on stdout:
a line for each test, with what it printed where it failed.

    in_one_browser.py TEST.py...
"""
import contextlib
import importlib
import io
import os
import runpy
import sys
import traceback
from pathlib import Path


FOLDER = os.path.dirname(os.path.abspath(__file__))


def forget_modules():
    """The tests' own modules, which a test may have changed. Returns the browser of the last one."""
    last = sys.modules.get("xsp_browser")
    for name, module in list(sys.modules.items()):
        if name != "__main__" and os.path.dirname(getattr(module, "__file__", None) or "") == FOLDER:
            del sys.modules[name]
    return last.Browser.shared if last is not None else None


def outcome_of(test):
    """(exit status, what was printed) of a test, which ends by sys.exit or at its last line."""
    browser = forget_modules()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            importlib.import_module("xsp_browser").Browser.shared = browser
            runpy.run_path(str(test), run_name="__main__")
            status = 0
        except SystemExit as end:
            status = 0 if end.code is None else end.code
        except Exception:
            traceback.print_exc()
            status = 1
    return status, printed.getvalue().strip()


def leave_browser():
    """A test that failed may have left its page in any state."""
    module = sys.modules.get("xsp_browser")
    if module is not None and module.Browser.shared is not None:
        with contextlib.suppress(Exception):
            module.Browser.shared.quit()
        module.Browser.shared = None


def main(tests):
    sys.path.insert(0, FOLDER)
    failures = 0
    print(f"1..{len(tests)}", flush=True)
    for number, test in enumerate(tests, 1):
        name = Path(test).stem
        status, printed = outcome_of(test)
        if status == 77:
            print(f"ok {number} - {name} # SKIP {printed.splitlines()[-1].removeprefix('skipped: ') if printed else ''}")
        elif status == 0:
            print(f"ok {number} - {name}")
        else:
            failures += 1
            print(f"not ok {number} - {name}")
            leave_browser()
        if status not in (0, 77):
            for line in printed.splitlines():
                print(f"# {line}")
        sys.stdout.flush()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
