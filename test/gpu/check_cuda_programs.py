"""Checks: CUDA C++ programs whose kernels, copies and memsets are known exactly, and programs of cuBLAS and cuDNN."""
import json
import os
from collections import Counter

import trace_rules
from comparison import demangle
from executions import KERNEL, MEMCPY, MEMSET, DeviceTrace
from report import ReportError
from toolkit import Unbuildable

RUNTIMES = ("shared", "static")
KNOWN_S = 20


def build_known_kernels(acceptance, runtime):
    """The program with the CUDA runtime of this kind; Unbuildable."""
    return acceptance.toolkit.build(f"known_kernels_{runtime}", "known_kernels.cu", "-lpthread", cudart=runtime)


def short(name):
    """A kernel's name without its parameters."""
    return demangle(name).split("(")[0]


def run_known(acceptance, verdicts):
    for runtime in RUNTIMES:
        try:
            program = build_known_kernels(acceptance, runtime)
        except Unbuildable as why:
            verdicts.skip(f"{runtime} cudart", why)
            continue
        if not acceptance.has_gpu:
            verdicts.not_seen(f"{runtime} cudart", "known kernels", "it was built; there is no GPU to run it on")
            continue
        bare = acceptance.run(f"known-{runtime}-bare", [program], KNOWN_S)
        if not bare.good:
            verdicts.skip(f"{runtime} cudart", f"without XSP: {bare.why()}")
            continue
        traced, trace = acceptance.profile(f"known-{runtime}", [program], "--level", "kernel", timeout=KNOWN_S)
        if not traced.good or trace is None:
            verdicts.fail(f"{runtime} cudart: runs under xsp-run", "exit status 0 and a trace", traced.why())
            continue
        verdicts.judge(f"{runtime} cudart: output", "as without XSP", "the same" if traced.stdout == bare.stdout else
                       "another", traced.stdout == bare.stdout, traced.stdout[:200])
        judge_known(verdicts, f"{runtime} cudart", json.loads(bare.stdout), DeviceTrace(trace))
        trace_rules.judge_quality(verdicts, f"{runtime} cudart", acceptance.tables(trace, ["Q1"]))
        trace_rules.judge_times(verdicts, f"{runtime} cudart", trace)


def shared_program(acceptance, verdicts, subject):
    """The program, or None after a row that says why not."""
    try:
        program = build_known_kernels(acceptance, "shared")
    except Unbuildable as why:
        verdicts.skip(subject, why)
        return None
    if not acceptance.has_gpu:
        verdicts.not_seen(subject, "see doc/gpu-acceptance.md", "there is no GPU to run its program on")
        return None
    return program


def run_options(acceptance, verdicts):
    """Options of xsp-run that choose what is recorded."""
    program = shared_program(acceptance, verdicts, "options")
    if program is None:
        return
    bare = acceptance.run("options-bare", [program], 40)
    if not bare.good:
        verdicts.skip("options", f"without XSP: {bare.why()}")
        return
    known = json.loads(bare.stdout)
    copies = sum(number for number, _ in known["copies"].values())
    memsets = known["memsets"][0]
    for option, others in ((["--serialize"], (copies, memsets)), (["--activities", "kernel"], (0, 0)),
                           (["--activities", "kernel,memcpy"], (copies, 0))):
        name = " ".join(option)
        traced, path = acceptance.profile(f"options-{option[-1].strip('-')}", [program], "--level", "kernel", *option,
                                          timeout=60)
        if not traced.good or path is None:
            verdicts.fail(f"{name}: runs", "exit status 0 and a trace", traced.why())
            continue
        trace = DeviceTrace(path)
        judge_equal(verdicts, f"{name}: kernels, copies, memsets", (sum(known["kernels"].values()), *others),
                    (len(trace.kernels()), len(trace.of_kind(MEMCPY)), len(trace.of_kind(MEMSET))))


