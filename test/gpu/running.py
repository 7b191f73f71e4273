"""Runs programs with a time limit, each in a process group of its own, and keeps what they printed."""
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path


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

    @property
    def good(self):
        return self.returncode == 0 and not self.timed_out

    def why(self):
        """One line on how it ended."""
        last = [line for line in (self.stderr or self.stdout).strip().splitlines() if line.strip()]
        how = f"no end within {self.seconds:.0f} s" if self.timed_out else f"exit status {self.returncode}"
        return f"{self.name}: {how}" + (f": {last[-1].strip()[:200]}" if last else "")


class OutOfTime(Exception):
    pass


class Running:
    """Starts programs in `folder`, where their outputs are kept, and ends all that are left."""

    def __init__(self, folder, deadline, on_end=lambda outcome: None):
        self.folder = Path(folder)
        self.deadline = deadline  # time.monotonic()
        self._of_thread = threading.local()
        self._on_end = on_end
        self._alive = set()
        self._lock = threading.Lock()

    def left(self):
        """Seconds that the calling thread may still use."""
        return getattr(self._of_thread, "deadline", self.deadline) - time.monotonic()

    def end_thread_at(self, deadline):
        """The calling thread starts nothing after this."""
        self._of_thread.deadline = min(deadline, self.deadline)

    def start(self, name, command, env, **options):
        """A Popen in a new process group; end() it. Raises OutOfTime."""
        if self.left() <= 0:
            raise OutOfTime(f"no time left for {name}")
        process = subprocess.Popen([str(word) for word in command], env=env, start_new_session=True, cwd=self.folder,
                                   **options)
        with self._lock:
            self._alive.add(process)
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

    def end_all(self):
        with self._lock:
            alive = list(self._alive)
        for process in alive:
            self.end(process)

    def run(self, name, command, env, timeout, while_running=None):
        """Waits for the program. `while_running(process)` is called once it has started."""
        timeout = max(1.0, min(timeout, self.left()))
        stdout, stderr = self.folder / f"{name}.stdout", self.folder / f"{name}.stderr"
        begin, begin_ns, timed_out = time.monotonic(), time.monotonic_ns(), False
        with open(stdout, "wb") as out, open(stderr, "wb") as err:
            process = self.start(name, command, env, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            try:
                if while_running is not None:
                    while_running(process)
                process.wait(max(0.1, timeout - (time.monotonic() - begin)))
            except subprocess.TimeoutExpired:
                timed_out = True
            finally:
                self.end(process)
        outcome = Outcome(name, [str(word) for word in command], process.returncode if process.returncode is not None else -9,
                          text_of(stdout), text_of(stderr), time.monotonic() - begin, timed_out, begin_ns)
        self._on_end(outcome)
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
