"""Runs programs with a time limit, each in a process group of its own, and keeps what they printed; of those that hang or crash
also where.
"""
import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import stacks


@dataclass
class Outcome:
    name: str
    command: list
    returncode: int
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool
    begin_ns: int = 0  # CLOCK_MONOTONIC
    where: str = ""  # it hung or crashed: innermost frames

    @property
    def good(self):
        return self.returncode == 0 and not self.timed_out

    @property
    def crashed(self):
        """Ended by a signal, itself or what it had started and speaks for."""
        return self.returncode in stacks.CRASHES or 128 - self.returncode in stacks.CRASHES

    def why(self):
        """One line on how it ended."""
        said = self.stderr.split(stacks.PYTHON_FAULT)[0].strip() or self.stdout.strip()
        last = [line for line in said.splitlines() if line.strip()]
        how = f"no end within {self.seconds:.0f} s" if self.timed_out else f"exit status {self.returncode}"
        where = f" (in {self.where[:200]})" if self.where else ""
        return f"{self.name}: {how}{where}" + (f": {last[-1].strip()[:200]}" if last else "")


class OutOfTime(Exception):
    pass


@dataclass
class Limits:
    """Of a check: until when its programs may run, and those that did not end in the time they had."""
    deadline: float
    timed_out: list = field(default_factory=list)


class Running:
    """Starts programs in `folder`, where their outputs are kept, and ends all that are left."""

    def __init__(self, folder, deadline, on_end=lambda outcome: None):
        self.folder = Path(folder)
        self.deadline = deadline  # time.monotonic()
        self.cores = stacks.Cores(self.folder)
        self._of_thread = threading.local()
        self._on_end = on_end
        self._alive, self._ended, self._kept = set(), set(), set()
        self._lock = threading.Lock()

    @property
    def limits(self):
        """Of the calling thread's check."""
        return getattr(self._of_thread, "limits", None) or Limits(self.deadline)

    def left(self):
        """Seconds that the calling thread may still use."""
        return self.limits.deadline - time.monotonic()

    def begin_check(self, deadline):
        """The calling thread starts nothing after this. Returns the check's limits."""
        self._of_thread.limits = Limits(min(deadline, self.deadline))
        return self._of_thread.limits

    def side_by_side(self, tasks, workers):
        """Calls them in threads that belong to the caller's check; their results in order. The first exception is raised."""
        limits = self.limits

        def call(task):
            self._of_thread.limits = limits
            return task()

        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(call, task) for task in tasks]
        return [future.result() for future in futures]

    def start(self, name, command, env, keep=False, **options):
        """A Popen in a new process group; end() it. Raises OutOfTime. With `keep` it may outlast its check."""
        if self.left() <= 0:
            raise OutOfTime(f"no time left for {name}")
        process = subprocess.Popen([str(word) for word in command], env=env, start_new_session=True, cwd=self.folder,
                                   **options)
        with self._lock:
            (self._kept if keep else self._alive).add(process)
        return process

    def end(self, process):
        """Kills the process's group, if there is anything left of it."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            pass
        with self._lock:
            self._alive.discard(process)
            self._kept.discard(process)

    def end_all(self, kept_too=False):
        """The time is over: who waits for one of them gets OutOfTime."""
        with self._lock:
            alive = list(self._alive | self._kept if kept_too else self._alive)
            self._ended.update(alive)
        for process in alive:
            self.end(process)

    def run(self, name, command, env, timeout, while_running=None, look=True):
        """Waits for the program. `while_running(process)` is called once it has started. Without `look` nobody asks where it hangs
        or crashes, and the check is none that timed out. Raises OutOfTime where the check's time ends before the program's.
        """
        limit = max(1.0, min(timeout, self.left()))
        stdout, stderr = self.folder / f"{name}.stdout", self.folder / f"{name}.stderr"
        begin, begin_ns, begin_time, timed_out, text, where = time.monotonic(), time.monotonic_ns(), time.time(), False, "", ""
        with open(stdout, "wb") as out, open(stderr, "wb") as err:
            process = self.start(name, command, env, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            try:
                if while_running is not None:
                    while_running(process)
                process.wait(max(0.1, limit - (time.monotonic() - begin)))
            except subprocess.TimeoutExpired:
                timed_out = True
                seconds = time.monotonic() - begin
                if look:
                    text, where = stacks.of_hang(process.pid, stacks.DEBUGGER_S if limit == timeout else stacks.DEBUGGER_S / 2)
            finally:
                self.end(process)
        seconds = seconds if timed_out else time.monotonic() - begin
        outcome = Outcome(name, [str(word) for word in command], process.returncode if process.returncode is not None else -9,
                          text_of(stdout), text_of(stderr), seconds, timed_out, begin_ns, where)
        if look and not timed_out and (outcome.crashed or (not outcome.good and self.cores.newest(begin_time))):
            text, outcome.where = self.cores.of_crash(begin_time)
        elif outcome.crashed:
            self.cores.forget(begin_time)
        outcome.where = "; ".join(filter(None, [outcome.where, stacks.python_frames(outcome.stderr)]))
        if text:
            (self.folder / f"{name}.stacks").write_text(text, encoding="utf-8", errors="replace")
        self._on_end(outcome)
        if process in self._ended or (timed_out and limit < timeout):
            raise OutOfTime(f"the time was over for {outcome.why()}")
        if timed_out and look:
            self.limits.timed_out.append(name)
        return outcome


def text_of(path, limit=1 << 20):
    """What the file has, of a long one the end."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - limit))
            return file.read().decode(errors="replace")
    except OSError:
        return ""
