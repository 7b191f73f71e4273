"""What a recording says about the assumptions of doc/device.md: each function returns (answer, evidence), or None where the
recording cannot tell.
"""
from collections import Counter
from statistics import median

from recording_lines import DRIVER, NODE_CLONED, NODE_CREATED, RUNTIME
from recording_layout import NAMES, expected_sizes

STATES = {1: "fatal error", 2: "error", 3: "warning"}


def listed(counter, most=8):
    """"a 3, b 2"."""
    return ", ".join(f"{name} {count}" for name, count in counter.most_common(most)) or "none"


def out_of(good, all_):
    return f"{'yes' if good == all_ else 'no' if good == 0 else 'partly'}: {good} of {all_}"


def milliseconds(values):
    return f"{min(values) / 1e6:.3f} / {median(values) / 1e6:.3f} / {max(values) / 1e6:.3f} ms (least, median, most)"


def launches_by_id(recording):
    """{correlation id: the outermost call of a launch}"""
    found = {}
    for call in recording.calls:
        if call.is_launch:
            found.setdefault(call.correlation, call)
    return found


def has_callbacks(recording):
    return bool(recording.calls)


def records_calls(recording):
    """Kinds RUNTIME and DRIVER were enabled."""
    return any(line.fields.get("what") == "cuptiActivityEnable" and line["argument"] in (4, 5) for line in recording.of("set"))


def ids_of_callbacks(recording):
    kernels, launches = recording.kernels(), launches_by_id(recording)
    if not kernels or not launches:
        return None
    good = [k for k in kernels if k.correlation in launches]
    with_kernels = {k.correlation for k in kernels}
    idle = sum(id not in with_kernels for id in launches)
    kinds = "with the kinds RUNTIME and DRIVER too" if records_calls(recording) else "by callbacks alone"
    return out_of(len(good), len(kernels)), (f"kernels with the id of a launch, {kinds}; {idle} of {len(launches)} launches without "
                                             "a kernel")


def nested_calls(recording):
    nested = [c for c in recording.calls if c.domain == DRIVER and c.outer and c.outer.domain == RUNTIME]
    if not nested:
        return ("none seen", "no driver call inside a call of the runtime") if has_callbacks(recording) else None
    same = [c for c in nested if c.correlation == c.outer.correlation]
    other = Counter(f"{c.outer.name} > {c.name}" for c in nested if c.correlation != c.outer.correlation)
    inside = Counter(f"{c.outer.name} > {c.name}" for c in nested if c.is_launch)
    return out_of(len(same), len(nested)), f"other ids: {listed(other)}; inside launches: {listed(inside)}"


def nested_records(recording):
    calls = [r for r in recording.records if r.kind_name in ("runtime", "driver")]
    if not calls:
        return None
    outer = Counter(r.correlation for r in calls if r.kind_name == "runtime")
    nested = sum(r.correlation in outer for r in calls if r.kind_name == "driver")
    count = Counter(r.kind_name for r in calls)
    return f"{nested} of {count['driver']}", f"driver records with the id of one of {count['runtime']} runtime records"


def launch_functions(recording):
    outermost, inner = Counter(), Counter()
    for call in recording.calls:
        if call.is_launch:
            is_inside = call.outer is not None and call.outer.is_launch
            (inner if is_inside else outermost)[f"{call.domain}:{call.id} {call.name}"] += 1
    return (listed(outermost), f"outermost; inside them {listed(inner)}") if outermost else None


def graph_ids(recording):
    parts = [r for r in recording.executions() if r.graph != 0]
    launches = {c.correlation for c in recording.calls if c.is_graph_launch}
    if not parts or not launches:
        return None
    good = [r for r in parts if r.correlation in launches]
    per_launch = Counter(f"{n} executions:" for n in Counter(r.correlation for r in good).values())
    return out_of(len(good), len(parts)), f"executions of graphs with the id of a graph's launch; a launch has {listed(per_launch)}"


def node_order(recording):
    made, orders = {}, Counter()
    for line in recording.of("resource"):
        if line["id"] in (NODE_CREATED, NODE_CLONED):
            made.setdefault(line["node_id"], []).append("created" if line["id"] == NODE_CREATED else "cloned")
    for steps in made.values():
        orders[" then ".join(steps)] += 1
    if not made:
        return None
    nodes = [r.graph_node for r in recording.executions() if r.graph_node]
    clones = sum("cloned" in made.get(node, ()) for node in nodes)
    unseen = sum(node not in made for node in nodes)
    return listed(orders), f"nodes; of {len(nodes)} executions {clones} name a clone, {unseen} a node unseen"


