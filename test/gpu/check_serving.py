"""Check: a server process whose spawned workers capture CUDA graphs and replay them on requests, ended by SIGTERM in the middle of
its life, as inference servers are.
"""
import os
import signal
import time

from check_kill import lines_of
from executions import DeviceTrace
from report import quality

WORKERS, REQUESTS = 2, 40
START_S = 100
EXIT_STATUS = 5  # of the server's handler of SIGTERM


def run(acceptance, verdicts):
    command = acceptance.program("spawn_serve.py", "--device", acceptance.device, "--workers", WORKERS, "--requests", REQUESTS)
    bare, said, _ = served(acceptance, "spawn_serve-bare", command, None)
    if bare.returncode != EXIT_STATUS or not said:
        verdicts.skip("server", f"without XSP: {bare.why()}")
        return
    traced, said, path = served(acceptance, "spawn_serve", command, "kernel")
    verdicts.judge("server: exit status", f"{EXIT_STATUS}, as without XSP", traced.returncode,
                   traced.returncode == EXIT_STATUS and not traced.timed_out, traced.why())
    if not said or path is None:
        verdicts.fail("server: serves", f"{REQUESTS} requests and a trace", traced.why())
        return
    trace = DeviceTrace(path)
    if not acceptance.has_gpu:
        for worker in said["workers"]:
            calls = sum(span.pid == worker["pid"] for span in trace.outermost_models())
            verdicts.judge(f"worker {worker['number']}: calls of its model", worker["replays"], calls, calls == worker["replays"],
                           trace.why_missing("calls of a worker are missing"))
        verdicts.not_seen("server: kernels of each worker", "all", "there is no GPU")
        return
    kernels = [kernel for kernel in trace.kernels() if kernel.graph_node]
    for worker in said["workers"]:
        own = [kernel for kernel in kernels if kernel.pid == worker["pid"]]
        asked = worker["replays"] * worker["kernels_of_a_replay"]
        launches = {(k.launch.ring, k.launch.id) for k in own if k.launch is not None}
        verdicts.judge(f"worker {worker['number']}: kernels of replays", f"{asked} in {worker['replays']} launches",
                       f"{len(own)} in {len(launches)}", (len(own), len(launches)) == (asked, worker["replays"]),
                       trace.why_missing("kernels of a worker are missing"))
        captured = sum(kernel.capture is not None for kernel in own)
        verdicts.judge(f"worker {worker['number']}: spans of capture", "of every kernel", f"{captured} of {len(own)}",
                       captured == len(own), "nodes are not known")
    values = quality(acceptance.tables(path, ["Q1"])["Q1"])
    dropped = values.get(("dropped", "all"))
    verdicts.judge("server: Q1", "dropped 0", f"dropped {dropped}, processes_killed {values.get(('processes_killed', 'all'))}",
                   dropped == 0, "records were dropped")


def served(acceptance, name, command, level):
    """(outcome, what the server said when it had served, trace). It has its SIGTERM a second later, and no time to clean up."""
    told = []

    def terminate(process):
        output = acceptance.work / f"{name}.stdout"
        end = time.monotonic() + START_S
        while time.monotonic() < end and process.poll() is None:
            said = [line for line in lines_of(output.read_text(errors="replace")) if "workers" in line] if output.exists() else []
            if said:
                time.sleep(1)
                os.kill(said[0]["pid"], signal.SIGTERM)
                told.append(said[0])
                return
            time.sleep(0.05)

    if level is None:
        outcome, path = acceptance.run(name, command, START_S + 20, while_running=terminate), None
    else:
        outcome, path = acceptance.profile(name, command, "--level", level, timeout=START_S + 20, while_running=terminate)
    return outcome, told[0] if told else None, path
