"""Of training the rows of A1 (mode, latency, phases) and the layers of A2 with their backward work are what the raw spans
give by the rules of doc/frameworks.md, computed here anew: with accumulated gradients, two models in one step, and modules
that are computed again in the backward pass.
"""
from collections import Counter, defaultdict

from support.trace_reader import ANNOTATION, OPERATOR, TORCH_CONTAINER, TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, report, torch_python, work_folder, xsp_run

MODULES = (TORCH_MODULE, TORCH_CONTAINER, TORCH_ROOT)


def callers(span):
    while span.above is not None:
        span = span.above
        yield span


def statistic(values):
    """The 20 % trimmed mean; of three the median."""
    values, drop = sorted(values), 1 if len(values) == 3 else len(values) // 5
    kept = values[drop : len(values) - drop]
    return sum(kept) / len(kept)


def is_backward(span):
    return span.kind == OPERATOR and (span.name.startswith("autograd::engine::evaluate_function") or bool(span.forward_key))


def is_step(span):
    return span.kind == ANNOTATION and span.name.startswith("Optimizer.step#")


class Evaluation:
    """A model call and what follows it in `spans`, its thread's before the next call."""

    def __init__(self, call, spans, has_modules):
        self.call = call
        later = [s for s in spans if s.begin >= call.end]
        self.backward = [s for s in later if is_backward(s) and s.above is None]
        self.steps = [s for s in later if is_step(s)]
        self.losses = [s for s in later if s.kind == TORCH_ROOT]
        self.is_linked = False
        self.links = {id(node): [] for node in self.backward}
        for span in later:
            for around in (span, *callers(span)) if span.forward else ():
                if id(around) in self.links and not self.links[id(around)]:
                    self.links[id(around)].append(span.forward)
        self.end = max([s.end for s in self.backward + self.steps], default=call.end)
        self.layers = [s for s in spans if s.begin >= call.begin and s.end <= self.end and self.is_layer(s, has_modules)]

    def is_layer(self, span, has_modules):
        around = [s for s in callers(span) if s.kind != ANNOTATION or is_step(s)]
        if any(is_backward(s) for s in [span, *around]) or any(is_step(s) for s in around):
            return False
        if span.kind == TORCH_MODULE or is_step(span):
            return True
        if span.kind != OPERATOR or id(span) in has_modules or span.name.startswith("profiler::"):
            return False
        around = [s for s in around if id(s) not in has_modules or s.kind != OPERATOR]
        return not around or around[0].kind in (TORCH_ROOT, TORCH_CONTAINER) and around[0] not in self.losses

    def phases(self, spans):
        """Forward, backward, optimizer in ns. What lies between two backward passes is forward."""
        others = [s for s in spans if s.kind == OPERATOR and s.above is None and not is_backward(s)]
        forward = backward = 0
        last, is_first = self.call.begin, True
        for node in self.backward:
            if is_first or any(last <= s.begin < node.begin for s in others):
                forward += node.begin - last
            else:
                backward += node.begin - last
            backward += node.end - node.begin
            last, is_first = node.end, False
        if not self.backward:  # it runs behind later calls
            return {"forward_ms": self.end - last, "backward_ms": None, "optimizer_ms": None}
        return {"forward_ms": forward, "backward_ms": backward, "optimizer_ms": self.end - last if self.steps else None}


def evaluations_of(trace):
    """Each evaluation with the spans it is made of."""
    spans = sorted(trace.spans, key=lambda s: (s.begin, s.id))
    has_modules = {id(a) for s in spans if s.kind in MODULES for a in callers(s)}
    roots = [s for s in spans if s.kind == TORCH_ROOT and not any(map(is_backward, callers(s)))]
    calls = [s for s in roots if not s.type.endswith("Loss")]
    result = []
    for call, following in zip(calls, [*(c.begin for c in calls[1:]), 1 << 63]):
        own = [s for s in spans if call.begin <= s.begin < following]
        result.append((Evaluation(call, own, has_modules), own))
    of_call = {id(e.call): e for e, _ in result}
    for span in spans:
        for caller in callers(span.forward) if span.forward else ():
            if id(caller) in of_call:
                of_call[id(caller)].is_linked = True
    for evaluation, _ in result:
        if evaluation.is_linked and not evaluation.backward:
            evaluation.end = max([s.end for s in evaluation.losses], default=evaluation.call.end)
    return result


