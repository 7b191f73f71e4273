"""Man pages and completions have every option that --help has, and a real shell completes by them:
manual_test.py FOLDER PROGRAM...; FOLDER has what the build made of the programs."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(sys.argv[1]).resolve()
PROGRAMS = {Path(program).name: os.path.abspath(program) for program in sys.argv[2:]}
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")


def help_of(name):
    return subprocess.run([PROGRAMS[name], "--help"], stdout=subprocess.PIPE, check=True).stdout.decode()


def options_of(name):
    """Those between the examples and the lists, in which other programs have some too."""
    text = help_of(name)
    text = re.split(r"\n[A-Z]\w+:\n", text[text.index("\nusage: "):])[0]
    return set(OPTION.findall(text))


def complete(name, *words):
    """What bash offers for the last of these words."""
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
              f'_{name.replace("-", "_")} "$1"; printf "%s\\n" "${{COMPREPLY[@]}}"')
    done = subprocess.run(["bash", "--norc", "-c", script, "bash", str(FOLDER / f"{name}.bash"), name, *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    assert done.stderr == b"", done.stderr
    return done.stdout.decode().split()


class Manual(unittest.TestCase):
    def test_all_have_the_same_shape(self):
        self.assertEqual(len(PROGRAMS), 5)
        for name in PROGRAMS:
            lines = help_of(name).splitlines()
            self.assertTrue(lines[0].startswith(name + ": "), lines[0])
            self.assertEqual(lines[1], "")
            self.assertTrue(lines[2].startswith("  " + name + " "), lines[2])
            self.assertEqual(sum(line.startswith("usage: " + name) for line in lines), 1)
            self.assertLessEqual(max(map(len, lines)), 100)
            self.assertIn("--version", options_of(name))

    def test_man_pages_have_every_option(self):
        for name in PROGRAMS:
            page = (FOLDER / f"{name}.1").read_text(encoding="utf-8").replace("\\-", "-")
            self.assertTrue(page.startswith(".TH " + name.upper()), name)
            for option in options_of(name):
                self.assertRegex(page, re.escape(option) + r"(?![a-z-])", name)

    def test_man_pages_are_good_roff(self):
        tool = shutil.which("groff")
        if tool is None:
            self.skipTest("no groff here")
        for name in PROGRAMS:
            done = subprocess.run([tool, "-man", "-ww", "-Tutf8", "-P-c", FOLDER / f"{name}.1"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=True)
            self.assertEqual(done.stderr, b"", name)
            shown = re.sub(".\b", "", done.stdout.decode())  # bold is a letter struck twice
            for head in ("NAME", "SYNOPSIS", "EXAMPLES", "OPTIONS"):
                self.assertIn("\n" + head + "\n", shown)

    def test_completions_have_every_option(self):
        for name in PROGRAMS:
            for file in (f"{name}.bash", f"_{name}", f"{name}.fish"):
                text = (FOLDER / file).read_text(encoding="utf-8")
                for option in options_of(name):
                    word = "-l " + option[2:] if file.endswith(".fish") else option
                    self.assertRegex(text, re.escape(word) + r"(?![a-z-])", file)

    def test_other_shells_take_them(self):
        for shell, pattern in (("zsh", "_{}"), ("fish", "{}.fish")):
            tool = shutil.which(shell)
            if tool is None:
                continue  # checked where there is one
            for name in PROGRAMS:
                done = subprocess.run([tool, "-n", FOLDER / pattern.format(name)], stderr=subprocess.PIPE, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, b""), name)

    def test_bash_completes_options(self):
        for name in PROGRAMS:
            self.assertEqual(set(complete(name, "--")), options_of(name), name)
            self.assertEqual(complete(name, "--vers"), ["--version"])

    def test_bash_completes_values(self):
        self.assertEqual(complete("xsp-report", "--format", ""), ["text", "json", "csv", "html"])
        self.assertEqual(complete("xsp-report", "--format", "=", "j"), ["json"])
        self.assertEqual(complete("xsp-report", "-a", "A1,C"), ["A1,C1", "A1,C2"])
        self.assertIn("json", complete("xsp-report", "--export", ""))
        self.assertNotIn("repeated:", complete("xsp-report", "--export", ""))
        self.assertEqual(complete("xsp-report", "--color", "a"), ["auto", "always"])
        self.assertEqual(complete("xsp-run", "--level", "l"), ["layer", "library"])
        self.assertIn("kineto", complete("xsp-import", "--from", ""))
        self.assertEqual(complete("xsp-report", "--gpu", ""), [])

    def test_values_offered_are_taken(self):
        """A word that a program refuses must not be offered."""
        for option in ("--format", "--color", "--stat", "--per"):
            for word in complete("xsp-report", option, ""):
                done = subprocess.run([PROGRAMS["xsp-report"], "/nonexistent.pb", option, word], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, check=False, cwd=tempfile.gettempdir())
                self.assertEqual(done.returncode, 3, (option, word, done.stderr))

    def test_bash_completes_files_and_commands(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "trace.pb").touch()
            self.assertEqual(complete("xsp-report", folder + "/tr"), [folder + "/trace.pb"])
            self.assertEqual(complete("xsp-report", "-o", folder + "/tr"), [folder + "/trace.pb"])
        self.assertIn("bash", complete("xsp-run", "bas"))
        self.assertIn("bash", complete("xsp-run", "--level", "model", "--", "bas"))
        self.assertEqual(complete("xsp-run", "bash", "--le"), [])  # it is the command's


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
