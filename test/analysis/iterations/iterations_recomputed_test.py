"""What D1, D2, D3, A10, A11 and A15 say of iterations is computed anew, by doc/iterations.md, from the operations of the trace:
iterations_recomputed_test.py XSP_IMPORT XSP_REPORT SOURCE_ROOT [TRACE...]. Of recordings of real programs, and of recordings
that are made of their operations. Skipped where the recordings are not at hand.
"""
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import made_iterations  # noqa: E402
from imported_trace import KERNEL, MEMCPY, MEMSET, covered, read_trace, shared_data, skip  # noqa: E402

IMPORT, REPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:4]]
RECORDINGS = ("nsys/mxnet_v100_model11_b1.sqlite.gz", "nsys/mxnet_v100_model17_b1.sqlite.gz", "nsys/h100_2gpu_1s.sqlite.gz",
              "kineto/resnet50_v100_workers0_a.json.gz", "kineto/hta_simple_add.json.gz", "kineto/hta_sampled_rank0.json.gz",
              "kineto/hta_triton.json.gz", "kineto/tl_vit_h100.json.gz")  # fmt: skip
MADE = (("evaluation", 2), ("generation", 1), ("layers", 0), ("log", 0), ("micro_batches", 0), ("nccl", 0), ("two_streams", 1),
        ("varied_5", 0), ("fault_copy", 0), ("prefetch", 4))  # fmt: skip
WHAT = {"HtoD": "copy to device", "DtoH": "copy to host", "DtoD": "copy within device"}
failures = []


def check(held, what):
    if not held:
        failures.append(what)


def check_equal(got, expected, what):
    check(got == expected, f"{what}\n  expected: {expected}\n  got:      {got}")


def check_close(got, expected, what, tolerance=1e-9):
    if got is None or expected is None:
        return check_equal(got, expected, what)
    check(abs(got - expected) <= tolerance * max(1, abs(expected)), f"{what}\n  expected: {expected!r}\n  got:      {got!r}")


def rows_of(table):
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


def tables(trace, *arguments):
    output = subprocess.run([REPORT, trace, "-q", "--format", "json", *arguments], check=True, stdout=subprocess.PIPE)
    return json.loads(output.stdout)


def ns(ms):
    return round(ms * 1e6)


def mean(values):
    return sum(values) / len(values) if values else None


def clipped(operations, begin, end):
    return covered((max(o.begin, begin), min(o.end, end)) for o in operations if o.begin < end and o.end > begin)


def direction(copy):
    """Of "HtoD (Pinned -> Device)"."""
    return copy.name.split(" (")[0]


def to_device(o):
    return o.kind == MEMCPY and direction(o) == "HtoD"


def of_host(o):
    return o.kind == MEMCPY and direction(o) in ("HtoD", "DtoH")


def what_of(o):
    return WHAT.get(direction(o), o.name) if o.kind == MEMCPY else o.name