def node_place(recording):
    created = [line for line in recording.of("resource") if line["id"] == NODE_CREATED]
    if not created:
        return None
    callers = {call.thread for call in recording.calls}
    own = sum(line.thread in callers for line in created)
    places = Counter(call_name(recording, line) for line in created)
    return listed(places), (f"the innermost call when a node is created; {own} on threads that call CUDA, {len(created) - own} on "
                            "others")


def call_name(recording, line):
    """Name of the function that the line came inside of."""
    if line.inside is None:
        return "outside of any call"
    names = getattr(recording, "_names", None)
    if names is None:
        names = recording._names = {(c.domain, c.id): c.name for c in recording.calls}
    return names.get(line.inside[:2], "{}:{}".format(*line.inside[:2]))


def buffer_requests(recording):
    requests = recording.of("requested")
    if not requests:
        return None
    places = Counter(call_name(recording, line) for line in requests)
    threads, in_flush = len({line.thread for line in requests}), sum(line["flush"] for line in requests)
    return listed(places), f"innermost call of {len(requests)} requests on {threads} threads, {in_flush} inside a flush"


def buffers_held(recording):
    done = [b for b in recording.completed if b.requested]
    if not done:
        return None
    held = [b.completed.t - b.requested.t for b in done]
    filled = [len(b.records) for b in done]
    records = f"{min(filled)} / {median(filled):g} / {max(filled)} records"
    return milliseconds(held), f"{len(done)} of {len(recording.buffers)} buffers were returned, with {records}"


def flushes(recording):
    """[(begin, end, flags)]"""
    found, begun = [], {}
    for line in recording.of("flush_begin", "flush_end"):
        if line.word == "flush_begin":
            begun[line.thread] = line.t
        elif line.thread in begun:
            found.append((begun.pop(line.thread), line.t, line["flags"]))
    return found


def unfinished_records(recording):
    plain = [(b, e) for b, e, flags in flushes(recording) if flags == 0]
    if not plain:
        return None
    inside = [b for b in recording.completed if b.completed["flush"] and any(begin <= b.completed.t <= end for begin, end in plain)]
    unfinished = sum(not r.has_times for b in inside for r in b.records if r.is_execution)
    kept = [(b.requested.t, b.completed.t if b.completed else float("inf")) for b in recording.buffers.values() if b.requested]
    withheld = sum(any(since < begin and until > end for since, until in kept) for begin, end in plain)
    return f"{unfinished} without times", (f"in {len(inside)} buffers that {len(plain)} FlushAll(0) returned; in {withheld} of these "
                                           "flushes a buffer stayed with CUPTI")


def flush_times(recording):
    times = [end - begin for begin, end, _ in flushes(recording)]
    failed = sum(line["result"] != 0 for line in recording.of("flush_end"))
    return (milliseconds(times), f"{len(times)} flushes; failed: {failed}") if times else None


def completing_threads(recording):
    callers, where = {call.thread for call in recording.calls}, Counter()
    for buffer in recording.completed:
        line = buffer.completed
        if line["flush"]:
            where["inside a flush"] += 1
        elif line.thread in callers:
            where[f"program's thread, in {call_name(recording, line)}"] += 1
        else:
            where["a thread of CUPTI's"] += 1
    return (listed(where), f"{len({b.completed.thread for b in recording.completed})} threads") if where else None


def clock(recording):
    readings = recording.of("clock")
    if not readings:
        return None
    from_real = [line["cupti"] - line["real"] for line in readings]
    spread = max(line["spread"] for line in readings)
    seconds = (readings[-1].t - readings[0].t) / 1e9
    offset = [line["cupti"] - line.t for line in readings]
    drift = f"{(offset[-1] - offset[0]) / seconds:.0f} ns/s" if seconds > 0.05 else "unknown"
    return f"{min(from_real)} to {max(from_real)} ns from CLOCK_REALTIME", (
        f"{len(readings)} readings, each within {spread} ns; drift against CLOCK_MONOTONIC {drift}")


def wrong_times(recording):
    parts = recording.executions()
    if not parts:
        return None
    zero = Counter(r.kind_name for r in parts if not r.has_times)
    inverted = Counter(r.kind_name for r in parts if r.is_inverted)
    forced = [(begin, end) for begin, end, flags in flushes(recording) if flags & 1]
    left_out, left_out_zero = (sum(getattr(b, key) for b in recording.completed) for key in ("left_out", "left_out_zero"))
    running = sum(not r.has_times for b in recording.completed for r in b.records
                  if r.is_execution and any(begin <= b.completed.t <= end for begin, end in forced))  # fmt: skip
    return f"zero: {listed(zero)}; inverted: {listed(inverted)}", (
        f"of {len(parts)} executions; {running} without times came with a forced flush; beyond the file's limit {left_out} kernels, "
        f"{left_out_zero} without times")


