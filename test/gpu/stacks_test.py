"""Where programs hang and crash is told: threads of a made-up hang by /proc and by a debugger where there is one, the core of a
made-up crash, Python's own stacks.
"""
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import stacks
from running import Running

COMPILER = shutil.which("gcc") or shutil.which("cc")
HANG = """
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) void waits_for_lock(void) { pthread_mutex_lock(&lock); }
static void* second(void* unused) { prctl(PR_SET_NAME, "second_thread"); for (;;) pause(); return unused; }
int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&lock);
  pthread_create(&thread, 0, second, 0);
  waits_for_lock();
  return 0;
}
"""
CRASH = """
#include <signal.h>
#include <stdlib.h>
__attribute__((noinline)) void crashes_here(volatile int* at) { *at = 1; }
int main(void) { crashes_here(0); return 0; }
"""
PYTHON_HANG = """
import subprocess, threading
def waits_in_python():
    threading.Event().wait()
child = subprocess.Popen(['sleep', '1000'])
print('started', flush=True)
waits_in_python()
"""
# As gdb and cuda-gdb print them: of a process that is attached to, the main thread last.
PRINTED = """
[New LWP 11]
Thread 2 (Thread 0x7f0 (LWP 11) "xsp-activity"):
#0  __futex_abstimed_wait_common64 (private=0) at futex-internal.c:57
#1  0x00007f5 in pthread_cond_clockwait () from /lib/libc.so.6
#2  0x00007f6 in xsp::ActivityThread::run (this=0x1) at activity_thread.cc:70

Thread 1 (Thread 0x7f1 (LWP 10) "python3"):
#0  0x00007f7 in __lll_lock_wait () from /lib/libc.so.6
#1  0x00007f8 in ?? () from /lib/libcuda.so.1
#2  0x00007f9 in cuLaunchKernel () from /lib/libcuda.so.1
#3  0x00007fa in main (argc=1) at program.cc:3
"""


def built(folder, name, source):
    program = Path(folder) / name
    subprocess.run([COMPILER, "-g", "-O1", "-pthread", "-x", "c", "-", "-o", program], input=source, text=True, check=True)
    return program


