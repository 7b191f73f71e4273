"""A program that waits for set times, with a tracer that waits for set times at every span of a level that is recorded:
each number of L1 and of its picture is known, and A1 and A2 have the latencies of the level set that times them."""
import json

from support.xsp_e2e import BUILD, XSP_RUN, check, check_equal, clean_environment, report, run, skip, work_folder

EVALUATIONS = 400
RUNS = 3
ATTEMPTS = 3
SETS = ["M", "M/L", "M/L/library", "M/L/library/G"]

program = BUILD / "test/e2e/known_costs"
if not program.exists():
    skip("the C program on xsp.h is not built")
work_folder()


def truth(costs):
    """Latencies in µs by (level set, event level, layer index), and what has a baseline one set before."""
    latencies = {}
    for depth, name in enumerate(SETS):
        layer_tracer = costs["layer_tracer"] if depth >= 1 else 0
        library_tracer = costs["library_tracer"] if depth >= 2 else 0
        kernel_tracer = costs["kernel_tracer"] if depth >= 3 else 0
        call = costs["call_alone"] + kernel_tracer + costs["kernel"]
        layers = [(i + 1) * costs["layer_alone"] + i * (library_tracer + call) for i in range(costs["layers"])]
        latencies[name, "model", None] = costs["model_alone"] + sum(layers) + len(layers) * layer_tracer
        if depth >= 1:
            latencies.update({(name, "layer", i): layer for i, layer in enumerate(layers)})
        if depth >= 2:
            latencies[name, "library", None] = sum(range(costs["layers"])) * call
    return latencies


def begins(costs):
    """Of each level set, the bars in order: event level, parent, begin in µs."""
    pictures = {}
    for depth, name in enumerate(SETS):
        bars = [("model", None, 0)]
        now = costs["model_alone"]
        for i in range(costs["layers"]):
            now += costs["layer_tracer"] if depth >= 1 else 0
            layer = len(bars)
            if depth >= 1:
                bars.append(("layer", 0, now))
            now += (i + 1) * costs["layer_alone"]
            for _ in range(i):
                now += costs["library_tracer"] if depth >= 2 else 0
                if depth >= 2:
                    bars.append(("library", layer, now))
                now += costs["call_alone"] + costs["kernel"] + (costs["kernel_tracer"] if depth >= 3 else 0)
        pictures[name] = bars
    return pictures


def is_near(got_ms, expected_us):
    """A wait ends up to a reading of the clock (0.05 µs) late and a span costs two of them and a record (0.3 µs in all)
    inside what is around it; no event has more than 30 of either. None ends early, but that the processor's clock is
    mapped to that of the system takes 0.01 % and some 0.1 µs."""
    return -0.3 - expected_us / 1000 <= got_ms * 1000 - expected_us <= 2 + 0.03 * expected_us


def is_near_overhead(got_ms, expected_us):
    """A difference of two such latencies."""
    return abs(got_ms * 1000 - expected_us) <= 2 + 0.03 * expected_us


def wrong_numbers(l1, costs):
    """What the tables have otherwise than the program says. The minimum over evaluations is one that nobody interrupted,
    however busy the machine."""
    latencies = truth(costs)
    wrong = []
    rows = {(r[0], r[1], r[2]): r for r in l1["rows"]}
    check_equal(sorted(map(str, rows)), sorted(map(str, latencies)), "rows of L1")
    for (name, event, layer), expected in latencies.items():
        row = rows[name, event, layer]
        if not is_near(row[3], expected):
            wrong.append(f"{name} {event} {layer}: {row[3]} ms, known: {expected} µs")
        before = latencies.get((SETS[SETS.index(name) - 1], event, layer)) if name != "M" else None
        if before is None:
            check_equal(row[4:6], [None, None], f"overhead of {name} {event} {layer}, which has no baseline")
            continue
        difference = row[3] - rows[SETS[SETS.index(name) - 1], event, layer][3]
        check(abs(row[4] - difference) < 1e-9, f"overhead is the difference, {difference}: {row}")
        check(abs(row[5] - 100 * row[4] / (row[3] - row[4])) < 1e-6, f"percentage of {row}")
        if not is_near_overhead(row[4], expected - before):
            wrong.append(f"{name} {event} {layer}: overhead {row[4]} ms, known: {expected - before} µs")
    for name, bars in begins(costs).items():
        drawn = [r for r in l1["nested"]["rows"] if r[0] == name]
        check_equal([(r[1], r[3]) for r in drawn], [(event, parent) for event, parent, _ in bars], f"picture of {name}")
        accurate = {"M": "model", "M/L": "layer", "M/L/library": "library"}.get(name)
        check_equal([r[7] for r in drawn], [event == accurate for event, _, _ in bars], f"what {name} times right")
        wrong += [f"{name}: {r[4]} begins at {r[5]} ms, known: {begin} µs" for r, (_, _, begin) in zip(drawn, bars)
                  if not is_near(r[5], begin)]
    return wrong


for attempt in range(ATTEMPTS):
    # --level kernel: without a GPU the last set would be left out.
    done = run(XSP_RUN, "-f", "--leveled", "--level", "kernel", "--runs", RUNS, "-o", "set", "--", program, EVALUATIONS,
               env=clean_environment())
    check(done.returncode == 0, f"xsp-run --leveled: {done.stderr.decode()}")
    costs = json.loads(done.stdout.splitlines()[0])
    tables = report("set", "--analysis", "L1,A1,A2", "--stat", "min")
    l1 = tables["L1"]
    check_equal([c["name"] for c in l1["columns"]][:8],
                ["level_set", "event_level", "layer_index", "latency_ms", "overhead_ms", "overhead_pct", "n", "spread"],
                "columns of L1")
    wrong = wrong_numbers(l1, costs)
    if not wrong:
        break
check(not wrong, f"{ATTEMPTS} times the numbers were not those of the program:\n  " + "\n  ".join(wrong))

runs = [c["name"] for c in l1["columns"]].index("runs")
for row in l1["rows"]:
    check_equal(row[runs], RUNS, f"runs behind {row}")
    check(RUNS * EVALUATIONS * 0.5 <= row[6] < RUNS * EVALUATIONS, f"evaluations behind {row}, less their warm-up")

# Every latency is from the level set that times it.
rows = {(r[0], r[1], r[2]): r for r in l1["rows"]}
check_equal(tables["A1"]["rows"][0][1], rows["M", "model", None][3], "latency of A1")
check_equal([r[4] for r in tables["A2"]["rows"]], [rows["M/L", "layer", i][3] for i in range(costs["layers"])],
            "latencies of A2")
check(any("the layer level +" in note for note in l1["notes"]), f"what the model pays is in a note: {l1['notes']}")