def run_part(acceptance, verdicts):
    """A second of a program that runs for some."""
    program = shared_program(acceptance, verdicts, "part")
    if program is None:
        return
    traced, path = acceptance.profile("options-duration", [program, "for_three_seconds"], "--level", "kernel", "--delay", "1s",
                                      "--duration", "1s", timeout=40)
    if not traced.good or path is None:
        verdicts.fail("--delay 1s --duration 1s: runs", "exit status 0 and a trace", traced.why())
        return
    trace = DeviceTrace(path)
    times = [(kernel.begin - traced.begin_ns) / 1e9 for kernel in trace.kernels()]
    seen = f"{len(times)} kernels, from {min(times):.2f} s to {max(times):.2f} s" if times else "no kernel"
    verdicts.judge("--delay 1s --duration 1s: kernels of that second", ">= 100, within 1 s", seen,
                   len(times) >= 100 and max(times) - min(times) <= 1.25 and min(times) >= 0.9, "another part was recorded")
    verdicts.judge("--delay 1s --duration 1s: the rest is a gap", ">= 1 gap", f"{len(trace.gaps)} gaps", bool(trace.gaps),
                   "the trace does not say what it leaves out")


def judge_known(verdicts, subject, known, trace):
    """Everything the program says it did."""
    kernels = trace.kernels()
    judge_equal(verdicts, f"{subject}: kernels by name", known["kernels"], Counter(short(k.name) for k in kernels),
                trace.why_missing("not what the program launched"))
    grids = Counter(f"{short(k.name)} {field_of(k.configuration, 'grid')} {field_of(k.configuration, 'block')}" for k in kernels)
    judge_equal(verdicts, f"{subject}: grids and blocks", known["grids"], grids)
    in_graphs = [k for k in kernels if k.graph_node]
    judge_equal(verdicts, f"{subject}: kernels of graph nodes", known["graph_kernels"], len(in_graphs))
    launches = Counter(id(k.launch) for k in in_graphs if k.launch is not None)
    judge_equal(verdicts, f"{subject}: kernels of each graph launch", known["kernels_of_a_graph_launch"],
                sorted(launches.values()))
    streams = {k.stream for k in kernels if short(k.name) == "scale_by_two" and not k.graph_node}
    judge_equal(verdicts, f"{subject}: streams of scale_by_two", known["streams"], len(streams))
    threads = {(k.launch.thread, short(k.name)) for k in kernels if k.launch and short(k.name) == "fill_with_one"}
    judge_equal(verdicts, f"{subject}: threads that launch fill_with_one", known["threads"], len(threads))
    copies = {}
    for copy in trace.of_kind(MEMCPY):
        number, size = copies.get(copy.name, (0, 0))
        copies[copy.name] = (number + 1, size + copy.bytes)
    judge_equal(verdicts, f"{subject}: copies (number, bytes)", {k: tuple(v) for k, v in known["copies"].items()}, copies)
    memsets = trace.of_kind(MEMSET)
    judge_equal(verdicts, f"{subject}: memsets (number, bytes)", tuple(known["memsets"]),
                (len(memsets), sum(m.bytes for m in memsets)))
    loose = [e for e in trace.of_kind(KERNEL, MEMCPY, MEMSET) if e.launch is None]
    judge_equal(verdicts, f"{subject}: executions without a launch", 0, len(loose))


def judge_equal(verdicts, subject, asked, seen, why="not what the program did"):
    plain = lambda value: ", ".join(f"{k} {v}" for k, v in sorted(value.items())) if isinstance(value, dict) else str(value)
    verdicts.judge(subject, plain(asked), plain(seen), dict(seen) == asked if isinstance(asked, dict) else seen == asked,
                   why)


def field_of(configuration, name):
    """A field of a kernel's configuration: "grid=[80,1,1] block=…" -> "[80,1,1]"."""
    for word in configuration.split():
        if word.startswith(name + "="):
            return word[len(name) + 1:]
    return "?"


def link_to(library, include):
    """Arguments of nvcc, which takes no path that ends in a version."""
    return [f"-I{include}", f"-L{library.parent}", f"-l:{library.name}", "-Xlinker", f"-rpath,{library.parent}", "-Xlinker",
            "--allow-shlib-undefined"]