class Texts(unittest.TestCase):
    def test_frames_of_the_main_thread(self):
        self.assertEqual(stacks.innermost_frames(PRINTED), "cuLaunchKernel < main")
        self.assertEqual(stacks.innermost_frames("No symbol table.\n"), "")

    def test_frames_of_the_thread_that_crashed(self):
        crashed_first = PRINTED.replace("Thread 2 (", "Thread 3 (")
        self.assertIn("cuLaunchKernel", stacks.crashing_thread(crashed_first))
        self.assertNotIn("ActivityThread", stacks.crashing_thread(crashed_first))

    def test_frames_of_python(self):
        printed = ('out\nFatal Python error: Aborted\n\nThread 0x1 (most recent call first):\n  File "/a/b.py", line 1 in other\n\n'
                   'Current thread 0x2 (most recent call first):\n  File "/x/y.py", line 3 in inner\n'
                   '  File "/x/z.py", line 9 in <module>\n\nExtension modules: none\n')
        self.assertEqual(stacks.python_frames(printed), "y.py:3 inner < z.py:9 <module>")
        self.assertEqual(stacks.python_frames("nothing of the kind"), "")


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.running = Running(self.folder, time.monotonic() + 100)
        self.running.cores.enable()

    def run_program(self, name, command, timeout):
        outcome = self.running.run(name, command, {"PATH": "/usr/bin:/bin", "PYTHONFAULTHANDLER": "1"}, timeout)
        written = self.folder / f"{name}.stacks"
        return outcome, written.read_text() if written.exists() else ""

    @unittest.skipIf(COMPILER is None, "no compiler")
    def test_a_hang_by_proc(self):
        before, stacks.debugger = stacks.debugger, lambda: None
        self.addCleanup(setattr, stacks, "debugger", before)
        outcome, text = self.run_program("hang", [built(self.folder, "hangs", HANG)], 1)
        self.assertTrue(outcome.timed_out)
        self.assertRegex(text, r"thread \d+ hangs: S \(sleeping\)")
        self.assertRegex(text, r"thread \d+ second_thread: S")
        self.assertIn("hangs S in ", outcome.why())
        self.assertIn("no end within 1 s", outcome.why())

    @unittest.skipIf(COMPILER is None or stacks.debugger() is None, "no compiler or no debugger")
    def test_a_hang_by_the_debugger(self):
        outcome, text = self.run_program("hang", ["sh", "-c", f"{built(self.folder, 'hangs', HANG)}; true"], 1)
        self.assertIn("second_thread", text)
        self.assertIn("waits_for_lock", text)
        self.assertIn("waits_for_lock < main", outcome.why())

    def test_a_hang_in_python(self):
        outcome, text = self.run_program("python", [sys.executable, "-c", PYTHON_HANG], 2)
        self.assertIn("sleep 1000", text)
        self.assertIn("in waits_in_python", outcome.stderr)
        self.assertIn("waits_in_python", outcome.where)
        self.assertFalse(stacks.processes_of_session(outcome.returncode))

    @unittest.skipIf(COMPILER is None, "no compiler")
    def test_a_debugger_that_hangs_is_ended(self):
        fake = self.folder / "gdb"
        fake.write_text("#!/bin/sh\necho begins\nsleep 1000\n")
        fake.chmod(0o755)
        before, stacks.debugger = stacks.debugger, lambda: str(fake)
        self.addCleanup(setattr, stacks, "debugger", before)
        begin = time.monotonic()
        printed = stacks.debug(["-p", 1], 1)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertIn("begins", printed)
        self.assertIn("no end within 1 s", printed)

    @unittest.skipIf(COMPILER is None, "no compiler")
    def test_a_crash(self):
        outcome, text = self.run_program("crash", [built(self.folder, "crashes", CRASH)], 20)
        self.assertEqual(outcome.returncode, -11)
        if self.running.cores.pattern != "core" or "no core" in text:
            self.assertIn(f"core_pattern is {self.running.cores.pattern}", text)
            self.skipTest("no core is written here")
        self.assertFalse([path for path in self.folder.glob("core*")], "the core is still there")
        if stacks.debugger():
            self.assertIn("crashes: crashes_here < main", outcome.why())

    @unittest.skipIf(COMPILER is None, "no compiler")
    def test_a_crash_of_a_child(self):
        program = built(self.folder, "crashes", CRASH)
        outcome, text = self.run_program("parent", ["sh", "-c", f"{program}; exit 1"], 20)
        self.assertEqual(outcome.returncode, 1)
        if self.running.cores.pattern == "core" and stacks.debugger():
            self.assertIn("crashes_here", text)

    @unittest.skipIf(COMPILER is None, "no compiler")
    def test_a_crash_that_is_meant_to_be_leaves_nothing(self):
        program = built(self.folder, "crashes", CRASH)
        outcome = self.running.run("meant", [program], {}, 20, look=False)
        self.assertEqual((outcome.returncode, outcome.where), (-11, ""))
        self.assertFalse([path for path in self.folder.glob("core*")])

    def test_a_crash_of_python(self):
        outcome, _ = self.run_program("python", [sys.executable, "-c", "def falls():\n  import os\n  os.abort()\nfalls()"], 20)
        self.assertIn("falls", outcome.why())


class CoreFiles(unittest.TestCase):
    def test_where_the_pattern_says(self):
        with tempfile.TemporaryDirectory() as folder:
            other = Path(folder) / "cores"
            other.mkdir()
            cores = stacks.Cores(folder, f"{other}/core.%e.%p")
            since = time.time() - 1
            self.assertIsNone(cores.newest(since))
            (other / "core.program.12").write_bytes(b"")
            self.assertEqual(cores.newest(since), other / "core.program.12")
            self.assertIsNone(cores.newest(time.time() + 10))
            cores.forget(since)
            self.assertIsNone(cores.newest(since))
            self.assertTrue((other / "core.program.12").exists(), "it was not ours to remove")
            self.assertIsNone(stacks.Cores(folder, "|/usr/share/handler %p").newest(since))

    def test_the_system_is_told_only_when_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            system = Path(folder) / "core_pattern"
            system.write_text("|/usr/share/handler %p\n")
            with mock.patch("stacks.CORE_PATTERN", system):
                cores = stacks.Cores(folder)
                cores.enable()
                self.assertEqual((cores.pattern, system.read_text()), ("|/usr/share/handler %p", "|/usr/share/handler %p\n"))
                self.assertTrue(cores.redirect())
                self.assertEqual((cores.pattern, system.read_text()), (f"{folder}/core.%e.%p", f"{folder}/core.%e.%p"))
            with mock.patch("stacks.CORE_PATTERN", Path("/nowhere/core_pattern")):
                self.assertFalse(stacks.Cores(folder, "core").redirect())


if __name__ == "__main__":
    unittest.main()
