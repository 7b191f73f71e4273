"""ort_odd_runs.py FEW MANY DEEP [interrupted]: runs of ONNX Runtime as few programs make them: by keywords, of a subclass, of
many, bound and deep inputs, of arrays whose shape is a property that raises, and runs that fail. Prints what came out of each. The
models are of test/models/make_sum_onnx.py. With `interrupted` the property raises what is not an error.
"""
import sys

import numpy as np
import onnxruntime


def session_of(model, session_class=onnxruntime.InferenceSession):
    return session_class(model, providers=["CPUExecutionProvider"])


def feed_of(inputs, rank, kind=np.asarray):
    return {chr(ord("a") + i): kind(np.full([1] * rank, i + 1, np.float32)) for i in range(inputs)}


class ShapeRaises(np.ndarray):
    error = ValueError

    @property
    def shape(self):
        raise self.error("no shape for you")


class Doubling(onnxruntime.InferenceSession):
    def run(self, output_names, input_feed, run_options=None):
        return [2 * output for output in super().run(output_names, input_feed, run_options)]


def show(what, run):
    try:
        print(what, run()[0].ravel()[:2].tolist(), flush=True)
    except BaseException as error:
        print(what, type(error).__name__, str(error)[:60], flush=True)


def bound():
    """An input bound by keywords, the list of whose sizes is used for something else behind that."""
    array, sizes, binding = np.ones([1, 1], np.float32), [1, 1], few.io_binding()
    pointer = array.ctypes.data
    binding.bind_input(name="a", device_type="cpu", device_id=0, element_type=np.float32, shape=sizes, buffer_ptr=pointer)
    sizes.append(7)
    binding.bind_output("sum")
    few.run_with_iobinding(iobinding=binding)
    return binding.copy_outputs_to_cpu()


few_model, many_model, deep_model = sys.argv[1:4]
is_interrupted = "interrupted" in sys.argv[4:]
few = session_of(few_model)
if is_interrupted:
    ShapeRaises.error = KeyboardInterrupt
    show("interrupted", lambda: few.run(None, feed_of(1, 2, lambda array: array.view(ShapeRaises))))
show("keywords", lambda: few.run(output_names=["sum"], input_feed=feed_of(1, 2), run_options=onnxruntime.RunOptions()))
show("subclass", lambda: session_of(few_model, Doubling).run(None, feed_of(1, 2)))
show("many", lambda: session_of(many_model).run(None, feed_of(10, 2)))
show("bound", bound)
show("deep", lambda: session_of(deep_model).run(None, feed_of(1, 12)))
if not is_interrupted:
    show("no shape", lambda: few.run(None, feed_of(1, 2, lambda array: array.view(ShapeRaises))))
show("no input", lambda: few.run(None, {}))
show("nothing", lambda: few.run())
show("unbound", lambda: onnxruntime.InferenceSession.run())
show("wrong size", lambda: few.run(None, {"a": np.ones([2, 1, 1], np.float32)}))
show("no feed", lambda: few.run(None, 5))
show("again", lambda: few.run(None, feed_of(1, 2)))
