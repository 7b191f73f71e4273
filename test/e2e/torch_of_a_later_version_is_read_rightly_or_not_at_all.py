"""A libtorch whose RecordFunctions, values or tensors have another layout: the program runs as it would alone, operators have
their names, and shapes and forward links are the right ones or none. A notice says once what is missing."""
from support.fake_torch_hosts import library_without, notices_of, operators_of, record
from support.xsp_e2e import check, check_equal, work_folder

work_folder()


def check_layout(fake, has_shapes, has_links, notice, library=None):
    done, truth = record(fake, 2000, library)
    forward, backward = operators_of(done)
    check_equal([s.name for s in forward], [name for name, _, _ in truth], f"names with {fake!r}")
    check_equal(len(backward), len(truth), f"backward operators with {fake!r}")
    for span, (name, inputs, outputs) in zip(forward, truth):
        allowed = ((inputs, outputs),) if has_shapes is True else ((inputs, outputs), ("", outputs), (inputs, ""), ("", ""))
        check((span.input, span.shape) in allowed, f"{name} with {fake!r} has shapes {span.input} -> {span.shape}, "
              f"but took {inputs} and made {outputs}")  # fmt: skip
    if has_shapes is False:
        check_equal({(s.input, s.shape) for s in forward}, {("", "")}, f"shapes with {fake!r}")
    for span, its_forward in zip(backward, forward):
        check(span.forward is its_forward or span.forward is None and not has_links, f"forward link with {fake!r}")
    check(not notice or any(notice in said for said in notices_of(done)), f"no word of {fake!r}: {notices_of(done)}")
    check_equal(len(notices_of(done)), len(set(notices_of(done))), f"notices of {fake!r} are told once")
    check(notice or not notices_of(done), f"notices of {fake!r}: {notices_of(done)}")


check_layout("", True, True, "")
check_layout("", True, True, "", library_without("same", ()))
for shift in (8, 16, 64):
    check_layout(f"shift={shift}", False, False, "keeps")
check_layout("sequence=160", None, False, "sequence numbers elsewhere")
check_layout("arguments=unmapped", False, True, "arguments of operators elsewhere")
check_layout("arguments=garbage", False, True, "arguments of operators elsewhere")
check_layout("tag=2", False, True, "cannot be read")
for sizes in (40, 128):
    check_layout(f"sizes={sizes}", False, True, "cannot be read")
