"""Where the threads of a program are that hangs, and where they were when it crashed: by /proc, and by a debugger where there
is one. Text for the evidence, and a short extract for the table. Nothing here raises, and everything has a time limit.
"""
import os
import re
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

DEBUGGER_S = 15
DEBUGGED_PROCESSES = 3
THREADS_OF_A_PROCESS = 200
OF_A_THREAD = ("wchan", "syscall", "stack")
CRASHES = {-number for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP,
                                  signal.SIGSYS)}
CORE_PATTERN = Path("/proc/sys/kernel/core_pattern")
CORE_FILTER = "0x11"  # private memory and ELF headers: no mappings of the device
COARSE_CLOCK_S = 0.05  # times of files are of a clock that ticks less often than the others
PYTHON_FAULT = "Fatal Python error: "
FRAME = re.compile(r"^#(\d+)\s+(?:0x[0-9a-f]+ in )?(.*)")
WAITS = re.compile(r"^(?:__|_)*(?:futex|syscall|poll|ppoll|epoll_wait|select|nanosleep|clock_nanosleep|pthread_cond|lll_lock|"
                   r"GI_|wait4|read$|raise|pthread_kill|abort|kill$|internal_syscall)")


def text_of(path, limit=4000):
    try:
        with open(path, "rb") as file:
            return file.read(limit).decode(errors="replace").strip()
    except OSError as error:
        return f"({error.strerror})"


