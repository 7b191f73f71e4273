"""Every kernel, copy and memset of an inference loop is in the trace with its exact time, with the call that launched it,
the library call and the layer around that. With either major version of CUPTI.
"""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check_equal, work_folder

work_folder()
for cupti in (13, 12):
    outcome = run_on_device(fake("inference"), 5, cupti=cupti).check_success().check_executions().check_launches()
    check_equal(len(outcome.truth), 5 * 11, "what ran: kernels, copies and memsets of five evaluations")
