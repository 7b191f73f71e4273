"""Records of CUDA 12.1 to 13.1, each version with its own newest ones: what ran is in the trace, exactly."""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import work_folder

work_folder()
for cupti, version in ((12, 18), (12, 19), (12, 22), (12, 24), (12, 26), (13, 130000), (13, 130001), (13, 130100)):
    for words in ([], ["graph"]):
        outcome = run_on_device(fake("inference"), 3, *words, cupti=cupti, FAKE_CUPTI_VERSION=version)
        outcome.check_success().check_executions().check_launches()
