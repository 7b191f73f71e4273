"""fuzz_ledger_test.py ROOT TARGET…: the ledger of the fuzzers and the table of doc/fuzzing.md; that the page names each target."""
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
TARGETS = sys.argv[2:]
SCRIPT = ROOT / "scripts/fuzz_ledger.py"
PAGE = """before
| target | processor seconds | executions | edges | found |
|---|---|---|---|---|
| `elf_file` | 30 | 1,000 | 496 | 1 |
| `trace` | 45 | 500 | 25,836 | 0 |
| all | 75 | 1,500 | | 1 |

after
"""


def ledger(*words, succeeds=True):
    done = subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True)
    if (done.returncode == 0) != succeeds:
        sys.exit(f"{words}: {done.returncode} {done.stdout}{done.stderr}")
    return done.stdout.strip() + done.stderr.strip()


def check_equal(got, expected, what):
    if got != expected:
        sys.exit(f"{what}:\n{got}\nshould be\n{expected}")


def the_next_is_what_ran_least(runs, page):
    check_equal(ledger("next", runs, page, "trace", "elf_file"), "elf_file", "by the page alone")
    check_equal(ledger("next", runs, page, "trace", "elf_file", "jaeger"), "jaeger", "what never ran comes first")
    ledger("add", runs, "elf_file", 20.5, 100, 500, 3)
    check_equal(ledger("next", runs, page, "trace", "elf_file"), "trace", "by page and ledger together")
    check_equal(ledger("next", runs, page, "elf_file"), "elf_file", "of those that wait only")


def the_table_adds_up(runs, page):
    ledger("add", runs, "elf_file", 10, 2000, 501, 0, "SUMMARY: AddressSanitizer: x.cc:3")
    ledger("add", runs, "elf_file", 10, 10, 0, 0, "SUMMARY: AddressSanitizer: x.cc:3")
    ledger("add", runs, "jaeger", 5, 7, 9, 0, "SUMMARY:\ttab and\nend of line")
    with runs.open("a") as cut:
        cut.write("trace\t1000\t10")  # killed while it wrote
    ledger("table", runs, page)
    expected = (PAGE.replace("| `elf_file` | 30 | 1,000 | 496 | 1 |\n",
                             "| `elf_file` | 70 | 3,110 | 501 | 2 |\n| `jaeger` | 5 | 7 | 9 | 1 |\n")
                .replace("| all | 75 | 1,500 | | 1 |", "| all | 120 | 3,617 | | 3 |"))  # fmt: skip
    check_equal(page.read_text(), expected, "the page")
    ledger("table", runs, page)
    check_equal(page.read_text(), expected, "a ledger counts once")


def a_page_without_table_is_said(runs, page):
    page.write_text("nothing\n")
    if "no table" not in ledger("table", runs, page, succeeds=False):
        sys.exit("nothing is said of a page without table")


with tempfile.TemporaryDirectory() as folder:
    runs, page = Path(folder) / "corpus/ledger.tsv", Path(folder) / "page.md"
    page.write_text(PAGE)
    the_next_is_what_ran_least(runs, page)
    the_table_adds_up(runs, page)
    a_page_without_table_is_said(runs, page)

text = (ROOT / "doc/fuzzing.md").read_text()
said = text.split("## What was run")[0]
for target in TARGETS:
    name = target.removeprefix("import")
    if f"`{target}`" not in said and f"`{name}`" not in said:
        sys.exit(f"doc/fuzzing.md does not say what {target} reads")
print(f"{len(TARGETS)} targets")
