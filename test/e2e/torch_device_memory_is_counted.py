"""Memory that the allocator of a device tells PyTorch of is in the bytes of the layer and in what was live of the model,
summed over devices, and PyTorch's own profiler is told the same as without XSP. The allocator is a stand-in.
"""
from support.trace_reader import TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import BUILD, PROGRAMS, check, check_equal, run, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
program = (PROGRAMS / "torch_device_memory.py", BUILD / "test/e2e/libdevice_allocator.so")

trace = xsp_run(python, *program).check_success().trace
layers = trace.of_kind(TORCH_MODULE)
check_equal([(s.name, s.bytes) for s in layers], [("0", 5000), ("1", 300), ("2", 2000)] * 2, "bytes of the layers")
first, second = (root.arguments for root in trace.of_kind(TORCH_ROOT))
names = ("device_live", "device_peak", "device_reserved")
check_equal([first.get(name) for name in names], [2000, 5300, 8192 + 4096], "device memory of the first call")
check_equal([second.get(name) for name in names], [4000, 7300, 8192 + 4096], "device memory of the second call")

bare = run(python, *program, "profile")
check(bare.returncode == 0, bare.stderr.decode())
check(bare.stdout.strip() not in (b"0", b"[]"), "the profiler hears of the devices in the run without XSP")
check_equal(xsp_run(python, *program, "profile").check_success().stdout, bare.stdout, "what the profiler hears")