def row_of(model, mode, evaluations):
    """Times become ms with nine digits."""
    columns = [[e[column] for e in evaluations] for column in ("latency_ms", *PHASES)]
    return (model, mode, len(evaluations), *(None if None in times else rounded(statistic(times) / 1e6) for times in columns))


def expected_rows(trace):
    groups = defaultdict(list)
    for evaluation, own in evaluations_of(trace):
        is_training = bool(evaluation.is_linked or evaluation.backward or evaluation.steps)
        mode = "training" if is_training else "inference"
        phases = evaluation.phases(own) if is_training else dict.fromkeys(PHASES)
        key = (evaluation.call.name, mode, bool(evaluation.backward), bool(evaluation.steps))
        groups[key].append({"latency_ms": evaluation.end - evaluation.call.begin, **phases})
    return Counter(row_of(model, mode, evaluations) for (model, mode, *_), evaluations in groups.items())


def label(layer):
    if layer.kind == ANNOTATION:
        return layer.name.split("#")[1]
    container = next((s for s in callers(layer) if s.kind in (TORCH_ROOT, TORCH_CONTAINER)), None)
    if layer.kind == TORCH_MODULE or container is None or container.kind == TORCH_ROOT:
        return layer.name
    return f"{container.name}.{layer.name}"


def backward_of(evaluation, layer):
    """Of the outermost backward spans whose node leads to the layer. A loss by itself is a root and its layer."""
    is_loss = layer.above in evaluation.losses
    spans = {id(layer), id(layer.above)} if is_loss else {id(layer)}
    return sum(node.end - node.begin for node in evaluation.backward
               if any(id(s) in spans for f in evaluation.links[id(node)] for s in (f, *callers(f))))  # fmt: skip


def rounded(value):
    return None if value is None else f"{value:.9g}"


def rows_of(table):
    names = [column["name"] for column in table["columns"]]
    return [dict(zip(names, row)) for row in table["rows"]]


PHASES = ("forward_ms", "backward_ms", "optimizer_ms")
python = torch_python()
work_folder()
for program in (("torch_train_accumulate.py", "functional"), ("torch_gan.py",), ("torch_checkpoint.py",)):
    done = xsp_run(python, PROGRAMS / program[0], *program[1:], options=["-q"]).check_success()
    tables = report(done.path, "--skip", "0", "-a", "A1,A2")
    told = Counter((row["model"], row["mode"], row["n"], *(rounded(row[column]) for column in ("latency_ms", *PHASES)))
                   for row in rows_of(tables["A1"]))  # fmt: skip
    check_equal(told, expected_rows(done.trace), f"{program[0]}: A1")
    rows = rows_of(tables["A2"])
    names = [row["name"] for row in rows]
    alike = [e for e, _ in evaluations_of(done.trace) if [label(layer) for layer in e.layers] == names]
    # A layer that only some evaluations have (a loss) has an n of its own: those that have all layers have that one.
    check_equal(len(alike), min(row["n"] for row in rows), f"{program[0]}: evaluations with the layers of A2")
    for place, row in enumerate(rows):
        if row["n"] != len(alike):
            continue
        for column, time_of in (("latency_ms", lambda e, layer: layer.end - layer.begin), ("backward_ms", backward_of)):
            own = statistic([time_of(e, e.layers[place]) / 1e6 for e in alike])
            check_equal(rounded(row[column]), rounded(own), f"{program[0]}: {column} of {row['name']}")
