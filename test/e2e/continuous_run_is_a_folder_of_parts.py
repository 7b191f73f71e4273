"""xsp-run --continuous: a folder named after the program, with parts that have every span, and an end message that says so.
What does not go together is refused before the program starts, in one clear line.
"""
import re

from support.recording_parts import counted, read_parts

from support.xsp_e2e import BUILD, XSP_RUN, check, check_equal, run, skip, work_folder

program = BUILD / "test/e2e/api_spans"
if not program.exists():
    skip("the C program on xsp.h is not built")
folder = work_folder()
done = run(XSP_RUN, "--continuous", "--sample", "1/1", "--max-size", "64M", "--", program)
said = done.stderr.decode()
check_equal(done.returncode, 0, f"exit status; stderr: {said}")
names = [p.name for p in folder.iterdir()]
check(len(names) == 1 and re.fullmatch(r"xsp-api_spans-\d+", names[0]), f"the folder: {names}")
check(f"xsp: wrote {names[0]} (1 part, " in said, f"the end message: {said}")
parts = read_parts(folder / names[0])
check_equal([p.path.name for p in parts], ["000001.pb"], "parts")
check(parts[0].is_whole, "the part has its end")
check_equal(parts[0].nameless, 0, "spans without a name")
spans, stored = counted(parts)
check_equal(sum(spans.values()), 40, "spans counted")
check_equal(stored, sum(parts[0].names.values(), type(stored)()), "spans stored")

again = run(XSP_RUN, "--continuous", "-o", names[0], "--", program)
check_equal(again.returncode, 0, f"a second run into the folder: {again.stderr.decode()}")
check_equal([p.path.name for p in read_parts(folder / names[0])], ["000001.pb", "000002.pb"], "it goes on behind the first")

one = run(XSP_RUN, "--max-size", "2M", "--max-rate", "1M", "-o", "one.pb", "--", program)
check_equal(one.returncode, 0, f"budgets of a single trace: {one.stderr.decode()}")
check_equal(sum(counted(read_parts(folder))[0].values()), 40, "which counts, too")

(folder / "foreign").mkdir()
(folder / "foreign/notes.txt").write_text("mine")
for options, words in {
    ("--continuous", "-o", "foreign"): "foreign is not empty",
    ("--continuous", "-o", "one.pb"): "one.pb is a file",
    ("--continuous", "--leveled"): "--continuous does not go with several runs",
    ("--sample", "1/2", "--runs", "2"): "--sample does not go with several runs",
    ("--max-size", "1G", "--metrics", "roofline"): "--max-size does not go with --metrics",
    ("--continuous", "--collector", "s"): "--continuous does not go with --collector",
    ("--continuous", "--otlp", "http://localhost:1"): "--otlp does not go with --continuous",
    ("--rotate", "1m"): "--rotate goes with --continuous",
    ("--max-size", "100k"): "--max-size 100k is too little",
    ("--sample", "3/4"): '"3/4" is no sampling',
    ("--max-overhead", "none"): '"none" is no share in percent',
}.items():
    refused = run(XSP_RUN, *options, "--", "touch", "started")
    lines = refused.stderr.decode().splitlines()
    check_equal(refused.returncode, 125, f"{options}: {lines}")
    check(words in lines[0], f"{options}: {lines}")
    check(not (folder / "started").exists(), f"{options}: the program did not start")