def least_lead(recording):
    launches = launches_by_id(recording)
    leads = [recording.steady(k.start) - launches[k.correlation].begin for k in recording.kernels()
             if k.has_times and k.correlation in launches]  # fmt: skip
    if not leads:
        return None
    early = sum(lead < 0 for lead in leads)
    return f"{min(leads)} ns", f"least time from a launch's enter to its kernel's start, of {len(leads)}; {early} start before"


def sessions(recording):
    begun = recording.of("session")
    launches = {c.correlation: c for c in recording.calls if c.is_graph_launch}
    if len(begun) < 2 or not launches:
        return None
    rows = []
    for i, line in enumerate(begun):
        until = begun[i + 1].t if i + 1 < len(begun) else float("inf")
        parts = [r for r in recording.executions() if r.graph and r.has_times and line.t <= recording.steady(r.start) < until]
        good = sum(r.correlation in launches and launches[r.correlation].begin <= recording.steady(r.start) for r in parts)
        rows.append(f"session {line['number']}: {good} of {len(parts)}")
    return "; ".join(rows), "executions of graphs with the id of a graph's launch that began before"


def state_events(recording):
    told = recording.of("state")
    found = Counter(f"{STATES.get(line['id'], line['id'])} ({line['result']}) {line.fields.get('message', '')}" for line in told)
    return listed(found), f"{len(told)} events of the STATE domain"


def dropped(recording):
    told = recording.of("dropped")
    return str(sum(line["count"] for line in told)), f"{len(told)} times told by cuptiActivityGetNumDroppedRecords"


def record_layout(recording):
    sizes = Counter((r.kind, r.size) for r in recording.records)
    if not sizes:
        return None
    odd = {key: n for key, n in sizes.items() if key[1] not in (expected_sizes(key[0], recording.version) or (key[1],))}
    unknown = {kind for kind, _ in sizes if not expected_sizes(kind, recording.version)}
    answer = "as assumed" if not odd and not unknown else f"other sizes: {odd or 'none'}; not known: {sorted(unknown)}"
    ended = Counter(b.walk for b in recording.completed if b.walk != 12)
    seen = "; ".join(f"{NAMES.get(kind, kind)} {size} bytes x {n}" for (kind, size), n in sorted(sizes.items()))
    return answer, f"{seen}; walks that ended otherwise than at the end: {dict(ended) or 'none'}"


def exit_of_program(recording):
    exits = recording.of("exiting")
    if not exits:
        return "not reached", "the exit handler did not run: killed, or _exit"
    last = [b for b in recording.completed if b.completed.t >= exits[0].t]
    forced = [line["result"] for line in recording.of("flush_end") if line.t >= exits[0].t]
    later = sum(not b.completed["flush"] for b in last)
    zero = sum(not r.has_times for b in last for r in b.records if r.is_execution)
    return f"{len(last)} buffers, {sum(len(b.records) for b in last)} records", (
        f"completed in or behind the exit handler, {later} of them not inside its flush (results {forced}); {zero} executions without "
        "times")


def ranges(recording):
    steps = recording.of("range")
    if not steps:
        return None
    bad = [f"launch {s['launch']}: {s.fields.get('what')} = {s['result']}" for s in steps if s["result"] != 0]
    seen = [f"launch {s['launch']}: {s['ranges']} ranges" for s in steps if s.fields.get("what") == "ranges"]
    return "; ".join(bad) or "every step succeeded", "; ".join(seen) or "no range was decoded"


def facts(recording):
    known = {line.fields.get("what"): line.fields.get("value") for line in recording.of("fact")}
    devices = [f"{line['index']}: {line.name}" for line in recording.of("device")]
    failed = [line for line in recording.of("set") if line["result"] != 0]
    refused = Counter(f"{line.fields.get('what')}({line['argument']}) = {line['result']}" for line in failed)
    errors = [line.fields.get("what", "") for line in recording.of("error")]
    return f"CUPTI {recording.version}, driver {known.get('driver_version', 'unknown')}", (
        f"headers {recording.head['header_version']}; {known.get('cupti_file', '')}; devices {devices}; refused: {listed(refused)}; "
        f"errors: {errors or 'none'}; variant: {recording.head.fields.get('variant') or 'none'}")


def attributes(recording):
    last = {line["id"]: line["value"] for line in recording.of("attribute") if line["result"] == 0}
    values = ", ".join(f"{key}={value}" for key, value in sorted(last.items()))
    return (values, "CUpti_ActivityAttribute by number, at last") if last else None
