"""Nodes of a provider that works beside the host are over when they are launched: without kernels in the trace the tables say
that their times are those of the launch. Nodes of the CPU say nothing."""
from support.ort_hosts import profile_host, write_model
from support.trace_reader import ORT_NODE
from support.xsp_e2e import check, check_equal, report, work_folder

work_folder()
write_model([("conv", "Conv", "CUDAExecutionProvider", 30), ("fused", "TRTKernel", "TensorrtExecutionProvider", 30),
             ("reshape", "Reshape", "CPUExecutionProvider", 30)])  # fmt: skip
done = profile_host("create", "run:4").check_success()
check_equal([s.input for s in done.trace.of_kind(ORT_NODE)[:3]],
            ["CUDAExecutionProvider", "TensorrtExecutionProvider", ""], "providers other than the CPU's")
notes = report("trace.pb", "-a", "A2")["A2"]["notes"]
note = [text for text in notes if "launch" in text]
check(note and "4 of 12 nodes ran on CUDAExecutionProvider, 4 of 12 nodes ran on Tensorrt" in note[0], f"notes: {notes}")
write_model()
profile_host("create", "run:4").check_success()
notes = report("trace.pb", "-a", "A2")["A2"]["notes"]
check(not any("launch" in text for text in notes), f"notes without a device: {notes}")
