"""A program that looks one function up in two copies of a library: both are called as without us. Wrapper and address
belong together, so only the first is recorded, and the trace names the other.
"""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
outcome = compare(fake("looks_up_twice"), fake("libcublas.so.13"), fake("libcublas.so.12")).check_unchanged()
check_equal([line.split()[0] for line in outcome.log if "Sgemm" in line], ["libcublas.so.13", "libcublas.so.12"],
            "copies that were reached")  # fmt: skip
check_equal([s.arguments["m"] for s in outcome.spans("cublasSgemm_v2")], [1], "recorded products")
second = ("second copy", "cublas", "libcublas.so.12", "looks_up_twice")
check(second in outcome.unintercepted(), f"what was not seen: {outcome.unintercepted()}")