class Recomputed:
    def __init__(self, path, name):
        self.name, self.path = name, path
        trace = read_trace(path)
        of_process = defaultdict(list)
        for o in trace.executions:
            if o.kind in (KERNEL, MEMCPY, MEMSET):
                of_process[o.process].append(o)
        busiest = max(of_process.values(), key=lambda of: covered((o.begin, o.end) for o in of))
        self.operations = sorted(busiest, key=lambda o: o.begin)
        self.pid = str(trace.processes[busiest[0].process].pid)
        self.first = self.operations[0].begin
        self.places = defaultdict(list)  # of operations by their begin
        for i, o in enumerate(self.operations):
            self.places[o.begin].append(i)
        self.tables = tables(path, "-a", "D1,D2,D3")
        self.rows = rows_of(self.tables["D1"])
        self.loops = defaultdict(list)
        for row in self.rows:
            row["begin"], row["end"] = self.first + ns(row["start_ms"]), self.first + ns(row["end_ms"])
            self.loops[row["loop"]].append(row)

    def ranges(self, row):
        """Where its operations may begin in the sequence: each such range begins and ends when the iteration does."""
        fitting = []
        for at in self.places.get(row["begin"], []):
            first = at
            while first >= 0 and at - first <= row["operations"]:
                of = [o for o in self.operations[first : first + row["operations"]] if not of_host(o)]
                if of and (of[0].begin, max(o.end for o in of)) == (row["begin"], row["end"]):
                    fitting.append(first)
                first -= 1
                if first >= 0 and not of_host(self.operations[first]):
                    break
        return fitting

    def check_times(self):
        for loop, rows in self.loops.items():
            for number, row in enumerate(rows):
                where = f"{self.name}: loop {loop}, iteration {number}"
                check_equal(row["iteration"], number, f"{where}: number")
                check_close(row["duration_ms"], row["end_ms"] - row["start_ms"], f"{where}: duration_ms")
                row["places"] = self.ranges(row)
                check(row["places"], f"{where}: no {row['operations']} operations begin and end with it")
                check_equal(row["deviations"], row["inserted"] + row["missing"], f"{where}: deviations")
                next_row = rows[number + 1] if number + 1 < len(rows) else None
                if row["period_ms"] is not None:
                    check(next_row is not None, f"{where}: a period of the last one")
                    check_close(row["period_ms"], next_row["start_ms"] - row["start_ms"], f"{where}: period_ms")
                elif next_row is not None and row["level"] == 0:
                    others = [r for r in self.rows if r["level"] == 0 and row["begin"] < r["begin"] < next_row["begin"]]
                    check(others, f"{where}: no period, though no other loop is between it and the next")
                if row["parent"] is not None:
                    (outer,) = (r for r in self.rows if r["level"] == row["level"] - 1 and r["iteration"] == row["parent"]
                                and r["begin"] <= row["begin"] <= r["end"])  # fmt: skip
                    check(row["begin"] >= outer["begin"] and row["end"] <= outer["end"], f"{where}: outside its parent")
        for level in {row["level"] for row in self.rows}:
            of_level = sorted((row for row in self.rows if row["level"] == level and row["places"]), key=lambda row: row["begin"])
            reached = 0
            for row in of_level:
                fitting = [at for at in row["places"] if at >= reached]
                check(fitting, f"{self.name}: iteration {row['iteration']} of loop {row['loop']} has operations of the one before")
                row["places"] = fitting
                reached = (fitting or row["places"] or [0])[-1] + 1 if not fitting else fitting[-1] + row["operations"]

    def named(self, first, count):
        return [what_of(operation) for operation in self.operations[first : first + count]]

    def apart(self, first, count, expansion):
        """How many operations only one of them has, in whatever order."""
        apart = Counter(self.named(first, count))
        apart.subtract(expansion)
        return sum(map(abs, apart.values()))

    def check_pattern(self):
        pattern = self.tables["D1"]["pattern"]
        check_equal(pattern["count"], len(self.loops[0]) if 0 in self.loops else 0, f"{self.name}: count")
        if not self.rows:
            return
        shared = sum(row["operations"] for row in self.loops[0]) / len(self.operations)
        check_close(pattern["coverage"], shared, f"{self.name}: coverage")
        outermost = [loop for loop, rows in self.loops.items() if rows[0]["level"] == 0]
        for loop, expansion in enumerate(self.expansions(len(outermost))):
            if loop == 0:
                check_equal(len(expansion), pattern["length"], f"{self.name}: operations of the folded pattern")
            for row in self.loops[loop]:
                where = f"{self.name}: loop {loop}, iteration {row['iteration']}"
                check_equal(row["operations"], len(expansion) + row["inserted"] - row["missing"], f"{where}: operations")
                if row["deviations"] == 0:
                    # Times do not tell on which side of it a copy from the host is.
                    row["places"] = [at for at in row["places"] if self.named(at, row["operations"]) == expansion]
                    check(row["places"], f"{where}: is not the pattern unfolded")
                least = min(self.apart(at, row["operations"], expansion) for at in row["places"])
                check(least <= row["deviations"], f"{where}: more deviations than {row['deviations']}")

    def expansions(self, loops):
        rows = rows_of(self.tables["D1"]["folded"])
        if loops > 1:
            for row in rows:
                if row["depth"] == 0:
                    check_equal(row["repeats"], len(self.loops[int(row["what"].removeprefix("loop "))]), f"{self.name}: {row['what']}")
                    row["what"] = None

        def unfolded(at, depth):
            """Blocks at this depth from `at` on, each as (repeats, operations of one), and where they end."""
            blocks = []
            while at < len(rows) and rows[at]["depth"] == depth:
                row = rows[at]
                at += 1
                if row["what"] is not None:
                    inside = [row["what"]]
                else:
                    below, at = unfolded(at, depth + 1)
                    inside = [what for repeats, of in below for what in of * repeats]
                check_equal(row["operations"], len(inside), f"{self.name}: operations of a block of the folded pattern")
                blocks.append((row["repeats"], inside))
            return blocks, at

        blocks, end = unfolded(0, 0)
        check_equal(end, len(rows), f"{self.name}: lines of the folded pattern that are of no block")
        if loops == 1:
            return [[what for repeats, of in blocks for what in of * repeats]]
        check_equal([repeats for repeats, _ in blocks], [len(self.loops[i]) for i in range(loops)], f"{self.name}: repeats of loops")
        return [of for _, of in blocks]

    def check_metrics(self):
        summed = {row["loop"]: row for row in rows_of(self.tables["D2"])}
        each = {(r["loop"], r["iteration"]): r for r in rows_of(self.tables["D2"]["iterations"])} if self.rows else {}
        states = defaultdict(dict)
        for row in rows_of(self.tables["D2"]["states"]) if self.rows else []:
            states[row["loop"]][row["state"]] = row
        check_equal(sorted(summed), sorted(self.loops), f"{self.name}: loops of D2")
        for loop, rows in self.loops.items():
            of_loop = [self.metrics(row, before) for row, before in zip(rows, [None, *rows])]
            self.check_loop(loop, summed[loop], of_loop)
            if loop == 0:
                for row, expected in zip(rows, of_loop):
                    self.check_iteration(each.get((loop, row["iteration"])), expected, f"{self.name}: {loop}/{row['iteration']}")
            if rows[0]["level"] == 0:
                self.check_states(states[loop], [m for m in of_loop if m["interval"] is not None], loop)

    def metrics(self, row, before):
        begin, end = row["begin"], row["end"]
        place = row["places"][-1]
        own = self.operations[place : place + row["operations"]]
        interval = None
        m = {}
        near = [o for o in self.operations if o.begin < end and o.end > (before["begin"] if before else begin)]
        if before is not None and before["period_ms"] is not None:
            interval = max(0, begin - before["end"])
            m["overlap"] = clipped(filter(to_device, near), before["end"], begin) / interval if interval else None
            m["copies"] = clipped(filter(of_host, near), before["end"], begin)
            m["size"] = sum(o.bytes for o in near if to_device(o) and before["end"] <= o.begin < end)
        else:
            within = [o for o in near if begin <= o.begin < end]
            m["size"] = sum(o.bytes for o in {id(o): o for o in own + within}.values() if to_device(o) and o.begin < end)
        inside = [o for o in own if begin <= o.begin and (o.begin < end or o.end <= end)]
        compute = clipped((o for o in near if not of_host(o)), begin, end)
        copied = clipped(filter(of_host, near), begin, end)
        either = clipped(near, begin, end)
        m.update(interval=interval, inside=len(inside), length=end - begin, operations=row["operations"],
                 compute=compute, copy=copied, both=compute + copied - either, idle=end - begin - either)  # fmt: skip
        return m

    def check_loop(self, loop, row, of):
        where = f"{self.name}: D2 of loop {loop}"
        intervals = [m["interval"] for m in of if m["interval"] is not None]
        whole = sum(intervals) + sum(m["length"] for m in of)
        expected = {
            "avg_interval": mean([i / 1e6 for i in intervals]),
            "max_interval": max(intervals) / 1e6 if intervals else None,
            "avg_overlap": mean([m["overlap"] for m in of if m.get("overlap") is not None]),
            "avg_size": mean([m["size"] for m in of]),
            "iterations": len(of),
            "avg_iteration": mean([m["length"] / 1e6 for m in of]),
            "interval_pct": 100 * sum(intervals) / whole,
            **{name + "_pct": 100 * sum(m[name] for m in of) / whole for name in ("compute", "copy", "both", "idle")},
        }
        places = sum(m["inside"] - 1 for m in of)
        expected["avg_operation"] = sum(m["idle"] for m in of) / places / 1e6 if places else None
        for name, value in expected.items():
            check_close(row[name], value, f"{where}: {name}")
        parts = sum(row[name + "_pct"] for name in ("compute", "copy", "idle", "interval")) - row["both_pct"]
        check_close(parts, 100, f"{where}: shares")

    def check_iteration(self, row, m, where):
        check(row is not None, f"{where}: not in D2")
        if row is None:
            return
        check_close(row["interval"], None if m["interval"] is None else m["interval"] / 1e6, f"{where}: interval")
        check_close(row["overlap"], m.get("overlap"), f"{where}: overlap")
        check_close(row["operation"], m["idle"] / (m["inside"] - 1) / 1e6 if m["inside"] > 1 else None, f"{where}: operation")
        check_equal(row["size"], m["size"], f"{where}: size")
        check_close(row["iteration_ms"], m["length"] / 1e6, f"{where}: iteration_ms")
        for name in ("compute", "copy", "both", "idle"):
            check_close(row[name + "_pct"], 100 * m[name] / m["length"] if m["length"] else None, f"{where}: {name}_pct")

    def check_states(self, states, of, loop):
        if not of:
            return
        expected = {"CPU": mean([m["interval"] - m["copies"] for m in of]), "GPU": mean([m["length"] for m in of])}
        expected["copy"] = mean([m["copies"] for m in of])
        check_equal(sorted(states), sorted(expected), f"{self.name}: states of loop {loop}")
        for name, value in expected.items():
            check_close(states[name]["mean_ms"], value / 1e6, f"{self.name}: mean of {name} in loop {loop}")
            check_close(states[name]["share_pct"], 100 * value / sum(expected.values()), f"{self.name}: share of {name} in loop {loop}")

    def check_streams(self):
        of_stream = defaultdict(list)
        for o in self.operations:
            of_stream[o.device, o.stream].append(o)
        kernels = [o for o in self.operations if o.kind == KERNEL]
        taken = sum(o.duration for o in kernels)
        rows = {(row["device"], row["stream"]): row for row in rows_of(self.tables["D3"])}
        check_equal(sorted(rows), sorted(of_stream), f"{self.name}: streams")
        for key, of in of_stream.items():
            own = [o for o in of if o.kind == KERNEL]
            copies = [o for o in of if o.kind == MEMCPY]
            time = sum(o.duration for o in own)
            expected = {
                "class": "main" if own and (20 * len(own) >= len(kernels) or 20 * time >= taken) else
                "copy" if len(copies) == len(of) else "assist",
                "kernels": len(own),
                "copies_to_device": sum(direction(o) == "HtoD" for o in copies),
                "copies_to_host": sum(direction(o) == "DtoH" for o in copies),
                "other_copies": sum(direction(o) not in ("HtoD", "DtoH") for o in copies),
                "memsets": sum(o.kind == MEMSET for o in of),
                "kernel_ms": time / 1e6, "copy_ms": sum(o.duration for o in copies) / 1e6,
                "busy_ms": covered((o.begin, o.end) for o in of) / 1e6,
                "bytes_to_device": sum(o.bytes for o in copies if direction(o) == "HtoD"),
                "bytes_to_host": sum(o.bytes for o in copies if direction(o) == "DtoH"),
            }  # fmt: skip
            for name, value in expected.items():
                is_number = isinstance(value, float)
                (check_close if is_number else check_equal)(rows[key][name], value, f"{self.name}: {name} of stream {key}")

    def check_evaluations(self):
        """Iterations of the loop with most of them as evaluations."""
        outermost = [rows for rows in self.loops.values() if rows[0]["level"] == 0]
        if not outermost:
            done = subprocess.run([REPORT, self.path, "-q", "-a", "A15", "--model-span", "iterations"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE)  # fmt: skip
            check_equal(done.returncode, 2, f"{self.name}: exit code without a loop: {done.stderr}")
            return
        report = tables(self.path, "-a", "A1,A10,A11,A15", "--model-span", "iterations", "--process", self.pid)
        model, by_name, by_layer = rows_of(report["A15"])[0], rows_of(report["A10"]), rows_of(report["A11"])
        for name, of in (("A10", by_name), ("A11", by_layer)):
            count = sum(row.get("count", row.get("kernel_count")) for row in of)
            check_close(count, model["kernel_count"], f"{self.name}: kernels in {name}")
            latency = sum(row.get("latency_ms" if name == "A10" else "kernel_latency_ms") for row in of)
            check_close(latency, model["kernel_latency_ms"], f"{self.name}: time of kernels in {name}")
        rows = max(outermost, key=len)
        alone = rows_of(report["A1"])[0]
        used = rows[len(rows) - alone["n"] :]  # warm-up left out
        check(len(rows) <= 2 or len(used) < len(rows), f"{self.name}: the first iteration is warm-up")
        check_close(alone["latency_ms"], trimmed([self.latency(row) for row in used]), f"{self.name}: latency of A1")
        kernels = [self.kernels_of(row) for row in used]
        if "tl_vit" in self.name:
            check_equal(model["n"], alone["n"], f"{self.name}: iterations of A15, each another block of the model")
        if alone["n"] != model["n"] or len({tuple(k.name for k in of) for of in kernels}) != 1:
            return  # iterations whose layers or kernels differ are not joined
        check_close(model["model_latency_ms"], alone["latency_ms"], f"{self.name}: model_latency_ms of A15")
        expected = defaultdict(lambda: [0, 0.0])
        for joined in zip(*kernels):
            expected[joined[0].name][0] += 1
            expected[joined[0].name][1] += trimmed([k.duration / 1e6 for k in joined])
        check_equal({row["kernel_name"]: row["count"] for row in by_name}, {n: v[0] for n, v in expected.items()},
                    f"{self.name}: counts of A10")  # fmt: skip
        for row in by_name:
            check_close(row["latency_ms"], expected[row["kernel_name"]][1], f"{self.name}: A10's time of {row['kernel_name']}")

    def latency(self, row):
        """Until the last of its operations has ended, copies to the host among them."""
        place = row["places"][-1]
        of = self.operations[place : place + row["operations"]]
        return (max([row["end"], *(o.end for o in of)]) - row["begin"]) / 1e6

    def kernels_of(self, row):
        place = row["places"][-1] if row["places"] else 0
        return [o for o in self.operations[place : place + row["operations"]] if o.kind == KERNEL]

    def check(self):
        self.check_times()
        if failures:
            return
        self.check_pattern()
        self.check_metrics()
        self.check_streams()
        self.check_evaluations()


def trimmed(values):
    n = len(values)
    if n < 3:
        return mean(values)
    ordered = sorted(values)
    return ordered[1] if n == 3 else mean(ordered[n // 5 : n - n // 5])


def main():
    recordings = made_iterations.Recordings(shared_data(ROOT))
    if not recordings.there:
        skip(f"no recordings in {recordings.data}")
    if len(sys.argv) > 4:
        for path in sys.argv[4:]:
            print(path)
            Recomputed(path, os.path.basename(path)).check()
            print("\n".join(failures[:8]))
            failures.clear()
        return
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.pb")
        for name in RECORDINGS:
            subprocess.run([IMPORT, "-q", "-f", "-o", trace, os.path.join(recordings.data, name)], check=True)
            Recomputed(trace, name).check()
        cases = made_iterations.Cases(recordings)
        for kind, seed in MADE:
            case = cases.make(kind, seed)
            profile = os.path.join(folder, "profile.json")
            made_iterations.write_profile(case.processes[0], profile)
            subprocess.run([IMPORT, "-q", "-f", "-o", trace, profile], check=True, stderr=subprocess.DEVNULL)
            Recomputed(trace, f"{kind} {seed}").check()
    if failures:
        sys.exit("\n".join(failures[:20]))


main()
