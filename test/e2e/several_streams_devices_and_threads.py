"""What runs in several streams, on several devices and from several threads and processes keeps its stream, device, launch
and layer.
"""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check_equal, work_folder

work_folder()
for words, devices, processes, streams in ((["streams"], {0}, 1, 2), (["devices"], {0, 1}, 1, 2), (["threads"], {0}, 1, 2),
                                           (["processes", "threads", "streams"], {0}, 2, 4)):  # fmt: skip
    outcome = run_on_device(fake("inference"), 4, *words, FAKE_CUDA_DEVICES=2).check_success()
    outcome.check_executions().check_launches()
    kernels = outcome.trace.kernels
    check_equal({e.device for e in kernels}, devices, f"{words}: devices")
    check_equal(len({e.pid for e in kernels}), processes, f"{words}: processes")
    check_equal(len({(e.pid, e.stream) for e in kernels}), streams * processes, f"{words}: streams")
    check_equal({d["index"] for d in outcome.trace.devices}, devices, f"{words}: described devices")
