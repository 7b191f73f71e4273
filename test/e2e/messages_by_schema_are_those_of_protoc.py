"""What support/schema_messages.py reads by the text of trace.proto is what protoc's module reads, field by field."""
from support.fake_cuda import fake, run_on_device
from support.schema_messages import Schema, fields
from support.trace_messages import PROTO, generated_module
from support.xsp_e2e import check, check_equal, skip, work_folder


def compare(ours, theirs, where):
    """Every field that is there, and of every other one its default."""
    for descriptor in theirs.DESCRIPTOR.fields:
        name = descriptor.name
        if name not in ours.names:
            check(name == "environment", f"{where} has no {name}")  # the only map
            continue
        place = f"{where}.{name}"
        left, right = getattr(ours, name), getattr(theirs, name)
        if descriptor.message_type is None:
            check_equal(left, list(right) if isinstance(left, list) else right, place)
        elif isinstance(left, list):
            check_equal(len(left), len(right), f"how many {place}")
            for one, other in zip(left, right):
                compare(one, other, place)
        else:
            check_equal(ours.HasField(name), theirs.HasField(name), f"{place} is there")
            if ours.HasField(name):
                compare(left, right, place)


generated = generated_module()
if generated is None:
    skip("no module of protoc (python3-protobuf: scripts/setup)")
schema = Schema(PROTO.read_text(encoding="utf-8"))
for descriptor in generated.DESCRIPTOR.enum_types_by_name.values():
    for value in descriptor.values:
        check_equal(getattr(schema, value.name, None), value.number, value.name)
folder = work_folder()
data = run_on_device(fake("inference"), 3).check_success().done.path.read_bytes()
kinds = set()
for _, raw in fields(data):
    ours, theirs = schema.Packet.FromString(raw), generated.Packet.FromString(raw)
    check_equal(ours.WhichOneof("body"), theirs.WhichOneof("body"), "what a packet is about")
    kinds.add(theirs.WhichOneof("body"))
    compare(ours, theirs, "Packet")
check({"header", "hello", "strings", "spans", "activities", "arguments", "device", "trace_end"} <= kinds, f"only {kinds}")
