"""Commands that README.md and doc/ show have options, analyses and formats that the programs know, and links lead to
files and headings that are there: documents_test.py SOURCE_ROOT PROGRAM..."""
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
PROGRAMS = {Path(program).name: program for program in sys.argv[2:]}
DOCUMENTS = [ROOT / "README.md", ROOT / "proto/README.md", *sorted((ROOT / "doc").glob("*.md"))]
OPTION = re.compile(r"(?<!\S)(--[a-z][a-z-]*[a-z]|-[a-zA-Z])(?![\w-])")
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
HELP = {name: subprocess.run([program, "--help"], stdout=subprocess.PIPE, check=True).stdout.decode()
        for name, program in PROGRAMS.items()}  # fmt: skip


def code_of(text):
    """Lines of code, in fences and in the text."""
    for fence in FENCE.findall(text):
        yield from fence.splitlines()
    yield from re.findall(r"`([^`\n]+)`", FENCE.sub("", text))


def commands_of(text):
    """(program, arguments) of every call, without the command that it starts and without comments."""
    for line in code_of(text):
        if re.search("[─│▶]", line):  # a diagram
            continue
        for part in re.split(r"&&|\|\||[;|>]", re.sub(r"\s#.*", "", line)):
            call = re.match(r"\W*(?:\S*/)?(" + "|".join(PROGRAMS) + r")(?:\s+(.*))?$", part.strip())
            if call:
                yield call[1], re.split(r"(?:^|\s)--(?:\s|$)", call[2] or "")[0]


def knows(program, option):
    return re.search(r"(?<![\w-])" + re.escape(option) + r"(?![\w-])", HELP[program]) is not None


def anchors_of(page):
    """The names that its headings have at the end of a link."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings]


def texts():
    return [(path, path.read_text(encoding="utf-8")) for path in DOCUMENTS]


class Documents(unittest.TestCase):
    def test_commands_have_options_that_are_there(self):
        options = [(path.name, program, arguments, option) for path, text in texts()
                   for program, arguments in commands_of(text) for option in OPTION.findall(arguments)]
        self.assertGreater(len(options), 60)
        self.assertEqual([each for each in options if not knows(each[1], each[3])], [])

    def test_analyses_and_formats_are_there(self):
        ids = set(re.findall(r"^  ([A-Z]\d+)\s", HELP["xsp-report"], re.MULTILINE))
        formats = set(re.findall(r"^ {29}([a-z-]+)\s", HELP["xsp-report"], re.MULTILINE))
        self.assertTrue({"A1", "Q1"} <= ids and {"perfetto", "csv"} <= formats, (ids, formats))
        calls = [arguments for _, text in texts() for program, arguments in commands_of(text) if program == "xsp-report"]
        tables = [each for call in calls for names in re.findall(r"(?:-a|--analysis)[ =](\S+)", call)
                  for each in names.split(",")]  # fmt: skip
        exports = [name for call in calls for name in re.findall(r"--export ([a-z-]+)", call)]
        self.assertGreater(len(tables), 20)
        self.assertGreater(len(exports), 1)
        self.assertLessEqual(set(tables), ids | {"all"})
        self.assertLessEqual(set(exports), formats)

    def test_tables_of_formats_are_complete(self):
        formats = set(re.findall(r"^ {29}([a-z-]+)\s", HELP["xsp-report"], re.MULTILINE))
        for path in (ROOT / "README.md", ROOT / "doc/export.md"):
            rows = re.search(r"^\| FMT .*?(?=\n\n)", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[0]
            names = {name for row in rows.splitlines()[2:] for name in re.findall(r"`([a-z-]+)`", row.split("|")[1])}
            self.assertEqual(names, formats, path.name)

    def test_links_lead_somewhere(self):
        links = [(path, target) for path, text in texts()
                 for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", text)) if "://" not in target]
        self.assertGreater(len(links), 60)
        lost = []
        for path, target in links:
            file, _, anchor = target.partition("#")
            page = path.parent / file if file else path
            if not page.exists() or (anchor and anchor not in anchors_of(page)):
                lost.append((path.name, target))
        self.assertEqual(lost, [])

    def test_pictures_are_there(self):
        sources = re.findall(r'(?:src|srcset)="([^"]+)"', (ROOT / "README.md").read_text(encoding="utf-8"))
        self.assertEqual(len(sources), 2)
        for source in sources:
            self.assertTrue((ROOT / source).read_bytes().startswith(b"\x89PNG"), source)
            self.assertLessEqual((ROOT / source).stat().st_size, 250_000, source)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
