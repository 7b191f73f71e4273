"""For the tests that no profile is written if nobody will collect it: a program recorded without XSP_SCRATCH, and one of a
second user that sends to a service of root."""
import os

from .raw_client import NOBODY, Collector, in_child_as
from .trace_reader import ORT_NODE, ORT_RUN, read_trace
from .xsp_e2e import BUILD, XSP_RUN, check, check_equal, clean_environment, run, work_folder


def listing(folder):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)


def json_at_the_root():
    return {name for name in os.listdir("/") if name.endswith(".json")}


def check_no_profiles(command, runs, **extra):
    """Runs `command` both ways; its own files exist beforehand."""
    folder = work_folder()
    folder.chmod(0o755)
    root_before = json_at_the_root()
    alone = folder / "alone"
    alone.mkdir()
    plain = run(*command, env=clean_environment(TMPDIR=alone, **extra), cwd=alone)
    own = {os.path.basename(path) for path in listing(alone)}  # what it leaves on its own
    check_equal(plain.returncode, 0, f"the program alone: {plain.stderr}")
    ways = {"without a scratch folder": None}
    if os.geteuid() == 0 and in_child_as(NOBODY, lambda: int(os.access(XSP_RUN, os.X_OK))):
        ways["a service of another user"] = NOBODY
    else:
        print("skipped in part: a second user is needed, who may read the build, and only root can become one")
    for number, (what, user) in enumerate(ways.items()):
        place = folder / f"place{number}"
        temporary = folder / f"temporary{number}"
        for made in (place, temporary, folder / f"collector{number}"):
            made.mkdir()
        collector = Collector(folder / f"collector{number}", *(("--allow-all",) if user else ()))
        env = clean_environment(TMPDIR=temporary, **extra)
        if user:
            collector.socket.chmod(0o666)
            for made in (place, temporary):
                os.chown(made, user, user)
            # What the launcher removes at its end would be there while the program runs.
            words = (XSP_RUN, "--collector", collector.socket, "--", "sh", "-c", '"$@"; find . "$TMPDIR" -type f >&2', "sh")
        else:
            words = ()
            env |= {"LD_PRELOAD": str(BUILD / "inject/libxsp_inject.so"), "XSP_SOCKET": str(collector.socket)}
        done = run(*words, *command, env=env, cwd=place, **({"user": user, "group": user, "extra_groups": []} if user else {}))
        check_equal((done.returncode, done.stdout), (0, plain.stdout), f"{what}: the program; {done.stderr}")
        left = [path for path in listing(place) + listing(temporary) if os.path.basename(path) not in own]
        check_equal(left, [], f"{what}: files that it left")
        check(b".json" not in done.stderr, f"{what}: files while it ran: {done.stderr}")
        collector.finish()
        trace = read_trace(collector.trace)
        check_equal(len(trace.of_kind(ORT_RUN)), runs, f"{what}: runs")
        check_equal(len(trace.of_kind(ORT_NODE)), 0, f"{what}: nodes")
    check_equal(json_at_the_root() - root_before, set(), "files in the root folder")
