"""A child with AddressSanitizer that sets options of its own starts and is recorded; so does a program that has the runtime
preloaded, by the user before xsp-run or by itself, on either side of the guest; and an instrumented library in a Python is
checked as without XSP."""
import os

from support.built_programs import SPANS, built, own_words, sanitized, skip_instrumented_build
from support.xsp_e2e import SYSTEM_PYTHON, check, check_equal, clean_environment, run, skip, work_folder, xsp_run

LIBRARY = "#include <stdlib.h>\nint at(int i) { int* p = calloc(4, sizeof *p); int value = p[i]; free(p); return value; }\n"
PYTHON = "import ctypes, sys; print(ctypes.CDLL('./libat.so').at(int(sys.argv[1])))"

skip_instrumented_build()
folder = work_folder()
program = sanitized("gcc", "-fsanitize=address")
if program is None:
    skip("gcc with AddressSanitizer")

script = f"ASAN_OPTIONS=exitcode=7:verify_asan_link_order=1 {program} leak; echo $?; ASAN_OPTIONS=detect_leaks=0 {program} leak; echo $?"
done = xsp_run("sh", "-c", script).check_success()
check_equal(done.stdout.decode().split("\n")[1::2], ["7", "0"], "exit statuses of the children")
check_equal(own_words(done.stderr).count("ERROR: "), 1, f"reports:\n{done.stderr}")
check_equal(len(done.trace.spans), 2 * SPANS, "spans of the children")

runtime = run("gcc", "-print-file-name=libasan.so").stdout.decode().strip()
runtime = os.path.realpath(runtime)
if built("libat.so", LIBRARY, "-shared", "-fPIC", "-g", "-fsanitize=address") is None or not os.path.isabs(runtime):
    skip("the shared runtime of AddressSanitizer")
plain = sanitized("gcc")
quiet = {"ASAN_OPTIONS": "detect_leaks=0"}  # Python leaks at its end, and so may anybody's
for name, environment, child in (("by the user", {"LD_PRELOAD": runtime}, None),
                                 ("in front by the program", {}, f'LD_PRELOAD="{runtime}:$LD_PRELOAD"'),
                                 ("behind by the program", {}, f'LD_PRELOAD="$LD_PRELOAD:{runtime}"')):  # fmt: skip
    env = clean_environment(**quiet, **environment)

    def started(*command):
        return ["sh", "-c", f'{child} exec "$@"', "sh", *command] if child else list(command)

    done = xsp_run(*started(plain), env=env).check_success()
    check_equal((own_words(done.stderr), len(done.trace.spans)), ("", SPANS), f"{name}: a program under the runtime")
    inside = xsp_run(*started(SYSTEM_PYTHON, "-c", PYTHON, 3), env=env).check_success()
    check_equal((inside.stdout, own_words(inside.stderr)), (b"0\n", ""), f"{name}: a library without fault in a Python")
    beyond = xsp_run(*started(SYSTEM_PYTHON, "-c", PYTHON, 4), env=env)
    check("heap-buffer-overflow" in beyond.stderr and beyond.returncode == 1, f"{name}: one with a fault\n{beyond.stderr}")