LIBRARIES = {
    # name: source, library, header, folders of wheels, further libraries, the function that is called
    "cublas": ("cublas_products.cu", "libcublas", "cublas_v2.h", ["nvidia/cu13", "nvidia/cublas"], "cublasSgemm"),
    "cudnn": ("cudnn_convolutions.cu", "libcudnn", "cudnn.h", ["nvidia/cudnn", "nvidia/cu13"], "cudnnConvolutionForward"),
}


def run_library(acceptance, verdicts, library):
    source, file, header, wheels, function = LIBRARIES[library]
    found = acceptance.toolkit.find_library(file, header, wheels)
    if found is None:
        verdicts.skip(library, f"no {file} with {header}, neither in the toolkit nor in wheels")
        return
    path, include = found
    try:
        program = acceptance.toolkit.build(library, source, *link_to(path, include))
    except Unbuildable as why:
        verdicts.skip(library, why)
        return
    if not acceptance.has_gpu:
        verdicts.not_seen(library, "kernels of its calls", "it was built; there is no GPU to run it on")
        return
    wheels = path.parent.parent.parent
    folders = [os.environ.get("LD_LIBRARY_PATH"), path.parent, wheels / "cu13/lib", wheels / "cublas/lib"]
    environment = {"LD_LIBRARY_PATH": ":".join(str(folder) for folder in folders if folder)}
    bare = acceptance.run(f"{library}-bare", [program], 60, environment)
    if not bare.good:
        verdicts.skip(library, f"without XSP: {bare.why()}")
        return
    traced, trace = acceptance.profile(library, [program], "--level", "kernel", timeout=60, env=environment)
    if not traced.good or trace is None:
        verdicts.fail(f"{library}: runs under xsp-run", "exit status 0 and a trace", traced.why())
        return
    judge_calls(acceptance, verdicts, library, function, json.loads(bare.stdout), trace)
    trace_rules.judge_quality(verdicts, library, acceptance.tables(trace, ["Q1"]))


def judge_calls(acceptance, verdicts, library, function, known, path):
    """As many calls as the program made, each with kernels, the same for all; the program's own kernels outside of them."""
    trace = DeviceTrace(path)
    calls = [s for s in trace.host.spans if s.level == "library" and s.name.startswith(function)]
    verdicts.judge(f"{library}: calls of {function}", known["calls"], len(calls), len(calls) == known["calls"],
                   "the numbers differ")
    ids = {(s.ring, s.id): 0 for s in sorted(calls, key=lambda s: s.begin)}
    own = outside = 0
    for kernel in trace.kernels():
        inside = [s for s in trace.ancestors(kernel.launch) if (s.ring, s.id) in ids]
        if short(kernel.name) == known["own_kernel"]:
            own += not inside
        elif inside:
            ids[inside[0].ring, inside[0].id] += 1
        else:
            outside += 1
    numbers, later = Counter(ids.values()), set(list(ids.values())[1:])
    verdicts.judge(f"{library}: kernels of a call", "at least 1, the same for all but the first",
                   ", ".join(f"{n} calls with {k}" for k, n in sorted(numbers.items())) + f"; {outside} outside",
                   len(later) == 1 and 0 not in numbers, "calls of one shape launch different kernels")
    verdicts.judge(f"{library}: own kernels, in no call", known["own_launches"], own, own == known["own_launches"],
                   "the numbers differ")
    try:
        rows = [r for r in acceptance.tables(path, ["C2"])["C2"].rows if str(r.get("function", "")).startswith(function)]
        total = sum(r.get("count") or 0 for r in rows)
        time = sum(r.get("kernel_ms") or 0 for r in rows)
        verdicts.judge(f"{library}: C2", f"{known['calls']} calls with kernel time", f"{total} calls, {time:.4f} ms",
                       total == known["calls"] and time > 0, "C2 has not what the trace has")
    except ReportError as error:
        verdicts.fail(f"{library}: C2", f"{known['calls']} calls", error)
