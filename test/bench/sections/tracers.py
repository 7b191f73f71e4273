"""One way to run each tracer's span_cost program with a live consumer, and to count what it kept."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess

from . import programs

# The session daemon's places are fixed for root: a mount namespace of its own keeps them from anyone else's daemon.
LTTNG_SESSION = """
set -e
mkdir -p /run/lttng
mount -t tmpfs none /run/lttng
mount -t tmpfs none /dev/shm
lttng-sessiond --daemonize --no-kernel --pidfile "$LTTNG_HOME/pid" >/dev/null 2>&1
{
  lttng create bench --output "$LTTNG_HOME/trace"
  lttng enable-channel --userspace spans --num-subbuf 8 --subbuf-size 1M --discard
  lttng enable-event --userspace 'xsp_bench:*' --channel spans
  lttng start
} >"$LTTNG_HOME/log" 2>&1
"$@"
lttng stop >>"$LTTNG_HOME/log" 2>&1
lttng list bench >"$LTTNG_HOME/list" 2>&1
lttng destroy bench >>"$LTTNG_HOME/log" 2>&1
kill "$(cat "$LTTNG_HOME/pid")"
"""


class Floor:
    """The clocks alone."""

    name = "clocks"
    title = "no tracer"

    def __init__(self, bench):
        self.bench = bench
        self.program = bench.path("test", "bench", "span_cost_clocks")

    def why_not(self):
        return None if os.path.exists(self.program) else "not built"

    def run(self, options):
        return self.bench.figures_of([self.program, *options]), None


class Xsp(Floor):
    name = "xsp"
    title = "XSP"

    def __init__(self, bench):
        super().__init__(bench)
        self.program = bench.path("test", "bench", "span_cost_xsp")

    def run(self, options):
        return self.run_under_xsp([*options, "--api-alone"])

    def run_under_xsp(self, options):
        command, trace = self.bench.xsp_run(self.program, *options)
        figures = self.bench.figures_of(command)
        quality = self.bench.quality(trace)
        return figures, {"kept": quality["spans"], "lost": quality["dropped"]}


class XspCalls(Xsp):
    """Library calls beside it, which take up to three records each."""

    name = "xsp-calls"

    def run(self, options):
        return self.run_under_xsp(options)


class XspOff(Xsp):
    """The guest preloaded, and nothing that records."""

    name = "xsp-off"

    def run(self, options):
        return self.bench.figures_of([self.program, *options], LD_PRELOAD=self.bench.guest), None


class XspAbsent(Xsp):
    """The calls themselves."""

    name = "xsp-absent"

    def run(self, options):
        return self.bench.figures_of([self.program, *options]), None


class Lttng(Floor):
    name = "lttng"
    title = "LTTng-UST"

    def __init__(self, bench):
        super().__init__(bench)
        self.program = bench.path("test", "bench", "span_cost_lttng")

    def why_not(self):
        if not os.path.exists(self.program):
            return "not built: liblttng-ust-dev is not installed"
        for tool in ("lttng-sessiond", "lttng", "babeltrace2"):
            if shutil.which(tool) is None:
                return f"no {tool}: install lttng-tools and babeltrace2"
        return None if os.geteuid() == 0 else "its private session needs root, for a mount namespace"

    def run(self, options):
        home = self.bench.temporary("lttng")
        shutil.rmtree(home, ignore_errors=True)
        os.mkdir(home)
        session = ["unshare", "--mount", "--propagation", "private", "bash", "-c", LTTNG_SESSION, "bash"]
        figures = self.bench.figures_of([*session, self.program, *options], LTTNG_HOME=home, HOME=home)
        counts = self.bench.output(["babeltrace2", os.path.join(home, "trace"), "-c", "sink.utils.counter", "-p", "step=+0"])
        events = int(re.findall(r"(\d+) Event messages", counts)[-1])
        with open(os.path.join(home, "list")) as listing:
            discarded = int(re.search(r"Discarded events: (\d+)", listing.read()).group(1))
        size = sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(os.path.join(home, "trace")) for name in names)
        shutil.rmtree(home, ignore_errors=True)
        return figures, {"kept": events // 2, "lost": discarded // 2, "bytes": size}


class Tracy(Floor):
    name = "tracy"
    title = "Tracy"

    def __init__(self, bench, library, capture):
        super().__init__(bench)
        self.program = bench.path("test", "bench", "span_cost_tracy")
        self.library = library
        self.capture = capture

    def why_not(self):
        if not self.library or not self.capture:
            return "no client is named by --tracy LIBRARY CAPTURE (a library that exports ___tracy_emit_zone_begin, and the capture program of the same version)"
        for file in (self.program, self.library, self.capture):
            if not os.path.exists(file):
                return f"no {file}"
        return None

    def run(self, options):
        output = self.bench.temporary("bench.tracy")
        port = str(free_port())
        # The client waits at its end until all is fetched.
        with started([self.capture, "-o", output, "-f", "-p", port]) as capture:
            figures = self.bench.figures_of([self.program, self.library, *options], TRACY_PORT=port, TRACY_NO_EXIT="1", TRACY_NO_SYS_TRACE="1")
            try:
                text, _ = capture.communicate(timeout=60)
            except subprocess.TimeoutExpired as stuck:
                raise programs.Failed("Tracy's capture does not end") from stuck
        zones = int(re.search(r"Zones: ([\d,]+)", text).group(1).replace(",", ""))
        return figures, {"kept": zones, "lost": recorded(figures, "tracy") - zones, "bytes": os.path.getsize(output)}


def recorded(figures, *names):
    return sum(figures[name]["recorded"] for name in names)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def started(command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait()