def processes_of_session(session):
    """Process ids of the session, the oldest first."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append((int(fields[19]), int(folder.name)))
    return [pid for _, pid in sorted(found)]


def of_process(pid):
    """What /proc says of each thread."""
    command = text_of(f"/proc/{pid}/cmdline").replace("\0", " ")
    lines = [f"--- process {pid}: {command}"]
    try:
        threads = sorted(os.listdir(f"/proc/{pid}/task"), key=int)
    except OSError:
        return "\n".join([*lines, "is gone"])
    for thread in threads[:THREADS_OF_A_PROCESS]:
        folder = f"/proc/{pid}/task/{thread}"
        status = text_of(f"{folder}/status")
        state = next((line.split(":", 1)[1].strip() for line in status.splitlines() if line.startswith("State:")), "?")
        lines.append(f"thread {thread} {text_of(f'{folder}/comm')}: {state}")
        for name in OF_A_THREAD:
            said = text_of(f"{folder}/{name}").replace("\n", "\n      ")
            if said and not said.startswith("("):
                lines.append(f"  {name}: {said}")
    return "\n".join(lines)


def debugger():
    """gdb before cuda-gdb: the latter stops the device too."""
    for name in ("gdb", "cuda-gdb", "/usr/local/cuda/bin/cuda-gdb"):
        found = shutil.which(name)
        if found:
            return found
    return None


def debug(arguments, limit=DEBUGGER_S):
    """What the debugger prints of all threads; "" without one."""
    found = debugger()
    if found is None:
        return ""
    command = [found, "-nx", "-batch", "-iex", "set pagination off", *map(str, arguments), "-ex", "thread apply all bt 30"]
    environment = {k: v for k, v in os.environ.items() if k not in ("LD_PRELOAD", "CUDA_INJECTION64_PATH", "DEBUGINFOD_URLS")}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               env=environment, start_new_session=True)
    try:
        printed, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            pass
        try:
            printed, _ = process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            printed = b""
        printed += f"\n({found}: no end within {limit:.0f} s)".encode()
    return printed.decode(errors="replace")


def innermost_frames(printed, most=4):
    """Of the main thread, which debuggers print last, or of the one that crashed: the functions that are in the middle of
    something, without those that wait. "" where there is no stack.
    """
    threads = [[]]
    for line in printed.splitlines():
        frame = FRAME.match(line)
        if line.startswith("Thread ") or (frame and frame[1] == "0" and threads[-1]):
            threads.append([])
        if frame:
            threads[-1].append(frame[2].split(" (")[0].strip())
    threads = [thread for thread in threads if thread]
    if not threads:
        return ""
    frames = threads[-1]
    told = [frame for frame in frames if not WAITS.match(frame) and not frame.startswith("??")]
    return " < ".join((told or frames)[:most])


def extract_of_proc(text):
    """Without a debugger: where the kernel has the main threads."""
    found = []
    for part in text.split("--- process ")[1:]:
        command = part.splitlines()[0].split(": ", 1)[-1].split(" ")[0]
        waits = re.search(r"wchan: (\S+)", part)
        state = re.search(r"thread \d+ [^\n]*: (\S)", part)
        found.append(f"{Path(command).name} {state[1] if state else '?'} in {waits[1] if waits else '?'}")
    return ", ".join(found[-3:])


def python_stacks(pid):
    """Has a Python program that runs with PYTHONFAULTHANDLER print where its threads are, into its own stderr; it ends by it."""
    try:
        if not Path(os.readlink(f"/proc/{pid}/exe")).name.startswith("python"):
            return False
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
        os.kill(pid, signal.SIGABRT)
        return True
    except OSError:
        return False


def python_frames(printed, most=3):
    """Of what PYTHONFAULTHANDLER printed: the innermost frames of the thread that had the signal. "" where it printed none."""
    if PYTHON_FAULT not in printed:
        return ""
    _, _, stack = printed.partition(PYTHON_FAULT)[2].partition("Current thread ")
    frames = []
    for line in stack.splitlines()[1:]:
        frame = re.match(r'\s+File "(.*)", line (\d+) in (.*)', line)
        if not frame:
            break
        frames.append(f"{Path(frame[1]).name}:{frame[2]} {frame[3]}")
    return " < ".join(frames[:most])


def of_hang(session, limit=DEBUGGER_S):
    """(text, extract) of all processes of the session. Python programs end by it: their stacks are in their stderr then."""
    pids = processes_of_session(session)
    parts = [of_process(pid) for pid in pids]
    extract = extract_of_proc("\n".join(parts))
    users = [pid for pid in pids if "libcuda.so" in text_of(f"/proc/{pid}/maps", 1 << 22)] or pids
    end, frames = time.monotonic() + limit, ""
    for pid in reversed(users[-DEBUGGED_PROCESSES:]):  # the innermost program first
        left = end - time.monotonic()
        printed = debug(["-p", pid], left) if left > 1 else ""
        if printed:
            parts.append(f"--- debugger, process {pid}\n{printed}")
            frames = frames or innermost_frames(printed)
    if [pid for pid in pids if python_stacks(pid)]:
        time.sleep(0.5)
    return "\n".join(parts), frames or extract


class Cores:
    """Finds the core of a program that crashed, and asks a debugger where that was."""

    def __init__(self, folder, pattern=None):
        self.folder = Path(folder)
        self.pattern = pattern if pattern is not None else text_of(CORE_PATTERN)
        self._told = set()

    def enable(self):
        """For this process and those it starts. The limit only: where cores go is the system's affair."""
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
        try:
            Path("/proc/self/coredump_filter").write_text(CORE_FILTER)
        except OSError:
            pass

    def redirect(self):
        """Has the whole system write cores into our folder, and says whether it does. For machines that are thrown away."""
        pattern = f"{self.folder}/core.%e.%p"
        try:
            CORE_PATTERN.write_text(pattern)
        except OSError:
            return False
        self.pattern = pattern
        return True

    def newest(self, since):
        """A core that was written since then (time.time()) and that nobody has asked for; None."""
        if self.pattern.startswith("|") or not self.pattern:
            return None
        pattern = Path(self.folder, self.pattern)
        try:
            names = re.sub(r"(%.|\*)+", "*", f"{pattern.name}*")
            cores = [path for path in pattern.parent.glob(names) if path.is_file() and path not in self._told and
                     path.stat().st_mtime >= since - COARSE_CLOCK_S]
        except (OSError, ValueError):
            return None
        cores.sort(key=lambda path: path.stat().st_mtime)
        return cores[-1] if cores else None

    def forget(self, since):
        """The newest core is of a crash that nobody asks about."""
        core = self.newest(since)
        if core is not None:
            self._remove(core)

    def _remove(self, core):
        """What lies elsewhere is not ours to remove."""
        self._told.add(core)
        if core.parent == self.folder:
            try:
                core.unlink()
                self._told.discard(core)  # the next one may have its name
            except OSError:
                pass

    def of_crash(self, since, limit=DEBUGGER_S):
        """(text, extract) of the newest core; of none what is known of it."""
        core = self.newest(since)
        if core is None:
            return f"no core (core_pattern is {self.pattern})", ""
        self._told.add(core)
        printed = debug(["-ex", f"core-file {core}"], limit)
        # Without the program's file there are no names: its path stands in what the debugger says of the core.
        program = re.search(r"Core was generated by `(\S+?)['\s]", printed)
        found = program and shutil.which(program[1])
        if found:
            printed = debug([found, core], limit)
        size = core.stat().st_size
        self._remove(core)
        head = re.search(r"#0 .*", printed)
        frames = innermost_frames(crashing_thread(printed)) or (head[0] if head else "")
        where = f"{Path(program[1]).name}: {frames}" if program and frames else frames  # a child's, or one beside it
        return f"core of {size} bytes\n{printed or 'no debugger on this machine'}", where


def crashing_thread(printed):
    """The debugger's text of thread 1 alone: of a core that is the one that crashed."""
    parts = re.split(r"(?m)^(?=Thread \d+ )", printed)
    return next((part for part in parts if part.startswith("Thread 1 ")), printed)
