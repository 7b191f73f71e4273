"""What is found on a machine: toolkits of NVIDIA's layout and of wheels, and copies of libcupti of which some crash when asked."""
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import facts
from acceptance import Acceptance
from evidence import Evidence
from running import Outcome
from toolkit import Toolkit, Unbuildable, compiler_error

COMPILER = shutil.which("gcc") or shutil.which("cc")
ANSWERS = "int cuptiGetVersion(unsigned* version) { *version = 130001; return 0; }"
REFUSES = "int cuptiGetVersion(unsigned* version) { return 999; }"
RECURSES = "int cuptiGetVersion(unsigned* version) { unsigned more[64]; return cuptiGetVersion(more) + (int)more[*version % 64]; }"
HANGS = "int cuptiGetVersion(unsigned* version) { for (;;) ; }"


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, path, text="", mode=0o644):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path


class Toolkits(Folder):
    def setUp(self):
        super().setUp()
        self.commands = []
        self.fails = lambda command: False
        for name, value in (("ROOTS", ()),):
            patch = mock.patch(f"toolkit.{name}", value)
            patch.start()
            self.addCleanup(patch.stop)

    def toolkit(self, path):
        """With a program search path; site-packages in self.folder/site-packages."""
        patch = mock.patch.dict("os.environ", {"PATH": str(path), "CUDA_HOME": ""})
        patch.start()
        self.addCleanup(patch.stop)

        def run(name, command, timeout):
            command = [str(word) for word in command]
            self.commands.append(command)
            status = int(self.fails(command))
            if "-o" in command and not status:
                Path(command[command.index("-o") + 1]).touch()
            said = f"{self.folder}/site-packages\n" if name == "site-packages" else ""
            return Outcome(name, command, status, said, "x.cu: note\nld: error: cannot find -lcudart\nlast" if status else "", 0, False)

        return Toolkit(self.folder, run, "python3")

    def test_of_nvidia(self):
        nvcc = self.file("cuda/bin/nvcc", "", 0o755)
        self.file("cuda/lib64/libcudart.so.13")
        self.file("cuda/extras/CUPTI/lib64/libcupti.so.13")
        self.file("cuda/extras/CUPTI/include/cupti.h")
        toolkit = self.toolkit(nvcc.parent)
        self.assertEqual(toolkit.nvcc(), str(nvcc))
        library, include = toolkit.find_library("libcupti", "cupti.h", [])
        self.assertEqual((library.name, include), ("libcupti.so.13", self.folder / "cuda/extras/CUPTI/include"))
        toolkit.build("known", "known_kernels.cu", cudart="static")
        self.assertIn(f"-Xlinker=-rpath,{self.folder}/cuda/lib64", self.commands[-1])
        self.assertEqual(self.commands[-1][-2:], ["-cudart", "static"])

    def test_of_wheels(self):
        nvcc = self.file("site-packages/nvidia/cu13/bin/nvcc", "", 0o755)
        self.file("site-packages/nvidia/cu13/lib/libcudart.so.13")
        self.file("site-packages/nvidia/cu13/lib/libcupti.so.13")
        self.file("site-packages/nvidia/cu13/include/cupti.h")
        toolkit = self.toolkit("/nowhere")
        self.assertEqual(toolkit.nvcc(), str(nvcc))
        library, include = toolkit.find_library("libcupti", "cupti.h", ["nvidia/cu13"])
        self.assertEqual(library, self.folder / "site-packages/nvidia/cu13/lib/libcupti.so.13")
        # The linker finds no libcudart.so there: the file is named.
        self.fails = lambda command: "shared" in command
        program = toolkit.build("known", "known_kernels.cu")
        self.assertEqual(program, self.folder / "known")
        self.assertIn("-l:libcudart.so.13", self.commands[-1])
        for command in self.commands[-2:]:
            self.assertIn(f"-Xlinker=-rpath,{nvcc.parent.parent}/lib", command[command.index("-o"):command.index("-cudart")])

    def test_of_targets(self):
        nvcc = self.file("cuda/bin/nvcc", "", 0o755)
        self.file("cuda/targets/x86_64-linux/lib/libcublas.so.13")
        self.file("cuda/targets/x86_64-linux/include/cublas_v2.h")
        found = self.toolkit(nvcc.parent).find_library("libcublas", "cublas_v2.h", [])
        self.assertEqual(found, (self.folder / "cuda/targets/x86_64-linux/lib/libcublas.so.13",
                                 self.folder / "cuda/targets/x86_64-linux/include"))

    def test_a_program_is_built_once(self):
        nvcc = self.file("cuda/bin/nvcc", "", 0o755)
        toolkit = self.toolkit(nvcc.parent)
        toolkit.build("known", "known_kernels.cu")
        toolkit.build("known", "known_kernels.cu")
        self.assertEqual(sum("-o" in command for command in self.commands), 1)

    def test_what_the_compiler_says(self):
        nvcc = self.file("cuda/bin/nvcc", "", 0o755)
        toolkit = self.toolkit(nvcc.parent)
        self.fails = lambda command: "-o" in command
        with self.assertRaisesRegex(Unbuildable, "cannot find -lcudart"):
            toolkit.build("known", "known_kernels.cu")
        self.assertIn("nvcc-x: exit status 1", compiler_error(Outcome("nvcc-x", [], 1, "", "", 0, False)))
        with mock.patch.dict("os.environ", {"PATH": "/nowhere"}), self.assertRaisesRegex(Unbuildable, "no nvcc"):
            toolkit.build("other", "known_kernels.cu")


class Facts(Folder):
    def setUp(self):
        super().setUp()
        self.acceptance = Acceptance(self.folder, self.folder, "cpu", sys.executable, time.monotonic() + 60, print,
                                     Evidence(self.folder, self.folder))

    @unittest.skipIf(COMPILER is None, "no compiler")
    def test_versions_of_cupti(self):
        answers = {}
        with mock.patch("facts.LIMIT_S", 1):
            for name, source in (("answers", ANSWERS), ("refuses", REFUSES), ("recurses", RECURSES), ("hangs", HANGS)):
                library = self.folder / f"lib{name}.so"
                subprocess.run([COMPILER, "-O0", "-w", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=source, text=True,
                               check=True)
                answers[name] = facts.cupti_version(self.acceptance, name, library)
        self.assertEqual(answers, {"answers": "API 130001", "refuses": "cuptiGetVersion returns 999",
                                   "recurses": "that crashes or cannot be loaded (-11)", "hangs": "without an answer"})
        self.assertFalse(self.acceptance.running.limits.timed_out)

    def test_what_is_not_here_costs_nothing_else(self):
        def broken():
            raise KeyError("it")

        self.assertEqual(facts.guarded(broken)(), {"broken has no answer": "KeyError: 'it'"})
        self.assertIsNone(facts.asked(self.acceptance, "none", ["/nowhere/no-such-program"]))

    def test_the_host(self):
        said = facts.host()
        self.assertRegex(said["kernel"], r"Linux .*glibc \d")
        self.assertRegex(said["CPUs"], r"^\d+ \(")

    def test_modules_are_not_imported(self):
        self.file("site/torch/__init__.py", "raise SystemExit('imported')")
        self.file("site/torch-2.11.0+cu130.dist-info/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.11.0+cu130\n")
        with mock.patch.dict("os.environ", {"PYTHONPATH": str(self.folder / "site")}):
            self.assertIn("torch 2.11.0+cu130", facts.modules(self.acceptance)["modules"])


if __name__ == "__main__":
    unittest.main()
