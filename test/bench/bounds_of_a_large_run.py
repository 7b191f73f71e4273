"""How long xsp-bound takes for a large run: bounds_of_a_large_run.py XSP_BOUND XSP_IMPORT [NODES [CALLS [FOLDER]]]

Makes an ONNX model of NODES nodes (10000), times for all of them, and the profile that ONNX Runtime would write of CALLS
calls (100): a span a node and call. Imports the profile, and prints the seconds that `xsp-bound MODEL --trace RUN.pb
--times TIMES.csv --format json` takes, the least of three runs, with user and system time apart. Exits with 1 where it
takes longer than two seconds. The files stay in FOLDER where one is given, and are made only if they are not there; a
profile of the usual size takes about 250 MB."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bound/support"))
import onnx_bytes  # noqa: E402

CHANNELS, SIDE = 8, 4
RUNS, MOST_SECONDS = 3, 2
BLOCK = ("Conv", "Relu", "Sigmoid", "Add")  # a convolution, two branches, and their sum
TOOK_US = {"Conv": 40, "Relu": 5, "Sigmoid": 9, "Add": 6}


def name_of(index):
    return f"/block{index // len(BLOCK)}/{BLOCK[index % len(BLOCK)]}"


def large_model(nodes):
    """Blocks one after another; each ends with its sum."""
    made, block_input = [], "x"
    for index in range(nodes):
        place, output = index % len(BLOCK), f"v{index}"
        inputs = {0: [block_input, "w"], 1: [f"v{index - 1}"], 2: [f"v{index - 2}"], 3: [f"v{index - 2}", f"v{index - 1}"]}
        made.append(onnx_bytes.node(BLOCK[place], inputs[place], [output], name_of(index)))
        if place == len(BLOCK) - 1:
            block_input = output
    shape = [1, CHANNELS, SIDE, SIDE]
    weights = onnx_bytes.tensor("w", [CHANNELS, CHANNELS, 1, 1], bytes(4 * CHANNELS * CHANNELS))
    return onnx_bytes.model(made, [onnx_bytes.value("x", shape)], [onnx_bytes.value(f"v{nodes - 1}", shape)], [weights])


def write_times(path, nodes):
    with open(path, "w", encoding="utf-8") as file:
        file.write("layer,latency_ms\n")
        file.writelines(f"{name_of(index)},{TOOK_US[BLOCK[index % len(BLOCK)]] / 2000}\n" for index in range(nodes))


def write_profile(path, nodes, calls):
    """Events as ONNX Runtime's profiler writes them; no two calls take the same."""
    shape = [{"float": [1, CHANNELS, SIDE, SIDE]}]
    ends = []
    for index in range(nodes):
        kind = BLOCK[index % len(BLOCK)]
        arguments = {"op_name": kind, "provider": "CPUExecutionProvider", "output_type_shape": shape,
                     "input_type_shape": shape * (2 if kind == "Add" else 1)}
        ends.append((TOOK_US[kind], f',"name":"{name_of(index)}_kernel_time","args":{json.dumps(arguments)}}}'))
    now = 1000
    with open(path, "w", encoding="utf-8") as file:
        file.write("[")
        for call in range(calls):
            begin = now
            for took, end in ends:
                took += call % 7
                file.write(f'{{"cat":"Node","pid":7,"tid":9,"ph":"X","ts":{now},"dur":{took}{end},\n')
                now += took
            file.write(f'{{"cat":"Session","pid":7,"tid":9,"ph":"X","name":"model_run","ts":{begin},"dur":{now - begin},'
                       f'"args":{{}}}}{"" if call == calls - 1 else ","}\n')
            now += 1000
        file.write("]")


def seconds_of(command, folder):
    """Wall, user and system time."""
    environment = dict(os.environ, XDG_DATA_HOME=folder + "/data", XDG_CACHE_HOME=folder + "/cache")
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    with open(folder + "/report.json", "wb") as report:
        subprocess.run(command, check=True, stdout=report, env=environment)
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime


def measured(folder, program, importer, nodes, calls):
    model, times, run = (f"{folder}/{nodes}.onnx", f"{folder}/{nodes}.csv", f"{folder}/{nodes}x{calls}.pb")
    with open(model, "wb") as file:
        file.write(large_model(nodes))
    write_times(times, nodes)
    if not os.path.exists(run):
        profile = f"{folder}/{nodes}x{calls}.json"
        write_profile(profile, nodes, calls)
        subprocess.run([importer, profile, "-f", "-o", run], check=True, stdout=subprocess.DEVNULL)
        os.remove(profile)
    command = [program, model, "--trace", run, "--times", times, "--format", "json"]
    return min(seconds_of(command, folder) for _ in range(RUNS))


def main(program, importer, nodes=10000, calls=100, folder=None):
    with tempfile.TemporaryDirectory() as temporary:
        wall, user, system = measured(folder or temporary, os.path.abspath(program), os.path.abspath(importer),
                                      int(nodes), int(calls))
    print(f"{int(nodes)} nodes, {int(calls)} calls: {wall:.2f} s ({user:.2f} s user, {system:.2f} s system)")
    return 0 if wall <= MOST_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
