"""A tool that the user named in NVTX_INJECTION64_PATH gets the ranges, not we, and --check says so."""
from support.xsp_e2e import BUILD, XSP_RUN, check, check_equal, clean_environment, run, work_folder, xsp_run

work_folder()
environment = clean_environment(NVTX_INJECTION64_PATH="/nowhere/tool.so")
done = xsp_run(BUILD / "test/e2e/nvtx_by_abi", env=environment).check_success()
check_equal(done.trace.spans, [], "ranges that go to another tool")
check_equal(done.stdout, b"done\n", "output")
table = run(XSP_RUN, "--check", env=environment).stdout.decode()
check("NVTX_INJECTION64_PATH is set: NVTX ranges go to /nowhere/tool.so" in table, table)
check("ranges become spans" in run(XSP_RUN, "--check").stdout.decode(), "--check without another tool")
