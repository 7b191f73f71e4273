"""ort_ways_to_run.py MODEL: every way in which ONNX Runtime's Python module runs a session, several sessions made at once in
threads from one options object, and runs of a forked child; prints what came out."""
import hashlib
import os
import sys
import threading

import numpy as np
import onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 2
PROVIDERS = ["CPUExecutionProvider"]


def show(what, outputs):
    print(what, hashlib.sha256(np.asarray(outputs[0]).tobytes()).hexdigest()[:16], flush=True)


def session():
    return onnxruntime.InferenceSession(sys.argv[1], options, providers=PROVIDERS)


first = session()
entry = first.get_inputs()[0]
exit_name = first.get_outputs()[0].name
image = np.ones([1 if isinstance(size, str) else size for size in entry.shape], np.float32)
show("run", first.run(None, {entry.name: image}))

binding = first.io_binding()
binding.bind_cpu_input(entry.name, image)
binding.bind_output(exit_name)
first.run_with_iobinding(binding)
show("bound", binding.copy_outputs_to_cpu())
value = onnxruntime.OrtValue.ortvalue_from_numpy(image)
binding.clear_binding_inputs()
binding.bind_ortvalue_input(entry.name, value)
first.run_with_iobinding(binding)
show("bound value", binding.copy_outputs_to_cpu())
show("values", [v.numpy() for v in first.run_with_ort_values([exit_name], {entry.name: value})])

if hasattr(first, "run_async"):
    done = threading.Event()

    def callback(outputs, data, error):
        show(f"asynchronous {data} {error!r}", outputs)
        done.set()

    first.run_async(None, {entry.name: image}, callback, "data")
    done.wait(30)
    first.run(None, {entry.name: image})
else:
    print("no run_async")

options.intra_op_num_threads = 1
made = []
makers = [threading.Thread(target=lambda: made.append(session())) for _ in range(4)]
for maker in makers:
    maker.start()
for maker in makers:
    maker.join()
runners = [threading.Thread(target=lambda s=s: s.run(None, {entry.name: image})) for s in made]
for runner in runners:
    runner.start()
for runner in runners:
    runner.join()
print(len(made), options.enable_profiling, made[0].get_session_options().enable_profiling, flush=True)
child = os.fork()
if child == 0:
    show("child", made[0].run(None, {entry.name: image}))
    sys.stdout.flush()
    os._exit(0)
os.waitpid(child, 0)
