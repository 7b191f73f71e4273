"""XSP's kernels beside torch.profiler's: counts, names, durations, layers."""
import ctypes
import ctypes.util
import statistics
from collections import Counter


def demangle(name):
    """As c++filt; a name that is none stays."""
    if not name.startswith("_Z"):
        return name
    library = _cxx_library()
    if library is None:
        return name
    status = ctypes.c_int()
    text = library.__cxa_demangle(name.encode(), None, None, ctypes.byref(status))
    if not text:
        return name
    try:
        return ctypes.string_at(text).decode(errors="replace")
    finally:
        library.free(ctypes.c_void_p(text))


_cxx = []


def _cxx_library():
    if not _cxx:
        found = None
        for name in ("libstdc++.so.6", ctypes.util.find_library("stdc++")):
            try:
                found = ctypes.CDLL(name) if name else None
            except OSError:
                continue
            if found is not None:
                found.__cxa_demangle.restype = ctypes.c_void_p
                found.__cxa_demangle.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
                found.free.argtypes = [ctypes.c_void_p]
                break
        _cxx.append(found)
    return _cxx[0]


def most_frequent(values):
    """The value that occurs most, of equally frequent ones the first; None of nothing."""
    counts = Counter(values)
    return max(counts, key=lambda value: counts[value]) if counts else None


def usual_steps(steps):
    """The steps that launch the most frequent sequence of kernels."""
    sequence = most_frequent([tuple(kernel.name for kernel in step.kernels) for step in steps])
    return [step for step in steps if tuple(kernel.name for kernel in step.kernels) == sequence]


def step_total_us(steps):
    """Kernel time of a step: the sum, over the ordinals, of the median over the steps, as xsp-report --stat median."""
    usual = usual_steps(steps)
    if not usual:
        return None
    return sum(statistics.median(durations) for durations in zip(*[[k.duration_us for k in s.kernels] for s in usual]))


def name_difference(ours, theirs):
    """(names only or more often in ours, names only or more often in theirs) as counters of demangled names."""
    a, b = Counter(map(demangle, ours)), Counter(map(demangle, theirs))
    return a - b, b - a


def describe_difference(extra, missing, limit=3):
    """One line: which names are too many and which are not there."""
    parts = []
    for word, counter in (("only in XSP", extra), ("only in torch.profiler", missing)):
        if counter:
            names = ", ".join(f"{n}x {name[:60]}" for name, n in counter.most_common(limit))
            parts.append(f"{word}: {sum(counter.values())} ({names})")
    return "; ".join(parts)


def agreement(ours, theirs):
    """Share of pairs (kernel name, layer) that both have, of the larger number. Pairs, not ordinals: kernels of several
    streams have no one order. None of nothing.
    """
    a = Counter((demangle(name), layer) for name, layer in ours)
    b = Counter((demangle(name), layer) for name, layer in theirs)
    most = max(sum(a.values()), sum(b.values()))
    return sum((a & b).values()) / most if most else None


def disagreement(ours, theirs, limit=3):
    """One line: pairs that differ."""
    a = Counter((demangle(name), layer) for name, layer in ours)
    b = Counter((demangle(name), layer) for name, layer in theirs)
    show = lambda counter: ", ".join(f"{name[:50]} in {layer}" for (name, layer), _ in counter.most_common(limit))
    return f"XSP: {show(a - b)}; torch.profiler: {show(b - a)}"


def relative(value, reference):
    return abs(value - reference) / reference if reference else float("inf")


def identity(tables, tolerance=1e-6):
    """The identity A10 = A11 = A15 for count and latency: (count of each, latency of each, holds). None where a table has
    no kernel.
    """
    a10, a11, a15 = (tables.get(name) for name in ("A10", "A11", "A15"))
    if not (a10 and a11 and a15):
        return None
    counts = [a10.total("count"), a11.total("kernel_count"), of_model(tables, "kernel_count")]
    times = [a10.total("latency_ms"), a11.total("kernel_latency_ms"), of_model(tables, "kernel_latency_ms")]
    if any(value is None for value in counts + times):
        return None
    holds = len(set(counts)) == 1 and max(times) - min(times) <= tolerance * max(max(times), 1.0)
    return counts, times, holds


def layer_key(row, by):
    """The layer of a row of A8: its index or name; None in no layer."""
    value = row.get(by)
    return None if value in (None, "", "(unattached)") else value


def of_model(tables, column):
    """A value of A15's model; of several groups with kernels that of the one with most evaluations, which A8 is of."""
    rows = [row for row in tables["A15"].rows if row.get(column) is not None and row.get("n", 1) is not None]
    return max(rows, key=lambda row: row.get("n", 1))[column] if rows else None
