"""An operator's input and output shapes are those of the tensors that go in and come out, from the first one on: scalars,
empty tensors, many dimensions, several results, shapes that change with every call.
"""
from support.trace_reader import ANNOTATION, OPERATOR
from support.xsp_e2e import PROGRAMS, check_equal, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
done = xsp_run(python, PROGRAMS / "torch_operator_shapes.py").check_success()
expected = [tuple(line.split()) for line in done.stdout.decode().splitlines()]
trace = done.trace
begin, end = (s for s in trace.of_kind(ANNOTATION) if s.name in ("begin", "end"))
# The annotations' own operators come first, in some versions.
operators = [s for s in trace.of_kind(OPERATOR) if begin.end <= s.begin < end.begin and s.above is None]
told = [(s.name, s.input or "-", s.shape or "-") for s in operators if s.name not in ("aten::zeros", "aten::empty")]
check_equal(told, expected, "operators, their input and output shapes")
inner = [s for s in trace.of_kind(OPERATOR) if s.above and s.above.kind == OPERATOR]
check_equal({(s.input, s.shape) for s in inner}, {("", "")}, "shapes of operators inside operators")
