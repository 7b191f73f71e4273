"""xsp-run --concurrency and xsp-bench --threads answer what cannot be done with one error and one hint, before the program runs,
and leave no file behind.
"""
import os

from support.xsp_e2e import BUILD, XSP_RUN, check, check_equal, clean_environment, run, work_folder

XSP_BENCH = BUILD / "inject/bench/xsp-bench"
folder = work_folder()
(folder / "good.pb").write_bytes(b"")
touch = ("--", "touch", "program-ran")


def refused(error, hint, program, *arguments, env=None):
    before = sorted(os.listdir(folder))
    done = run(program, *arguments, *touch, env=env)
    lines = done.stderr.decode().splitlines()
    what = f"{program.name} {' '.join(map(str, arguments))}: {lines}"
    check_equal(done.returncode, 125, what)
    check_equal(len(lines), 2, what)
    check(lines[0].startswith(program.name + ": error: ") and error in lines[0], what)
    check(lines[1].startswith("hint: ") and hint in lines[1], what)
    check_equal(sorted(os.listdir(folder)), before, f"{what}: files")


refused("unknown way 'mesure'", "did you mean measure?", XSP_RUN, "--concurrency", "mesure")
refused("takes no set", "--output", XSP_RUN, "--concurrency", "measure=set")
refused("names no trace", "--concurrency apply=SET", XSP_RUN, "--concurrency", "apply=")
refused("cannot read nowhere.pb", "xsp-bench --threads", XSP_RUN, "--concurrency", "apply=nowhere.pb")
refused("xsp-report cannot read good.pb", "xsp-report good.pb", XSP_RUN, "-o", "x.pb", "--concurrency", "apply=good.pb")
for option in (("--leveled",), ("--runs", "2"), ("--continuous",), ("--sample", "1/10"), ("--metrics", "roofline"),
               ("--collector", "x.sock"), ("--serialize",)):
    for way in ("measure", "apply"):
        refused(f"--concurrency does not go with {option[0]}", "", XSP_RUN, "--concurrency", way, *option)
refused("--interval goes with --concurrency measure", "--concurrency measure --interval 2", XSP_RUN, "--interval", "4")
refused("--validate does not go with --concurrency apply=good.pb", "", XSP_RUN, "--concurrency", "apply=good.pb", "--validate")
refused("name the same trace", "another file", XSP_RUN, "-f", "-o", "good.pb", "--concurrency", "apply=good.pb")
refused("xsp-report", "install", XSP_RUN, "-o", "x.pb", "--concurrency", "apply=good.pb",
        env=clean_environment(XSP_REPORT="/nowhere/xsp-report"))

for option in (("-L", "n", "1,2"), ("-P", "n", "1", "2"), ("--auto",), ("--leveled",), ("--target-latency", "20")):
    refused(f"--threads does not go with {option[0]}", "", XSP_BENCH, "--threads", *option)
refused("--inter goes with --threads", "--threads", XSP_BENCH, "--auto", "--inter")
refused("is no number of threads", "--max 8", XSP_BENCH, "--threads", "--max", "1.5")
