"""A libtorch that calls back once, never, for one end of an operator only, for scopes that were not known, or whose operators
have no name or one that has been freed: the program runs as it would alone, and what is recorded is what ran."""
from support.fake_torch_hosts import notices_of, operators_of, record
from support.trace_reader import TORCH_ROOT
from support.xsp_e2e import check, check_equal, work_folder

OPERATORS = 400
work_folder()
for fake, forward_count in (("callback=once", 1), ("callback=never", 0), ("callback=startless", OPERATORS / 2),
                            ("callback=endless", OPERATORS / 2), ("scopes=11", OPERATORS)):  # fmt: skip
    done, truth = record(fake, OPERATORS)
    forward, backward = operators_of(done)
    check_equal(len(forward), forward_count, f"operators with {fake}")
    check_equal(done.trace.of_kind(TORCH_ROOT), [], f"models with {fake}")
    # A shape is that of one operator here, so that it tells which one it was.
    known = {inputs: (name, outputs) for name, inputs, outputs in truth}
    for span in forward:
        name, outputs = known[span.input]
        check_equal(span.name, name, f"name with {fake}")
        check(span.shape in ("", outputs), f"{name} with {fake} made {outputs}, not {span.shape}")
    check(all(span.above is None for span in forward + backward), f"operators lie beside each other with {fake}")
    before = {s.id: [f for f in forward if f.end <= s.begin][-1:] for s in backward}
    check(all(s.forward in (None, *before[s.id]) for s in backward), f"forward links with {fake}")
check("results of operators elsewhere" in " ".join(notices_of(record("scopes=11", OPERATORS)[0])), "a scope more is told of")

for fake in ("name=null", "name=freed"):
    done, truth = record(fake, OPERATORS)
    spans = sorted(done.trace.spans, key=lambda s: s.begin)
    check_equal([(s.input, s.shape) for s in spans[::2]], [(i, o) for _, i, o in truth], f"operators with {fake}")
