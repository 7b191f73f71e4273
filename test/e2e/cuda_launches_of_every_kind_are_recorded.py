"""The runtime's launches, of CUDA 13 also __cudaLaunchKernel, which nvcc's <<<>>> becomes: each is recorded once, with its
grid, as are copies and allocations with their sizes.
"""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check_equal, work_folder

work_folder()
for version in (12, 13):
    outcome = compare(fake(f"launches{version}")).check_unchanged().check_recorded()
    names = {name for _, name in outcome.calls()}
    check_equal("__cudaLaunchKernel" in names, version == 13, "launches of nvcc 13")
    check_equal({(s.level, s.type) for s in outcome.trace.spans}, {("runtime", "cudart")}, "level and library")
    (launch,) = outcome.spans("cudaLaunchKernel")
    sizes = [launch.arguments.get(f"grid_dim_{axis}", launch.arguments.get(f"grid_{axis}")) for axis in "xyz"]
    check_equal(sizes, [2, 3, 4], f"grid of a launch: {launch.arguments}")
    check_equal(outcome.spans("cudaMemcpy")[0].arguments["count"], 512, "bytes of a copy")
