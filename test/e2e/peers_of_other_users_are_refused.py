"""A collector takes nothing from a process of another user, even where the socket's mode lets it connect; a second user's
flood of connections keeps nobody out. The own user's programs are recorded meanwhile."""
import os

from support.raw_client import NOBODY, Collector, connect, hello, in_child_as, is_closed, notice
from support.trace_reader import read_trace
from support.xsp_e2e import BUILD, XSP_RUN, check, check_equal, run, skip, work_folder

if os.geteuid() != 0:
    skip("a second user is needed, and only root can become one")
folder = work_folder()
folder.chmod(0o755)
collector = Collector(folder, "--status-fd", "1")


def foreign(what):
    return in_child_as(NOBODY, what)


def is_kept_out():
    try:
        connect(collector.socket)
    except PermissionError:
        return 1
    return 0


def is_refused():
    client = connect(collector.socket)
    try:
        client.sendall(hello() + notice("from another user"))
    except BrokenPipeError:
        return 1
    return int(is_closed(client))


def floods():
    for _ in range(300):
        clients = []
        for _ in range(10):
            try:
                clients.append(connect(collector.socket))
            except OSError:
                pass
    return 1


check_equal(foreign(is_kept_out), 1, "the socket's mode keeps others out")
collector.socket.chmod(0o666)
check_equal(foreign(is_refused), 1, "the credentials do, too")
check_equal(foreign(floods), 1, "a flood of them")
own = run(XSP_RUN, "--collector", collector.socket, "--", BUILD / "test/e2e/api_spans")
check_equal(own.returncode, 0, f"the own user's program: {own.stderr}")
descriptors = collector.descriptors()
check(descriptors < 40, f"{descriptors} descriptors are open")
told = collector.finish()
trace = read_trace(collector.trace)
check_equal([len(process.spans) for process in trace.processes.values()], [40], "what is in the trace")
check('"reason":"OTHER_USER","user":65534}' in told.replace(" ", ""), f"the collector tells it: {told}")
check(b"from another user" not in collector.trace.read_bytes(), "what another user sent is in the trace")
